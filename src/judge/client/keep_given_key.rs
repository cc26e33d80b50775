//! `keep-given-key`: the key that the caller gave is the one on the wire, character by character.

use crate::contract::KeyPlace;
use crate::json::Json;
use crate::judge::client::course::Course;
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no request under a key that the caller gave", |course, shown| {
        // Who has no key at all was given none that it could keep.
        let Some(cell) = course.intent.cell().filter(|_| !course.operation.keyless) else { return };
        let given = on_the_wire(course, &cell.key);
        for call in course.asked().filter(|call| call.is_whole) {
            let found = call.key.as_ref().map(|key| key.content_key());
            if found.as_ref().is_some_and(|found| given.contains(found)) {
                shown.witness([call.entry]);
            } else {
                let observed = found.map_or_else(|| "no key".to_owned(), |key| format!("key {key}"));
                shown.broken(Anomaly::WrongKey, format!("key {}", cell.key), observed, [call.entry]);
            }
        }
    })
}

/// What the given key may look like where it is carried, canonical.
fn on_the_wire(course: &Course<'_>, given: &str) -> Vec<String> {
    let in_header = course.operation.key().is_some_and(|rule| matches!(rule.place, KeyPlace::Header(_)));
    let (true, Ok(key)) = (in_header, Json::parse(given.as_bytes())) else { return vec![given.to_owned()] };
    // Blanks around a value are not part of it, and bytes above 127 are read as Latin-1.
    let text = key.as_str().map_or_else(|| key.to_string(), str::to_owned);
    let plain = text.trim_matches([' ', '\t']);
    let latin: String = plain.bytes().map(char::from).collect();
    [text.as_str(), plain, latin.as_str()].map(|key| Json::text(key).content_key()).into()
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, given, wanted};

    const UNKNOWN: &str = "never exercised: no request under a key that the caller gave";
    const CLAIM: &str = "keep-given-key: wanted";

    fn told(operation: &str) -> Story {
        given([&format!("wanted: {{ operation: {operation}, key: fresh }}")]).ask("wanted").call(0)
    }

    #[test]
    fn the_given_key_on_every_request_keeps_it() {
        for operation in ["send", "pay"] {
            let story = told(operation).call(1_000).answered(200, DONE).tells(1_020, "success");
            story.judged(CLAIM).holds([0, 1]);
        }
        let spaced = given(["wanted: { operation: send, key: with spaces at its ends }"]).ask("wanted").call(0);
        spaced.tells(20, "failure").judged(CLAIM).holds([0]);
        let header = |kind: &str| given([&format!("wanted: {{ operation: pay, key: {kind} }}")]).ask("wanted").call(0);
        for kind in ["with quotes", "with slash and percent"] {
            header(kind).tells(20, "failure").judged(CLAIM).holds([0]);
            header(kind).key("own").tells(20, "failure").judged(CLAIM).violated(["wrong key [0]"]);
        }
    }

    #[test]
    fn another_key_or_none_breaks_it() {
        for operation in ["send", "pay"] {
            told(operation).key("own").tells(20, "failure").judged(CLAIM).violated(["wrong key [0]"]);
            told(operation).no_key().tells(20, "failure").judged(CLAIM).violated(["wrong key [0]"]);
            let later = told(operation).call(1_000).key("own").tells(1_020, "failure");
            later.judged(CLAIM).violated(["wrong key [1]"]);
        }
    }

    #[test]
    fn without_a_given_key_or_a_request_nothing_is_known() {
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).unknown(UNKNOWN);
        told("send").partial().tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
    }
}
