//! `honor-retry-after`: told when to come back, the client does not come earlier, by seconds or by a date; told nothing
//! that can be read, it waits as it would by itself. How much later it comes is not looked at here.

use std::time::Duration;

use crate::contract::{Advice, Waits};
use crate::judge::client::course::{Call, Course};
use crate::judge::client::retry_after::Asked;
use crate::judge::client::shown::{CROSSED, Shown, each, early, time};
use crate::judge::verdict::Verdict;

/// Waits that only grow begin with more than nothing.
pub const LEAST: Duration = Duration::from_millis(10);

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing said when to come back", |course, shown| {
        let runs = course.runs();
        for (no, run) in runs.iter().enumerate() {
            for (at, call) in run.iter().enumerate() {
                // One that was under way already does not come too early for an answer.
                let next = run[at + 1..].iter().find(|later| call.is_before(later)).copied();
                let is_crossed = run[at + 1..].iter().any(|later| call.is_crossed_by(later));
                let asked = Asked::of(call);
                match (&call.advice, &asked) {
                    (Some(Advice::Retry | Advice::RetryAfter), Asked::Wait(wait)) => {
                        if is_crossed {
                            shown.doubt(CROSSED);
                        }
                        if let Some(next) = next {
                            told(course, shown, call, next, *wait);
                        } else if no + 1 == runs.len() && asked.is_beyond_patience(course) && !is_awaited(course, call)
                        {
                            shown.witness([call.entry]);
                        }
                    }
                    (Some(Advice::RetryAfter), Asked::Nothing | Asked::Unreadable(_)) => {
                        let Some(wait) = by_itself(course, &asked, at + 1) else { continue };
                        if is_crossed {
                            shown.doubt(CROSSED);
                        }
                        if let Some(next) = next {
                            keep(course, shown, call, next, wait);
                        }
                    }
                    // One of an origin whose time is not known.
                    (Some(Advice::RetryAfter), Asked::SomeDate) => {}
                    (
                        Some(
                            Advice::Retry
                            | Advice::RetryOnce
                            | Advice::Stop
                            | Advice::StopAnd(_)
                            | Advice::Fallback
                            | Advice::FallbackOrRetryWithKey
                            | Advice::NotReturned,
                        )
                        | None,
                        _,
                    ) => {}
                }
            }
        }
    })
}

/// Told so long; what is longer than it has to bear it may cut down to that. No jitter makes a wait shorter that was
/// asked for.
fn told(course: &Course<'_>, shown: &mut Shown, call: &Call<'_>, next: &Call<'_>, wait: Duration) {
    let least = course.scaled(course.rules.patience.map_or(wait, |patience| wait.min(patience)));
    keep(course, shown, call, next, least.saturating_sub(course.resolution()));
}

/// The least wait without a word that can be read.
fn by_itself(course: &Course<'_>, asked: &Asked, made: usize) -> Option<Duration> {
    let without = course.rules.without_retry_after;
    let own = course.own_wait(made);
    let wait = match asked {
        // What cannot be read is as good as nothing: either wait will do.
        Asked::Unreadable(_) => without.into_iter().chain(own).min(),
        Asked::Nothing | Asked::Wait(_) | Asked::SomeDate => without.or(own),
    };
    match (wait, &course.rules.waits) {
        (Some(wait), _) => Some(course.bounds(wait).0),
        (None, Waits::Growing) => Some(course.scaled(LEAST)),
        (None, Waits::Unsaid | Waits::Schedule(_)) => None,
    }
}

fn keep(course: &Course<'_>, shown: &mut Shown, call: &Call<'_>, next: &Call<'_>, least: Duration) {
    let least = least.saturating_sub(call.unseen(course));
    let waited = call.until(next);
    if waited < least {
        let expected = format!("no request before {}", time(least));
        let observed = format!("the next came after {}", time(waited));
        shown.broken(early(least - waited), expected, observed, [call.entry, next.entry]);
    } else {
        shown.witness([call.entry, next.entry]);
    }
}

