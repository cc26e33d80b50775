//! Reads one row of the retry matrix. A row is a map with `on` and one key for each operation, so its shape cannot check
//! the keys: they are checked here.

use std::collections::BTreeMap;

use crate::contract::load::names::Names;
use crate::contract::load::values::{known, many, named};
use crate::contract::{Advice, Outcome, RetryRow, RowOn, StatusSet};
use crate::file::{Node, Reading};

/// Reads a row.
pub fn row(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> RetryRow {
    let mut advice = BTreeMap::new();
    for (_, entry) in named(Some(node)).filter(|(name, _)| *name != "on") {
        let operation = known(&entry.key, "operation", &names.operations, reading);
        let Some(words) = entry.value.text() else {
            if reading.is_well(&entry.value) {
                reading.wrong(entry.value.span, "a list of advice", "one row gives an operation one advice");
            }
            continue;
        };
        match (operation, Advice::from_words(words)) {
            (Some(operation), Some(found)) => {
                advice.insert(operation.into(), found);
            }
            (None, Some(_)) => {}
            (_, None) => {
                let known = Advice::WORDS.iter().copied().chain(["stop, then …"]);
                reading.unknown(entry.value.span, format!("`{words}` is no advice"), words, known);
            }
        }
    }
    if reading.is_well(node) {
        if many(node.get("on")).is_empty() {
            reading.wrong(node.head(), "a row that is on nothing", "add `on:`, and the answers that it is about");
        }
        if node.entries().iter().all(|entry| entry.key.text() == Some("on")) {
            reading.wrong(node.head(), "a row without advice", "add an operation, and what to do");
        }
    }
    RetryRow { on: many(node.get("on")).into_iter().filter_map(|node| on(node, reading)).collect(), advice }
}

/// `400`, `5xx`, `409 in progress`, `dropped` or `timeout`.
fn on(node: &Node, reading: &mut Reading<'_>) -> Option<RowOn> {
    let text = node.text()?;
    let (status, outcome) = match text.split_once(' ') {
        None if text == "dropped" => return Some(RowOn::Dropped),
        None if text == "timeout" => return Some(RowOn::Timeout),
        None => (text, None),
        Some((status, word)) => (status, Some(word)),
    };
    let mut set = StatusSet { ranges: Vec::new() };
    if set.add(status).is_err() {
        let label = match crate::file::nearest(status, ["dropped", "timeout"]) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "expected a status such as 400, 5xx or `409 conflict`; or `dropped`, or `timeout`".to_owned(),
        };
        reading.wrong(reading.part(node, status), format!("a caller cannot meet `{status}`"), label);
        return None;
    }
    match outcome.map(|word| (word, Outcome::from_word(word))) {
        None => Some(RowOn::Answer(set, None)),
        Some((_, Some(outcome))) => Some(RowOn::Answer(set, Some(outcome))),
        Some((word, None)) => {
            let place = reading.part(node, word);
            reading.unknown(place, format!("no outcome `{word}`"), word, Outcome::WORDS.iter().copied());
            None
        }
    }
}
