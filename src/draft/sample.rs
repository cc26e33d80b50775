//! A body that fits a schema: its examples where it has some, else the least that its types ask for. It is a guess, and
//! every draft says so; what refers to itself ends after a few rounds.

use std::collections::BTreeSet;

use crate::draft::document::Document;
use crate::file::{Node, json};
use crate::json::Json;

/// Schemas inside schemas.
const DEEPEST: usize = 8;

/// Members of a schema that requires none.
const MOST_OPTIONAL: usize = 6;

/// Nodes that are looked at for one body: schemas may branch without end.
const MOST_LOOKED_AT: usize = 2_000;

/// A body for a schema, and its members that are required or shown.
pub fn sample(document: &Document, schema: &Node) -> Json {
    let mut left = MOST_LOOKED_AT;
    valued(document, schema, DEEPEST, &mut left)
}

/// The properties of a schema by name, those of its parts included, and the names that are required.
pub fn properties<'d>(document: &'d Document, schema: &'d Node) -> (Vec<(&'d str, &'d Node)>, BTreeSet<&'d str>) {
    let (mut all, mut required) = (Vec::new(), BTreeSet::new());
    let mut left = MOST_LOOKED_AT;
    gather(document, schema, DEEPEST, &mut left, &mut all, &mut required);
    (all, required)
}

fn gather<'d>(
    document: &'d Document,
    schema: &'d Node,
    depth: usize,
    left: &mut usize,
    all: &mut Vec<(&'d str, &'d Node)>,
    required: &mut BTreeSet<&'d str>,
) {
    let Some(schema) = document.resolved(schema).filter(|_| depth > 0 && *left > 0) else { return };
    *left -= 1;
    let parts = schema.get("allOf").map(Node::items).unwrap_or_default();
    // Of alternatives the first is as good as any.
    let first = ["oneOf", "anyOf"].into_iter().filter_map(|field| schema.get(field)?.items().first());
    for part in parts.iter().chain(first) {
        gather(document, part, depth - 1, left, all, required);
    }
    for entry in schema.get("properties").map(Node::entries).unwrap_or_default() {
        if let Some(name) = entry.key.text().filter(|name| !all.iter().any(|(known, _)| known == name)) {
            all.push((name, &entry.value));
        }
    }
    required.extend(schema.get("required").map(Node::items).unwrap_or_default().iter().filter_map(Node::text));
}

fn valued(document: &Document, schema: &Node, depth: usize, left: &mut usize) -> Json {
    let Some(schema) = document.resolved(schema).filter(|_| depth > 0 && *left > 0) else { return Json::Null };
    *left -= 1;
    let shown = ["example", "default", "const"].into_iter().filter_map(|field| schema.get(field)).next();
    let listed = ["examples", "enum"].into_iter().filter_map(|field| schema.get(field)?.items().first()).next();
    if let Some(value) = shown.or(listed).map(json).filter(|value| !value.is_null() && !is_template(value)) {
        return value;
    }
    let (properties, required) = properties(document, schema);
    let types = schema.get("type");
    let kind = types.and_then(Node::text).or_else(|| {
        types.map(Node::items).unwrap_or_default().iter().filter_map(Node::text).find(|kind| *kind != "null")
    });
    let number = |field: &str| schema.get(field).and_then(Node::text).and_then(|text| text.parse::<Json>().ok());
    match kind {
        _ if !properties.is_empty() => {
            let is_wanted = |at: usize, name: &str| match required.is_empty() {
                true => at < MOST_OPTIONAL,
                false => required.contains(name),
            };
            let is_given = |schema: &Node| {
                let flag = document.of(schema, "readOnly").and_then(Node::text);
                flag != Some("true")
            };
            let members =
                properties.iter().enumerate().filter(|(at, (name, own))| is_wanted(*at, name) && is_given(own));
            let members = members.map(|(_, (name, own))| ((*name).to_owned(), valued(document, own, depth - 1, left)));
            Json::object(members.collect::<Vec<_>>())
        }
        Some("object") => Json::object(Vec::<(String, Json)>::new()),
        Some("array") => {
            let items = schema.get("items").map(|items| valued(document, items, depth - 1, left));
            Json::Array(items.into_iter().collect())
        }
        Some("integer" | "number") => number("minimum").unwrap_or_else(|| whole("1")),
        Some("boolean") => Json::Bool(true),
        Some("null") => Json::Null,
        Some("string") | None if schema.get("allOf").is_none() => Json::text(text(schema)),
        Some(_) | None => first_part(document, schema, depth, left),
    }
}

/// Parts that are no objects: the first that says what it is.
fn first_part(document: &Document, schema: &Node, depth: usize, left: &mut usize) -> Json {
    let parts = ["allOf", "oneOf", "anyOf"].into_iter().filter_map(|field| schema.get(field)?.items().first());
    match parts.into_iter().next() {
        Some(part) => valued(document, part, depth - 1, left),
        None => Json::text("text"),
    }
}

fn text(schema: &Node) -> String {
    let text = match schema.get("format").and_then(Node::text) {
        Some("date-time") => "2027-01-01T00:00:00Z",
        Some("date") => "2027-01-01",
        Some("email") => "somebody@example.com",
        Some("uuid") => "7d1ad1f0-5e0c-4c1e-9f5b-0c6f5b1a2e3d",
        Some("uri" | "url") => "https://example.com/",
        _ => "text",
    };
    let least = schema.get("minLength").and_then(Node::text).and_then(|text| text.parse::<usize>().ok()).unwrap_or(0);
    let missing = least.min(256).saturating_sub(text.len());
    format!("{text}{}", "t".repeat(missing))
}

fn whole(text: &str) -> Json {
    text.parse().unwrap_or(Json::Null)
}

/// A text of a document that would be filled when it is sent.
fn is_template(value: &Json) -> bool {
    value.to_string().contains("{{")
}
