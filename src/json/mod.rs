//! JSON as it was spelled: a tree that keeps member order, duplicate members, the spelling of numbers and unpaired
//! surrogates, because the harness judges exactly what ordinary JSON libraries repair in passing.
//! It never rounds a number and never replaces a character; only `to_serde` and `to_string_lossy` lose anything.
//!
//! - `text`, `number`: the two leaves that ordinary libraries lose.
//! - `tree`: the value; `content`: when two say the same; `parse` and `print`: bytes in, text out; `problem`: why not.
//! - `spelling`: other ways to write the same content, to send to a subject.
//! - `pointer`, `edit`, `query`: places inside a value; `diff`: what differs, and where.
//! - `stored`: the value inside our own files, through serde; `foreign`: to and from `serde_json::Value`.

#[cfg(test)]
pub(crate) mod arbitrary;
mod content;
mod diff;
mod edit;
mod foreign;
mod number;
mod parse;
mod pointer;
mod print;
mod problem;
mod query;
mod spelling;
mod stored;
mod text;
mod tree;

pub use diff::{Difference, DifferenceKind, diff};
pub use number::Number;
pub use pointer::{Pointer, PointerError};
pub use problem::{ParseError, ParseProblem};
pub use query::{Query, literal};
pub use spelling::{Spelling, UnknownSpelling};
pub use text::Text;
pub use tree::Json;
