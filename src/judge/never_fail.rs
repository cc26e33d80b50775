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

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, ERROR, FRESH, Story, given};

    fn wanted() -> Story {
        given(["wanted: { operation: make }"])
    }

    #[test]
    fn answers_below_500_do_not_fail() {
        let judged = wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(409, CONFLICT)
            .attempt("wanted")
            .origin(418, "")
            .judged("never-fail: wanted");
        judged.holds([0, 1, 2]);
        judged.observed("fresh, conflict, 418");
    }

    #[test]
    fn a_server_error_and_what_is_no_http_fail() {
        wanted()
            .attempt("wanted")
            .origin(500, ERROR)
            .attempt("wanted")
            .garbage()
            .judged("never-fail: wanted")
            .violated(["wrong answer [0]", "wrong answer [1]"]);
    }

    #[test]
    fn without_an_answer_nothing_is_known() {
        wanted()
            .attempt("wanted")
            .silent()
            .judged("never-fail: wanted")
            .unknown("never exercised: no attempt was answered");
    }

    #[test]
    fn a_server_error_that_somebody_on_the_way_answers_is_not_the_servers() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .meets("post-commit answer 502")
            .judged("never-fail: wanted")
            .holds([0]);
    }
}
