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

#[cfg(test)]
mod tests {
    use crate::judge::testing::{BUSY, CONFLICT, ERROR, FRESH, Judged, NOTED, REPLAY, SEEN, given};

    fn noted(status: u16, body: &str) -> Judged {
        given(["noted: { operation: note }"])
            .attempt("noted")
            .origin(200, NOTED)
            .attempt("noted")
            .origin(status, body)
            .judged("answer-repeat-as-success: noted")
    }

    #[test]
    fn a_repeat_that_is_acknowledged_holds() {
        noted(200, SEEN).holds([1]);
    }

    #[test]
    fn a_refused_repeat_and_a_failed_one_are_told_apart() {
        noted(400, ERROR).violated(["wrong refusal [1]"]);
        noted(409, CONFLICT).violated(["wrong refusal [1]"]);
        noted(500, ERROR).violated(["wrong answer [1]"]);
        noted(302, "").violated(["wrong answer [1]"]);
    }

    #[test]
    fn without_a_repeat_after_the_answer_nothing_is_known() {
        given(["noted: { operation: note }"])
            .attempt("noted")
            .silent()
            .attempt("noted")
            .origin(200, NOTED)
            .judged("answer-repeat-as-success: noted")
            .unknown("never exercised: no repeat was answered");
    }

    #[test]
    fn another_status_of_the_class_and_a_missing_marker_are_allowed() {
        noted(202, SEEN).holds([1]);
        noted(204, "").holds([1]);
    }

    #[test]
    fn a_repeat_may_wait_for_another_repeat() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, REPLAY)
            .beside("wanted")
            .origin(409, BUSY)
            .judged("answer-repeat-as-success: wanted")
            .holds([1]);
    }
}
