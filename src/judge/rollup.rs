//! From verdicts of claims to the standing of each requirement. The worst verdict wins; nothing is passed that was not
//! witnessed.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::judge::verdict::{Doubt, Verdict};
use crate::name::{CaseId, IntentName, RequirementId, ScenarioPath};
use crate::plan::{AbleClient, Waived, is_judged};
use crate::requirement::{Grade, Level, Requirement, Side};
use crate::scenario::Claim;

/// One claim's verdict in one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimVerdict {
    /// The claim.
    pub claim: Claim,
    /// On what.
    pub on: Vec<IntentName>,
    /// The requirements that it proves.
    pub requirements: Vec<RequirementId>,
    /// What was found.
    pub verdict: Verdict,
    /// Why its violation is waived, for each requirement for which it is.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub waived: IndexMap<RequirementId, Waived>,
}

/// One case's verdicts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseReport {
    /// The case.
    pub id: CaseId,
    /// Its scenario.
    pub scenario: ScenarioPath,
    /// The scenario's title.
    pub title: String,
    /// Its cell, values in the order of the axes.
    pub cell: IndexMap<String, String>,
    /// One for each claim.
    pub verdicts: Vec<ClaimVerdict>,
}

/// Where a requirement stands after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Standing {
    /// Another side's, or nothing of the contract that the scenarios need.
    NotApplicable,
    /// Every claim held, and some did.
    Pass,
    /// Only reported, by its level.
    Reported,
    /// Broken, known to be, and waived; beyond that nothing is wrong with it.
    Waived,
    /// Asked for, and nobody can say.
    NotJudged,
    /// Broken, but it does not bind (derived, or a should).
    Warn,
    /// Broken.
    Fail,
}

/// One requirement's standing and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequirementReport {
    /// The requirement's id.
    pub id: RequirementId,
    /// How far it binds.
    pub level: Level,
    /// Whether the source says it.
    pub grade: Grade,
    /// Who has to keep it.
    pub side: Side,
    /// The sentence.
    pub says: String,
    /// Where the source says it.
    pub source: String,
    /// Where it stands.
    pub standing: Standing,
    /// Verdicts that held.
    pub held: usize,
    /// Verdicts that were violated, waived or not.
    pub violated: usize,
    /// Those of them that are waived.
    #[serde(default, skip_serializing_if = "is_none")]
    pub waived: usize,
    /// Verdicts that are unknown.
    pub unknown: usize,
    /// Why it is not judged, or what was observed.
    pub remark: Option<String>,
    /// The first case that shows the standing.
    pub shown_by: Option<CaseId>,
}

fn is_none(count: &usize) -> bool {
    *count == 0
}

/// A whole run, concluded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// The contract's name.
    pub contract: String,
    /// The subject, as people call it.
    pub subject: String,
    /// The seed of the plan.
    pub seed: u64,
    /// False when the run was ended before all cases were played.
    pub complete: bool,
    /// How many cases were planned.
    pub planned: usize,
    /// Whether a broken should, or derived requirement, fails and a gap counts.
    pub strict: bool,
    /// What the self-proof of this version scored, if known: saboteurs caught, saboteurs in all.
    pub kill_score: Option<(usize, usize)>,
    /// Every requirement of the contract, in its order.
    pub requirements: Vec<RequirementReport>,
    /// Every case that was played, in the plan's order.
    pub cases: Vec<CaseReport>,
    /// Waivers that no longer apply, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused_waivers: Vec<String>,
}

impl Standing {
    /// Its name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Standing::NotApplicable => "not applicable",
            Standing::Pass => "pass",
            Standing::Reported => "reported",
            Standing::Waived => "waived",
            Standing::NotJudged => "not judged",
            Standing::Warn => "warn",
            Standing::Fail => "fail",
        }
    }
}

impl fmt::Display for Standing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

impl RunReport {
    /// The exit code of a run: 0 conformant, 1 violated, 2 a waiver no longer applies, 3 nothing was judged (or, when
    /// strict, a gap).
    pub fn exit_code(&self) -> u8 {
        let count = |standing: Standing| self.requirements.iter().filter(|row| row.standing == standing).count();
        if count(Standing::Fail) > 0 {
            1
        } else if !self.unused_waivers.is_empty() {
            2
        } else {
            let told = count(Standing::Warn) + count(Standing::Reported) + count(Standing::Waived);
            let judged = count(Standing::Pass) + told > 0;
            let gap = self.strict && count(Standing::NotJudged) > 0;
            if judged && self.complete && !gap { 0 } else { 3 }
        }
    }
}

