//! `carry-retry-after`: an answer that limits the rate says when to come back, as seconds or as an HTTP date.

use crate::contract::Outcome;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        for op in view.of_intent(&intent.name) {
            let Some(answer) = op.answer() else { continue };
            if answer.status != 429 && answer.outcome != Some(Outcome::RateLimited) {
                continue;
            }
            match answer.response.header("retry-after") {
                Some(value) if is_valid(value) => witnesses.push(op.entry),
                found => {
                    let observed =
                        found.map_or_else(|| "no Retry-After".to_owned(), |value| format!("Retry-After: {value}"));
                    findings.push(Evidence::new(
                        Anomaly::WrongAnswer,
                        "Retry-After as seconds or a date",
                        observed,
                        [op.entry],
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "nothing was rate limited"))
}

fn is_valid(value: &str) -> bool {
    let seconds = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    seconds || httpdate::parse_http_date(value).is_ok()
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, Story, given};

    fn limited() -> Story {
        given(["wanted: { operation: make }"]).attempt("wanted").origin(429, ERROR)
    }

    #[test]
    fn seconds_and_a_date_both_say_when() {
        limited().header("Retry-After", "2").judged("carry-retry-after: wanted").holds([0]);
        limited().header("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT").judged("carry-retry-after: wanted").holds([0]);
    }

    #[test]
    fn none_and_anything_else_do_not() {
        limited().judged("carry-retry-after: wanted").violated(["wrong answer [0]"]);
        for value in ["soon", "-1", "1.5", "", "2s"] {
            limited().header("Retry-After", value).judged("carry-retry-after: wanted").violated(["wrong answer [0]"]);
        }
    }

    #[test]
    fn without_a_429_nothing_is_known() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(503, ERROR)
            .header("Retry-After", "soon")
            .judged("carry-retry-after: wanted")
            .unknown("never exercised: nothing was rate limited");
    }

    #[test]
    fn zero_seconds_are_seconds() {
        limited().header("Retry-After", "0").judged("carry-retry-after: wanted").holds([0]);
    }
}
