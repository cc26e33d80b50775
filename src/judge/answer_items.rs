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
            let before = findings.len();
            for op in &ops {
                let known = standings.get(&(entry, op.place)).copied();
                findings.extend(wrong(op, known, repeated(&ops, op)));
            }
            findings.extend(firsts(&ops, &standings, entry));
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

/// Whether the same key stands in this batch more than once.
fn repeated(ops: &[&Op<'_>], op: &Op<'_>) -> bool {
    op.intent.cell().is_some() && ops.iter().filter(|other| other.intent.cell() == op.intent.cell()).count() > 1
}

fn wrong(op: &Op<'_>, standing: Option<Standing>, repeated: bool) -> Option<Evidence> {
    let Wanted::One { expects, .. } = &op.intent.wanted else { return None };
    let finding = |anomaly, expected: &str| {
        let place = op.place.unwrap_or_default();
        Some(Evidence::new(anomaly, format!("item {place}: {expected}"), op.words(), [op.entry]))
    };
    let (committed, committed_other) =
        standing.map_or((false, false), |known| (known.committed, known.committed_other));
    let success_or_conflict_in_batch = standing.is_some_and(|known| known.maybe_other);
    match (expects, op.outcome()) {
        (_, None) => finding(Anomaly::WrongAnswer, "an answer that the contract names"),
        (Expectation::Refused(..), Some(Outcome::Refused)) | (Expectation::Open, Some(_)) => None,
        (Expectation::Refused(..), Some(_)) => finding(Anomaly::WrongRefusal, "refused"),
        (Expectation::Accepted, Some(Outcome::Conflict)) if committed_other || success_or_conflict_in_batch => None,
        (Expectation::Accepted, Some(_)) if committed_other => finding(Anomaly::MissedConflict, "conflict"),
        (Expectation::Accepted, Some(Outcome::Replayed)) if committed || repeated => None,
        (Expectation::Accepted, Some(Outcome::Replayed)) => match standing {
            Some(known) if known.maybe => None,
            _ => finding(Anomaly::WrongMarker, "fresh"),
        },
        // The second copy may meet the first while that one is being done.
        (Expectation::Accepted, Some(Outcome::InProgress))
            if repeated || standing.is_some_and(|known| known.contended) =>
        {
            None
        }
        (Expectation::Accepted, Some(Outcome::Fresh)) if !committed || op.intent.cell().is_none() => None,
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
