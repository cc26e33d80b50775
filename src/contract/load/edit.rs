//! Reads the declared changes to a request: those that count, those that are refused, those whose meaning is open, and the
//! configuration of a case's own. Each is tried on the operation's body, so that none fails when it is played.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::contract::load::names::Names;
use crate::contract::load::template;
use crate::contract::load::values::{flag, headers, known, many, named, place, pointer, pointer_key, status, text};
use crate::contract::{AnswerRule, Edit, Outcome, Reconfiguration};
use crate::file::{Entry, Node, Reading};
use crate::json::{Json, Pointer};

/// What an edit is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Another request, still valid.
    Change,
    /// A request as good as the plain one.
    Variant,
    /// A request that is refused.
    Defect,
    /// A request whose sameness is open.
    Open,
}

/// The operation that is edited.
pub struct Edited<'a> {
    /// Its plain body.
    pub body: Option<&'a Json>,
    /// How its answers are named.
    pub answers: &'a [AnswerRule],
}

/// Edits, by name.
pub fn edits(
    node: Option<&Node>,
    purpose: Purpose,
    of: &Edited<'_>,
    names: &Names<'_>,
    reading: &mut Reading<'_>,
) -> IndexMap<String, Edit> {
    named(node).map(|(name, entry)| (name.to_owned(), edit(entry, purpose, of, names, reading))).collect()
}

fn edit(entry: &Entry, purpose: Purpose, of: &Edited<'_>, names: &Names<'_>, reading: &mut Reading<'_>) -> Edit {
    let node = &entry.value;
    let mut body = of.body.cloned();
    let set = sets(node.get("set"), &mut body, names, reading);
    let remove = removals(node.get("remove"), &mut body, reading);
    let edit = Edit {
        set,
        remove,
        method: text(node, "method"),
        target: text(node, "target"),
        raw: text(node, "raw"),
        headers: headers(node.get("headers"), reading),
        credential: text(node, "credential"),
        hook: text(node, "hook"),
        outcome: text(node, "outcome").and_then(|word| Outcome::from_word(&word)),
        status: status(node),
        stated: flag(node, "stated"),
    };
    let is_empty = |node: &Node| node.text().is_none() && node.entries().is_empty() && node.items().is_empty();
    let is_answer = |entry: &Entry| matches!(entry.key.text(), Some("outcome" | "status" | "stated"));
    if node.entries().iter().all(|entry| is_answer(entry) || is_empty(&entry.value)) && reading.is_well(node) {
        reading.wrong(entry.key.span, "an edit that edits nothing", "say what differs, such as `set:` or `remove:`");
    }
    match purpose {
        Purpose::Defect => answer_of_defect(node, &edit, of, reading),
        Purpose::Change | Purpose::Variant | Purpose::Open => {
            for field in ["outcome", "status", "stated"].into_iter().filter(|field| node.get(field).is_some()) {
                let message = format!("only a defect has `{field}`");
                reading.wrong(place(node, field), message, "leave it out, or move the edit to `defects:`");
            }
        }
    }
    edit
}

/// A defect is answered as the contract's own answers can be named.
fn answer_of_defect(node: &Node, edit: &Edit, of: &Edited<'_>, reading: &mut Reading<'_>) {
    let outcome = edit.outcome.unwrap_or(Outcome::Refused);
    let mut rules = of.answers.iter().filter(|rule| rule.outcome == outcome).peekable();
    if of.answers.is_empty() {
        return;
    }
    if rules.peek().is_none() {
        let field = if node.get("outcome").is_some() { "outcome" } else { "" };
        reading.wrong(place(node, field), format!("no answer is named `{outcome}`"), "name it under `answers:`");
    } else if let Some(status) = edit.status
        && !rules.any(|rule| rule.status.as_ref().is_none_or(|set| set.contains(status)))
    {
        let message = format!("no answer with status {status} is named `{outcome}`");
        reading.wrong(place(node, "status"), message, "add it under `answers:`");
    }
}

/// New values by place, tried on a body.
fn sets(
    node: Option<&Node>,
    body: &mut Option<Json>,
    names: &Names<'_>,
    reading: &mut Reading<'_>,
) -> BTreeMap<Pointer, Json> {
    let mut sets = BTreeMap::new();
    for (_, entry) in named(node) {
        let Some(at) = pointer_key(&entry.key, reading) else { continue };
        let value = template::body(&entry.value, names, reading);
        let fits = body.as_mut().is_some_and(|body| body.set(&at, value.clone()));
        if !fits {
            let message = format!("there is nothing to set at {at}");
            reading.wrong(entry.key.span, message, "not a place of this operation's `body`");
        }
        sets.insert(at, value);
    }
    sets
}

fn removals(node: Option<&Node>, body: &mut Option<Json>, reading: &mut Reading<'_>) -> Vec<Pointer> {
    let mut removals = Vec::new();
    for node in many(node) {
        let Some(at) = pointer(Some(node)) else { continue };
        if body.as_mut().and_then(|body| body.remove(&at)).is_none() {
            let message = format!("there is nothing to remove at {at}");
            reading.wrong(node.span, message, "not a place of this operation's `body`");
        }
        removals.push(at);
    }
    removals
}

/// How to change what a new request would be answered.
pub fn reconfiguration(
    node: &Node,
    body: Option<&Json>,
    names: &Names<'_>,
    reading: &mut Reading<'_>,
) -> Reconfiguration {
    let mut operations = |field: &str| {
        let listed = many(node.get(field)).into_iter();
        listed.filter_map(|node| known(node, "operation", &names.operations, reading)).map(Into::into).collect()
    };
    let (before, change) = (operations("before"), operations("change"));
    Reconfiguration { set: sets(node.get("set"), &mut body.cloned(), names, reading), before, change }
}
