//! What puts every claim of a client's case in doubt: a fault that did not do what its name says, or a program that never
//! came to an end of what it was asked. That a client made fewer attempts than were foreseen does not: that is its doing,
//! and judged.

use crate::fault::{Fault, Passage};
use crate::history::{CallerEnd, Exchange, Exit, SealedHistory};
use crate::judge::verdict::Doubt;
use crate::plan::Case;

/// The first doubt, if there is one.
pub fn doubt(case: &Case, history: &SealedHistory) -> Option<Doubt> {
    for (_, exchange) in history.exchanges() {
        if exchange.passage != Passage::Clear && !exchange.fault.fired && !left_by_itself(exchange) {
            return Some(Doubt::FaultDidNotFire(format!("{}: {}", exchange.passage, exchange.fault.why)));
        }
    }
    // Step by step: two ends of one do not make up for none of another.
    let is_ended =
        |step: u32| history.endings().any(|(_, ending)| ending.step == step && ending.exit != Exit::KilledAsPlanned);
    let (_, ask) = case.asks().find(|(step, _)| !is_ended(*step))?;
    Some(Doubt::Unfinished(format!("the program came to no end of `{}`", ask.intent)))
}

/// A client that leaves in the middle of a slow answer does what it should.
fn left_by_itself(exchange: &Exchange) -> bool {
    matches!(exchange.passage, Passage::Faulted(Fault::Drip | Fault::DripBody | Fault::MidResponse(_)))
        && matches!(exchange.caller, CallerEnd::TimedOut { .. })
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{DONE, ERROR, Story, given, wanted};
    use crate::requirement::Side;
    use crate::scenario::Claim;

    const CLAIM: &str = "finish: wanted";

    fn broken(passage: &'static str) -> Story {
        wanted("send").call(0).meets(passage).not_fired()
    }

    #[test]
    fn a_fault_that_did_not_fire_never_holds() {
        let story = broken("post-commit drop").answered(503, ERROR).call(1_000).answered(200, DONE);
        story.tells(1_020, "success").judged(CLAIM).unknown("the fault did not fire: post-commit drop: it came late");
        let whole = broken("drip").answered(200, DONE).tells(20, "success");
        whole.judged(CLAIM).unknown("the fault did not fire: drip: it came late");
    }

    #[test]
    fn what_was_seen_to_be_broken_stays_broken_in_doubt() {
        let story = broken("post-commit drop").answered(200, DONE).tells(20, "failure");
        story.judged(CLAIM).violated(["false outcome [0, 1]"]);
    }

    #[test]
    fn whoever_leaves_in_the_middle_of_a_slow_answer_puts_nothing_in_doubt() {
        for drip in ["drip", "drip body"] {
            broken(drip).left(10_000).tells(11_000, "failure").judged("bound-attempt: wanted").holds([0]);
        }
        let cut = broken("mid-response cut body").left(10_000).call(11_500).answered(200, DONE);
        cut.tells(11_600, "success").judged(CLAIM).holds([1, 2]);
    }

    #[test]
    fn an_ask_without_an_end_never_holds() {
        let two = given(["wanted: { operation: send }", "other: { operation: send }"]).ask("wanted");
        let two = two.call(0).answered(200, DONE).tells(20, "success").tells(30, "success").ask("other").call(40);
        two.judged(CLAIM).unknown("not played to its end: the program came to no end of `other`");
        let killed = wanted("send").call(0).meets("kill").killed(20);
        killed.judged("resume: wanted").unknown("not played to its end: the program came to no end of `wanted`");
    }

    #[test]
    fn every_claim_on_an_empty_history_is_unknown() {
        let story = || {
            given([
                "wanted: { operation: send }",
                "twin: { operation: send }",
                "all: { operation: send, items: [wanted] }",
                "told: { operation: note }",
                "again: { same as: told }",
            ])
        };
        const ASKED: [&str; 5] = ["wanted", "twin", "all", "told", "again"];
        let empty = ASKED.iter().fold(story(), |story, intent| story.ask(intent));
        let ended = ASKED.iter().fold(story(), |story, intent| story.ask(intent).tells(20, "failure"));
        let of_clients: Vec<&Claim> = Claim::ALL.iter().filter(|claim| claim.side() == Side::Client).collect();
        assert_eq!(of_clients.len(), 25);
        for claim in of_clients {
            let on = match claim {
                Claim::ResendUndone => "all",
                Claim::MintApart => "[wanted, twin]",
                Claim::DeriveKey => "[told, again]",
                _ => "wanted",
            };
            let claim = format!("{claim}: {on}");
            empty.judged(&claim).unknown("not played to its end: the program came to no end of `wanted`");
            assert_eq!(ended.judged(&claim).0.rank(), 1, "{claim} without a request");
        }
    }
}
