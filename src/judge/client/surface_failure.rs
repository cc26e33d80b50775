//! `surface-failure`: what was never answered by a success is not told as one.

use crate::judge::client::course::Course;
use crate::judge::client::shown::each;
use crate::judge::client::tells::{Tells, told, words};
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "something was answered by a success", |course, shown| {
        let Some((entry, tells)) = told(course) else { return };
        if course.asked().any(|call| call.succeeded) {
            return;
        }
        let last = course.calls.last().map(|call| call.entry);
        let entries = last.into_iter().chain([entry]);
        match tells {
            Tells::Success => {
                shown.broken(Anomaly::FalseOutcome, "no success told without one answered", words(course), entries);
            }
            // Whoever could not even ask shows nothing by failing.
            Tells::NoSuccess if last.is_none() => shown.doubt("the program made no request"),
            Tells::NoSuccess => shown.witness(entries),
            Tells::Nothing => shown.doubt("the program told no outcome"),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::history::Told;
    use crate::judge::client::testing::{DONE, ERROR, Story, wanted};

    const CLAIM: &str = "surface-failure: wanted";

    fn failed() -> Story {
        wanted("send").call(0).answered(400, ERROR)
    }

    #[test]
    fn anything_but_a_success_keeps_it() {
        for told in ["failure", "fallback", "unknown"] {
            failed().tells(20, told).judged(CLAIM).holds([0, 1]);
        }
        failed().exits(20, 3).judged(CLAIM).holds([0, 1]);
        failed().crashes(20).judged(CLAIM).holds([0, 1]);
        failed().stays_up(20, Some(Told::Failure)).judged(CLAIM).holds([0, 1]);
    }

    #[test]
    fn a_success_that_nobody_answered_is_false() {
        failed().tells(20, "success").judged(CLAIM).violated(["false outcome [0, 1]"]);
        failed().exits(20, 0).judged(CLAIM).violated(["false outcome [0, 1]"]);
        wanted("send").call(0).tells(20, "success").judged(CLAIM).violated(["false outcome [0, 1]"]);
        wanted("send").tells(20, "success").judged(CLAIM).violated(["false outcome [0]"]);
        // What answers another request is no success of this one.
        let other = wanted("send").call(0).answered(302, "").call(20).method("GET").answered(200, DONE);
        other.tells(40, "success").judged(CLAIM).violated(["false outcome [1, 2]"]);
    }

    #[test]
    fn without_an_end_a_request_or_a_failure_nothing_is_known() {
        failed().still_at_work(9_000).judged(CLAIM).unknown("cannot be told: the program told no outcome");
        failed().stays_up(20, None).judged(CLAIM).unknown("cannot be told: the program told no outcome");
        wanted("send").exits(20, 1).judged(CLAIM).unknown("cannot be told: the program made no request");
        wanted("send")
            .call(0)
            .answered(200, DONE)
            .tells(20, "success")
            .judged(CLAIM)
            .unknown("never exercised: something was answered by a success");
    }
}
