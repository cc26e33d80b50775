//! `mint-apart` and `derive-key`: two intents carry two keys, and the same fact carries the same key, whenever it is told.
//! They are one comparison, read two ways.

use std::collections::BTreeSet;

use crate::history::EntryNo;
use crate::judge::client::course::Course;
use crate::judge::client::keys;
use crate::judge::client::shown::Shown;
use crate::judge::verdict::{Anomaly, Doubt, Verdict};

/// The keys of one intent, and the requests that carried them.
struct Carried {
    keys: BTreeSet<String>,
    entries: Vec<EntryNo>,
}

/// Checks `mint-apart`.
pub fn mint_apart(courses: &[Course<'_>]) -> Verdict {
    compared(courses, |one, two, shown| match one.keys.intersection(&two.keys).next() {
        Some(shared) => shown.broken(Anomaly::WrongKey, "two keys", format!("key {shared} twice"), both(one, two)),
        None => shown.witness(both(one, two)),
    })
}

/// Checks `derive-key`.
pub fn derive_key(courses: &[Course<'_>]) -> Verdict {
    compared(courses, |one, two, shown| {
        if one.keys == two.keys {
            shown.witness(both(one, two));
        } else {
            let words = |carried: &Carried| keys::words(&carried.keys.iter().cloned().collect::<Vec<_>>());
            shown.broken(Anomaly::WrongKey, words(one), words(two), both(one, two));
        }
    })
}

fn compared(courses: &[Course<'_>], compare: impl Fn(&Carried, &Carried, &mut Shown)) -> Verdict {
    let carried: Vec<Carried> = courses.iter().map(carried).collect();
    let mut shown = Shown::default();
    for (at, one) in carried.iter().enumerate() {
        for two in carried[at + 1..].iter().filter(|two| !one.keys.is_empty() && !two.keys.is_empty()) {
            compare(one, two, &mut shown);
        }
    }
    let unknown = || Verdict::Unknown(Doubt::NeverExercised("not every intent was asked for under a key".to_owned()));
    match shown.verdict(unknown) {
        Verdict::Holds(_) if carried.iter().any(|carried| carried.keys.is_empty()) => unknown(),
        verdict => verdict,
    }
}

fn carried(course: &Course<'_>) -> Carried {
    let calls = || course.asked().filter(|call| call.is_whole && !keys::known(course, call).is_empty());
    Carried {
        keys: calls().flat_map(|call| keys::known(course, call)).collect(),
        entries: calls().map(|call| call.entry).collect(),
    }
}

fn both(one: &Carried, two: &Carried) -> Vec<EntryNo> {
    one.entries.iter().chain(&two.entries).copied().collect()
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{Story, given};

    const UNKNOWN: &str = "never exercised: not every intent was asked for under a key";
    const APART: &str = "mint-apart: [one, two]";
    const SAME: &str = "derive-key: [one, two]";

    /// Two facts, or one fact twice of which the keys are minted.
    const APART_OF: [[&str; 2]; 4] = [
        ["operation: send", "operation: send"],
        ["operation: send", "same as: one"],
        ["operation: pay", "operation: note"],
        ["operation: note", "operation: pay"],
    ];
    /// One fact twice, of which the key is derived, in a header and in the body.
    const SAME_OF: [[&str; 2]; 2] = [["operation: pay", "same as: one"], ["operation: note", "same as: one"]];

    fn two(intents: [&str; 2], keys: [&str; 2]) -> Story {
        let [one, two] = intents;
        given([&format!("one: {{ {one} }}"), &format!("two: {{ {two} }}")])
            .ask("one")
            .call(0)
            .key(keys[0])
            .tells(20, "failure")
            .ask("two")
            .call(100)
            .key(keys[1])
            .tells(120, "failure")
    }

    #[test]
    fn two_keys_are_apart_and_not_derived() {
        for intents in APART_OF {
            two(intents, ["a", "b"]).judged(APART).holds([0, 2]);
        }
        for intents in SAME_OF {
            two(intents, ["a", "b"]).judged(SAME).violated(["wrong key [0, 2]"]);
        }
    }

    #[test]
    fn one_key_is_derived_and_not_apart() {
        for intents in SAME_OF {
            two(intents, ["a", "a"]).judged(SAME).holds([0, 2]);
        }
        for intents in APART_OF {
            two(intents, ["a", "a"]).judged(APART).violated(["wrong key [0, 2]"]);
        }
    }

    #[test]
    fn without_both_keys_nothing_is_known() {
        for keys in [["a", ""], ["", ""]] {
            two(APART_OF[0], keys).judged(APART).unknown(UNKNOWN);
            two(SAME_OF[1], keys).judged(SAME).unknown(UNKNOWN);
        }
    }

    #[test]
    fn two_that_share_a_key_break_it_whatever_a_third_does() {
        let three = given(["one: { operation: send }", "two: { operation: send }", "three: { operation: send }"]);
        let told = |story: Story, intent: &str, key: &str| story.ask(intent).call(0).key(key).tells(20, "failure");
        let three = told(told(told(three, "one", "a"), "two", "a"), "three", "");
        three.judged("mint-apart: [one, two, three]").violated(["wrong key [0, 2]"]);
    }
}