/// The standing of every requirement of the sides under test. `asked` are those that some planned case could prove.
pub fn roll_up(
    contract: &Contract,
    cases: &[CaseReport],
    asked: &[RequirementId],
    client: Option<&AbleClient>,
    strict: bool,
) -> Vec<RequirementReport> {
    contract
        .requirements
        .values()
        .filter(|requirement| is_judged(requirement, client))
        .map(|requirement| row(requirement, cases, asked, strict))
        .collect()
}

fn row(requirement: &Requirement, cases: &[CaseReport], asked: &[RequirementId], strict: bool) -> RequirementReport {
    let mut report = RequirementReport {
        id: requirement.id.clone(),
        level: requirement.level,
        grade: requirement.grade,
        side: requirement.side,
        says: requirement.says.clone(),
        source: requirement.source.clone(),
        standing: Standing::NotApplicable,
        held: 0,
        violated: 0,
        waived: 0,
        unknown: 0,
        remark: requirement.not_judged.clone(),
        shown_by: None,
    };
    let mut worst: Option<(u8, &CaseReport, &ClaimVerdict)> = None;
    let mut waived: Option<(&CaseReport, &ClaimVerdict)> = None;
    let mut reasons: IndexMap<String, usize> = IndexMap::new();
    let mut observed: IndexMap<String, usize> = IndexMap::new();
    for case in cases {
        for verdict in case.verdicts.iter().filter(|verdict| verdict.requirements.contains(&requirement.id)) {
            match &verdict.verdict {
                Verdict::Holds(witnesses) => {
                    report.held += 1;
                    if let Some(seen) = &witnesses.observed {
                        let cell: Vec<&str> = case.cell.values().map(String::as_str).collect();
                        observed.entry(format!("{}: {seen}", cell.join(", "))).or_insert(0);
                    }
                }
                Verdict::Unknown(_) => report.unknown += 1,
                Verdict::Violated(_) => report.violated += 1,
            }
            // A violation that is waived decides nothing, but that it is no pass.
            if let Some(why) = verdict.waived.get(&requirement.id) {
                report.waived += 1;
                *reasons.entry(why.to_string()).or_insert(0) += 1;
                waived = waived.or(Some((case, verdict)));
                continue;
            }
            let rank = rank(requirement, &verdict.verdict);
            if worst.is_none_or(|(known, _, _)| rank > known) {
                worst = Some((rank, case, verdict));
            }
        }
    }
    // What a client gave no occasion for says nothing beside a violation that is known.
    let worst = worst.filter(|(rank, ..)| *rank > 0 || waived.is_none());
    let Some((_, case, verdict)) = worst.or(waived.map(|(case, verdict)| (0, case, verdict))) else {
        report.standing = if requirement.not_judged.is_some() || asked.contains(&requirement.id) {
            Standing::NotJudged
        } else {
            Standing::NotApplicable
        };
        return report;
    };
    report.shown_by = Some(case.id.clone());
    report.standing = match &verdict.verdict {
        Verdict::Violated(_) if worst.is_none() => Standing::Waived,
        Verdict::Violated(_) => match (requirement.level, requirement.grade, strict) {
            (Level::Probe | Level::May, _, _) => Standing::Reported,
            (Level::Must, Grade::Stated, _) | (Level::Must | Level::Should, _, true) => Standing::Fail,
            (Level::Must | Level::Should, _, false) => Standing::Warn,
        },
        // The worst verdict wins: a gap among cases that held is a gap, and the remark says how large.
        Verdict::Unknown(doubt) => {
            report.remark = Some(match report.held {
                0 => doubt.to_string(),
                held => format!("{} of {} not judged: {doubt}", report.unknown, held + report.unknown),
            });
            Standing::NotJudged
        }
        Verdict::Holds(_) if waived.is_some() => Standing::Waived,
        Verdict::Holds(_) => passed(requirement),
    };
    if let (Standing::Waived, Some((case, _))) = (report.standing, waived) {
        report.shown_by = Some(case.id.clone());
    }
    if report.standing == Standing::Pass && report.unknown > 0 {
        let all = report.held + report.unknown;
        report.remark = Some(format!("no occasion for it in {} of {all}", report.unknown));
    }
    if !observed.is_empty() {
        report.remark = Some(observed.keys().cloned().collect::<Vec<_>>().join("; "));
    }
    if !reasons.is_empty() {
        let reasons =
            reasons.iter().map(|(why, count)| format!("{count} of {} violations waived, {why}", report.violated));
        report.remark = Some(report.remark.into_iter().chain(reasons).collect::<Vec<_>>().join("; "));
    }
    report
}

