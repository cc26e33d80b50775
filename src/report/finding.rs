//! The violations of a run, as people want to read them: worst first, and one for each way of being broken, however
//! many cases show it. It repeats verdicts and finds none.

use std::collections::{BTreeMap, BTreeSet};

use crate::event::{Stories, Story};
use crate::judge::{Anomaly, CaseReport, ClaimVerdict, Evidence, RequirementReport, RunReport, Standing, Verdict};
use crate::name::RequirementId;
use crate::plan::Waived;
use crate::requirement::{Grade, Level};

/// Cases that break the same requirements in the same way.
pub struct Finding<'a> {
    /// How far the worst of it binds; none where no requirement cites the claims.
    pub standing: Option<Standing>,
    /// The requirements that are broken, in the contract's order.
    pub broken: Vec<&'a RequirementReport>,
    /// The case that is shown: the first whose story is known, else the first.
    pub case: &'a CaseReport,
    /// What happened in it, if that was kept.
    pub story: Option<&'a Story>,
    /// The claims that it breaks.
    pub claims: Vec<&'a ClaimVerdict>,
    /// Why it is waived, for each requirement for which it is: the requirement, and the reason.
    pub waived: Vec<String>,
    /// The other cases, in the plan's order.
    pub others: Vec<&'a CaseReport>,
}

/// What sorts findings: the worst first, then as the plan has it.
type Rank = (Option<Standing>, Option<Level>, Option<Grade>, u8);

/// What makes two cases one finding: each requirement that is broken (or claim, where none cites it), how, and whether
/// that is waived.
type Signature<'a> = BTreeSet<(&'a str, &'static str, bool)>;

/// Every finding of a run, worst first.
pub fn findings<'a>(report: &'a RunReport, stories: &'a Stories) -> Vec<Finding<'a>> {
    let mut groups: Vec<(Signature<'a>, Vec<&'a CaseReport>)> = Vec::new();
    let mut known: BTreeMap<Signature<'a>, usize> = BTreeMap::new();
    for case in &report.cases {
        let signature = signature(case);
        if signature.is_empty() {
            continue;
        }
        let at = *known.entry(signature.clone()).or_insert_with(|| {
            groups.push((signature, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, cases)) = groups.get_mut(at) {
            cases.push(case);
        }
    }
    let mut findings: Vec<(Rank, Finding<'a>)> =
        groups.into_iter().filter_map(|(_, cases)| finding(report, stories, cases)).collect();
    // Stable: equally bad findings stay in the plan's order.
    findings.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    findings.into_iter().map(|(_, finding)| finding).collect()
}

fn finding<'a>(
    report: &'a RunReport,
    stories: &'a Stories,
    mut cases: Vec<&'a CaseReport>,
) -> Option<(Rank, Finding<'a>)> {
    let shown = cases.iter().position(|case| stories.contains_key(&case.id)).unwrap_or(0);
    if shown >= cases.len() {
        return None;
    }
    let case = cases.remove(shown);
    let claims: Vec<&ClaimVerdict> = case.verdicts.iter().filter(|claim| is_violated(claim)).collect();
    let broken: Vec<&RequirementReport> = report
        .requirements
        .iter()
        .filter(|row| claims.iter().any(|claim| claim.requirements.contains(&row.id)))
        .collect();
    let standing = claims.iter().filter_map(|claim| standing_of(report, claim)).max();
    let of = |(id, why): (&RequirementId, &Waived)| format!("{id}, {why}");
    let waived: BTreeSet<String> = claims.iter().flat_map(|claim| claim.waived.iter().map(of)).collect();
    let waived = waived.into_iter().collect();
    let worst = || broken.iter().filter(|row| Some(row.standing) == standing);
    let severity = claims.iter().flat_map(|claim| evidence(claim)).map(|one| severity(&one.anomaly)).max();
    let level = worst().map(|row| row.level).max();
    let rank = (standing, level, worst().map(|row| row.grade).max(), severity.unwrap_or(0));
    Some((rank, Finding { standing, broken, case, story: stories.get(&case.id), claims, waived, others: cases }))
}

fn signature(case: &CaseReport) -> Signature<'_> {
    let mut signature = BTreeSet::new();
    for claim in &case.verdicts {
        for evidence in evidence(claim) {
            let word = evidence.anomaly.word();
            if claim.requirements.is_empty() {
                signature.insert((claim.claim.word(), word, false));
            }
            let waived = |id| claim.waived.contains_key(id);
            signature.extend(claim.requirements.iter().map(|id| (id.as_str(), word, waived(id))));
        }
    }
    signature
}

impl<'a> Finding<'a> {
    /// What shows it, each finding once.
    pub fn evidence(&self) -> Vec<&'a Evidence> {
        let mut seen: Vec<&'a Evidence> = Vec::new();
        for one in self.claims.iter().flat_map(|claim| evidence(claim)) {
            if !seen.iter().any(|known| known.expected == one.expected && known.observed == one.observed) {
                seen.push(one);
            }
        }
        seen
    }
}

