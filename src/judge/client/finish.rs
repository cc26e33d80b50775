//! `finish`: a success that was answered whole is told as one, and no other request is made.

use crate::judge::client::course::{Call, Course};
use crate::judge::client::items::is_all_done;
use crate::judge::client::shown::{CROSSED, each, time};
use crate::judge::client::tells::{Tells, told, words};
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim.
pub fn check(courses: &[Course<'_>]) -> Verdict {
    each(courses, "nothing was answered by a success", |course, shown| {
        let Some((entry, tells)) = told(course) else { return };
        let Some(done) = course.asked().find(|call| is_all_done(course, call)) else { return };
        let is_of_that_run = |later: &&Call<'_>| !course.kills().any(|(_, at)| done.began <= at && at <= later.began);
        let mut others = course.calls.iter().filter(is_of_that_run);
        if others.clone().any(|later| done.is_crossed_by(later)) {
            shown.doubt(CROSSED);
        }
        if let Some(later) = others.find(|later| done.is_before(later)) {
            let observed = format!("another one {} later", time(done.until(later)));
            shown.broken(
                Anomaly::AskedAgain,
                "no other request after the success",
                observed,
                [done.entry, later.entry],
            );
            return;
        }
        match tells {
            Tells::NoSuccess => {
                shown.broken(Anomaly::FalseOutcome, "the success told", words(course), [done.entry, entry]);
            }
            Tells::Success | Tells::Nothing if course.is_endless() => {
                shown.doubt("the program was still at work when nobody waited any longer")
            }
            Tells::Success => shown.witness([done.entry, entry]),
            Tells::Nothing => shown.doubt("the program told no outcome"),
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::history::Told;
    use crate::judge::client::testing::{DONE, ERROR, Story, given, results, wanted};

    const CLAIM: &str = "finish: wanted";

    fn done() -> Story {
        wanted("send").call(0).answered(503, ERROR).call(1_000).answered(200, DONE)
    }

    #[test]
    fn a_success_that_is_told_keeps_it() {
        done().tells(1_020, "success").judged(CLAIM).holds([1, 2]);
        done().exits(1_020, 0).judged(CLAIM).holds([1, 2]);
        done().stays_up(1_020, Some(Told::Success)).judged(CLAIM).holds([1, 2]);
    }

    #[test]
    fn any_other_word_is_false() {
        for told in ["failure", "fallback", "unknown"] {
            done().tells(1_020, told).judged(CLAIM).violated(["false outcome [1, 2]"]);
        }
        done().exits(1_020, 1).judged(CLAIM).violated(["false outcome [1, 2]"]);
        done().crashes(1_020).judged(CLAIM).violated(["false outcome [1, 2]"]);
    }

    #[test]
    fn of_one_that_came_while_the_success_was_on_its_way_nobody_can_say() {
        let crossed = wanted("send").call(0).answered(200, DONE).known(50).until(200).call(100).answered(200, DONE);
        let unknown = "cannot be told: another request came while the answer was on its way";
        crossed.clone().tells(600, "success").judged(CLAIM).unknown(unknown);
        let third = crossed.call(1_000).answered(200, DONE).tells(1_020, "success");
        third.judged(CLAIM).violated(["asked again [0, 2]"]);
    }

    #[test]
    fn another_request_breaks_it() {
        let again = done().call(2_000).answered(200, DONE).tells(2_020, "success");
        again.judged(CLAIM).violated(["asked again [1, 2]"]);
    }

    #[test]
    fn a_request_that_was_under_way_already_is_not_after_it() {
        let together = wanted("send").call(0).answered(200, DONE).until(500).call(100).answered(200, DONE);
        together.tells(600, "success").judged(CLAIM).holds([0, 2]);
    }

    #[test]
    fn an_answer_that_did_a_part_of_a_batch_is_no_success_yet() {
        let many = given([
            "one: { operation: send }",
            "two: { operation: send }",
            "wanted: { operation: send, items: [one, two] }",
        ]);
        let half = many.ask("wanted").call(0).answered(200, &results(["ok", "error"]));
        let done = half.clone().call(1_000).items(["two"]).answered(200, &results(["ok"])).tells(1_020, "success");
        done.judged(CLAIM).holds([1, 2]);
        half.tells(20, "failure").judged(CLAIM).unknown("never exercised: nothing was answered by a success");
    }

    #[test]
    fn without_a_success_or_a_word_nothing_is_known() {
        wanted("send")
            .call(0)
            .answered(400, ERROR)
            .tells(20, "failure")
            .judged(CLAIM)
            .unknown("never exercised: nothing was answered by a success");
        wanted("send")
            .call(0)
            .left(5)
            .tells(20, "success")
            .judged(CLAIM)
            .unknown("never exercised: nothing was answered by a success");
        done().stays_up(1_020, None).judged(CLAIM).unknown("cannot be told: the program told no outcome");
        done()
            .still_at_work(9_000)
            .judged(CLAIM)
            .unknown("cannot be told: the program was still at work when nobody waited any longer");
    }
}
