//! `back-off`: the client waits before each request as the contract says, within its tolerance: by the schedule, or
//! growing. Waits that were asked for are not its own, and not looked at.

use std::time::Duration;

use crate::contract::{Advice, Waits};
use crate::judge::client::course::{Call, Course};
use crate::judge::client::retry_after::Asked;
use crate::judge::client::shown::{Shown, each, early, late, time};
use crate::judge::verdict::Verdict;
use crate::time::times;

/// So few gaps show no growth.
const FEWEST: usize = 3;

/// A request that follows a failure sooner is not backed off, however the waits grow after it.
const LEAST: Duration = Duration::from_millis(50);

/// A wait of the client's own: what it met, and the request after it.
type Gap<'c, 'a> = (&'c Call<'a>, &'c Call<'a>);

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no wait of its own to go by", |course, shown| {
        // Whether one that was started again counts on is left open: only its first run is looked at.
        let run = course.runs().swap_remove(0);
        let own = |call: &Call<'_>| {
            call.advice == Some(Advice::Retry)
                && call.is_end_seen()
                && matches!(Asked::of(call), Asked::Nothing | Asked::Unreadable(_))
        };
        let gaps = run.windows(2).enumerate().filter(|(_, pair)| own(pair[0]));
        match &course.rules.waits {
            Waits::Unsaid => {}
            Waits::Schedule(_) => {
                for (at, pair) in gaps {
                    if let Some(wait) = course.own_wait(at + 1) {
                        by_schedule(course, shown, (pair[0], pair[1]), wait);
                    }
                }
            }
            Waits::Growing => {
                let gaps: Vec<Gap<'_, '_>> = gaps.map(|(_, pair)| (pair[0], pair[1])).collect();
                growing(course, shown, &gaps);
            }
        }
    })
}

fn by_schedule(course: &Course<'_>, shown: &mut Shown, (call, next): Gap<'_, '_>, wait: Duration) {
    let (earliest, latest) = course.bounds(wait);
    let earliest = earliest.saturating_sub(call.unseen(course));
    let (most, least) = (call.until(next), call.at_least_until(next));
    let entries = [call.entry, next.entry];
    if most < earliest {
        let expected = format!("no request before {}", time(earliest));
        shown.broken(early(earliest - most), expected, format!("the next came after {}", time(most)), entries);
    } else if least > latest {
        let expected = format!("a request within {}", time(latest));
        shown.broken(late(least - latest), expected, format!("the next came after {}", time(least)), entries);
    } else {
        shown.witness(entries);
    }
}

