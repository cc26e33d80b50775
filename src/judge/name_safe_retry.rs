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
fn says_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let part = |letter: char| letter.is_alphanumeric() || letter == '_';
        let before = text[..at].chars().next_back();
        let after = text[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

#[cfg(test)]
mod tests {
    use super::says_word;

    #[test]
    fn a_part_of_another_word_does_not_name_it() {
        assert!(says_word("retry with the same id.", "id"));
        assert!(!says_word("an invalid request, idempotency_key", "id"));
    }
}
