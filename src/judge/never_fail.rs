//! `never-fail`: no answer is a server error, and every answer is HTTP.

use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::{Said, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut observed: Vec<String> = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        for op in view.of_intent(&intent.name) {
            match &op.said {
                Said::Nothing => {}
                Said::Answer(answer) if answer.status < 500 => {
                    let seen = answer.outcome.map_or_else(|| answer.status.to_string(), |outcome| outcome.to_string());
                    if observed.last() != Some(&seen) {
                        observed.push(seen);
                    }
                    witnesses.push(op.entry);
                }
                Said::Answer(_) | Said::Garbage(_) => {
                    findings.push(Evidence::new(Anomaly::WrongAnswer, "no server error", op.words(), [op.entry]));
                }
            }
        }
    }
    Verdict::violated_or(findings, || {
        Verdict::holds(witnesses, "no attempt was answered").observing(observed.join(", "))
    })
}
