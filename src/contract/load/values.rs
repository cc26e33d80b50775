//! Takes single values out of nodes whose shape is checked already; what only the meaning can refuse is noted. A value
//! that is malformed is left out: its problem is told, and nothing is made of the rest.

use crate::contract::load::notation;
use crate::contract::{Outcome, RequestLine, StatusSet};
use crate::file::{Entry, Node, Reading, Span};
use crate::json::Pointer;

/// A node, or the items of a list.
pub fn many(node: Option<&Node>) -> Vec<&Node> {
    match node {
        None => Vec::new(),
        Some(node) if node.text().is_some() => vec![node],
        Some(node) => node.items().iter().collect(),
    }
}

/// The entries of a map, by name.
pub fn named(node: Option<&Node>) -> impl Iterator<Item = (&str, &Entry)> {
    node.map(Node::entries).unwrap_or_default().iter().filter_map(|entry| Some((entry.key.text()?, entry)))
}

/// A text.
pub fn text(node: &Node, field: &str) -> Option<String> {
    node.get(field).and_then(Node::text).map(str::to_owned)
}

/// Texts, one or many.
pub fn texts(node: Option<&Node>) -> Vec<String> {
    many(node).into_iter().filter_map(|node| node.text().map(str::to_owned)).collect()
}

/// Whether a flag is set.
pub fn flag(node: &Node, field: &str) -> bool {
    node.get(field).and_then(Node::text) == Some("true")
}

/// The place of a field's name, or of the whole where it is absent.
pub fn place(node: &Node, field: &str) -> Span {
    let entry = node.entries().iter().find(|entry| entry.key.text() == Some(field));
    entry.map_or_else(|| node.head(), |entry| entry.key.span)
}

/// A JSON pointer.
pub fn pointer(node: Option<&Node>) -> Option<Pointer> {
    notation::pointer(node?.text()?).ok()
}

/// JSON pointers, one or many.
pub fn pointers(node: Option<&Node>) -> Vec<Pointer> {
    many(node).into_iter().filter_map(|node| pointer(Some(node))).collect()
}

/// A JSON pointer that is a key, so that no shape has checked it.
pub fn pointer_key(key: &Node, reading: &mut Reading<'_>) -> Option<Pointer> {
    let found = notation::pointer(key.text()?);
    found.map_err(|why| reading.wrong(key.span, why, "expected a JSON pointer, such as /items/0/id")).ok()
}

/// A method and a target; empty where the shape is wrong.
pub fn request_line(node: Option<&Node>) -> RequestLine {
    let found = node.and_then(Node::text).and_then(|text| notation::request_line(text).ok());
    found.unwrap_or_else(|| RequestLine { method: String::new(), target: String::new() })
}

/// `200`, `2xx`, or a list of both.
pub fn statuses(node: &Node) -> StatusSet {
    let mut set = StatusSet { ranges: Vec::new() };
    for word in many(Some(node)).into_iter().filter_map(Node::text) {
        // What is no status has been told by the shape.
        let _ = set.add(word);
    }
    set
}

/// One status.
pub fn status(node: &Node) -> Option<u16> {
    notation::status(node.get("status")?.text()?).ok()
}

/// An outcome that is a key, so that no shape has checked it.
pub fn outcome_key(key: &Node, reading: &mut Reading<'_>) -> Option<Outcome> {
    let word = key.text()?;
    let found = Outcome::from_word(word);
    if found.is_none() {
        reading.unknown(key.span, format!("no outcome `{word}`"), word, Outcome::WORDS.iter().copied());
    }
    found
}

/// A name that has to be one of those known.
pub fn known<'n>(node: &'n Node, what: &str, known: &[&str], reading: &mut Reading<'_>) -> Option<&'n str> {
    let name = node.text()?;
    if known.contains(&name) {
        return Some(name);
    }
    reading.unknown(node.span, format!("no {what} `{name}`"), name, known.iter().copied());
    None
}

/// Header names and values; a name in two cases is one name twice.
pub fn headers(node: Option<&Node>, reading: &mut Reading<'_>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, entry) in named(node) {
        if let Err(why) = notation::header_name(name) {
            reading.wrong(entry.key.span, why, "letters, digits and `-`");
        } else if let Some((other, _)) = headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
            let message = format!("the header `{name}` stands twice");
            reading.wrong(entry.key.span, message, format!("`{other}` is the same name"));
        }
        if let Some(value) = entry.value.text() {
            if let Err(why) = notation::header_value(value) {
                reading.wrong(entry.value.span, why, "no line end and no NUL");
            }
            headers.push((name.to_owned(), value.to_owned()));
        }
    }
    headers
}
