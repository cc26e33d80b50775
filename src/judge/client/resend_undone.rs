//! `resend-undone`: after an answer that did a part of a batch, only what is not done is asked for again, and all of that
//! is, unless the program says that it failed.

use std::collections::BTreeSet;

use crate::history::EntryNo;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::items::{done, items};
use crate::judge::client::shown::{CROSSED, each};
use crate::judge::client::tells::{Tells, told, words};
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no answer did a part of a batch", |course, shown| {
        let Some((entry, tells)) = told(course) else { return };
        let calls = course.whole();
        let Some(partial) = calls.iter().find(|call| is_partial(&done(course, call))) else { return };
        let mut finished: Vec<(&Call<'_>, String)> = Vec::new();
        let mut wanted: BTreeSet<String> = BTreeSet::new();
        let mut entries: Vec<EntryNo> = vec![partial.entry];
        let mut is_broken = false;
        for call in &calls {
            let answers = done(course, call);
            let items: Vec<String> = items(course, call);
            // What it cannot have heard yet it may still ask for.
            let again = finished.iter().find(|(by, item)| by.is_before(call) && items.contains(item));
            if let Some((by, item)) = again {
                let observed = format!("{item} again");
                shown.broken(Anomaly::AskedAgain, "only what is not done", observed, [by.entry, call.entry]);
                is_broken = true;
            }
            if finished.iter().any(|(by, item)| by.is_crossed_by(call) && items.contains(item)) {
                shown.doubt(CROSSED);
            }
            if partial.is_before(call) {
                entries.push(call.entry);
            }
            wanted.extend(items);
            finished.extend(answers.into_iter().filter(|(_, is_done)| *is_done).map(|(item, _)| (*call, item)));
        }
        entries.push(entry);
        let undone: Vec<&String> =
            wanted.iter().filter(|item| !finished.iter().any(|(_, done)| done == *item)).collect();
        match tells {
            Tells::Success if !undone.is_empty() => {
                let observed = format!("{}, without {} of {}", words(course), undone.len(), wanted.len());
                shown.broken(Anomaly::FalseOutcome, "every item done, or a failure told", observed, entries);
            }
            Tells::Success | Tells::NoSuccess if !is_broken => shown.witness(entries),
            Tells::Success | Tells::NoSuccess => {}
            Tells::Nothing => shown.doubt("the program told no outcome"),
        }
    })
}

fn is_partial(answers: &[(String, bool)]) -> bool {
    answers.iter().any(|(_, done)| *done) && answers.iter().any(|(_, done)| !*done)
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{ERROR, Story, given, results};

    const UNKNOWN: &str = "never exercised: no answer did a part of a batch";
    const CLAIM: &str = "resend-undone: wanted";

    fn many() -> Story {
        given([
            "one: { operation: send }",
            "two: { operation: send }",
            "wanted: { operation: send, items: [one, two] }",
        ])
        .ask("wanted")
        .call(0)
    }

    fn half() -> Story {
        many().answered(200, &results(["ok", "error"]))
    }

    #[test]
    fn only_what_is_not_done_again_keeps_it() {
        let done = half().call(1_000).items(["two"]).answered(200, &results(["ok"])).tells(1_020, "success");
        done.judged(CLAIM).holds([0, 1, 2]);
        let lost = many().call(1_000).answered(200, &results(["error", "ok"])).call(2_000).items(["one"]);
        let lost = lost.call(4_000).items(["one"]).answered(200, &results(["ok"])).tells(4_020, "success");
        lost.judged(CLAIM).holds([1, 2, 3, 4]);
    }

    #[test]
    fn whoever_tells_a_failure_need_not_ask_again() {
        half().tells(20, "failure").judged(CLAIM).holds([0, 1]);
        half().exits(20, 1).judged(CLAIM).holds([0, 1]);
        let refused = half().call(1_000).items(["two"]).answered(200, &results(["error"])).tells(1_020, "failure");
        refused.judged(CLAIM).holds([0, 1, 2]);
    }

    #[test]
    fn what_is_done_already_is_not_asked_for_again() {
        let all = half().call(1_000).answered(200, &results(["ok", "ok"])).tells(1_020, "success");
        all.judged(CLAIM).violated(["asked again [0, 1]"]);
        let third = half().call(1_000).items(["two"]).answered(200, &results(["ok"])).call(2_000).items(["two"]);
        third.tells(2_020, "success").judged(CLAIM).violated(["asked again [1, 2]"]);
    }

    #[test]
    fn of_what_was_asked_for_while_the_answer_was_on_its_way_nobody_can_say() {
        let crossed = half().known(50).until(200).call(100).answered(200, &results(["ok", "ok"]));
        let unknown = "cannot be told: another request came while the answer was on its way";
        crossed.tells(1_020, "success").judged(CLAIM).unknown(unknown);
    }

    #[test]
    fn a_success_without_all_of_it_is_false() {
        half().tells(20, "success").judged(CLAIM).violated(["false outcome [0, 1]"]);
        half().exits(20, 0).judged(CLAIM).violated(["false outcome [0, 1]"]);
        let still = half().call(1_000).items(["two"]).answered(200, &results(["error"])).tells(1_020, "success");
        still.judged(CLAIM).violated(["false outcome [0, 1, 2]"]);
    }

    #[test]
    fn without_such_an_answer_or_a_word_nothing_is_known() {
        many().answered(200, &results(["ok", "ok"])).tells(20, "success").judged(CLAIM).unknown(UNKNOWN);
        many().answered(200, &results(["error", "error"])).tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
        many().answered(503, ERROR).tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
        half().still_at_work(9_000).judged(CLAIM).unknown("cannot be told: the program told no outcome");
    }
}
