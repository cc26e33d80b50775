//! `answer-repeat-as-success`: a repeat after the commit is answered as the contract words a success, with the status class
//! of the first.

use crate::contract::Outcome;
use crate::judge::rivals::repeats;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        for (op, standing) in repeats(view, intent) {
            match op.outcome() {
                _ if op.answer().is_none() => {}
                Some(Outcome::Fresh | Outcome::Replayed) => witnesses.push(op.entry),
                Some(Outcome::InProgress) if standing.contended => {}
                Some(Outcome::Unknown) | None => {
                    findings.push(Evidence::new(
                        Anomaly::WrongAnswer,
                        "a success, as the contract words it",
                        op.words(),
                        [op.entry],
                    ));
                }
                Some(_) => {
                    findings.push(Evidence::new(
                        Anomaly::WrongRefusal,
                        "a success, as the contract words it",
                        op.words(),
                        [op.entry],
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no repeat was answered"))
}
