//! `refuse-conflict`: another request under a committed key is answered by the conflict, as the contract words it.

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
        let late = rivals(view, intent)
            .into_iter()
            .filter(|(op, standing)| op.intent.name == intent.name && standing.committed_other);
        for (op, _) in late {
            match op.outcome() {
                _ if op.answer().is_none() => {}
                Some(Outcome::Conflict) => witnesses.push(op.entry),
                Some(Outcome::Fresh | Outcome::Replayed) => {
                    findings.push(Evidence::new(Anomaly::MissedConflict, "the conflict", op.words(), [op.entry]));
                }
                Some(_) | None => {
                    findings.push(Evidence::new(
                        Anomaly::WrongRefusal,
                        "the conflict, as the contract words it",
                        op.words(),
                        [op.entry],
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "nothing was committed under the key before it"))
}
