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
