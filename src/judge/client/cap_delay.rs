//! `cap-delay`: no wait is longer than the cap, unless it was asked for.

use crate::contract::Advice;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::retry_after::Asked;
use crate::judge::client::shown::{each, late, time};
use crate::judge::verdict::Verdict;

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no wait that has a cap", |course, shown| {
        let Some(cap) = course.rules.cap else { return };
        let latest = course.scaled(cap) + course.grace();
        for run in course.runs() {
            for pair in run.windows(2).filter(|pair| is_own(course, pair[0])) {
                let (waited, entries) = (pair[0].at_least_until(pair[1]), [pair[0].entry, pair[1].entry]);
                if waited > latest {
                    let expected = format!("a request within {}", time(latest));
                    let observed = format!("the next came after {}", time(waited));
                    shown.broken(late(waited - latest), expected, observed, entries);
                } else {
                    shown.witness(entries);
                }
            }
        }
    })
}

/// Whether the wait after a failure is one that nobody asked for.
fn is_own(course: &Course<'_>, call: &Call<'_>) -> bool {
    let is_told_to_wait = call.advice == Some(Advice::RetryAfter) && course.rules.without_retry_after.is_some();
    match Asked::of(call) {
        Asked::Nothing | Asked::Unreadable(_) => !call.succeeded && !is_told_to_wait,
        Asked::Wait(_) | Asked::SomeDate => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, wanted};

    const UNKNOWN: &str = "never exercised: no wait that has a cap";
    const CLAIM: &str = "cap-delay: wanted";

    #[test]
    fn a_wait_up_to_the_cap_keeps_it() {
        let story = wanted("send").call(0).call(1_010).call(61_200);
        story.tells(61_300, "failure").judged(CLAIM).holds([0, 1, 2]);
    }

    #[test]
    fn a_longer_one_breaks_it() {
        wanted("send").call(0).call(60_300).tells(61_000, "failure").judged(CLAIM).violated(["late [0, 1]"]);
        let scaled = wanted("send").scale(0.1).call(0).call(6_300).tells(7_000, "failure");
        scaled.judged(CLAIM).violated(["late [0, 1]"]);
    }

    #[test]
    fn a_wait_that_was_asked_for_may_be_longer() {
        let asked = wanted("send").call(0).answered(503, ERROR).header("Retry-After", "100").call(100_010);
        asked.tells(100_100, "failure").judged(CLAIM).unknown(UNKNOWN);
        let limited = wanted("send").call(0).answered(429, ERROR).call(90_000).answered(200, DONE);
        limited.tells(90_100, "success").judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn without_a_wait_nothing_is_known() {
        wanted("send").call(0).tells(100, "failure").judged(CLAIM).unknown(UNKNOWN);
        let killed = wanted("send").call(0).meets("kill").killed(20).call(90_000).answered(200, DONE);
        killed.tells(91_000, "success").judged(CLAIM).unknown(UNKNOWN);
    }
}
