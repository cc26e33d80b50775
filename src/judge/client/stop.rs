//! `stop`: after an answer that ends the matter, no other request is made.

use crate::contract::Advice;
use crate::judge::client::course::Course;
use crate::judge::client::shown::{CROSSED, each, time};
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "no answer ended the matter", |course, shown| {
        for call in course.asked() {
            let Some(Advice::Stop | Advice::StopAnd(_) | Advice::Fallback) = call.advice else { continue };
            match course.calls.iter().find(|later| call.is_before(later)) {
                Some(later) => {
                    let others: Vec<_> = course.calls.iter().filter(|later| call.is_before(later)).collect();
                    let observed = match others.len() {
                        1 => format!("another one {} later", time(call.until(later))),
                        more => format!("{more} others, the first {} later", time(call.until(later))),
                    };
                    shown.broken(
                        Anomaly::AskedAgain,
                        format!("no other request after {}", call.words()),
                        observed,
                        std::iter::once(call.entry).chain(others.iter().map(|later| later.entry)),
                    );
                    // Once is enough: those that follow are of the same making.
                    return;
                }
                None if course.calls.iter().any(|later| call.is_crossed_by(later)) => shown.doubt(CROSSED),
                None if course.is_endless() => {
                    shown.doubt("the program was still at work when nobody waited any longer")
                }
                None => shown.witness([call.entry]),
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{BUSY, DONE, ERROR, Story, wanted};

    fn refused(operation: &str) -> Story {
        wanted(operation).call(0).answered(400, ERROR)
    }

    #[test]
    fn whoever_stops_after_a_refusal_keeps_it() {
        for operation in ["send", "pay", "link", "look"] {
            refused(operation).tells(20, "failure").judged("stop: wanted").holds([0]);
        }
        let later = wanted("send").call(0).answered(503, ERROR).call(1_000).answered(404, ERROR);
        later.tells(1_020, "failure").judged("stop: wanted").holds([1]);
    }

    #[test]
    fn any_other_request_breaks_it_even_elsewhere() {
        let again = refused("send").call(1_000).answered(400, ERROR).tells(1_020, "failure");
        again.judged("stop: wanted").violated(["asked again [0, 1]"]);
        let elsewhere = refused("send").call(1_000).method("GET").answered(200, DONE).tells(1_020, "success");
        elsewhere.judged("stop: wanted").violated(["asked again [0, 1]"]);
        let conflict =
            wanted("send").call(0).answered(409, ERROR).call(1_000).answered(200, DONE).tells(1_020, "success");
        conflict.judged("stop: wanted").violated(["asked again [0, 1]"]);
        refused("look")
            .call(50)
            .answered(200, DONE)
            .tells(70, "success")
            .judged("stop: wanted")
            .violated(["asked again [0, 1]"]);
    }

    #[test]
    fn a_request_that_was_under_way_already_is_not_after_it() {
        let together = wanted("send").call(0).answered(400, ERROR).until(500).call(100).answered(400, ERROR);
        together.tells(600, "failure").judged("stop: wanted").holds([0, 1]);
    }

    #[test]
    fn of_one_that_came_while_the_answer_was_on_its_way_nobody_can_say() {
        let crossed = refused("send").known(50).until(200).call(100).answered(400, ERROR);
        let unknown = "cannot be told: another request came while the answer was on its way";
        crossed.clone().tells(600, "failure").judged("stop: wanted").unknown(unknown);
        let third = crossed.call(1_000).answered(400, ERROR).tells(1_020, "failure");
        third.judged("stop: wanted").violated(["asked again [0, 2]"]);
    }

    #[test]
    fn one_that_was_read_after_the_answer_may_have_been_sent_before_it() {
        let unknown = "cannot be told: another request came while the answer was on its way";
        let answered = || refused("send").until(200);
        let after = |story: Story| story.answered(400, ERROR).tells(900, "failure").judged("stop: wanted");
        // Two hands at the same time: this machine read the one when the other was answered already.
        after(answered().call(210).opened(5)).unknown(unknown);
        after(answered().call(210).reused(7)).unknown(unknown);
        after(answered().call(210).opened(205)).violated(["asked again [0, 1]"]);
        // One connection carries one after the other, and no machine lags for so long.
        after(answered().call(210).reused(1)).violated(["asked again [0, 1]"]);
        after(answered().call(500).opened(5)).violated(["asked again [0, 1]"]);
        after(answered().call(500).reused(7)).violated(["asked again [0, 1]"]);
    }

    #[test]
    fn without_such_an_answer_and_without_an_end_nothing_is_known() {
        wanted("send")
            .call(0)
            .answered(409, BUSY)
            .call(10)
            .answered(200, DONE)
            .tells(30, "success")
            .judged("stop: wanted")
            .unknown("never exercised: no answer ended the matter");
        wanted("look")
            .call(0)
            .answered(503, ERROR)
            .tells(20, "fallback")
            .judged("stop: wanted")
            .unknown("never exercised: no answer ended the matter");
        refused("send")
            .still_at_work(9_000)
            .judged("stop: wanted")
            .unknown("cannot be told: the program was still at work when nobody waited any longer");
    }
}
