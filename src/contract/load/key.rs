//! Reads what makes a retry of an operation safe: its key, or its nature. It mints no key.

use crate::contract::load::notation;
use crate::contract::load::values::{flag, many, place, pointer, text};
use crate::contract::{Forbidden, KeyPlace, KeyRule, LengthUnit, Replay, Safety, Sameness, Syntax};
use crate::file::{Node, Reading};

/// What makes a retry safe.
pub fn safety(node: &Node, reading: &mut Reading<'_>) -> Safety {
    match (node.get("key"), flag(node, "natural")) {
        (Some(_), true) => {
            let label = "leave out this, or `natural: true`";
            reading.wrong(place(node, "key"), "what is safe by nature needs no key", label);
            Safety::Natural
        }
        (Some(key), false) => {
            if node.get("batch").is_some() {
                let label = "leave it out: keys belong to the items";
                reading.wrong(place(node, "key"), "a batch has no key of its own in this version", label);
            }
            Safety::ByKey(rule(key, node, reading))
        }
        (None, true) => Safety::Natural,
        (None, false) => Safety::Unsafe,
    }
}

fn rule(node: &Node, operation: &Node, reading: &mut Reading<'_>) -> KeyRule {
    let (length, unit) = node.get("length").and_then(|length| notation::length(length.text()?).ok()).unzip();
    KeyRule {
        place: key_place(node, operation, reading),
        syntax: syntax(node, reading),
        required: flag(node, "required"),
        empty_is_none: flag(node, "empty is none"),
        length,
        unit: unit.unwrap_or(LengthUnit::Characters),
        forbid: many(node.get("forbid")).into_iter().filter_map(forbidden).collect(),
        sameness: match node.get("same request").and_then(Node::text) {
            Some("key only") => Sameness::KeyOnly,
            Some(_) | None => Sameness::Content,
        },
        replay: match node.get("replay").and_then(Node::text) {
            Some("acknowledged") => Replay::Acknowledged,
            Some(_) | None => Replay::Verbatim,
        },
    }
}

fn syntax(node: &Node, reading: &mut Reading<'_>) -> Syntax {
    let Some(word) = node.get("syntax") else { return Syntax::Bare };
    if node.get("header").is_none() && reading.is_well(node) {
        let label = "leave it out: in a body a key is a member";
        reading.wrong(place(node, "syntax"), "a syntax of a key that no header carries", label);
    }
    match word.text() {
        Some("sf-string") => Syntax::SfString,
        Some(_) | None => Syntax::Bare,
    }
}

fn key_place(node: &Node, operation: &Node, reading: &mut Reading<'_>) -> KeyPlace {
    if let Some((header, Err(why))) =
        node.get("header").and_then(|node| Some((node, notation::header_name(node.text()?))))
    {
        reading.wrong(header.span, why, "letters, digits and `-`");
    }
    match (node.get("at"), text(node, "header")) {
        (Some(at), None) => {
            let at = pointer(Some(at)).unwrap_or_default();
            if at.is_root() && reading.is_well(node) {
                reading.wrong(place(node, "at"), "a key that is the whole body", "name a member, such as /id");
            } else if operation.get("body").is_none() && operation.get("batch").is_none() && reading.is_well(operation)
            {
                reading.wrong(
                    place(node, "at"),
                    "a key in a body that is not there",
                    "give the operation a `body:`, or the key a `header:`",
                );
            }
            KeyPlace::Body(at)
        }
        (None, Some(header)) => KeyPlace::Header(header),
        (Some(_), Some(_)) => {
            reading.wrong(place(node, "header"), "a key is carried in one place", "leave out this, or `at:`");
            KeyPlace::Body(Default::default())
        }
        (None, None) => {
            if reading.is_well(node) {
                reading.wrong(node.head(), "a key that is carried nowhere", "add `at:` or `header:`");
            }
            KeyPlace::Body(Default::default())
        }
    }
}

fn forbidden(node: &Node) -> Option<Forbidden> {
    match node.text()? {
        "U+0000" => Some(Forbidden::Nul),
        "unpaired surrogate" => Some(Forbidden::UnpairedSurrogate),
        _ => None,
    }
}
