//! `send-once`: there is one request on the wire, whatever its connection met. Libraries repeat requests under a program
//! that never asked them to. `send-once-when-kept`: the same, where its connection had carried another request before.

use crate::judge::client::course::{Call, Course};
use crate::judge::client::shown::each;
use crate::judge::verdict::{Anomaly, Verdict};

/// Checks the claim; `kept`: on a connection that was kept, and on no other.
pub fn check(courses: &[Course<'_>], kept: bool) -> Verdict {
    let otherwise = match kept {
        true => "no request without a key came on a connection that had carried another",
        false => "no request was made without a key",
    };
    each(courses, otherwise, |course, shown| {
        // A connection that ended before a request carried none.
        let calls: Vec<&Call<'_>> =
            course.calls.iter().filter(|call| call.exchange.request_on_connection > 0).collect();
        match calls.as_slice() {
            [] => {}
            [first, ..] if kept && first.exchange.request_on_connection < 2 => {}
            [_] if course.is_endless() => {
                shown.doubt("the program was still at work when nobody waited any longer");
            }
            [one] => shown.witness([one.entry]),
            // Under one key it may be sent again.
            [first, others @ ..] if first.key.is_some() && others.iter().all(|call| call.key == first.key) => {}
            many => {
                let connections: Vec<String> = many.iter().map(|call| call.exchange.connection.to_string()).collect();
                let observed = format!("{} requests, on connections {}", many.len(), connections.join(", "));
                shown.broken(Anomaly::AskedAgain, "one request", observed, many.iter().map(|call| call.entry));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, wanted};

    const CLAIM: &str = "send-once: wanted";

    #[test]
    fn one_request_keeps_it_whatever_it_meets() {
        wanted("send").call(0).answered(200, DONE).tells(20, "success").judged(CLAIM).holds([0]);
        wanted("send").call(0).meets("pre-commit reset").tells(20, "failure").judged(CLAIM).holds([0]);
    }

    #[test]
    fn a_second_one_breaks_it_even_elsewhere() {
        let twice = wanted("send").call(0).no_key().call(1).no_key().tells(20, "failure");
        twice.judged(CLAIM).violated(["asked again [0, 1]"]);
        let led = wanted("send").call(0).no_key().answered(302, "").call(20).no_key().method("GET");
        let led = led.tells(40, "failure");
        led.judged(CLAIM).violated(["asked again [0, 1]"]);
    }

    #[test]
    fn on_a_connection_that_was_kept_it_is_the_same_and_on_a_new_one_nothing_is_known() {
        const KEPT: &str = "send-once-when-kept: wanted";
        let one = || wanted("send").call(0).no_key().meets("post-commit drop");
        one().reused(9).tells(20, "failure").judged(KEPT).holds([0]);
        let twice = one().reused(9).call(1).no_key().tells(20, "failure");
        twice.judged(KEPT).violated(["asked again [0, 1]"]);
        let unknown = "never exercised: no request without a key came on a connection that had carried another";
        one().tells(20, "failure").judged(KEPT).unknown(unknown);
        one().call(1).no_key().tells(20, "failure").judged(KEPT).unknown(unknown);
        one().reused(9).key("a").call(1).key("a").tells(20, "failure").judged(KEPT).unknown(unknown);
    }

    #[test]
    fn a_connection_that_ended_before_a_request_carried_none() {
        let one = wanted("send").call(0).unread().call(1).no_key().answered(200, DONE).tells(20, "success");
        one.judged(CLAIM).holds([1]);
    }

    #[test]
    fn under_one_key_it_may_be_sent_again() {
        let again = wanted("send").call(0).key("a").call(1_000).key("a").answered(200, DONE).tells(1_020, "success");
        again.judged(CLAIM).unknown("never exercised: no request was made without a key");
        let thrice = [0, 1_000, 2_000].iter().fold(wanted("send"), |story, at| story.call(*at).key("a"));
        thrice.tells(9_000, "failure").judged(CLAIM).unknown("never exercised: no request was made without a key");
    }

    #[test]
    fn under_two_keys_or_only_part_of_the_time_under_one_it_may_not() {
        let other = wanted("send").call(0).key("a").call(1_000).key("b").answered(200, DONE).tells(1_020, "success");
        other.judged(CLAIM).violated(["asked again [0, 1]"]);
        for [first, second] in [["a", ""], ["", "a"]] {
            let half = wanted("send").call(0).key(first).call(1_000).key(second).tells(1_020, "failure");
            half.judged(CLAIM).violated(["asked again [0, 1]"]);
        }
    }

    #[test]
    fn without_a_request_or_an_end_nothing_is_known() {
        wanted("send").tells(20, "failure").judged(CLAIM).unknown("never exercised: no request was made without a key");
        wanted("send")
            .call(0)
            .left(9_000)
            .still_at_work(9_000)
            .judged(CLAIM)
            .unknown("cannot be told: the program was still at work when nobody waited any longer");
    }
}
