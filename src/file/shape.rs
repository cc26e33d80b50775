//! The declared shape of a file: the one table that checks it and that prints its JSON Schema.
//!
//! Tables are `static` items made of the `const fn`s here; a record may hold itself. A shape only describes: what a
//! file means is decided by whoever declares the table.

use crate::file::node::{Kind, Node, quoted};

#[derive(Clone, Copy)]
pub enum Shape {
    /// Any scalar that is not null.
    Text,
    /// One of these words.
    Word(&'static [&'static str]),
    /// `true` or `false`, unquoted.
    Flag,
    /// A whole number from 0 to 2⁶⁴−1, unquoted.
    Count,
    /// Anything at all.
    Json,
    List(&'static Shape),
    /// The shape itself or a list of it.
    OneOrMany(&'static Shape),
    Map {
        /// What the keys are, in the plural: `header names`.
        keys: &'static str,
        values: &'static Shape,
    },
    Record(&'static Record),
    /// The first whose kind (scalar, list, map) fits the node is the one that is checked, so that errors stay precise.
    Either(&'static [Shape]),
    /// A scalar that a function accepts; the text of its `Err` becomes the message.
    Pattern {
        /// What it is, with its article: `a duration, such as 250ms`.
        says: &'static str,
        regex_for_schema: &'static str,
        accepts: fn(&str) -> Result<(), String>,
    },
}

/// A map with known fields.
#[derive(Clone, Copy)]
pub struct Record {
    /// One word, in messages and in `$defs`; two records of one file never share it.
    pub name: &'static str,
    pub doc: &'static str,
    pub fields: &'static [Field],
}

#[derive(Clone, Copy)]
pub struct Field {
    pub name: &'static str,
    pub doc: &'static str,
    pub required: bool,
    pub shape: Shape,
}

impl Record {
    pub const fn new(name: &'static str, doc: &'static str, fields: &'static [Field]) -> Self {
        Self { name, doc, fields }
    }

    pub fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

impl Field {
    pub const fn required(name: &'static str, doc: &'static str, shape: Shape) -> Self {
        Self { name, doc, required: true, shape }
    }

    pub const fn optional(name: &'static str, doc: &'static str, shape: Shape) -> Self {
        Self { name, doc, required: false, shape }
    }
}

impl Shape {
    /// What a message says was expected.
    pub fn expected(&self) -> String {
        match self {
            Self::Text => "text".to_owned(),
            Self::Word(words) => one_of(words.iter().copied()),
            Self::Flag => "`true` or `false`".to_owned(),
            Self::Count => "a whole number, 0 or more".to_owned(),
            Self::Json => "anything".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::OneOrMany(one) => format!("{}, or a list of such", one.expected()),
            Self::Map { keys, .. } => format!("a map of {keys}"),
            Self::Record(record) => format!("a map ({})", record.name),
            Self::Either(shapes) => {
                let all: Vec<String> = shapes.iter().map(Self::expected).collect();
                all.join(", or ")
            }
            Self::Pattern { says, .. } => (*says).to_owned(),
        }
    }

    /// Whether the node is of the kind that this shape describes, right or wrong inside.
    pub fn fits(&self, node: &Node) -> bool {
        match (self, &node.kind) {
            (Self::Json, _) => true,
            (Self::OneOrMany(one), kind) => matches!(kind, Kind::List(_)) || one.fits(node),
            (Self::Either(shapes), _) => shapes.iter().any(|shape| shape.fits(node)),
            (Self::List(_), kind) => matches!(kind, Kind::List(_)),
            (Self::Map { .. } | Self::Record(_), kind) => matches!(kind, Kind::Map(_)),
            (Self::Text | Self::Word(_) | Self::Flag | Self::Count | Self::Pattern { .. }, kind) => {
                matches!(kind, Kind::Scalar(_))
            }
        }
    }

    /// Only `Json` has a use for a null; a field that is not wanted is left out.
    pub fn takes_null(&self) -> bool {
        match self {
            Self::Json => true,
            Self::OneOrMany(one) => one.takes_null(),
            Self::Either(shapes) => shapes.iter().any(Self::takes_null),
            Self::Text
            | Self::Word(_)
            | Self::Flag
            | Self::Count
            | Self::List(_)
            | Self::Map { .. }
            | Self::Record(_)
            | Self::Pattern { .. } => false,
        }
    }
}

/// ``one of `a`, `b` and `c` ``, or the only one.
pub fn one_of<'a>(words: impl Iterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.map(quoted).collect();
    match words.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first, second] => format!("{first} or {second}"),
        [firsts @ .., last] => format!("one of {} and {last}", firsts.join(", ")),
    }
}
