//! `answer-items`: each item of a batch is answered in its own place and as it deserves. Repeats inside one batch may be
//! taken in any order: one of them is the first.

use std::collections::BTreeMap;

use crate::contract::Outcome;
use crate::history::EntryNo;
use crate::judge::model::Standing;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::{Expectation, PlannedIntent, Wanted};

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for batch in on {
        let Wanted::Batch(items) = &batch.wanted else { continue };
        let standings = standings(view, items);
        for (entry, exchange) in view.exchanges(&batch.name) {
            let ops: Vec<&Op<'_>> = view.ops.iter().filter(|op| op.entry == entry && op.place.is_some()).collect();
            let Some(answer) = ops.first().and_then(|op| op.answer()) else { continue };
            if !(200..300).contains(&answer.status) {
                let observed = format!("{} for the whole batch", answer.status);
                findings.push(Evidence::new(Anomaly::WrongRefusal, "an answer for each item", observed, [entry]));
                continue;
            }
            let declared = view.case.contract.operations[&batch.operation].batch.as_ref();
            let length =
                declared.and_then(|batch| answer.response.json()?.at(&batch.results)?.as_array().map(<[_]>::len));
            if length != Some(items.len()) {
                let observed =
                    length.map_or_else(|| "no list of answers".to_owned(), |length| format!("{length} answers"));
                findings.push(Evidence::new(
                    Anomaly::Miscounted,
                    format!("{} answers", items.len()),
                    observed,
                    [entry],
                ));
                continue;
            }
            // Where no answer to an item is named a replay, a first one and its repeat look alike.
            let marked =
                declared.is_some_and(|batch| batch.item_answers.iter().any(|rule| rule.outcome == Outcome::Replayed));
            let before = findings.len();
            for op in &ops {
                let known = standings.get(&(entry, op.place)).copied();
                findings.extend(wrong(op, known, marked));
            }
            if marked {
                findings.extend(firsts(&ops, &standings, entry));
            }
            if findings.len() == before {
                witnesses.push(entry);
            }
            // The wire's own record is part of what witnesses it.
            debug_assert_eq!(exchange.intent, batch.name);
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no batch was answered"))
}

type Standings = BTreeMap<(EntryNo, Option<usize>), Standing>;

fn standings(view: &View<'_>, items: &[crate::name::IntentName]) -> Standings {
    let mut known = Standings::new();
    for name in items {
        let Some(intent) = view.case.intents.get(name) else { continue };
        for (op, standing) in rivals(view, intent) {
            known.insert((op.entry, op.place), standing);
        }
    }
    known
}

fn wrong(op: &Op<'_>, standing: Option<Standing>, marked: bool) -> Option<Evidence> {
    let Wanted::One { expects, .. } = &op.intent.wanted else { return None };
    let finding = |anomaly, expected: &str| {
        let place = op.place.unwrap_or_default();
        Some(Evidence::new(anomaly, format!("item {place}: {expected}"), op.words(), [op.entry]))
    };
    let known = |ask: fn(Standing) -> bool| standing.is_some_and(ask);
    let (committed, committed_other) = (known(|key| key.committed), known(|key| key.committed_other));
    match (expects, op.outcome()) {
        (_, None) => finding(Anomaly::WrongAnswer, "an answer that the contract names"),
        (Expectation::Refused(..), Some(Outcome::Refused)) | (Expectation::Open, Some(_)) => None,
        (Expectation::Refused(..), Some(_)) => finding(Anomaly::WrongRefusal, "refused"),
        (Expectation::Accepted, Some(Outcome::Conflict)) if known(|key| key.maybe_other) => None,
        // One copy may meet another while that one is being done, in this batch or beside it.
        (Expectation::Accepted, Some(Outcome::InProgress)) if known(|key| key.contended) => None,
        (Expectation::Accepted, Some(_)) if committed_other => finding(Anomaly::MissedConflict, "conflict"),
        (Expectation::Accepted, Some(Outcome::Replayed)) if known(|key| key.maybe) => None,
        (Expectation::Accepted, Some(Outcome::Replayed)) => finding(Anomaly::WrongMarker, "fresh"),
        (Expectation::Accepted, Some(Outcome::Fresh)) if !committed || !marked || op.intent.cell().is_none() => None,
        (Expectation::Accepted, Some(Outcome::Fresh)) => finding(Anomaly::WrongMarker, "replayed"),
        (Expectation::Accepted, Some(_)) => finding(Anomaly::WrongRefusal, "a success"),
    }
}

/// Of items with the same key in one batch, one is the first when nothing was committed before, and only one.
fn firsts(ops: &[&Op<'_>], standings: &Standings, entry: EntryNo) -> Option<Evidence> {
    for (index, op) in ops.iter().enumerate() {
        let same =
            |other: &&&Op<'_>| other.intent.cell() == op.intent.cell() && other.intent.content() == op.intent.content();
        let group: Vec<&&Op<'_>> = ops.iter().filter(same).collect();
        let leader = group.first().is_some_and(|first| first.place == op.place);
        if op.intent.cell().is_none() || group.len() < 2 || !leader {
            continue;
        }
        let before = standings.get(&(entry, op.place)).is_some_and(|known| known.committed);
        let fresh = group.iter().filter(|op| op.outcome() == Some(Outcome::Fresh)).count();
        let allowed = usize::from(!before);
        if fresh > allowed {
            return Some(Evidence::new(
                Anomaly::Duplicated { times: u32::try_from(fresh).unwrap_or(u32::MAX) },
                format!("item {index}: {allowed} first among its repeats"),
                format!("{fresh} first answers"),
                [entry],
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{
        ERROR, ITEM, ITEM_AGAIN, ITEM_BUSY, ITEM_CONFLICT, ITEM_REFUSED, ITEM_SECOND, Judged, Story, batch, given,
    };

    fn mixed() -> Story {
        given([
            "old: { operation: make }",
            "new: { operation: make }",
            "changed: { same as: old, change: bigger }",
            "broken: { operation: make, defect: 400 without a size }",
            "earlier: { operation: make, items: [old] }",
            "later: { operation: make, items: [new, changed, broken, old] }",
        ])
        .attempt("earlier")
        .origin(200, &batch([ITEM], ""))
    }

    fn later<const N: usize>(items: [&str; N]) -> Judged {
        mixed().attempt("later").origin(200, &batch(items, "")).judged("answer-items: later")
    }

    fn twice(items: [&str; 2]) -> Judged {
        given(["one: { operation: make }", "again: { same as: one }", "all: { operation: make, items: [one, again] }"])
            .attempt("all")
            .origin(200, &batch(items, ""))
            .judged("answer-items: all")
    }

    #[test]
    fn each_item_is_answered_as_it_deserves() {
        later([ITEM_SECOND, ITEM_CONFLICT, ITEM_REFUSED, ITEM_AGAIN]).holds([1]);
    }

    #[test]
    fn items_out_of_place_are_found_in_theirs() {
        later([ITEM_AGAIN, ITEM_CONFLICT, ITEM_REFUSED, ITEM_SECOND])
            .violated(["wrong marker [1]", "wrong marker [1]"]);
        later([ITEM_SECOND, ITEM_AGAIN, ITEM_REFUSED, ITEM_AGAIN]).violated(["missed conflict [1]"]);
        later([ITEM_SECOND, ITEM_CONFLICT, ITEM, ITEM_AGAIN]).violated(["wrong refusal [1]"]);
        later([ITEM_REFUSED, ITEM_CONFLICT, ITEM_REFUSED, "{}"]).violated(["wrong refusal [1]", "wrong answer [1]"]);
    }

    #[test]
    fn an_answer_too_few_and_a_refusal_of_all_are_found() {
        later([ITEM_SECOND, ITEM_CONFLICT, ITEM_REFUSED]).violated(["miscounted [1]"]);
        mixed()
            .attempt("later")
            .origin(200, r#"{"results":{}}"#)
            .judged("answer-items: later")
            .violated(["miscounted [1]"]);
        mixed().attempt("later").origin(400, ERROR).judged("answer-items: later").violated(["wrong refusal [1]"]);
    }

    #[test]
    fn a_batch_without_an_answer_is_unknown() {
        mixed()
            .attempt("later")
            .silent()
            .judged("answer-items: later")
            .unknown("never exercised: no batch was answered");
    }

    #[test]
    fn further_members_and_a_repeat_before_its_first_are_allowed() {
        twice([ITEM, ITEM_AGAIN]).holds([0]);
        twice([ITEM_AGAIN, r#"{"status":"ok","thing_id":"t1","at":7}"#]).holds([0]);
        twice([ITEM, ITEM_BUSY]).holds([0]);
    }

    #[test]
    fn repeats_inside_a_batch_have_one_first() {
        twice([ITEM, ITEM]).violated(["duplicated 2 [0]"]);
        twice([ITEM_BUSY, ITEM_AGAIN]).violated(["wrong marker [0]"]);
    }

    #[test]
    fn one_key_on_two_contents_is_no_repeat() {
        let pair = |items| {
            given([
                "one: { operation: make }",
                "other: { same as: one, change: bigger }",
                "all: { operation: make, items: [one, other] }",
            ])
            .attempt("all")
            .origin(200, &batch(items, ""))
            .judged("answer-items: all")
        };
        pair([ITEM, ITEM_CONFLICT]).holds([0]);
        pair([ITEM_CONFLICT, ITEM]).holds([0]);
        pair([ITEM, ITEM_AGAIN]).violated(["wrong marker [0]"]);
    }

    #[test]
    fn an_item_of_a_lost_batch_may_be_new_or_a_repeat() {
        let lost = |item| {
            given(["one: { operation: make }", "all: { operation: make, items: [one] }"])
                .attempt("all")
                .silent()
                .attempt("all")
                .origin(200, &batch([item], ""))
                .judged("answer-items: all")
        };
        lost(ITEM).holds([1]);
        lost(ITEM_AGAIN).holds([1]);
    }

    #[test]
    fn where_nothing_marks_a_repeat_first_answers_may_come_again() {
        given([
            "one: { operation: store }",
            "again: { same as: one }",
            "all: { operation: store, items: [one, again] }",
        ])
        .attempt("all")
        .origin(200, &batch([r#"{"store_id":1}"#, r#"{"store_id":1}"#], ""))
        .attempt("all")
        .origin(200, &batch([r#"{"store_id":1}"#, r#"{"store_id":1}"#], ""))
        .judged("answer-items: all")
        .holds([0, 1]);
    }

    #[test]
    fn a_copy_may_meet_another_while_other_content_has_the_key() {
        mixed()
            .attempt("later")
            .origin(200, &batch([ITEM_SECOND, ITEM_BUSY, ITEM_REFUSED, ITEM_AGAIN], ""))
            .beside("old")
            .origin(200, ITEM_AGAIN)
            .judged("answer-items: later")
            .holds([1]);
    }
}
