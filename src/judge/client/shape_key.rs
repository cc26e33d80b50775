//! `shape-key`: a key that the client mints has the form that the contract gives.

use crate::judge::client::course::Course;
use crate::judge::client::keys;
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no minted key whose form is said", |course, shown| {
        let operation = course.item.unwrap_or(course.operation);
        let Some(form) = course.rules.mints.get(&operation.name) else { return };
        if course.intent.cell().is_some() {
            return;
        }
        for call in course.asked().filter(|call| call.is_whole) {
            let keys: Vec<_> = keys::keys(course, call).into_iter().flatten().collect();
            match keys.iter().find(|key| !key.as_str().is_some_and(|key| form.fits(key))) {
                Some(wrong) => {
                    let expected = format!("a key like {}", form.text);
                    shown.broken(Anomaly::WrongKey, expected, format!("key {wrong}"), [call.entry]);
                }
                None if keys.is_empty() => {}
                None => shown.witness([call.entry]),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{given, wanted};

    const UNKNOWN: &str = "never exercised: no minted key whose form is said";
    const CLAIM: &str = "shape-key: wanted";
    const GOOD: &str = "errand:67e55044-10b1-426f-9247-bb680e5fe0c8";

    #[test]
    fn a_key_of_the_form_keeps_it() {
        let story = wanted("send").call(0).key(GOOD).call(1_000).key(GOOD).tells(1_020, "failure");
        story.judged(CLAIM).holds([0, 1]);
    }

    #[test]
    fn any_other_key_breaks_it() {
        for wrong in ["errand:", "errand:7", "67e55044-10b1-426f-9247-bb680e5fe0c8", "other"] {
            wanted("send").call(0).key(wrong).tells(20, "failure").judged(CLAIM).violated(["wrong key [0]"]);
        }
        wanted("send").call(0).odd_key(7).tells(20, "failure").judged(CLAIM).violated(["wrong key [0]"]);
        let many = given(["one: { operation: send }", "wanted: { operation: send, items: [one] }"]).ask("wanted");
        let many = many.call(0).items(["one=other"]).tells(20, "failure");
        many.judged(CLAIM).violated(["wrong key [0]"]);
    }

    #[test]
    fn without_a_key_or_where_it_was_given_nothing_is_known() {
        wanted("send").call(0).no_key().tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
        let told = given(["wanted: { operation: send, key: fresh }"]).ask("wanted").call(0).tells(20, "failure");
        told.judged(CLAIM).unknown(UNKNOWN);
    }
}
