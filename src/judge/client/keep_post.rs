//! `keep-post`: a redirect never makes a success without a request that has the body and was answered by a success. Many
//! libraries turn a redirected `POST` into a `GET`, and its answer looks like one.

use crate::contract::Met;
use crate::judge::client::content::Content;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::shown::each;
use crate::judge::client::tells::{Tells, told, words};
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing was redirected", |course, shown| {
        let Some((entry, tells)) = told(course) else { return };
        let Some(led) = course.asked().find(|call| is_redirected(call)) else { return };
        let wanted = Content::of(course, led);
        let done = course.asked().find(|later| {
            led.entry < later.entry && later.succeeded && later.is_whole && Content::of(course, later) == wanted
        });
        match (tells, done) {
            (Tells::Success, Some(done)) => shown.witness([led.entry, done.entry, entry]),
            // A success told on the redirect itself is another claim's business.
            (Tells::Success, None) if course.calls.iter().all(|call| call.entry <= led.entry) => {}
            (Tells::Success, None) => {
                let expected = "no success told without one answered to the same request";
                let others = course.calls.iter().filter(|later| led.entry < later.entry).map(|later| later.entry);
                let entries = [led.entry].into_iter().chain(others).chain([entry]);
                shown.broken(Anomaly::FalseOutcome, expected, words(course), entries);
            }
            (Tells::NoSuccess, _) => shown.witness([led.entry, entry]),
            (Tells::Nothing, _) => shown.doubt("the program told no outcome"),
        }
    })
}

fn is_redirected(call: &Call<'_>) -> bool {
    match call.met {
        Met::Answer(answer) => (300..400).contains(&answer.status) && answer.header("location").is_some(),
        Met::Dropped | Met::Timeout => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, Story, wanted};

    const CLAIM: &str = "keep-post: wanted";

    fn led() -> Story {
        wanted("send").call(0).meets("redirect 307").answered(307, "").header("Location", "/errands")
    }

    #[test]
    fn the_same_request_again_or_no_success_keeps_it() {
        led().call(20).answered(200, DONE).tells(40, "success").judged(CLAIM).holds([0, 1, 2]);
        led().call(20).answered(200, DONE).exits(40, 0).judged(CLAIM).holds([0, 1, 2]);
        led().tells(20, "failure").judged(CLAIM).holds([0, 1]);
        led().call(20).method("GET").body("").answered(200, DONE).exits(40, 1).judged(CLAIM).holds([0, 2]);
    }

    #[test]
    fn a_success_without_it_is_false() {
        let get = led().call(20).method("GET").body("").answered(200, DONE);
        get.clone().tells(40, "success").judged(CLAIM).violated(["false outcome [0, 1, 2]"]);
        get.exits(40, 0).judged(CLAIM).violated(["false outcome [0, 1, 2]"]);
        let empty = led().call(20).body("").answered(200, DONE).tells(40, "success");
        empty.judged(CLAIM).violated(["false outcome [0, 1, 2]"]);
        led().call(20).answered(503, "").tells(40, "success").judged(CLAIM).violated(["false outcome [0, 1, 2]"]);
    }

    #[test]
    fn without_a_redirect_or_a_word_nothing_is_known() {
        let unknown = "never exercised: nothing was redirected";
        led().tells(20, "success").judged(CLAIM).unknown(unknown);
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).unknown(unknown);
        wanted("send").call(0).answered(304, "").tells(20, "success").judged(CLAIM).unknown(unknown);
        led().still_at_work(9_000).judged(CLAIM).unknown("cannot be told: the program told no outcome");
    }
}