/// Each wait at least as long as the one before, the last at least twice the first, and the first not nothing.
fn growing(course: &Course<'_>, shown: &mut Shown, gaps: &[Gap<'_, '_>]) {
    let longest = |(call, next): &Gap<'_, '_>| call.until(next) + call.unseen(course);
    let shortest = |(call, next): &Gap<'_, '_>| call.at_least_until(next);
    let (Some(first), Some(last)) = (gaps.first(), gaps.last()) else { return };
    let entries = || gaps.iter().flat_map(|(call, next)| [call.entry, next.entry]);
    let least = course.scaled(LEAST);
    let Some(shortest_gap) = gaps.iter().min_by_key(|gap| longest(gap)) else { return };
    if longest(shortest_gap) < least {
        let (call, next) = shortest_gap;
        let expected = format!("no wait shorter than {}", time(least));
        let observed = time(longest(shortest_gap));
        shown.broken(early(least - longest(shortest_gap)), expected, observed, [call.entry, next.entry]);
        return;
    }
    if gaps.len() < FEWEST {
        return;
    }
    let jitter = 1.0 - course.rules.earlier;
    for pair in gaps.windows(2) {
        // The one before may have come late, and this one early.
        let wanted = times(shortest(&pair[0]), jitter / (1.0 + course.rules.later));
        let wanted = wanted.saturating_sub(course.grace());
        if longest(&pair[1]) < wanted {
            let expected = format!("a wait of at least {}", time(wanted));
            let observed = format!("{} after {}", time(longest(&pair[1])), time(shortest(&pair[0])));
            let of_pair = [pair[0].0.entry, pair[1].0.entry, pair[1].1.entry];
            shown.broken(early(wanted - longest(&pair[1])), expected, observed, of_pair);
            return;
        }
    }
    let cap = course.rules.cap.map_or(Duration::MAX, |cap| course.scaled(cap));
    let twice = times((shortest(first) * 2).min(cap), jitter);
    if longest(last) >= twice {
        shown.witness(entries());
    } else if longest(last) + course.grace() < twice {
        let expected = format!("a last wait of at least {}", time(twice));
        let observed = format!("{} after a first one of {}", time(longest(last)), time(shortest(first)));
        shown.broken(early(twice - longest(last)), expected, observed, entries());
    } else {
        shown.doubt("waits so short that growth cannot be told from chance");
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, Story, wanted};

    const UNKNOWN: &str = "never exercised: no wait of its own to go by";
    const CLAIM: &str = "back-off: wanted";

    /// Lost requests, each of which takes 10 ms; then nobody asks again.
    fn lost<const N: usize>(story: Story, at: [u64; N]) -> Story {
        at.iter().fold(story, |story, at| story.call(*at)).tells(900_000, "failure")
    }

    fn steady<const N: usize>(at: [u64; N]) -> Story {
        lost(wanted("send"), at)
    }

    fn growing<const N: usize>(at: [u64; N]) -> Story {
        lost(wanted("send").kind("growing"), at)
    }

    #[test]
    fn waits_by_the_schedule_keep_it_and_so_do_those_within_tolerance() {
        steady([0, 1_010, 3_020, 7_030, 15_040]).judged(CLAIM).holds([0, 1, 2, 3, 4]);
        steady([0, 1_700]).judged(CLAIM).holds([0, 1]);
        steady([0, 996]).judged(CLAIM).holds([0, 1]);
        lost(wanted("send").scale(0.1), [0, 110, 320]).judged(CLAIM).holds([0, 1, 2]);
    }

    #[test]
    fn a_wait_that_is_too_short_or_too_long_breaks_it() {
        steady([0, 500]).judged(CLAIM).violated(["early [0, 1]"]);
        steady([0, 1_010, 2_020]).judged(CLAIM).violated(["early [1, 2]"]);
        steady([0, 1_800]).judged(CLAIM).violated(["late [0, 1]"]);
    }

    #[test]
    fn a_machine_that_was_behind_makes_no_request_late() {
        let story = [0, 1_800].iter().fold(wanted("send"), |story, at| story.call(*at)).tells(9_000, "failure");
        story.lag(20).judged(CLAIM).holds([0, 1]);
    }

    #[test]
    fn who_gave_up_by_itself_knew_before_it_was_seen_to_leave() {
        let stalled = || wanted("send").call(0).meets("pre-commit stall");
        let left = |next| stalled().left(10_000).call(next).answered(200, DONE).tells(20_000, "success");
        left(10_800).judged(CLAIM).holds([0, 1]);
        left(10_700).judged(CLAIM).violated(["early [0, 1]"]);
    }

    #[test]
    fn who_left_a_slow_origin_is_noticed_too_late_to_be_judged() {
        let slow = wanted("send").call(0).left(12_000).call(11_000).answered(200, DONE).tells(20_000, "success");
        slow.judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn a_wait_that_was_asked_for_is_not_its_own() {
        let asked = |value| wanted("send").call(0).answered(503, ERROR).header("Retry-After", value);
        asked("9").call(9_010).tells(9_100, "failure").judged(CLAIM).unknown(UNKNOWN);
        asked("soon").call(9_010).tells(9_100, "failure").judged(CLAIM).violated(["late [0, 1]"]);
        let limited = wanted("send").call(0).answered(429, ERROR).call(60_010).tells(60_100, "failure");
        limited.judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn waits_that_grow_keep_it() {
        growing([0, 100, 300, 700, 1_500]).judged(CLAIM).holds([0, 1, 2, 3, 4]);
        // Jitter: the second a little shorter than the first.
        growing([0, 1_010, 1_920, 4_000, 9_000]).judged(CLAIM).holds([0, 1, 2, 3, 4]);
    }

    #[test]
    fn waits_that_do_not_grow_break_it() {
        growing([0, 1_000, 2_000, 3_000, 4_000]).judged(CLAIM).violated(["early [0, 1, 2, 3, 4]"]);
        growing([0, 4_000, 5_000, 6_000]).judged(CLAIM).violated(["early [0, 1, 2]"]);
        let at_once = growing([0, 5, 300, 900]);
        at_once.judged(CLAIM).violated(["early [0, 1]"]);
    }

    #[test]
    fn one_wait_that_is_next_to_nothing_breaks_it_however_the_others_grow() {
        growing([0, 12, 13, 14, 15]).judged(CLAIM).violated(["early [1, 2]"]);
        growing([0, 20, 120, 400]).judged(CLAIM).violated(["early [0, 1]"]);
        // On a clock that is ten times as fast that is what a fifth of a second is.
        lost(wanted("send").kind("growing").scale(0.1), [0, 20, 60, 140]).judged(CLAIM).holds([0, 1, 2, 3]);
    }

    #[test]
    fn waits_that_are_long_enough_and_too_short_to_grow_visibly_leave_it_open() {
        growing([0, 100, 200, 300])
            .judged(CLAIM)
            .unknown("cannot be told: waits so short that growth cannot be told from chance");
    }

    #[test]
    fn too_few_waits_leave_it_open() {
        growing([0, 100, 300]).judged(CLAIM).unknown(UNKNOWN);
        steady([0]).judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn what_lies_between_a_kill_and_its_next_start_is_no_wait() {
        let killed =
            wanted("send").call(0).meets("kill").killed(20).call(300).answered(200, DONE).tells(320, "success");
        killed.judged(CLAIM).unknown(UNKNOWN);
    }
}
