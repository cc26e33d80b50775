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

#[cfg(test)]
mod tests {
    use crate::judge::testing::{BUSY, CONFLICT, ERROR, FRESH, REPLAY, Story, given};

    fn wanted() -> Story {
        given(["wanted: { operation: make }"])
    }

    #[test]
    fn a_first_answer_and_its_replay_are_both_successes() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("accept: wanted")
            .holds([0, 1]);
    }

    #[test]
    fn a_refused_repeat_is_not_accepted() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(409, CONFLICT)
            .judged("accept: wanted")
            .violated(["wrong refusal [1]"]);
    }

    #[test]
    fn a_server_error_is_a_wrong_answer() {
        wanted()
            .attempt("wanted")
            .origin(503, ERROR)
            .attempt("wanted")
            .origin(418, ERROR)
            .judged("accept: wanted")
            .violated(["wrong answer [0]", "wrong answer [1]"]);
    }

    #[test]
    fn silence_is_no_acceptance() {
        wanted()
            .attempt("wanted")
            .silent()
            .judged("accept: wanted")
            .unknown("never exercised: no attempt was answered");
    }

    #[test]
    fn a_copy_may_be_told_to_come_back_while_another_is_done() {
        wanted()
            .attempt("wanted")
            .at(0..20)
            .origin(200, FRESH)
            .beside("wanted")
            .at(5..8)
            .origin(409, BUSY)
            .judged("accept: wanted")
            .holds([0]);
    }

    #[test]
    fn a_copy_that_is_alone_may_not_be_told_to_come_back() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(409, BUSY)
            .judged("accept: wanted")
            .violated(["wrong refusal [1]"]);
    }
}
