//! `never-conflict`: no answer is a conflict, in the envelope or in an item.

use crate::contract::Outcome;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let answered = view.ops.iter().filter(|op| op.intent.name == intent.name || op.exchange.intent == intent.name);
        for op in answered {
            let Some(answer) = op.answer() else { continue };
            if answer.outcome == Some(Outcome::Conflict) || answer.status == 409 && !op.succeeded() {
                findings.push(Evidence::new(Anomaly::WrongRefusal, "no conflict", op.words(), [op.entry]));
            } else {
                witnesses.push(op.entry);
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no attempt was answered"))
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, ERROR, ITEM_CONFLICT, NOTED, SEEN, Story, batch, given};

    fn pair() -> Story {
        given(["noted: { operation: note }", "louder: { same as: noted, change: louder }"])
    }

    #[test]
    fn what_acknowledges_a_repeat_is_no_conflict_whatever_its_status() {
        let story = given(["hailed: { operation: hail }", "louder: { same as: hailed, change: louder }"]);
        let story = story.attempt("hailed").origin(202, "{}").attempt("louder").origin(409, "{}");
        story.judged("never-conflict: louder").holds([1]);
    }

    #[test]
    fn other_content_under_a_known_key_is_acknowledged() {
        pair()
            .attempt("noted")
            .origin(200, NOTED)
            .attempt("louder")
            .origin(200, SEEN)
            .judged("never-conflict: louder")
            .holds([1]);
    }

    #[test]
    fn a_conflict_is_a_wrong_refusal() {
        pair()
            .attempt("noted")
            .origin(200, NOTED)
            .attempt("louder")
            .origin(409, CONFLICT)
            .judged("never-conflict: louder")
            .violated(["wrong refusal [1]"]);
    }

    #[test]
    fn without_an_answer_nothing_is_known() {
        pair()
            .attempt("louder")
            .silent()
            .judged("never-conflict: louder")
            .unknown("never exercised: no attempt was answered");
    }

    #[test]
    fn any_other_refusal_is_another_claims_business() {
        pair().attempt("louder").origin(429, ERROR).judged("never-conflict: louder").holds([0]);
    }

    #[test]
    fn a_conflict_in_an_item_of_a_batch_is_one() {
        given(["one: { operation: make }", "all: { operation: make, items: [one] }"])
            .attempt("all")
            .origin(200, &batch([ITEM_CONFLICT], ""))
            .judged("never-conflict: all")
            .violated(["wrong refusal [0]"]);
    }
}
