//! What the answer to a request has to be, by the kind of key that it carries.

use crate::contract::{Forbidden, KeyRule, Outcome};
use crate::plan::case::Expectation;
use crate::scenario::KeyShape;

/// What the answer to a good request with such a key has to be.
pub fn expectation(shape: KeyShape, rule: &KeyRule) -> Expectation {
    let refused = Expectation::Refused(Outcome::Refused, None);
    let when = |declared: bool| if declared { refused.clone() } else { Expectation::Open };
    match shape {
        KeyShape::TooLong => when(rule.length.is_some()),
        KeyShape::Empty if rule.empty_is_none && rule.required => refused,
        KeyShape::Empty if rule.empty_is_none => Expectation::Accepted,
        KeyShape::Empty => when(rule.length.is_some_and(|(least, _)| least > 0)),
        KeyShape::Nul => when(rule.forbid.contains(&Forbidden::Nul)),
        KeyShape::LoneHigh | KeyShape::LoneLow | KeyShape::TwinBySurrogate => {
            when(rule.forbid.contains(&Forbidden::UnpairedSurrogate))
        }
        KeyShape::Number | KeyShape::Null | KeyShape::Object | KeyShape::Flag | KeyShape::LongestAstral => {
            Expectation::Open
        }
        KeyShape::Absent if rule.required => refused,
        // Where the contract says nothing of a key's grammar, only a server error is wrong.
        KeyShape::Longest | KeyShape::LongestTwoByte | KeyShape::HalfAstral | KeyShape::Control
            if rule.length.is_none() =>
        {
            Expectation::Open
        }
        KeyShape::Fresh
        | KeyShape::Absent
        | KeyShape::Shortest
        | KeyShape::Longest
        | KeyShape::LongestTwoByte
        | KeyShape::HalfAstral
        | KeyShape::Spaces
        | KeyShape::Quotes
        | KeyShape::SlashPercent
        | KeyShape::Emoji
        | KeyShape::Cjk
        | KeyShape::Control
        | KeyShape::TwinByCase
        | KeyShape::TwinBySpace
        | KeyShape::TwinByComposition
        | KeyShape::TwinByLast
        | KeyShape::TwinBeforeNul => Expectation::Accepted,
    }
}
