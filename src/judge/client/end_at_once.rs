//! `end-at-once`: once there is nothing left to try, the program ends without another wait. A wait after the last attempt
//! is time that its caller has to bear for nothing.

use std::time::Duration;

use crate::contract::{Advice, Waits};
use crate::history::{Exit, Told};
use crate::judge::client::course::{Call, Course};
use crate::judge::client::items::is_all_done;
use crate::judge::client::retry_after::Asked;
use crate::judge::client::shown::{each, late, time};
use crate::judge::verdict::Verdict;

/// The longest time that an end may take, where the first wait is not shorter.
const LONGEST: Duration = Duration::from_secs(1);

/// What is left to try after the last request.
#[derive(PartialEq)]
enum Left {
    /// Nothing.
    Nothing,
    /// Nothing, if the client chose so: it could have tried again, and was not bound to.
    AsItChose,
    /// Something.
    Something,
}

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "there was something left to try", |course, shown| {
        let (Some(last), Some((entry, ending))) = (course.calls.last(), course.ending()) else { return };
        // What ended the matter ended it, whatever was asked for after it.
        let stopped = course.asked().find(|call| matches!(call.advice, Some(Advice::Stop | Advice::StopAnd(_))));
        let all = course.calls.iter().map(|call| call.known_by).max().unwrap_or_default();
        let known_by = stopped.map_or(all, |call| call.known_by);
        // One that was started again since had to look for what is left first.
        if ending.exit == Exit::KilledAsPlanned || ending.at.from > last.began {
            return;
        }
        let left = left(course, last, ending.told);
        let first = match &course.rules.waits {
            Waits::Schedule(waits) => waits.first().copied().unwrap_or(LONGEST).min(LONGEST),
            Waits::Growing | Waits::Unsaid => LONGEST,
        };
        let allowed = course.scaled(first) + course.grace();
        let took = ending.at.to.since(known_by);
        match (left, took > allowed) {
            (Left::Something, _) | (Left::AsItChose, true) => {}
            (Left::Nothing, true) => {
                let observed = match ending.exit {
                    Exit::StillAtWork => format!("still at work after {}", time(took)),
                    Exit::Status(_) | Exit::Signal(_) | Exit::StaysUp | Exit::KilledAsPlanned => {
                        format!("ended after {}", time(took))
                    }
                };
                let expected = format!("an end within {} of {}", time(allowed), last.words());
                shown.broken(late(took - allowed), expected, observed, [last.entry, entry]);
            }
            // It was ended before one could tell.
            (Left::Nothing | Left::AsItChose, false) if course.is_endless() => {}
            (Left::Nothing | Left::AsItChose, false) => shown.witness([last.entry, entry]),
        }
    })
}

