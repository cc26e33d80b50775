//! Whether a subject's own request can stand for the contract's: its templates, its key, and every edit of the contract
//! have to fit it, so that none fails when it is played. Nothing is sent.

use crate::contract::{Contract, Edit, KeyPlace, Operation, TEMPLATE_NAMES, check_templates};
use crate::file::{Entry, Node, Reading, json};
use crate::json::{Json, Pointer};

/// Notes what does not fit in an operation's own path and body.
pub fn fits(entry: &Entry, contract: &Contract, reading: &mut Reading<'_>) {
    let Some(operation) = entry.key.text().and_then(|name| contract.operations.get(name)) else { return };
    let names: Vec<&str> =
        TEMPLATE_NAMES.iter().copied().chain(contract.scopes.iter().map(|name| name.as_str())).collect();
    if let Some(path) = entry.value.get("path") {
        check_templates(path, &names, reading);
    }
    let Some(node) = entry.value.get("body") else { return };
    check_templates(node, &names, reading);
    let body = json(node);
    let mut lacks = |what: String| {
        let label = format!("{} needs it there", contract.name);
        reading.wrong(node.head(), what, label);
    };
    if let Some(KeyPlace::Body(place)) = operation.key().map(|rule| &rule.place)
        && !body.clone().set(place, Json::text("k"))
    {
        lacks(format!("the key cannot be put at {place} of this body"));
    }
    if let Some(batch) = &operation.batch
        && !body.clone().set(&batch.items, Json::Array(Vec::new()))
    {
        lacks(format!("the items cannot be put at {} of this body", batch.items));
    }
    for (kind, edits) in
        [("change", &operation.changes), ("defect", &operation.defects), ("open difference", &operation.open)]
    {
        for (name, edit) in edits {
            if let Some(place) = misses(edit, &body) {
                lacks(format!("the {kind} `{name}` edits {place}, which this body does not have"));
            }
        }
    }
    let set = operation.reconfigure.iter().flat_map(|own| &own.set);
    for (place, value) in set {
        if !body.clone().set(place, value.clone()) {
            lacks(format!("a configuration of its own is put at {place}, which this body does not have"));
        }
    }
    let key = operation.key().and_then(|rule| match &rule.place {
        KeyPlace::Body(place) => place.tokens().first().and_then(|token| token.as_str()),
        KeyPlace::Header(_) => None,
    });
    let is_there = |name: &str| key == Some(name) || body.get(name).is_some_and(|value| value.as_str().is_some());
    for name in needed(operation, contract, &names).into_iter().filter(|name| !is_there(name)) {
        lacks(format!("the read side is asked by `{name}`, which this body does not have as a text"));
    }
}

/// The first place that an edit does not find.
fn misses<'e>(edit: &'e Edit, body: &Json) -> Option<&'e Pointer> {
    let mut body = body.clone();
    let unset = edit.set.iter().find(|(place, value)| !body.set(place, (*value).clone())).map(|(place, _)| place);
    unset.or_else(|| edit.remove.iter().find(|place| body.remove(place).is_none()))
}

/// The members of the body that the read side is asked by.
fn needed<'c>(operation: &'c Operation, contract: &'c Contract, names: &[&str]) -> Vec<&'c str> {
    let effects = [&operation.effect, &operation.repeats].into_iter().flatten();
    let targets = effects.filter_map(|name| contract.effects.get(name)).map(|effect| &effect.read.request.target);
    let used = targets.flat_map(|target| target.split("{{").skip(1)).filter_map(|rest| rest.split("}}").next());
    used.map(str::trim).filter(|name| !names.contains(name)).collect()
}

/// Notes what does not fit in any of them.
pub fn all_fit(tree: &Node, contract: &Contract, reading: &mut Reading<'_>) {
    for entry in tree.get("operations").map(Node::entries).unwrap_or_default() {
        fits(entry, contract, reading);
    }
}
