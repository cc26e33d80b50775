//! How often an effect may be there, and how often it was seen. Intents that share a key, or a reading, are counted
//! together: what the read side shows for one of them it shows for all.

use std::collections::BTreeSet;

use crate::contract::Safety;
use crate::history::EntryNo;
use crate::json::Json;
use crate::judge::view::{Op, View};
use crate::name::IntentName;
use crate::plan::PlannedIntent;

/// The effects of a group of intents at the end of a case.
pub struct Tally {
    /// The intents that are counted together.
    pub intents: BTreeSet<IntentName>,
    /// The fewest that an honest subject leaves.
    pub least: usize,
    /// The most.
    pub most: usize,
    /// The rows seen; the error says why none could be.
    pub seen: Result<Seen, String>,
}

/// Rows seen.
pub struct Seen {
    /// The observations.
    pub entries: Vec<EntryNo>,
    /// The rows, those with the same identity once.
    pub rows: Vec<Json>,
}

/// Counts the effects of an intent and of all that are counted with it. Intents named in `never` are allowed none.
pub fn tally(view: &View<'_>, intent: &PlannedIntent, never: &[IntentName]) -> Tally {
    let group = group(view, intent);
    let mut least = 0;
    let mut most = 0;
    for name in &group {
        let member = &view.case.intents[name];
        if never.contains(name) {
            continue;
        }
        let counted = |other: &PlannedIntent| !never.contains(&other.name) && same_thing(view, member, other);
        let ops = || view.ops.iter().filter(|op| counted(op.intent));
        let done = ops().filter(|op| op.succeeded()).count();
        let open = ops().filter(|op| op.is_open()).count();
        if is_done_once(view, member) {
            // The first of those that are one thing speaks for all of them.
            if group.iter().find(|other| counted(&view.case.intents[*other])) == Some(name) {
                least += done.min(1);
                most += (done + open).min(1);
            }
        } else {
            least += done;
            most += done + open;
        }
    }
    Tally { seen: seen(view, &group), intents: group, least, most }
}

/// Whether asking for it again leaves nothing new: it has a key, or needs none. Without either each attempt is its own.
fn is_done_once(view: &View<'_>, intent: &PlannedIntent) -> bool {
    intent.cell().is_some() || matches!(view.operation(intent).safety, Safety::Natural)
}

/// Whether two intents are one thing to the server: one key, or one natural request.
pub fn same_thing(view: &View<'_>, one: &PlannedIntent, other: &PlannedIntent) -> bool {
    if one.name == other.name {
        return true;
    }
    let same_cell = one.cell() == other.cell();
    match one.cell() {
        Some(_) => same_cell,
        None => {
            is_done_once(view, one)
                && same_cell
                && one.operation == other.operation
                && one.content() == other.content()
                && view.reading(one) == view.reading(other)
        }
    }
}

/// The rows at the end for a group.
fn seen(view: &View<'_>, group: &BTreeSet<IntentName>) -> Result<Seen, String> {
    let readings: BTreeSet<String> = group.iter().filter_map(|name| view.reading(&view.case.intents[name])).collect();
    if readings.is_empty() {
        return Err("nothing of it can be read".to_owned());
    }
    let (entries, rows) = view.rows("end", &readings)?;
    let identity = group
        .iter()
        .find_map(|name| view.case.intents[name].reading())
        .and_then(|reading| view.case.contract.effects.get(&reading.effect))
        .and_then(|effect| effect.read.identity.clone());
    let mut known = BTreeSet::new();
    let rows = rows
        .into_iter()
        .filter(|row| match identity.as_ref().and_then(|place| row.at(place)) {
            Some(identity) => known.insert(identity.content_key()),
            None => true,
        })
        .collect();
    Ok(Seen { entries, rows })
}

/// All intents that share a key or a reading with this one, directly or through others.
fn group(view: &View<'_>, intent: &PlannedIntent) -> BTreeSet<IntentName> {
    let mut group = BTreeSet::from([intent.name.clone()]);
    loop {
        let before = group.len();
        for candidate in view.case.intents.values() {
            let related = group.iter().any(|name| {
                let member = &view.case.intents[name];
                let same_cell = member.cell().is_some() && member.cell() == candidate.cell();
                let reading = view.reading(member);
                same_cell || (reading.is_some() && reading == view.reading(candidate))
            });
            if related {
                group.insert(candidate.name.clone());
            }
        }
        if group.len() == before {
            return group;
        }
    }
}

/// The distinct identities in the successes of some ops, with the entries that show them.
pub fn identities<'b, 'a: 'b>(view: &View<'a>, ops: impl Iterator<Item = &'b Op<'a>>) -> Vec<(String, EntryNo)> {
    let mut known: Vec<(String, EntryNo)> = Vec::new();
    for op in ops.filter(|op| op.succeeded()) {
        let place = view.operation(op.intent).identity.as_ref();
        let found = place.and_then(|place| op.answer()?.body.as_ref()?.at(place)).map(Json::content_key);
        if let Some(identity) = found
            && !known.iter().any(|(other, _)| *other == identity)
        {
            known.push((identity, op.entry));
        }
    }
    known
}
