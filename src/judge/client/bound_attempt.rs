//! `bound-attempt`: an attempt that goes on for longer than it may is given up, as a whole: an answer that drips byte by
//! byte keeps every idle timer quiet.

use crate::contract::Met;
use crate::fault::{Fault, Passage};
use crate::judge::client::course::{Call, Course};
use crate::judge::client::shown::{each, early, late, time};
use crate::judge::client::tells::{Tells, told};
use crate::judge::verdict::Verdict;
use crate::time::times;

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no attempt went on for longer than it may", |course, shown| {
        let Some(timeout) = course.rules.attempt_timeout.map(|timeout| course.scaled(timeout)) else { return };
        let latest = times(timeout, 1.0 + course.rules.later).saturating_add(course.grace());
        let earliest = timeout / 2;
        // Of one that was still open when the history was sealed nobody knows how long it took.
        for call in course.asked().filter(|call| call.is_closed && call.is_slow()) {
            let took = call.known_by.since(call.began);
            let left = matches!(call.met, Met::Timeout);
            if took > latest {
                let observed = if left { "left" } else { "still there" };
                let expected = format!("given up within {}", time(latest));
                let observed = format!("{observed} after {}", time(took));
                shown.broken(late(took - latest), expected, observed, [call.entry]);
            } else if !left || course.is_ended_by_us(call) || is_enough(course, call) {
                // It was over before it had to be given up.
            } else if took < earliest {
                let expected = format!("not given up before {}", time(earliest));
                let observed = format!("left after {}", time(took));
                shown.broken(early(earliest - took), expected, observed, [call.entry]);
            } else {
                shown.witness([call.entry]);
            }
        }
    })
}

/// Whether a client that left had what it needed: the head came at once, and it told a success and asked for nothing more.
fn is_enough(course: &Course<'_>, call: &Call<'_>) -> bool {
    let is_last = course.asked().all(|other| other.entry <= call.entry);
    let has_head = matches!(call.exchange.passage, Passage::Faulted(Fault::DripBody));
    has_head && is_last && told(course).is_some_and(|(_, tells)| tells == Tells::Success)
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, wanted};

    const UNKNOWN: &str = "never exercised: no attempt went on for longer than it may";
    const CLAIM: &str = "bound-attempt: wanted";
    const SLOW: [&str; 4] = ["drip", "drip body", "pre-commit stall", "post-commit stall"];

    fn left(passage: &'static str, at: u64) -> Story {
        wanted("send").call(0).meets(passage).left(at).tells(90_000, "failure")
    }

    #[test]
    fn whoever_leaves_in_time_keeps_it() {
        for passage in SLOW {
            for at in [5_000, 10_000, 15_200] {
                left(passage, at).judged(CLAIM).holds([0]);
            }
        }
        let scaled = wanted("send").scale(0.1).call(0).meets("drip").left(1_000).tells(9_000, "failure");
        scaled.judged(CLAIM).holds([0]);
    }

    #[test]
    fn whoever_stays_breaks_it() {
        for passage in SLOW {
            left(passage, 16_000).judged(CLAIM).violated(["late [0]"]);
        }
        // Its head came at once: who waits for that only has an answer and is still there.
        for drip in ["drip", "drip body"] {
            let whole = wanted("send").call(0).meets(drip).answered(200, DONE).until(30_000).tells(30_100, "success");
            whole.judged(CLAIM).violated(["late [0]"]);
        }
        let endless = wanted("send").call(0).meets("pre-commit stall").left(60_000).still_at_work(60_000);
        endless.judged(CLAIM).violated(["late [0]"]);
    }

    #[test]
    fn whoever_leaves_long_before_breaks_it() {
        for passage in SLOW {
            left(passage, 4_000).judged(CLAIM).violated(["early [0]"]);
        }
    }

    #[test]
    fn what_was_over_before_its_time_leaves_it_open() {
        wanted("send").call(0).left(10_000).tells(11_000, "failure").judged(CLAIM).unknown(UNKNOWN);
        let quick = wanted("send").call(0).meets("drip").answered(200, DONE).until(3_000).tells(4_000, "success");
        quick.judged(CLAIM).unknown(UNKNOWN);
        // The status was all that it wanted to know.
        let head = || wanted("send").call(0).meets("drip body").left(50);
        head().tells(60, "success").judged(CLAIM).unknown(UNKNOWN);
        head().tells(60, "failure").judged(CLAIM).violated(["early [0]"]);
        let again = head().call(1_000).answered(200, DONE).tells(1_020, "success");
        again.judged(CLAIM).violated(["early [0]"]);
        let ended = wanted("send").call(0).meets("pre-commit stall").left(8_000).still_at_work(8_000);
        ended.judged(CLAIM).unknown(UNKNOWN);
        let open = wanted("send").call(0).meets("pre-commit stall").left(0).open().tells(90_000, "failure");
        open.judged(CLAIM).unknown(UNKNOWN);
    }
}