/// The findings of one claim in one case; none unless it is violated.
pub fn evidence(claim: &ClaimVerdict) -> impl Iterator<Item = &Evidence> {
    let violation = match &claim.verdict {
        Verdict::Violated(violation) => Some(violation),
        Verdict::Holds(_) | Verdict::Unknown(_) => None,
    };
    violation.into_iter().flat_map(|violation| violation.findings())
}

/// The structural difference that a finding carries, line by line.
pub fn differences(evidence: &Evidence) -> Vec<String> {
    match &evidence.anomaly {
        Anomaly::DivergentReplay(places) => places.iter().map(ToString::to_string).collect(),
        Anomaly::Lost
        | Anomaly::Duplicated { .. }
        | Anomaly::Unexpected
        | Anomaly::WrongMarker
        | Anomaly::MissedConflict
        | Anomaly::WrongRefusal
        | Anomaly::Leak
        | Anomaly::Miscounted
        | Anomaly::WrongAnswer
        | Anomaly::AskedAgain
        | Anomaly::GaveUp
        | Anomaly::Early { .. }
        | Anomaly::Late { .. }
        | Anomaly::WrongKey
        | Anomaly::ChangedRequest
        | Anomaly::FalseOutcome => Vec::new(),
    }
}

/// How far a violated claim binds, by the worst requirement that it breaks; one for which it is waived does not.
pub fn standing_of(report: &RunReport, claim: &ClaimVerdict) -> Option<Standing> {
    let broken = report.requirements.iter().filter(|row| claim.requirements.contains(&row.id));
    let standing = |row: &RequirementReport| match claim.waived.contains_key(&row.id) {
        true => Standing::Waived,
        false => row.standing,
    };
    broken.map(standing).max()
}

fn is_violated(claim: &ClaimVerdict) -> bool {
    evidence(claim).next().is_some()
}

/// What hurts whom: first what was really done or lost, then what the caller was told about it.
fn severity(anomaly: &Anomaly) -> u8 {
    match anomaly {
        Anomaly::Lost => 9,
        Anomaly::Duplicated { .. } => 8,
        Anomaly::Leak | Anomaly::FalseOutcome => 7,
        Anomaly::WrongKey => 6,
        Anomaly::Unexpected => 6,
        Anomaly::MissedConflict | Anomaly::ChangedRequest => 5,
        Anomaly::DivergentReplay(_) | Anomaly::AskedAgain => 4,
        Anomaly::Miscounted | Anomaly::GaveUp => 3,
        Anomaly::WrongAnswer | Anomaly::Early { .. } => 2,
        Anomaly::Late { .. } => 1,
        Anomaly::WrongMarker => 1,
        Anomaly::WrongRefusal => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::{case, divergent, duplicated, requirement, run, story};

    fn check(report: &RunReport, stories: &Stories, expected: &[&str]) {
        let found: Vec<String> = findings(report, stories)
            .iter()
            .map(|finding| {
                let broken: Vec<&str> = finding.broken.iter().map(|row| row.id.as_str()).collect();
                let others: Vec<&str> = finding.others.iter().map(|case| case.id.as_str()).collect();
                format!("{} breaks {}; as do {}", finding.case.id, broken.join(" "), others.join(" "))
            })
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn cases_that_break_the_same_in_the_same_way_are_one_finding_and_the_worst_comes_first() {
        let mut report = run();
        report.requirements = vec![
            requirement("SHOULD", Standing::Warn),
            requirement("MUST-A", Standing::Fail),
            requirement("MUST-B", Standing::Fail),
        ];
        report.cases = vec![
            case("1", &["SHOULD"], duplicated()),
            case("2", &["MUST-A"], divergent()),
            case("3", &["MUST-A"], duplicated()),
            case("4", &["MUST-A"], divergent()),
            case("5", &["MUST-A", "MUST-B"], divergent()),
            case("6", &["SHOULD"], duplicated()),
        ];
        let lines = [
            "3 breaks MUST-A; as do ",
            "2 breaks MUST-A; as do 4",
            "5 breaks MUST-A MUST-B; as do ",
            "1 breaks SHOULD; as do 6",
        ];
        check(&report, &Stories::new(), &lines);
    }

    #[test]
    fn the_case_that_is_shown_is_the_first_with_a_story() {
        let mut report = run();
        report.requirements = vec![requirement("MUST", Standing::Fail)];
        report.cases = vec![case("1", &["MUST"], divergent()), case("2", &["MUST"], divergent())];
        let stories = Stories::from([("2".into(), story())]);
        check(&report, &stories, &["2 breaks MUST; as do 1"]);
    }

    #[test]
    fn a_claim_that_no_requirement_cites_comes_last_and_is_not_dropped() {
        let mut report = run();
        report.requirements = vec![requirement("PROBE", Standing::Reported)];
        report.cases = vec![case("1", &[], duplicated()), case("2", &["PROBE"], divergent())];
        check(&report, &Stories::new(), &["2 breaks PROBE; as do ", "1 breaks ; as do "]);
    }
}
