//! `reuse-key`: all requests of one intent carry the same key; a later request of a batch carries keys of the first, and
//! no other.

use crate::judge::client::course::Course;
use crate::judge::client::keys;
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no key was carried twice", |course, shown| {
        let calls = course.whole();
        if calls.iter().all(|call| keys::known(course, call).is_empty()) {
            return;
        }
        let Some((first, others)) = calls.split_first() else { return };
        let wanted = keys::known(course, first);
        for call in others {
            let all = keys::keys(course, call);
            let found = keys::known(course, call);
            let is_same = found.len() == all.len() && !found.is_empty() && found.iter().all(|key| wanted.contains(key));
            if is_same {
                shown.witness([first.entry, call.entry]);
            } else {
                let entries = [first.entry, call.entry];
                shown.broken(Anomaly::WrongKey, keys::words(&wanted), keys::words(&found), entries);
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, given, results, wanted};

    const UNKNOWN: &str = "never exercised: no key was carried twice";
    const CLAIM: &str = "reuse-key: wanted";

    fn many() -> Story {
        given([
            "one: { operation: send }",
            "two: { operation: send }",
            "wanted: { operation: send, items: [one, two] }",
        ])
        .ask("wanted")
        .call(0)
        .answered(200, &results(["ok", "error"]))
        .call(1_000)
    }

    fn twice(operation: &str) -> Story {
        wanted(operation).call(0).call(1_000).answered(200, DONE)
    }

    #[test]
    fn the_same_key_again_keeps_it() {
        for operation in ["send", "pay"] {
            twice(operation).tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        }
        many().tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        many().items(["two"]).tells(1_020, "success").judged(CLAIM).holds([0, 1]);
        // What is not the operation's need carry no key.
        let led = wanted("send").call(0).call(20).method("GET").no_key().call(1_000).answered(200, DONE);
        led.tells(1_020, "success").judged(CLAIM).holds([0, 2]);
    }

    #[test]
    fn another_key_none_or_one_that_appears_breaks_it() {
        for operation in ["send", "pay"] {
            twice(operation).key("other").tells(1_020, "success").judged(CLAIM).violated(["wrong key [0, 1]"]);
            twice(operation).no_key().tells(1_020, "success").judged(CLAIM).violated(["wrong key [0, 1]"]);
            let appears = wanted(operation).call(0).no_key().call(1_000).answered(200, DONE);
            appears.tells(1_020, "success").judged(CLAIM).violated(["wrong key [0, 1]"]);
        }
        many().items(["two=other"]).tells(1_020, "success").judged(CLAIM).violated(["wrong key [0, 1]"]);
        many().items(["one", "two="]).tells(1_020, "success").judged(CLAIM).violated(["wrong key [0, 1]"]);
        let number = wanted("send").call(0).key("7").call(1_000).odd_key(7).tells(1_020, "failure");
        number.judged(CLAIM).violated(["wrong key [0, 1]"]);
    }

    #[test]
    fn one_request_or_none_with_a_key_leaves_it_open() {
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).unknown(UNKNOWN);
        let never = wanted("send").call(0).no_key().call(1_000).no_key().answered(200, DONE);
        never.tells(1_020, "success").judged(CLAIM).unknown(UNKNOWN);
        let cut = wanted("send").call(0).call(1_000).partial().tells(1_020, "failure");
        cut.judged(CLAIM).unknown(UNKNOWN);
    }
}
