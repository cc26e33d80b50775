//! `answer-losers`: copies at the same time are each answered as declared, one of them at most as the first, all with the
//! same identity. Overlap is proven by the wire before anything is concluded.

use crate::contract::Outcome;
use crate::judge::effects::identities;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::{Op, Said, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let races = view.race_steps();
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let declared = view.operation(intent).names(Outcome::InProgress);
        let marked = view.operation(intent).marks_repeats();
        let mut firsts: Vec<&Op<'_>> = Vec::new();
        for (op, standing) in rivals(view, intent) {
            if !on.iter().any(|named| named.name == op.intent.name) || !races.contains(&op.exchange.step) {
                continue;
            }
            let wrong = |anomaly| Evidence::new(anomaly, allowed(declared), op.words(), [op.entry]);
            match (&op.said, op.outcome()) {
                (Said::Nothing, _) => {}
                (Said::Garbage(_), _) | (Said::Answer(_), None | Some(Outcome::Unknown)) => {
                    findings.push(wrong(Anomaly::WrongAnswer));
                }
                (Said::Answer(_), Some(Outcome::Fresh)) => {
                    firsts.push(op);
                    witnesses.push(op.entry);
                }
                (Said::Answer(_), Some(Outcome::Replayed)) => witnesses.push(op.entry),
                (Said::Answer(_), Some(Outcome::InProgress)) if declared => witnesses.push(op.entry),
                (Said::Answer(_), Some(Outcome::Conflict)) if standing.explains(Outcome::Conflict) => {
                    witnesses.push(op.entry)
                }
                (Said::Answer(_), Some(_)) => findings.push(wrong(Anomaly::WrongRefusal)),
            }
        }
        if marked && firsts.len() > 1 {
            let times = u32::try_from(firsts.len()).unwrap_or(u32::MAX);
            let observed = format!("{times} first answers");
            findings.push(Evidence::new(
                Anomaly::Duplicated { times },
                "one first answer at most",
                observed,
                firsts.iter().map(|op| op.entry),
            ));
        }
        let all = rivals(view, intent);
        let known = identities(view, all.iter().map(|(op, _)| *op).filter(|op| races.contains(&op.exchange.step)));
        if known.len() > 1 {
            let times = u32::try_from(known.len()).unwrap_or(u32::MAX);
            let observed: Vec<&str> = known.iter().map(|(identity, _)| identity.as_str()).collect();
            findings.push(Evidence::new(
                Anomaly::Duplicated { times },
                "the same identity in every success",
                observed.join(", "),
                known.iter().map(|(_, entry)| *entry),
            ));
        }
    }
    Verdict::violated_or(findings, || {
        if witnesses.len() > 1 {
            Verdict::holds(witnesses, "")
        } else {
            Verdict::holds([], "fewer than two copies were answered")
        }
    })
}

fn allowed(in_progress_declared: bool) -> &'static str {
    if in_progress_declared {
        "a success, or the in-progress answer, or the conflict for other content"
    } else {
        "a success, or the conflict for other content"
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{BUSY, CONFLICT, ERROR, FRESH, NOTED, REPLAY, Story, given};

    fn race() -> Story {
        given(["wanted: { operation: make }", "changed: { same as: wanted, change: bigger }"])
    }

    #[test]
    fn a_loser_may_wait_and_be_given_the_winners_answer() {
        race()
            .attempt("wanted")
            .at(0..10)
            .origin(200, FRESH)
            .beside("wanted")
            .at(0..15)
            .origin(200, REPLAY)
            .judged("answer-losers: wanted")
            .holds([0, 1]);
    }

    #[test]
    fn a_loser_may_be_told_to_come_back() {
        race()
            .attempt("wanted")
            .at(0..10)
            .origin(200, FRESH)
            .beside("wanted")
            .at(0..5)
            .origin(409, BUSY)
            .judged("answer-losers: wanted")
            .holds([0, 1]);
    }

    #[test]
    fn two_first_answers_are_a_duplicate() {
        race()
            .attempt("wanted")
            .origin(200, FRESH)
            .beside("wanted")
            .origin(200, FRESH)
            .judged("answer-losers: wanted")
            .violated(["duplicated 2 [0, 1]"]);
        race()
            .attempt("wanted")
            .origin(200, FRESH)
            .beside("wanted")
            .origin(200, r#"{"thing_id":"t2","again":true}"#)
            .judged("answer-losers: wanted")
            .violated(["duplicated 2 [0, 1]"]);
    }

    #[test]
    fn a_loser_that_fails_or_is_refused_is_wrong() {
        let loser = |status, body| {
            race()
                .attempt("wanted")
                .origin(200, FRESH)
                .beside("wanted")
                .origin(status, body)
                .judged("answer-losers: wanted")
        };
        loser(500, ERROR).violated(["wrong answer [1]"]);
        loser(400, ERROR).violated(["wrong refusal [1]"]);
        loser(409, CONFLICT).violated(["wrong refusal [1]"]);
        race()
            .attempt("wanted")
            .origin(200, FRESH)
            .beside("wanted")
            .garbage()
            .judged("answer-losers: wanted")
            .violated(["wrong answer [1]"]);
    }

    #[test]
    fn copies_that_did_not_overlap_prove_nothing() {
        race()
            .attempt("wanted")
            .at(0..10)
            .origin(200, FRESH)
            .beside("wanted")
            .at(20..30)
            .origin(200, REPLAY)
            .judged("answer-losers: wanted")
            .unknown("the copies did not overlap: 0 of 2 copies were at the origin together");
    }

    #[test]
    fn one_answer_is_no_race() {
        race()
            .attempt("wanted")
            .origin(200, FRESH)
            .beside("wanted")
            .silent()
            .judged("answer-losers: wanted")
            .unknown("never exercised: fewer than two copies were answered");
    }

    #[test]
    fn other_content_may_lose_by_a_conflict() {
        race()
            .attempt("wanted")
            .origin(200, FRESH)
            .beside("changed")
            .origin(409, CONFLICT)
            .judged("answer-losers: [wanted, changed]")
            .holds([0, 1]);
    }

    #[test]
    fn where_no_answer_says_come_back_none_may() {
        given(["noted: { operation: note }"])
            .attempt("noted")
            .origin(200, NOTED)
            .beside("noted")
            .origin(409, BUSY)
            .judged("answer-losers: noted")
            .violated(["wrong refusal [1]"]);
    }

    #[test]
    fn where_nothing_marks_a_repeat_two_first_answers_with_one_identity_are_allowed() {
        let race = |second| {
            given(["stored: { operation: store }"])
                .attempt("stored")
                .origin(201, r#"{"store_id":1}"#)
                .beside("stored")
                .origin(201, second)
                .judged("answer-losers: stored")
        };
        race(r#"{"store_id":1}"#).holds([0, 1]);
        race(r#"{"store_id":2}"#).violated(["duplicated 2 [0, 1]"]);
    }
}
