//! `keep-apart`: each of them is done as a thing of its own, and answers of one hold no trace of another.

use std::collections::BTreeSet;

use crate::contract::Outcome;
use crate::judge::apply_exactly_once::effects;
use crate::judge::effects::{identities, tally};
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut firsts: Vec<&Op<'_>> = Vec::new();
    for intent in on {
        let Some(first) = view.of_intent(&intent.name).find(|op| op.answer().is_some()) else {
            return Verdict::Unknown(Doubt::NeverExercised(format!("`{}` was not answered", intent.name)));
        };
        let finding = |anomaly| Evidence::new(anomaly, "done as a thing of its own", first.words(), [first.entry]);
        match first.outcome() {
            Some(Outcome::Fresh) => witnesses.push(first.entry),
            Some(Outcome::Replayed | Outcome::Conflict) => findings.push(finding(Anomaly::Leak)),
            Some(Outcome::Unknown) | None => findings.push(finding(Anomaly::WrongAnswer)),
            Some(_) => findings.push(finding(Anomaly::WrongRefusal)),
        }
        firsts.push(first);
    }
    let known: Vec<(usize, String)> = firsts
        .iter()
        .enumerate()
        .flat_map(|(index, op)| {
            identities(view, std::iter::once(*op)).into_iter().map(move |(identity, _)| (index, identity))
        })
        .collect();
    for (index, identity) in &known {
        // The identity as text without its quotes: it counts wherever it stands in another's answer.
        let trace = identity.trim_matches('"');
        for (other, op) in firsts.iter().enumerate().filter(|(other, _)| other != index) {
            let body = op
                .answer()
                .map(|answer| String::from_utf8_lossy(&answer.response.body.0).into_owned())
                .unwrap_or_default();
            let same_envelope = op.entry == firsts[*index].entry;
            let own = op.answer().and_then(|answer| answer.body.as_ref()).map(ToString::to_string).unwrap_or_default();
            let leaks = if same_envelope { own.contains(trace) } else { body.contains(trace) };
            if leaks && other > *index {
                findings.push(Evidence::new(
                    Anomaly::Leak,
                    "no trace of the other",
                    format!("both answers hold {trace}"),
                    [firsts[*index].entry, op.entry],
                ));
            }
        }
    }
    let mut counted = BTreeSet::new();
    for intent in on {
        if counted.contains(&intent.name) {
            continue;
        }
        let tally = tally(view, intent, &[]);
        counted.extend(tally.intents.iter().cloned());
        let things = tally.intents.iter().filter(|name| on.iter().any(|intent| intent.name == **name)).count();
        let shown: Vec<_> = tally.intents.iter().flat_map(|name| view.of_intent(name)).map(|op| op.entry).collect();
        match tally.seen {
            Ok(seen) if seen.rows.len() < things => {
                let shown = shown.into_iter().chain(seen.entries);
                findings.push(Evidence::new(Anomaly::Lost, effects(things), effects(seen.rows.len()), shown));
            }
            Ok(seen) => witnesses.extend(seen.entries),
            // Distinct identities tell them apart without the read side.
            Err(_) if known.len() == on.len() => {}
            Err(blind) => {
                return Verdict::violated_or(findings, || Verdict::Unknown(Doubt::Blind(blind)));
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "none was answered"))
}
