//! `serve-fallback`: where the contract says to, the fallback is served, and told as one: neither as a success, nor as a
//! failure.

use crate::contract::Advice;
use crate::history::{Exit, Told};
use crate::judge::client::course::Course;
use crate::judge::client::shown::each;
use crate::judge::client::tells;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing called for the fallback", |course, shown| {
        let (Some(last), Some((entry, ending))) = (course.asked().last(), course.ending()) else { return };
        let is_called_for = matches!(last.advice, Some(Advice::Fallback | Advice::FallbackOrRetryWithKey));
        if !is_called_for || course.asked().any(|call| call.succeeded) {
            return;
        }
        match (ending.told, &ending.exit) {
            (Some(Told::Fallback), _) => shown.witness([last.entry, entry]),
            (Some(Told::Success | Told::Failure | Told::Unknown), _) => {
                let expected = format!("fallback after {}", last.words());
                shown.broken(Anomaly::FalseOutcome, expected, tells::words(course), [last.entry, entry]);
            }
            (None, Exit::StillAtWork | Exit::KilledAsPlanned) => shown.doubt("the program came to no end"),
            (None, Exit::Status(_) | Exit::Signal(_) | Exit::StaysUp) => {
                shown.doubt("the program did not tell a fallback from a success");
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, Story, wanted};

    fn failed(status: u16) -> Story {
        wanted("look").call(0).answered(status, ERROR)
    }

    #[test]
    fn a_fallback_that_is_told_keeps_it() {
        for status in [404, 429, 503] {
            failed(status).tells(20, "fallback").judged("serve-fallback: wanted").holds([0, 1]);
        }
        let retried = failed(503).call(1_000).answered(502, ERROR).tells(1_020, "fallback");
        retried.judged("serve-fallback: wanted").holds([1, 2]);
    }

    #[test]
    fn any_other_word_is_false() {
        for told in ["success", "failure", "unknown"] {
            failed(503).tells(20, told).judged("serve-fallback: wanted").violated(["false outcome [0, 1]"]);
            failed(404).tells(20, told).judged("serve-fallback: wanted").violated(["false outcome [0, 1]"]);
        }
    }

    #[test]
    fn an_exit_status_cannot_tell() {
        failed(503)
            .exits(20, 0)
            .judged("serve-fallback: wanted")
            .unknown("cannot be told: the program did not tell a fallback from a success");
        failed(503)
            .still_at_work(9_000)
            .judged("serve-fallback: wanted")
            .unknown("cannot be told: the program came to no end");
    }

    #[test]
    fn where_nothing_calls_for_it_nothing_is_known() {
        let unknown = "never exercised: nothing called for the fallback";
        let retried = failed(503).call(1_000).answered(200, DONE).tells(1_020, "success");
        retried.judged("serve-fallback: wanted").unknown(unknown);
        wanted("send")
            .call(0)
            .answered(400, ERROR)
            .tells(20, "failure")
            .judged("serve-fallback: wanted")
            .unknown(unknown);
        wanted("look").tells(20, "failure").judged("serve-fallback: wanted").unknown(unknown);
    }
}