fn left(course: &Course<'_>, last: &Call<'_>, told: Option<Told>) -> Left {
    if !last.is_asked {
        return Left::Something;
    }
    if last.succeeded {
        return if is_all_done(course, last) { Left::Nothing } else { Left::Something };
    }
    let run = course.runs().pop().unwrap_or_default();
    let made = u32::try_from(run.len()).unwrap_or(u32::MAX);
    let (fewest, most) = course.rules.attempts.unwrap_or((u32::MAX, u32::MAX));
    let before = run.len().checked_sub(2).and_then(|at| run.get(at));
    match &last.advice {
        Some(Advice::Stop | Advice::StopAnd(_) | Advice::Fallback) => Left::Nothing,
        Some(Advice::RetryOnce) if before.is_some_and(|call| call.advice == Some(Advice::RetryOnce)) => Left::Nothing,
        Some(Advice::Retry | Advice::RetryAfter | Advice::RetryOnce | Advice::FallbackOrRetryWithKey)
            if made >= most =>
        {
            Left::Nothing
        }
        Some(Advice::Retry | Advice::RetryAfter | Advice::RetryOnce) if made >= fewest => Left::AsItChose,
        Some(Advice::Retry | Advice::RetryAfter) if Asked::of(last).is_beyond_patience(course) => Left::AsItChose,
        Some(Advice::FallbackOrRetryWithKey) if told == Some(Told::Fallback) => Left::AsItChose,
        Some(
            Advice::Retry
            | Advice::RetryAfter
            | Advice::RetryOnce
            | Advice::FallbackOrRetryWithKey
            | Advice::NotReturned,
        )
        | None => Left::Something,
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{BUSY, DONE, ERROR, Story, wanted};

    const UNKNOWN: &str = "never exercised: there was something left to try";

    /// Failures after the waits of the schedule; the last one is known at 15.01 s.
    fn exhausted() -> Story {
        [0, 1_000, 3_000, 7_000, 15_000].iter().fold(wanted("send"), |story, at| story.call(*at).answered(503, ERROR))
    }

    #[test]
    fn an_end_right_after_the_last_answer_keeps_it() {
        wanted("send").call(0).answered(400, ERROR).tells(500, "failure").judged("end-at-once: wanted").holds([0, 1]);
        wanted("send").call(0).answered(200, DONE).tells(500, "success").judged("end-at-once: wanted").holds([0, 1]);
        wanted("look").call(0).answered(404, ERROR).tells(500, "fallback").judged("end-at-once: wanted").holds([0, 1]);
        wanted("look").call(0).answered(503, ERROR).tells(500, "fallback").judged("end-at-once: wanted").holds([0, 1]);
        wanted("send").call(0).answered(200, DONE).stays_up(500, None).judged("end-at-once: wanted").holds([0, 1]);
        exhausted().tells(15_100, "failure").judged("end-at-once: wanted").holds([4, 5]);
        let busy = wanted("send").call(0).answered(409, BUSY).call(100).answered(409, BUSY);
        busy.tells(200, "failure").judged("end-at-once: wanted").holds([1, 2]);
    }

    #[test]
    fn a_wait_after_the_last_attempt_breaks_it() {
        exhausted().tells(23_000, "failure").judged("end-at-once: wanted").violated(["late [4, 5]"]);
        wanted("send")
            .call(0)
            .answered(400, ERROR)
            .tells(1_300, "failure")
            .judged("end-at-once: wanted")
            .violated(["late [0, 1]"]);
        wanted("send")
            .call(0)
            .answered(200, DONE)
            .still_at_work(60_000)
            .judged("end-at-once: wanted")
            .violated(["late [0, 1]"]);
        // What ended the matter ended it, though it was asked for again.
        let again = wanted("send").call(0).answered(400, ERROR).call(1_200).answered(400, ERROR);
        again.tells(1_300, "failure").judged("end-at-once: wanted").violated(["late [1, 2]"]);
        let scaled = wanted("send").scale(0.1).call(0).answered(400, ERROR);
        scaled.tells(400, "failure").judged("end-at-once: wanted").violated(["late [0, 1]"]);
    }

    #[test]
    fn a_machine_that_was_behind_makes_nobody_late() {
        let slow = wanted("send").call(0).answered(400, ERROR).tells(1_300, "failure");
        slow.lag(100).judged("end-at-once: wanted").holds([0, 1]);
    }

    #[test]
    fn while_something_is_left_to_try_nothing_is_known() {
        for story in [
            wanted("send").call(0).answered(503, ERROR).tells(20, "failure"),
            wanted("send").call(0).answered(409, BUSY).tells(20, "failure"),
            wanted("look").call(0).answered(503, ERROR).tells(20, "failure"),
            wanted("look").call(0).answered(503, ERROR).tells(9_000, "fallback"),
            wanted("link").call(0).answered(409, ERROR).tells(20, "failure"),
            wanted("send").call(0).answered(302, "").call(20).method("GET").answered(200, DONE).tells(40, "success"),
            wanted("send").call(0).answered(400, ERROR).still_at_work(500),
            wanted("send").tells(20, "failure"),
            // It waited before it gave up, and could have tried again.
            wanted("send").kind("growing").call(0).call(1_000).tells(9_000, "failure"),
        ] {
            story.judged("end-at-once: wanted").unknown(UNKNOWN);
        }
    }

    #[test]
    fn whoever_may_give_up_sooner_and_does_so_at_once_keeps_it() {
        wanted("send")
            .kind("growing")
            .call(0)
            .call(1_000)
            .tells(1_100, "failure")
            .judged("end-at-once: wanted")
            .holds([1, 2]);
        let asked_for_days = wanted("send").call(0).answered(429, ERROR).header("Retry-After", "99999");
        asked_for_days.tells(100, "failure").judged("end-at-once: wanted").holds([0, 1]);
    }
}