/// The worst verdict wins. That a client gave no occasion for a claim in one case is its doing, and judged by another
/// claim: it takes nothing from the cases in which it did. A server has no such choice.
fn rank(requirement: &Requirement, verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Unknown(Doubt::NeverExercised(_)) if requirement.side == Side::Client => 0,
        verdict => verdict.rank() + 1,
    }
}

fn passed(requirement: &Requirement) -> Standing {
    if requirement.level == Level::Probe { Standing::Reported } else { Standing::Pass }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::EntryNo;
    use crate::judge::verdict::{Anomaly, Evidence};
    use crate::plan::WaiverKind;

    fn requirement(side: Side) -> Requirement {
        Requirement {
            id: "R-1".into(),
            level: Level::Must,
            grade: Grade::Stated,
            side,
            clients: Vec::new(),
            source: String::new(),
            says: String::new(),
            note: None,
            proofs: Vec::new(),
            not_judged: None,
        }
    }

    fn standing(side: Side, verdicts: &[Verdict]) -> Standing {
        let verdicts: Vec<(Verdict, bool)> = verdicts.iter().map(|verdict| (verdict.clone(), false)).collect();
        report(side, &verdicts).standing
    }

    /// The row of a requirement with these verdicts, each waived or not.
    fn report(side: Side, verdicts: &[(Verdict, bool)]) -> RequirementReport {
        let known = Waived { kind: WaiverKind::Failing, reason: "known".to_owned(), until: None };
        let case = |(verdict, waived): &(Verdict, bool)| CaseReport {
            id: "c".into(),
            scenario: "s".into(),
            title: String::new(),
            cell: IndexMap::new(),
            verdicts: vec![ClaimVerdict {
                claim: Claim::Finish,
                on: Vec::new(),
                requirements: vec!["R-1".into()],
                verdict: verdict.clone(),
                waived: waived.then(|| ("R-1".into(), known.clone())).into_iter().collect(),
            }],
        };
        let cases: Vec<CaseReport> = verdicts.iter().map(case).collect();
        row(&requirement(side), &cases, &["R-1".into()], false)
    }

    #[test]
    fn a_violation_that_is_waived_decides_nothing_but_that_it_is_no_pass() {
        let found = Evidence {
            anomaly: Anomaly::Lost,
            expected: "one".to_owned(),
            observed: "none".to_owned(),
            shown_by: vec![EntryNo(0)],
        };
        let violated = Verdict::violated_or(vec![found], || Verdict::holds([EntryNo(0)], ""));
        let known = (violated.clone(), true);
        let held = (Verdict::holds([EntryNo(0)], ""), false);
        let untold = (Verdict::Unknown(Doubt::Undecided(String::new())), false);
        let idle = (Verdict::Unknown(Doubt::NeverExercised(String::new())), false);
        for (others, side, expected) in [
            (vec![], Side::Server, Standing::Waived),
            (vec![held.clone()], Side::Server, Standing::Waived),
            (vec![held, untold], Side::Server, Standing::NotJudged),
            (vec![idle.clone()], Side::Server, Standing::NotJudged),
            (vec![idle], Side::Client, Standing::Waived),
            (vec![(violated, false)], Side::Server, Standing::Fail),
        ] {
            for verdicts in [
                [&others[..], std::slice::from_ref(&known)].concat(),
                [std::slice::from_ref(&known), &others[..]].concat(),
            ] {
                let report = report(side, &verdicts);
                assert_eq!((report.standing, report.waived), (expected, 1), "{side} {others:?}");
                let told = report.remark.expect("a remark");
                assert!(told.ends_with("violations waived, known failing: known"), "{told}");
            }
        }
    }

    #[test]
    fn only_what_a_client_gave_no_occasion_for_takes_nothing_from_what_held() {
        let held = Verdict::holds([EntryNo(0)], "");
        let idle = Verdict::Unknown(Doubt::NeverExercised(String::new()));
        let untold = Verdict::Unknown(Doubt::Undecided(String::new()));
        for (side, other, expected) in [
            (Side::Client, &idle, Standing::Pass),
            (Side::Client, &untold, Standing::NotJudged),
            (Side::Server, &idle, Standing::NotJudged),
            (Side::Server, &untold, Standing::NotJudged),
        ] {
            assert_eq!(standing(side, &[held.clone(), other.clone()]), expected, "{side} {other:?}");
            assert_eq!(standing(side, &[other.clone(), held.clone()]), expected, "{side} {other:?}");
            assert_eq!(standing(side, std::slice::from_ref(other)), Standing::NotJudged, "{side} {other:?}");
        }
    }
}
