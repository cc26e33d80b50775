//! `give-up-within`: an intent that never succeeds is asked for as often as the contract says, and no more.

use crate::contract::Advice;
use crate::judge::client::course::{Call, Course};
use crate::judge::client::retry_after::Asked;
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing failed as often as it may be asked for", |course, shown| {
        let Some((fewest, most)) = course.rules.attempts else { return };
        let (fewest, most) = (fewest as usize, most as usize);
        let expected = if fewest == most { format!("{most} requests") } else { format!("{fewest} to {most} requests") };
        // Whether one that was started again counts on is left open: too many are too many within one run.
        for run in course.runs() {
            let failed = run.iter().take_while(|call| passes(call)).count();
            if failed >= most && run.len() > most {
                let entries = run.iter().map(|call| call.entry);
                shown.broken(Anomaly::AskedAgain, expected.clone(), format!("{} requests", run.len()), entries);
                return;
            }
        }
        let made = course.asked().count();
        if made == 0 || !course.asked().all(passes) {
            return;
        }
        let may_leave = course.asked().any(|call| {
            let asked = Asked::of(call);
            asked == Asked::SomeDate || asked.is_beyond_patience(course)
        });
        let entries = course.asked().map(|call| call.entry).chain(course.ending().map(|(entry, _)| entry));
        if course.is_endless() {
            shown.doubt("the program was still at work when nobody waited any longer");
        } else if made >= fewest {
            shown.witness(entries);
        } else if !may_leave {
            shown.broken(Anomaly::GaveUp, expected, format!("{made}"), entries);
        }
    })
}

fn passes(call: &Call<'_>) -> bool {
    matches!(call.advice, Some(Advice::Retry | Advice::RetryAfter))
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, Story, wanted};

    const UNKNOWN: &str = "never exercised: nothing failed as often as it may be asked for";
    const CLAIM: &str = "give-up-within: wanted";

    fn failed(story: Story, times: u64) -> Story {
        (0..times).fold(story, |story, no| story.call(no * 1_000).answered(503, ERROR))
    }

    #[test]
    fn as_many_as_the_contract_says_keep_it() {
        failed(wanted("send"), 5).tells(9_000, "failure").judged(CLAIM).holds([0, 1, 2, 3, 4, 5]);
        failed(wanted("send").kind("growing"), 2).tells(9_000, "failure").judged(CLAIM).holds([0, 1, 2]);
    }

    #[test]
    fn one_more_is_too_many_even_if_it_succeeds() {
        failed(wanted("send"), 6).tells(9_000, "failure").judged(CLAIM).violated(["asked again [0, 1, 2, 3, 4, 5]"]);
        failed(wanted("send"), 6).still_at_work(9_000).judged(CLAIM).violated(["asked again [0, 1, 2, 3, 4, 5]"]);
        let lucky = failed(wanted("send"), 5).call(6_000).answered(200, DONE).tells(9_000, "success");
        lucky.judged(CLAIM).violated(["asked again [0, 1, 2, 3, 4, 5]"]);
    }

    #[test]
    fn fewer_are_giving_up() {
        failed(wanted("send"), 4).tells(9_000, "failure").judged(CLAIM).violated(["gave up [0, 1, 2, 3, 4]"]);
        failed(wanted("send").kind("growing"), 1).tells(9_000, "failure").judged(CLAIM).violated(["gave up [0, 1]"]);
    }

    #[test]
    fn whoever_is_asked_to_wait_for_too_long_may_leave() {
        let asked = wanted("send").call(0).answered(429, ERROR).header("Retry-After", "999");
        asked.tells(100, "failure").judged(CLAIM).unknown(UNKNOWN);
    }

    #[test]
    fn two_runs_may_each_make_as_many() {
        let killed = failed(wanted("send"), 3).call(3_000).meets("kill").killed(3_020);
        let again = (4..9).fold(killed, |story, no| story.call(no * 1_000).answered(503, ERROR));
        again.tells(9_000, "failure").judged(CLAIM).holds([0, 1, 2, 3, 5, 6, 7, 8, 9, 10]);
    }

    #[test]
    fn where_it_did_not_fail_to_the_end_nothing_is_known() {
        failed(wanted("send"), 2)
            .still_at_work(9_000)
            .judged(CLAIM)
            .unknown("cannot be told: the program was still at work when nobody waited any longer");
        failed(wanted("send"), 2)
            .call(3_000)
            .answered(200, DONE)
            .tells(9_000, "success")
            .judged(CLAIM)
            .unknown(UNKNOWN);
        failed(wanted("send"), 2)
            .call(3_000)
            .answered(400, ERROR)
            .tells(9_000, "failure")
            .judged(CLAIM)
            .unknown(UNKNOWN);
        wanted("send").tells(20, "failure").judged(CLAIM).unknown(UNKNOWN);
    }
}
