//! `accept`: every answered attempt is a success. It does not look at effects.

use crate::contract::Outcome;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        for (op, standing) in rivals(view, intent).into_iter().filter(|(op, _)| op.intent.name == intent.name) {
            match op.outcome() {
                _ if op.answer().is_none() => {}
                Some(Outcome::Fresh | Outcome::Replayed) => witnesses.push(op.entry),
                // A copy that is still being done may be told to come back.
                Some(Outcome::InProgress) if standing.contended => {}
                Some(Outcome::Unknown) | None => {
                    findings.push(Evidence::new(Anomaly::WrongAnswer, "a success", op.words(), [op.entry]));
                }
                Some(_) => findings.push(Evidence::new(Anomaly::WrongRefusal, "a success", op.words(), [op.entry])),
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no attempt was answered"))
}
