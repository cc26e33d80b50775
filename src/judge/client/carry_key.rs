//! `carry-key`: every request carries a key, and every item of a batch one of its own.

use crate::judge::client::course::Course;
use crate::judge::client::keys;
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no request that could carry a key", |course, shown| {
        for call in course.asked().filter(|call| call.is_whole) {
            let keys = keys::keys(course, call);
            let missing = keys.iter().filter(|key| key.is_none()).count();
            if missing > 0 {
                let observed =
                    if course.item.is_some() { format!("{missing} items without one") } else { "none".into() };
                shown.broken(Anomaly::WrongKey, "a key", observed, [call.entry]);
            } else if !keys.is_empty() {
                shown.witness([call.entry]);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, given, results, wanted};

    const UNKNOWN: &str = "never exercised: no request that could carry a key";
    const CLAIM: &str = "carry-key: wanted";

    pub fn many() -> Story {
        given([
            "one: { operation: send }",
            "two: { operation: send }",
            "wanted: { operation: send, items: [one, two] }",
        ])
        .ask("wanted")
        .call(0)
        .answered(200, &results(["ok", "ok"]))
    }

    #[test]
    fn a_key_on_every_request_keeps_it() {
        for operation in ["send", "pay"] {
            let story = wanted(operation).call(0).call(1_000).answered(200, DONE).tells(1_020, "success");
            story.judged(CLAIM).holds([0, 1]);
        }
        many().tells(20, "success").judged(CLAIM).holds([0]);
    }

    #[test]
    fn none_an_empty_one_and_an_item_without_one_break_it() {
        for operation in ["send", "pay"] {
            let story = wanted(operation).call(0).call(1_000).no_key().answered(200, DONE).tells(1_020, "success");
            story.judged(CLAIM).violated(["wrong key [1]"]);
            wanted(operation).call(0).key("").tells(20, "success").judged(CLAIM).violated(["wrong key [0]"]);
        }
        many().items(["one", "two="]).tells(20, "success").judged(CLAIM).violated(["wrong key [0]"]);
    }

    #[test]
    fn where_a_key_has_no_place_or_did_not_come_nothing_is_known() {
        wanted("send").call(0).partial().tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
        wanted("send").tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
        let placeless = given(["one: { operation: pay }", "wanted: { operation: pay, items: [one] }"]);
        placeless.ask("wanted").call(0).tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
    }
}
