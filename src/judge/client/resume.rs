//! `resume`: ended in the middle and started again, the program asks for the same thing under the same key, and tells how
//! that went.

use crate::judge::client::content::Content;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::keys;
use crate::judge::client::shown::each;
use crate::judge::client::tells::{Tells, told, words};
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "the program was not killed in the middle", |course, shown| {
        let (Some((killed, at)), Some((entry, tells))) = (course.kills().last(), told(course)) else { return };
        let (before, after): (Vec<&Call<'_>>, Vec<&Call<'_>>) = course.asked().partition(|call| call.began < at);
        let before: Vec<&Call<'_>> = before.into_iter().filter(|call| call.is_whole).collect();
        let Some(last) = before.last() else { return };
        if before.iter().any(|call| call.succeeded) {
            return;
        }
        let wanted = keys::known(course, last);
        let Some(next) = after.iter().find(|call| call.is_whole) else {
            let was_ended = course.is_endless() || entry == killed;
            if was_ended {
                shown.doubt("the program came to no end");
            } else {
                shown.broken(Anomaly::Lost, "the same request again", "none", [last.entry, killed, entry]);
            }
            return;
        };
        let found = keys::known(course, next);
        let pair = [last.entry, killed, next.entry];
        if wanted.is_empty() {
            shown.doubt("there was no key before the end");
        } else if found != wanted {
            shown.broken(Anomaly::WrongKey, keys::words(&wanted), keys::words(&found), pair);
        }
        if Content::of(course, next) != Content::of(course, last) {
            shown.broken(Anomaly::ChangedRequest, "the same request again", "another one", pair);
        }
        let done = after.iter().find(|call| call.succeeded);
        match (done, tells) {
            (Some(done), Tells::NoSuccess) => {
                shown.broken(Anomaly::FalseOutcome, "the success told", words(course), [done.entry, entry]);
            }
            (None, Tells::Success) => {
                let expected = "no success told without one answered";
                shown.broken(Anomaly::FalseOutcome, expected, words(course), [next.entry, entry]);
            }
            (Some(done), Tells::Success) => shown.witness([last.entry, killed, next.entry, done.entry, entry]),
            (None, Tells::NoSuccess) => shown.doubt("nothing was answered by a success afterwards"),
            (_, Tells::Nothing) => shown.doubt("the program told no outcome"),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, Story, wanted};

    const UNKNOWN: &str = "never exercised: the program was not killed in the middle";
    const CLAIM: &str = "resume: wanted";

    fn killed(operation: &str) -> Story {
        wanted(operation).call(0).meets("kill").killed(20)
    }

    #[test]
    fn the_same_request_again_and_its_success_told_keep_it() {
        for operation in ["send", "pay"] {
            let story = killed(operation).call(500).answered(200, DONE).tells(520, "success");
            story.judged(CLAIM).holds([0, 1, 2, 3]);
        }
        let later = killed("send").call(500).answered(503, ERROR).call(1_600).answered(200, DONE);
        later.exits(1_700, 0).judged(CLAIM).holds([0, 1, 2, 3, 4]);
    }

    #[test]
    fn nothing_after_its_start_is_a_loss() {
        killed("send").tells(500, "success").judged(CLAIM).violated(["lost [0, 1, 2]"]);
        killed("send").tells(500, "failure").judged(CLAIM).violated(["lost [0, 1, 2]"]);
    }

    #[test]
    fn another_key_another_body_or_a_false_word_breaks_it() {
        let other = killed("send").call(500).key("other").answered(200, DONE).tells(520, "success");
        other.judged(CLAIM).violated(["wrong key [0, 1, 2]"]);
        let none = killed("pay").call(500).no_key().answered(200, DONE).tells(520, "success");
        none.judged(CLAIM).violated(["wrong key [0, 1, 2]"]);
        let changed = killed("pay").call(500).body("{}").answered(200, DONE).tells(520, "success");
        changed.judged(CLAIM).violated(["changed request [0, 1, 2]"]);
        let false_word = killed("send").call(500).answered(200, DONE).tells(520, "failure");
        false_word.judged(CLAIM).violated(["false outcome [2, 3]"]);
        let no_success = killed("send").call(500).answered(400, ERROR).tells(520, "success");
        no_success.judged(CLAIM).violated(["false outcome [2, 3]"]);
    }

    #[test]
    fn without_a_kill_in_the_middle_or_an_end_nothing_is_known() {
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).unknown(UNKNOWN);
        let after = wanted("send").call(0).answered(200, DONE).killed(20).tells(500, "success");
        after.judged(CLAIM).unknown(UNKNOWN);
        let before = wanted("send").killed(20).call(500).answered(200, DONE).tells(520, "success");
        before.judged(CLAIM).unknown(UNKNOWN);
        killed("send").still_at_work(500).judged(CLAIM).unknown("cannot be told: the program came to no end");
        killed("send")
            .call(500)
            .answered(400, ERROR)
            .tells(520, "failure")
            .judged(CLAIM)
            .unknown("cannot be told: nothing was answered by a success afterwards");
    }

    #[test]
    fn a_program_without_memory_is_not_asked_for_it() {
        let story = killed("send").forgetful().call(500).answered(200, DONE).tells(520, "success");
        story.judged(CLAIM).unknown("the subject has no memory over its own end: say `persists` if it has one");
    }
}
