//! `retry`: after a failure that passes another request is made, unless the client has made as many as it may, or was
//! asked to wait for longer than it has to.

use std::time::Duration;

use crate::contract::Advice;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::retry_after::Asked;
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing failed that had to be asked for again", |course, shown| {
        let runs = course.runs();
        for (no, run) in runs.iter().enumerate() {
            // What a run leaves undone when it is killed is for the next one.
            let is_last = no + 1 == runs.len();
            for (at, call) in run.iter().enumerate() {
                let made = at + 1;
                if !matches!(call.advice, Some(Advice::Retry | Advice::RetryAfter)) || !may_ask_again(course, made) {
                    continue;
                }
                match run.get(made) {
                    Some(next) => shown.witness([call.entry, next.entry]),
                    // It may have tried as often as it may, one refusal after the other.
                    None if call.is_refused() => shown.doubt("nobody sees how often a refused connection was tried"),
                    None if is_last && is_bound(course, call, made) => {
                        let end = course.ending().map(|(entry, _)| entry);
                        let observed = format!("none after request {made}");
                        let expected = format!("another request after {}", call.words());
                        shown.broken(Anomaly::GaveUp, expected, observed, [call.entry].into_iter().chain(end));
                    }
                    None => {}
                }
            }
        }
    })
}

fn may_ask_again(course: &Course<'_>, made: usize) -> bool {
    course.rules.attempts.is_none_or(|(_, most)| made < most as usize)
}

/// Whether there had to be another request, and time for it.
fn is_bound(course: &Course<'_>, call: &Call<'_>, made: usize) -> bool {
    // Without a number, once more is the least that "again" means.
    let fewest = course.rules.attempts.map_or(2, |(fewest, _)| fewest);
    let asked = Asked::of(call);
    if made >= fewest as usize || asked == Asked::SomeDate || asked.is_beyond_patience(course) {
        return false;
    }
    if !course.is_endless() {
        return true;
    }
    let watched = course.ending().map(|(_, ending)| ending.at.to.since(call.known_by)).unwrap_or_default();
    latest(course, call, &asked, made).is_some_and(|latest| watched > latest)
}

