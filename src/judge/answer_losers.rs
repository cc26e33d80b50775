//! `answer-losers`: copies at the same time are each answered as declared, one of them at most as the first, all with the
//! same identity. Overlap is proven by the wire before anything is concluded.

use crate::contract::Outcome;
use crate::judge::effects::identities;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::{Op, Said, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let races = view.race_steps();
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let declared = view.operation(intent).names(Outcome::InProgress);
        let marked = view.operation(intent).marker.is_some();
        let mut firsts: Vec<&Op<'_>> = Vec::new();
        for (op, standing) in rivals(view, intent) {
            if !on.iter().any(|named| named.name == op.intent.name) || !races.contains(&op.exchange.step) {
                continue;
            }
            let wrong = |anomaly| Evidence::new(anomaly, allowed(declared), op.words(), [op.entry]);
            match (&op.said, op.outcome()) {
                (Said::Nothing, _) => {}
                (Said::Garbage(_), _) | (Said::Answer(_), None | Some(Outcome::Unknown)) => {
                    findings.push(wrong(Anomaly::WrongAnswer));
                }
                (Said::Answer(_), Some(Outcome::Fresh)) => {
                    firsts.push(op);
                    witnesses.push(op.entry);
                }
                (Said::Answer(_), Some(Outcome::Replayed)) => witnesses.push(op.entry),
                (Said::Answer(_), Some(Outcome::InProgress)) if declared => witnesses.push(op.entry),
                (Said::Answer(_), Some(Outcome::Conflict)) if standing.explains(Outcome::Conflict) => {
                    witnesses.push(op.entry)
                }
                (Said::Answer(_), Some(_)) => findings.push(wrong(Anomaly::WrongRefusal)),
            }
        }
        if marked && firsts.len() > 1 {
            let times = u32::try_from(firsts.len()).unwrap_or(u32::MAX);
            let observed = format!("{times} first answers");
            findings.push(Evidence::new(
                Anomaly::Duplicated { times },
                "one first answer at most",
                observed,
                firsts.iter().map(|op| op.entry),
            ));
        }
        let all = rivals(view, intent);
        let known = identities(view, all.iter().map(|(op, _)| *op).filter(|op| races.contains(&op.exchange.step)));
        if known.len() > 1 {
            let times = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let observed: Vec<&str> = known.iter().map(|(identity, _)| identity.as_str()).collect();
            findings.push(Evidence::new(
                Anomaly::Duplicated { times },
                "the same identity in every success",
                observed.join(", "),
                known.iter().map(|(_, entry)| *entry),
            ));
        }
    }
    Verdict::violated_or(findings, || {
        if witnesses.len() > 1 {
            Verdict::holds(witnesses, "")
        } else {
            Verdict::holds([], "fewer than two copies were answered")
        }
    })
}

fn allowed(in_progress_declared: bool) -> &'static str {
    if in_progress_declared {
        "a success, or the in-progress answer, or the conflict for other content"
    } else {
        "a success, or the conflict for other content"
    }
}
