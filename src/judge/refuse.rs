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
            (outcome, Some(status)) => format!("{outcome}, by {status}"),
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
            // An item has no status of its own.
            let certain = expected.1.filter(|_| op.place.is_none());
            if refused && certain.is_none_or(|status| status == answer.status) {
                witnesses.push(op.entry);
            } else {
                let anomaly = if answer.status >= 500 { Anomaly::WrongAnswer } else { Anomaly::WrongRefusal };
                findings.push(Evidence::new(anomaly, says.clone(), op.words(), [op.entry]));
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no attempt was answered"))
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, FRESH, ITEM_REFUSED, Story, batch, given};

    fn broken() -> Story {
        given(["broken: { operation: make, defect: 400 without a size }"])
    }

    #[test]
    fn the_status_that_the_contract_names_refuses() {
        broken().attempt("broken").origin(400, ERROR).judged("refuse: broken").holds([0]);
    }

    #[test]
    fn another_status_than_the_named_one_does_not() {
        broken().attempt("broken").origin(404, ERROR).judged("refuse: broken").violated(["wrong refusal [0]"]);
    }

    #[test]
    fn a_success_and_a_server_error_refuse_nothing() {
        broken()
            .attempt("broken")
            .origin(200, FRESH)
            .attempt("broken")
            .origin(500, ERROR)
            .judged("refuse: broken")
            .violated(["wrong refusal [0]", "wrong answer [1]"]);
    }

    #[test]
    fn silence_refuses_nothing() {
        broken()
            .attempt("broken")
            .silent()
            .judged("refuse: broken")
            .unknown("never exercised: no attempt was answered");
    }

    #[test]
    fn any_4xx_will_do_where_the_contract_names_no_certain_one() {
        given(["long: { operation: make, key: one over the longest }"])
            .attempt("long")
            .origin(422, ERROR)
            .judged("refuse: long")
            .holds([0]);
    }

    #[test]
    fn an_item_is_refused_in_an_envelope_that_is_a_success() {
        given(["broken: { operation: make, defect: 400 without a size }", "all: { operation: make, items: [broken] }"])
            .attempt("all")
            .origin(200, &batch([ITEM_REFUSED], ""))
            .judged("refuse: broken")
            .holds([0]);
    }

    #[test]
    fn a_limited_rate_is_what_its_defect_names() {
        let limited = given(["limited: { operation: make, defect: 429 by hook }"]);
        limited.clone().attempt("limited").origin(429, ERROR).judged("refuse: limited").holds([0]);
        limited.attempt("limited").origin(400, ERROR).judged("refuse: limited").violated(["wrong refusal [0]"]);
    }
}
