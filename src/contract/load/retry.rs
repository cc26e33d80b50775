//! Reads one row of the retry matrix.

use std::collections::BTreeMap;

use crate::contract::load::places::{Places, many};
use crate::contract::{Advice, Outcome, RetryRow, RowOn, StatusSet};
use crate::file::{Node, nearest};

/// Reads a row: `on`, and advice for operations.
pub fn row(node: &Node, places: &mut Places) -> RetryRow {
    let mut advice = BTreeMap::new();
    for entry in node.entries().iter().filter(|entry| entry.key.text() != Some("on")) {
        let Some(operation) = places.operation(&entry.key) else { continue };
        let words = entry.value.text().unwrap_or_default();
        match Advice::from_words(words) {
            Some(found) => {
                advice.insert(operation.into(), found);
            }
            None => {
                let near = nearest(words, Advice::WORDS.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                let label = near.unwrap_or_else(|| format!("expected {} or `stop, then …`", Advice::WORDS.join(", ")));
                places.wrong(&entry.value, format!("`{words}` is no advice"), label);
            }
        }
    }
    if node.get("on").is_none() {
        places.wrong(node, "a row without `on`", "say which answers it is about");
    }
    RetryRow { on: many(node.get("on")).into_iter().filter_map(|node| on(node, places)).collect(), advice }
}

fn on(node: &Node, places: &mut Places) -> Option<RowOn> {
    let text = node.text()?;
    match text {
        "dropped" => return Some(RowOn::Dropped),
        "timeout" => return Some(RowOn::Timeout),
        _ => {}
    }
    let (status, outcome) = match text.split_once(' ') {
        None => (text, None),
        Some((status, word)) => match Outcome::from_word(word) {
            Some(outcome) => (status, Some(outcome)),
            None => {
                let near = nearest(word, Outcome::WORDS.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                let label = near.unwrap_or_else(|| format!("known are {}", Outcome::WORDS.join(", ")));
                places.wrong(node, format!("no outcome `{word}`"), label);
                return None;
            }
        },
    };
    let mut set = StatusSet { ranges: Vec::new() };
    match set.add(status) {
        Ok(()) => Some(RowOn::Answer(set, outcome)),
        Err(why) => {
            places.wrong(node, why, "or `dropped`, or `timeout`");
            None
        }
    }
}
