//! `one-at-a-time`: requests of one intent come one after the other: none begins before the one before it is over.

use crate::judge::client::course::{Call, Course};
use crate::judge::client::shown::{each, time};
use crate::judge::verdict::{Anomaly, Verdict};

/// How two requests lie to each other.
enum Order {
    InTurn,
    Together,
    /// Nearer than can be told apart from here.
    Near,
}

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no request came after another", |course, shown| {
        for (at, later) in course.calls.iter().enumerate() {
            let before = &course.calls[..at];
            let orders: Vec<Order> = before.iter().map(|call| order(course, call, later)).collect();
            let entries = |call: &Call<'_>| [call.entry, later.entry];
            let together = before.iter().zip(&orders).find(|(_, order)| matches!(order, Order::Together));
            if let Some((call, _)) = together {
                let still = time(call.known_by.since(later.began));
                let observed = format!("one began {still} before the end of another");
                shown.broken(Anomaly::AskedAgain, "one request at a time", observed, entries(call));
            } else if let Some(call) = before.last()
                && orders.iter().all(|order| matches!(order, Order::InTurn))
            {
                shown.witness(entries(call));
            }
        }
    })
}

fn order(course: &Course<'_>, call: &Call<'_>, later: &Call<'_>) -> Order {
    let overlap = call.known_by.since(later.began);
    // Who gave up by itself had left before anybody saw it.
    if overlap <= course.resolution().max(call.unseen(course)) {
        Order::InTurn
    } else if !call.is_end_seen() {
        Order::Near
    } else if later.began < call.known_from || overlap > course.grace() {
        Order::Together
    } else {
        Order::Near
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, wanted};

    const UNKNOWN: &str = "never exercised: no request came after another";
    const CLAIM: &str = "one-at-a-time: wanted";

    fn second(story: Story, at: u64) -> Story {
        story.call(at).until(at + 900).answered(200, DONE).tells(20_000, "success")
    }

    #[test]
    fn one_after_the_other_keeps_it() {
        second(wanted("send").call(0), 1_000).judged(CLAIM).holds([0, 1]);
        second(wanted("send").call(0), 10).judged(CLAIM).holds([0, 1]);
        second(wanted("send").call(0).answered(200, DONE).until(500), 498).judged(CLAIM).holds([0, 1]);
        second(wanted("send").call(0).meets("pre-commit stall").left(10_000), 9_900).judged(CLAIM).holds([0, 1]);
    }

    #[test]
    fn two_that_are_under_way_together_break_it() {
        second(wanted("send").call(0).meets("pre-commit stall").left(10_000), 2_000)
            .judged(CLAIM)
            .violated(["asked again [0, 1]"]);
        second(wanted("send").call(0).answered(200, DONE).until(500), 100)
            .judged(CLAIM)
            .violated(["asked again [0, 1]"]);
        // Not only the one right before it.
        let third = wanted("send")
            .call(0)
            .meets("post-commit stall")
            .left(10_000)
            .call(100)
            .call(3_000)
            .tells(11_000, "failure");
        third.judged(CLAIM).violated(["asked again [0, 1]", "asked again [0, 2]"]);
    }

    #[test]
    fn what_cannot_be_told_apart_and_one_alone_leave_it_open() {
        let near = wanted("send").call(0).answered(200, DONE).known(50).until(200);
        second(near, 100).judged(CLAIM).unknown(UNKNOWN);
        // It left a slow origin, and nobody saw when.
        second(wanted("send").call(0).left(12_000), 11_000).judged(CLAIM).unknown(UNKNOWN);
        wanted("send").call(0).tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
    }
}
