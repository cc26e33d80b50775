//! `name-safe-retry`: what a gateway answers for an origin that broke off names the safe retry, as a word of its own.

use crate::history::CallerEnd;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let Some(word) = &view.operation(intent).safe_retry else { continue };
        for (entry, exchange) in view.exchanges(&intent.name) {
            let CallerEnd::Answered(response) = &exchange.caller else { continue };
            if response.status != 502 {
                continue;
            }
            let text =
                response.json().and_then(|body| Some(body.get("message")?.as_str()?.to_owned())).unwrap_or_default();
            if says_word(&text, word) {
                witnesses.push(entry);
            } else {
                let observed = if text.is_empty() { "no message".to_owned() } else { format!("\"{text}\"") };
                findings.push(Evidence::new(
                    Anomaly::WrongAnswer,
                    format!("a message that names `{word}`"),
                    observed,
                    [entry],
                ));
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no 502 reached the caller"))
}

/// Whether a word stands in a text, not as a part of another word.
pub fn says_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::name_safe_retry::says_word;
    use crate::judge::testing::{FRESH, Judged, given};

    fn gateway(status: u16, body: &str) -> Judged {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .gateway(status, body)
            .judged("name-safe-retry: wanted")
    }

    #[test]
    fn a_502_that_names_the_key_holds() {
        gateway(502, r#"{"message":"retry with the same key."}"#).holds([0]);
    }

    #[test]
    fn a_502_that_names_it_nowhere_or_elsewhere_is_a_wrong_answer() {
        gateway(502, r#"{"message":"try again"}"#).violated(["wrong answer [0]"]);
        gateway(502, r#"{"hint":"same key"}"#).violated(["wrong answer [0]"]);
        gateway(502, "<h1>key</h1>").violated(["wrong answer [0]"]);
    }

    #[test]
    fn without_a_502_nothing_is_known() {
        gateway(504, r#"{"message":"the same key"}"#).unknown("never exercised: no 502 reached the caller");
    }

    #[test]
    fn a_part_of_another_word_does_not_name_it() {
        gateway(502, r#"{"message":"a monkey, a key_ring, 'key'"}"#).holds([0]);
        gateway(502, r#"{"message":"a monkey, a key_ring, keys"}"#).violated(["wrong answer [0]"]);
        assert!(!says_word("an invalid request, idempotency_key", "id"));
    }
}
