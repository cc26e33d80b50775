//! `refuse`: every answered attempt is refused, and never by a server error. Which 4xx it is does not count where the
//! contract names no certain outcome.

use crate::contract::Outcome;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::{Expectation, PlannedIntent, Wanted};

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let expected = match &intent.wanted {
            Wanted::One { expects: Expectation::Refused(outcome, status), .. } => (*outcome, *status),
            Wanted::One { .. } | Wanted::Batch(_) => (Outcome::Refused, None),
        };
        let says = match expected {
            (outcome, Some(status)) => format!("{outcome}, as with {status}"),
            (outcome, None) => format!("{outcome}, by a 4xx"),
        };
        for op in view.of_intent(&intent.name) {
            let Some(answer) = op.answer() else { continue };
            let client_error = (400..500).contains(&answer.status);
            let refused = match answer.outcome {
                Some(outcome) if outcome == expected.0 => true,
                Some(
                    Outcome::Fresh | Outcome::Replayed | Outcome::Conflict | Outcome::InProgress | Outcome::Unknown,
                ) => false,
                // A 4xx of another kind still says no.
                Some(Outcome::Refused | Outcome::RateLimited | Outcome::Stale) | None => {
                    client_error && expected.0 == Outcome::Refused
                }
            };
            if refused {
                witnesses.push(op.entry);
            } else {
                let anomaly = if answer.status >= 500 { Anomaly::WrongAnswer } else { Anomaly::WrongRefusal };
                findings.push(Evidence::new(anomaly, says.clone(), op.words(), [op.entry]));
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no attempt was answered"))
}
