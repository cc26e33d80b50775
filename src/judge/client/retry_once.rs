//! `retry-once`: after an answer that allows one more request, exactly one more is made, under the same key.

use crate::contract::Advice;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

const EXPECTED: &str = "exactly one more request";

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no answer allowed one more request", |course, shown| {
        let runs = course.runs();
        let first = |run: &Vec<&Call<'_>>| run.iter().position(|call| call.advice == Some(Advice::RetryOnce));
        let Some((no, at)) = runs.iter().enumerate().find_map(|(no, run)| Some((no, first(run)?))) else { return };
        let run = &runs[no];
        let call = run[at];
        let Some(next) = run.get(at + 1) else {
            let may = course.rules.attempts.is_none_or(|(_, most)| at + 1 < most as usize);
            if may && no + 1 == runs.len() && !course.is_endless() {
                let end = course.ending().map(|(entry, _)| entry);
                let shown_by = [call.entry].into_iter().chain(end);
                shown.broken(Anomaly::GaveUp, EXPECTED, "none", shown_by);
            }
            return;
        };
        let (own, others) = (&call.key, &next.key);
        let is_other = own.as_ref().is_some_and(|own| !others.as_ref().is_some_and(|other| own.same_content(other)));
        if is_other {
            shown.broken(
                Anomaly::WrongKey,
                "one more request under the same key",
                "another key",
                [call.entry, next.entry],
            );
        }
        // What a failure of another kind allows is for the claims about those.
        let is_over = next.succeeded
            || matches!(next.advice, Some(Advice::RetryOnce | Advice::Stop | Advice::StopAnd(_) | Advice::Fallback));
        match run.get(at + 2) {
            Some(third) if is_over => {
                let observed = format!("{} more", run.len() - at - 1);
                shown.broken(Anomaly::AskedAgain, EXPECTED, observed, [call.entry, next.entry, third.entry]);
            }
            None if is_over && course.is_endless() => {
                shown.doubt("the program was still at work when nobody waited any longer")
            }
            Some(_) | None => shown.witness([call.entry, next.entry]),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{BUSY, DONE, ERROR, Story, wanted};

    fn busy(operation: &str) -> Story {
        wanted(operation).call(0).answered(409, BUSY)
    }

    #[test]
    fn one_more_keeps_it_whatever_that_meets() {
        for operation in ["send", "pay"] {
            busy(operation)
                .call(50)
                .answered(200, DONE)
                .tells(70, "success")
                .judged("retry-once: wanted")
                .holds([0, 1]);
            busy(operation)
                .call(50)
                .answered(409, BUSY)
                .tells(70, "failure")
                .judged("retry-once: wanted")
                .holds([0, 1]);
        }
        let failed = busy("send").call(50).answered(503, ERROR).call(1_100).answered(200, DONE).tells(1_200, "success");
        failed.judged("retry-once: wanted").holds([0, 1]);
    }

    #[test]
    fn none_is_giving_up() {
        busy("send").tells(20, "failure").judged("retry-once: wanted").violated(["gave up [0, 1]"]);
    }

    #[test]
    fn two_more_are_one_too_many() {
        let twice = busy("send").call(50).answered(409, BUSY).call(100).answered(409, BUSY).tells(120, "failure");
        twice.judged("retry-once: wanted").violated(["asked again [0, 1, 2]"]);
        let done = busy("send").call(50).answered(200, DONE).call(100).answered(200, DONE).tells(120, "success");
        done.judged("retry-once: wanted").violated(["asked again [0, 1, 2]"]);
    }

    #[test]
    fn another_key_is_another_request() {
        let other = busy("send").call(50).key("other").answered(200, DONE).tells(70, "success");
        other.judged("retry-once: wanted").violated(["wrong key [0, 1]"]);
        let none = busy("pay").call(50).no_key().answered(200, DONE).tells(70, "success");
        none.judged("retry-once: wanted").violated(["wrong key [0, 1]"]);
    }

    #[test]
    fn without_such_an_answer_or_an_end_nothing_is_known() {
        let unknown = "never exercised: no answer allowed one more request";
        wanted("send").call(0).answered(409, ERROR).tells(20, "failure").judged("retry-once: wanted").unknown(unknown);
        busy("send").still_at_work(500).judged("retry-once: wanted").unknown(unknown);
        busy("send").meets("kill").killed(20).tells(500, "failure").judged("retry-once: wanted").unknown(unknown);
        let fifth = [0, 1_000, 3_000, 7_000].iter().fold(wanted("send"), |story, at| story.call(*at));
        let fifth = fifth.call(15_000).answered(409, BUSY).tells(15_020, "failure");
        fifth.judged("retry-once: wanted").unknown(unknown);
        busy("send")
            .call(50)
            .answered(409, BUSY)
            .still_at_work(500)
            .judged("retry-once: wanted")
            .unknown("cannot be told: the program was still at work when nobody waited any longer");
    }
}
