//! From verdicts of claims to the standing of each requirement. The worst verdict wins; nothing is passed that was not
//! witnessed.

use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::contract::Contract;
use crate::judge::verdict::{Doubt, Verdict};
use crate::name::{CaseId, IntentName, RequirementId, ScenarioPath};
use crate::plan::AbleClient;
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
    /// Verdicts that were violated.
    pub violated: usize,
    /// Verdicts that are unknown.
    pub unknown: usize,
    /// Why it is not judged, or what was observed.
    pub remark: Option<String>,
    /// The first case that shows the standing.
    pub shown_by: Option<CaseId>,
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
}

impl Standing {
    /// Its name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Standing::NotApplicable => "not applicable",
            Standing::Pass => "pass",
            Standing::Reported => "reported",
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
    /// The exit code of a run: 0 conformant, 1 violated, 3 nothing was judged (or, when strict, a gap).
    pub fn exit_code(&self) -> u8 {
        let count = |standing: Standing| self.requirements.iter().filter(|row| row.standing == standing).count();
        if count(Standing::Fail) > 0 {
            1
        } else {
            let judged = count(Standing::Pass) + count(Standing::Warn) + count(Standing::Reported) > 0;
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
    let is_of_side = |requirement: &&Requirement| match (requirement.side, client) {
        (Side::Client, Some(client)) => requirement.clients.is_empty() || requirement.clients.contains(&client.kind),
        (Side::Server, Some(client)) => client.both,
        (Side::Server, None) => true,
        (Side::Client, None) | (Side::Sender | Side::Receiver, _) => false,
    };
    contract
        .requirements
        .values()
        .filter(is_of_side)
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
        unknown: 0,
        remark: requirement.not_judged.clone(),
        shown_by: None,
    };
    let mut worst: Option<(u8, &CaseReport, &ClaimVerdict)> = None;
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
            let rank = rank(requirement, &verdict.verdict);
            if worst.is_none_or(|(known, _, _)| rank > known) {
                worst = Some((rank, case, verdict));
            }
        }
    }
    let Some((_, case, verdict)) = worst else {
        report.standing = if requirement.not_judged.is_some() || asked.contains(&requirement.id) {
            Standing::NotJudged
        } else {
            Standing::NotApplicable
        };
        return report;
    };
    report.shown_by = Some(case.id.clone());
    report.standing = match &verdict.verdict {
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
        Verdict::Holds(_) => passed(requirement),
    };
    if report.standing == Standing::Pass && report.unknown > 0 {
        let all = report.held + report.unknown;
        report.remark = Some(format!("no occasion for it in {} of {all}", report.unknown));
    }
    if !observed.is_empty() {
        report.remark = Some(observed.keys().cloned().collect::<Vec<_>>().join("; "));
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
        let case = |verdict: &Verdict| CaseReport {
            id: "c".into(),
            scenario: "s".into(),
            title: String::new(),
            cell: IndexMap::new(),
            verdicts: vec![ClaimVerdict {
                claim: Claim::Finish,
                on: Vec::new(),
                requirements: vec!["R-1".into()],
                verdict: verdict.clone(),
            }],
        };
        let cases: Vec<CaseReport> = verdicts.iter().map(case).collect();
        row(&requirement(side), &cases, &["R-1".into()], false).standing
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
