//! The key of an operation: where it is carried, what it may be, and what "the same request" means. It mints nothing.

use crate::json::Pointer;

/// What makes a retry of this operation safe.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRule {
    /// Where the key is carried.
    pub place: KeyPlace,
    /// Whether a request without a key is refused.
    pub required: bool,
    /// Whether a request with an empty key is a request without one.
    pub empty_is_none: bool,
    /// Fewest and most units, if the contract says.
    pub length: Option<(u32, u32)>,
    /// The unit of `length`.
    pub unit: LengthUnit,
    /// What a key may not hold.
    pub forbid: Vec<Forbidden>,
    /// What "the same request" is judged on.
    pub sameness: Sameness,
    /// What a retry of something done brings back.
    pub replay: Replay,
}

/// Where a key is carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    /// A member of the body.
    Body(Pointer),
    /// A header.
    Header(String),
}

/// A unit of a key's length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LengthUnit {
    /// Code points.
    Characters,
    /// UTF-8 bytes.
    Bytes,
}

/// What a key may not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forbidden {
    /// `U+0000`.
    Nul,
    /// A high or low surrogate without its partner.
    UnpairedSurrogate,
}

/// What "the same request" is judged on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sameness {
    /// Method, path, query and the body's content without the key; spelling does not count.
    Content,
    /// The key alone: another payload is still the same thing.
    KeyOnly,
}

/// What a retry of something done brings back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replay {
    /// The first answer, but for the marker.
    Verbatim,
    /// An acknowledgement of its own.
    Acknowledged,
}