/// The latest time at which the next request can come; none where nothing bounds it.
fn latest(course: &Course<'_>, call: &Call<'_>, asked: &Asked, made: usize) -> Option<Duration> {
    let own = course.own_wait(made).or(course.rules.cap)?;
    let wait = match asked {
        Asked::Wait(wait) => own.max(*wait),
        Asked::Nothing if call.advice == Some(Advice::Retry) => own,
        Asked::Nothing | Asked::SomeDate | Asked::Unreadable(_) => {
            own.max(course.rules.without_retry_after.unwrap_or_default())
        }
    };
    Some(course.bounds(wait).1)
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{BUSY, DONE, ERROR, Story, wanted};

    const UNKNOWN: &str = "never exercised: nothing failed that had to be asked for again";

    fn failed() -> Story {
        wanted("send").call(0).answered(503, ERROR)
    }

    fn limited(retry_after: &str) -> Story {
        wanted("send").call(0).answered(429, ERROR).header("Retry-After", retry_after)
    }

    #[test]
    fn whoever_comes_back_after_a_refused_connection_keeps_it_and_of_others_nobody_can_say() {
        let refused = || wanted("send").call(0).refused(600);
        let back = refused().call(1_300).answered(200, DONE).tells(1_320, "success");
        back.judged("retry: wanted").holds([0, 1]);
        let gone = refused().tells(500, "failure");
        gone.judged("retry: wanted").unknown("cannot be told: nobody sees how often a refused connection was tried");
    }

    #[test]
    fn a_connection_that_ended_unread_was_tried_unless_it_was_kept() {
        let unread = || wanted("send").call(0).unread();
        unread().call(1_000).answered(200, DONE).tells(1_020, "success").judged("retry: wanted").holds([0, 1]);
        unread().tells(20, "failure").judged("retry: wanted").violated(["gave up [0, 1]"]);
        // Nobody misses the one that the refused request had come on.
        let kept = failed().call(10).unread().reused(1).call(1_000).answered(200, DONE).tells(1_020, "success");
        kept.judged("retry: wanted").holds([0, 2]);
        let gone = failed().call(10).unread().reused(1).tells(1_020, "failure");
        gone.judged("retry: wanted").violated(["gave up [0, 2]"]);
    }

    #[test]
    fn another_request_after_each_failure_keeps_it() {
        failed().call(1_000).answered(200, DONE).tells(1_100, "success").judged("retry: wanted").holds([0, 1]);
        let lost = wanted("pay").call(0).call(1_000).left(11_000).call(13_000).answered(200, DONE);
        lost.tells(13_100, "success").judged("retry: wanted").holds([0, 1, 2]);
        limited("5").call(5_100).answered(200, DONE).tells(5_200, "success").judged("retry: wanted").holds([0, 1]);
    }

    #[test]
    fn none_where_it_is_bound_to_breaks_it() {
        failed().tells(100, "failure").judged("retry: wanted").violated(["gave up [0, 1]"]);
        wanted("send").call(0).left(10_000).crashes(10_100).judged("retry: wanted").violated(["gave up [0, 1]"]);
        limited("300").tells(100, "failure").judged("retry: wanted").violated(["gave up [0, 1]"]);
        limited("soon").tells(100, "failure").judged("retry: wanted").violated(["gave up [0, 1]"]);
        let fourth = [0, 1_000, 3_000].iter().fold(wanted("send"), |story, at| story.call(*at)).call(7_000);
        fourth.tells(7_100, "failure").judged("retry: wanted").violated(["gave up [3, 4]"]);
        wanted("send").kind("bare").call(0).tells(100, "failure").judged("retry: wanted").violated(["gave up [0, 1]"]);
        // A request by another method asks for something else.
        let other = failed().call(1_000).method("GET").answered(200, DONE).tells(1_100, "failure");
        other.judged("retry: wanted").violated(["gave up [0, 2]"]);
    }

    #[test]
    fn whoever_has_made_as_many_as_it_may_stops() {
        let five = [0, 1_000, 3_000, 7_000, 15_000].iter().fold(wanted("send"), |story, at| story.call(*at));
        five.tells(15_100, "failure").judged("retry: wanted").holds([0, 1, 2, 3, 4]);
        // From two to ten: after two it may go on, and may not.
        let two = wanted("send").kind("growing").call(0).call(1_000).tells(1_100, "failure");
        two.judged("retry: wanted").holds([0, 1]);
    }

    #[test]
    fn whoever_is_asked_to_wait_for_longer_than_it_has_to_may_give_up() {
        limited("301").tells(100, "failure").judged("retry: wanted").unknown(UNKNOWN);
        limited("99999999999999999999999").tells(100, "failure").judged("retry: wanted").unknown(UNKNOWN);
        limited("Sun, 06 Nov 1994 08:49:37 GMT").tells(100, "failure").judged("retry: wanted").unknown(UNKNOWN);
    }

    #[test]
    fn whoever_is_ended_while_it_may_still_wait_is_not_judged() {
        failed().still_at_work(1_700).judged("retry: wanted").unknown(UNKNOWN);
        limited("5").still_at_work(7_000).judged("retry: wanted").unknown(UNKNOWN);
        wanted("send").kind("bare").call(0).still_at_work(900_000).judged("retry: wanted").unknown(UNKNOWN);
    }

    #[test]
    fn whoever_is_ended_long_after_its_time_gave_up() {
        let endless = wanted("send").call(0).answered(503, ERROR).still_at_work(2_000);
        endless.judged("retry: wanted").violated(["gave up [0, 1]"]);
    }

    #[test]
    fn what_a_killed_run_leaves_undone_is_not_given_up() {
        let killed = failed().call(1_000).meets("kill").killed(1_020).tells(2_000, "failure");
        killed.judged("retry: wanted").holds([0, 1]);
    }

    #[test]
    fn without_a_failure_that_passes_nothing_is_known() {
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged("retry: wanted").unknown(UNKNOWN);
        wanted("send").call(0).answered(409, BUSY).tells(20, "failure").judged("retry: wanted").unknown(UNKNOWN);
        wanted("look").call(0).answered(503, ERROR).tells(20, "fallback").judged("retry: wanted").unknown(UNKNOWN);
        wanted("send").tells(20, "failure").judged("retry: wanted").unknown(UNKNOWN);
    }
}