/// Whether it was ended while nobody could say yet that it would not come early.
fn is_awaited(course: &Course<'_>, call: &Call<'_>) -> bool {
    let watched = course.ending().map(|(_, ending)| ending.at.to.since(call.known_by)).unwrap_or_default();
    course.is_endless() && course.rules.patience.is_none_or(|patience| watched < course.scaled(patience))
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, Story, wanted};

    const UNKNOWN: &str = "never exercised: nothing said when to come back";
    const CLAIM: &str = "honor-retry-after: wanted";

    fn limited(value: &str) -> Story {
        wanted("send").call(0).answered(429, ERROR).header("Retry-After", value)
    }

    fn back(story: Story, at: u64) -> Story {
        story.call(at).answered(200, DONE).tells(at + 20, "success")
    }

    #[test]
    fn whoever_waits_as_long_as_asked_or_longer_keeps_it() {
        for at in [5_010, 5_500, 60_000] {
            back(limited("5"), at).judged(CLAIM).holds([0, 1]);
        }
        back(limited("0"), 10).judged(CLAIM).holds([0, 1]);
        let unavailable = wanted("send").call(0).answered(503, ERROR).header("retry-after", "5");
        back(unavailable.clone(), 5_020).judged(CLAIM).holds([0, 1]);
        back(unavailable, 1_020).judged(CLAIM).violated(["early [0, 1]"]);
    }

    #[test]
    fn of_one_that_came_while_the_answer_was_on_its_way_nobody_can_say() {
        let unknown = "cannot be told: another request came while the answer was on its way";
        for value in ["5", "soon"] {
            let crossed = limited(value).kind("growing").known(50).until(200).call(100).answered(200, DONE);
            crossed.tells(300, "success").judged(CLAIM).unknown(unknown);
        }
        let third = limited("5").known(50).until(200).call(100).answered(503, ERROR);
        back(third, 1_000).judged(CLAIM).violated(["early [0, 2]"]);
    }

    #[test]
    fn whoever_comes_earlier_breaks_it() {
        back(limited("5"), 1_000).judged(CLAIM).violated(["early [0, 1]"]);
        back(limited("5"), 4_900).judged(CLAIM).violated(["early [0, 1]"]);
        let jitter = wanted("send").kind("growing").call(0).answered(429, ERROR).header("Retry-After", "5");
        back(jitter, 4_500).judged(CLAIM).violated(["early [0, 1]"]);
    }

    #[test]
    fn a_clock_that_is_faster_makes_the_wait_shorter() {
        back(limited("5").scale(0.1), 520).judged(CLAIM).holds([0, 1]);
        back(limited("5").scale(0.1), 300).judged(CLAIM).violated(["early [0, 1]"]);
    }

    #[test]
    fn a_request_that_was_under_way_already_is_not_early() {
        let together = wanted("send").call(0).answered(429, ERROR).header("Retry-After", "5").until(500).call(100);
        together.call(5_510).answered(200, DONE).tells(5_600, "success").judged(CLAIM).holds([0, 2]);
    }

    #[test]
    fn a_date_counts_from_the_answer() {
        let date = |passage| limited("Sun, 06 Nov 1994 08:49:37 GMT").meets(passage);
        back(date("pre-commit answer 429 retry-after date +5s"), 5_010).judged(CLAIM).holds([0, 1]);
        back(date("pre-commit answer 429 retry-after date +5s"), 1_010).judged(CLAIM).violated(["early [0, 1]"]);
        back(date("pre-commit answer 429 retry-after date -5s"), 20).judged(CLAIM).holds([0, 1]);
        let origin = limited("Sun, 06 Nov 1994 08:49:37 GMT").header("Date", "Sun, 06 Nov 1994 08:49:31 GMT");
        back(origin.clone(), 5_010).judged(CLAIM).holds([0, 1]);
        back(origin, 4_000).judged(CLAIM).violated(["early [0, 1]"]);
        back(limited("Sun, 06 Nov 1994 08:49:37 GMT"), 20).judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn a_wait_that_nobody_has_to_bear_may_be_given_up_or_cut_down() {
        for value in ["301", "999999999999999999999999999"] {
            limited(value).tells(100, "failure").judged(CLAIM).holds([0]);
            back(limited(value), 300_100).judged(CLAIM).holds([0, 1]);
            back(limited(value), 60_000).judged(CLAIM).violated(["early [0, 1]"]);
            limited(value).still_at_work(9_000).judged(CLAIM).unknown(UNKNOWN);
        }
        limited("300").tells(100, "failure").judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn told_to_come_back_and_not_when_it_waits_the_declared_time() {
        let silent = wanted("send").call(0).answered(429, ERROR);
        back(silent.clone(), 60_010).judged(CLAIM).holds([0, 1]);
        back(silent.clone(), 1_010).judged(CLAIM).violated(["early [0, 1]"]);
        silent.tells(100, "failure").judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn what_cannot_be_read_leaves_it_to_its_own_waits() {
        for value in ["-5", "+3", "1.5", "", "soon", "Sun, 99 Nov 1994 08:49:37 GMT"] {
            back(limited(value), 1_010).judged(CLAIM).holds([0, 1]);
            back(limited(value), 60_010).judged(CLAIM).holds([0, 1]);
            back(limited(value), 100).judged(CLAIM).violated(["early [0, 1]"]);
        }
        back(limited("soon").kind("growing"), 100).judged(CLAIM).holds([0, 1]);
        back(limited("soon").kind("growing"), 10).judged(CLAIM).violated(["early [0, 1]"]);
        back(limited("soon").kind("bare"), 100).judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn without_such_an_answer_nothing_is_known() {
        back(wanted("send").call(0).answered(503, ERROR), 1_010).judged(CLAIM).unknown(UNKNOWN);
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).unknown(UNKNOWN);
    }
}
