//! Reads templates over an intent: `{{ user }}` and the few other names that the plan fills. It fills nothing.

use crate::contract::load::names::Names;
use crate::contract::load::notation;
use crate::file::{Node, Reading, json};
use crate::json::Json;

/// The names that every template may use, besides the contract's scopes.
pub const NAMES: &[&str] = &["user", "case", "run", "key"];

/// A body whose templates use known names only.
pub fn body(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> Json {
    check(node, &names.of_templates(), reading);
    json(node)
}

/// Notes the templates below a node that use other names, or never end.
pub fn check(node: &Node, names: &[&str], reading: &mut Reading<'_>) {
    for entry in node.entries() {
        check(&entry.value, names, reading);
    }
    for item in node.items() {
        check(item, names, reading);
    }
    let Some(text) = node.text() else { return };
    let mut rest = text;
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start..].find("}}") else {
            reading.wrong(reading.part(node, &rest[start..]), "`{{` without `}}`", "close it");
            return;
        };
        let name = rest[start + 2..start + length].trim();
        if !names.contains(&name) && crate::moment::mark(name).is_none() {
            let place = reading.part(node, name);
            reading.unknown(place, format!("no name `{name}` for templates"), name, names.iter().copied());
        }
        rest = &rest[start + length + 2..];
    }
}

/// Notes the templates of the reference below a node that cannot be read; these may hold expressions.
pub fn check_expressions(node: &Node, reading: &mut Reading<'_>) {
    for entry in node.entries() {
        check_expressions(&entry.value, reading);
    }
    for item in node.items() {
        check_expressions(item, reading);
    }
    if let Some(Err(why)) = node.text().map(notation::template) {
        reading.wrong(node.span, why, "not a template");
    }
}
