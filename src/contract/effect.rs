//! A durable thing that an API does, and where to read off how often it did it. It reads nothing itself.

use std::time::Duration;

use crate::contract::operation::RequestLine;
use crate::json::{Json, Pointer};
use crate::name::EffectName;

/// A kind of durable thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Effect {
    /// Its name.
    pub name: EffectName,
    /// Where to count it.
    pub read: Read,
    /// How long it may take to show.
    pub settles: Duration,
}

/// A call of the read side, and what in its answer is one row of the effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Read {
    /// The call; a template over the intent (`{{ user }}`, `{{ case }}`).
    pub request: RequestLine,
    /// The place of the list of rows; none: the answer itself is the one row.
    pub rows: Option<Pointer>,
    /// The place of a number that stands for that many rows, where the read side only counts.
    pub count: Option<Pointer>,
    /// What identifies a row, if the read side tells; else rows are told apart by place.
    pub identity: Option<Pointer>,
    /// Members that a row must hold to be counted for an intent; templates over the intent.
    pub matching: Option<Json>,
}
