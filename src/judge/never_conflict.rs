//! `never-conflict`: no answer is a conflict, in the envelope or in an item.

use crate::contract::Outcome;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let answered = view.ops.iter().filter(|op| op.intent.name == intent.name || op.exchange.intent == intent.name);
        for op in answered {
            let Some(answer) = op.answer() else { continue };
            if answer.outcome == Some(Outcome::Conflict) || answer.status == 409 {
                findings.push(Evidence::new(Anomaly::WrongRefusal, "no conflict", op.words(), [op.entry]));
            } else {
                witnesses.push(op.entry);
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no attempt was answered"))
}
