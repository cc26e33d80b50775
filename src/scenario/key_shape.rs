//! The kinds of key that a scenario can ask for, and how each is minted: fresh per run, from the case's own namespace.
//! It never decides whether a kind of key is allowed.

use std::fmt;
use std::str::FromStr;

use crate::json::{Json, Text};

/// A kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyShape {
    /// A new one, of the recommended form.
    Fresh,
    /// None at all.
    Absent,
    /// As short as the contract allows.
    Shortest,
    /// As long as the contract allows.
    Longest,
    /// As long as allowed, of characters that take two bytes each.
    LongestTwoByte,
    /// As long as allowed, of characters that take four bytes each.
    LongestAstral,
    /// Half as long as allowed, of characters that take four bytes each.
    HalfAstral,
    /// One character more than allowed.
    TooLong,
    /// The empty text.
    Empty,
    /// With `U+0000` inside.
    Nul,
    /// With a high surrogate that has no partner.
    LoneHigh,
    /// With a low surrogate that has no partner.
    LoneLow,
    /// With spaces at its ends.
    Spaces,
    /// With quotes and a backslash.
    Quotes,
    /// With a slash and a percent sign.
    SlashPercent,
    /// With an emoji.
    Emoji,
    /// With CJK characters.
    Cjk,
    /// With control characters other than `U+0000`.
    Control,
    /// A number.
    Number,
    /// `null`.
    Null,
    /// An object.
    Object,
    /// `true`.
    Flag,
    /// Like another intent's key, in capitals.
    TwinByCase,
    /// Like another intent's key, with a space at its end.
    TwinBySpace,
    /// Like another intent's key, composed where that one is decomposed.
    TwinByComposition,
    /// Like another intent's key, but for the last character.
    TwinByLast,
    /// Another intent's key up to `U+0000`.
    TwinBeforeNul,
    /// Like another intent's key, with the other lone surrogate.
    TwinBySurrogate,
}

const NAMES: &[(KeyShape, &str)] = &[
    (KeyShape::Fresh, "fresh"),
    (KeyShape::Absent, "none"),
    (KeyShape::Shortest, "shortest"),
    (KeyShape::Longest, "longest"),
    (KeyShape::LongestTwoByte, "longest, two bytes each"),
    (KeyShape::LongestAstral, "longest, four bytes each"),
    (KeyShape::HalfAstral, "half the longest, four bytes each"),
    (KeyShape::TooLong, "one over the longest"),
    (KeyShape::Empty, "empty"),
    (KeyShape::Nul, "with U+0000"),
    (KeyShape::LoneHigh, "with a lone high surrogate"),
    (KeyShape::LoneLow, "with a lone low surrogate"),
    (KeyShape::Spaces, "with spaces at its ends"),
    (KeyShape::Quotes, "with quotes"),
    (KeyShape::SlashPercent, "with slash and percent"),
    (KeyShape::Emoji, "with an emoji"),
    (KeyShape::Cjk, "in CJK"),
    (KeyShape::Control, "with control characters"),
    (KeyShape::Number, "a number"),
    (KeyShape::Null, "null"),
    (KeyShape::Object, "an object"),
    (KeyShape::Flag, "a flag"),
    (KeyShape::TwinByCase, "twin by case"),
    (KeyShape::TwinBySpace, "twin by a space"),
    (KeyShape::TwinByComposition, "twin by composition"),
    (KeyShape::TwinByLast, "twin by the last character"),
    (KeyShape::TwinBeforeNul, "twin before U+0000"),
    (KeyShape::TwinBySurrogate, "twin by surrogate"),
];

impl KeyShape {
    /// Every name, for messages.
    pub fn words() -> impl Iterator<Item = &'static str> {
        NAMES.iter().map(|(_, name)| *name)
    }

    /// Whether it is made from another intent's key.
    pub fn is_twin(self) -> bool {
        matches!(
            self,
            KeyShape::TwinByCase
                | KeyShape::TwinBySpace
                | KeyShape::TwinByComposition
                | KeyShape::TwinByLast
                | KeyShape::TwinBeforeNul
                | KeyShape::TwinBySurrogate
        )
    }

    /// The key; none for no key. `stem` is unique to the intent (plain ASCII), `longest` the contract's bound, `of` the
    /// other intent's key for twins.
    pub fn mint(self, stem: &str, longest: u32, of: Option<&Json>) -> Option<Json> {
        let long = longest as usize;
        let padded = |filler: char, length: usize| -> Json {
            let stem: String = stem.chars().take(length).collect();
            let rest = length - stem.chars().count();
            Json::text(stem + &filler.to_string().repeat(rest))
        };
        // Only the filler characters, so that every one of them takes as many bytes as the kind says.
        let wide = |base: u32, length: usize| -> Json {
            let digits: String = (0..length)
                .map(|at| {
                    let digit = stem.as_bytes().get(at % stem.len().max(1)).map_or(0, |byte| u32::from(*byte) % 32);
                    char::from_u32(base + digit).unwrap_or('\u{e9}')
                })
                .collect();
            Json::text(digits)
        };
        let lone = |unit: u16| {
            let mut units: Vec<u16> = stem.encode_utf16().collect();
            units.push(unit);
            units.push(u16::from(b'y'));
            Json::String(Text::from_utf16(&units))
        };
        let other = || of.and_then(Json::as_text).map(|text| text.units()).unwrap_or_default();
        let text = |units: &[u16]| Some(Json::String(Text::from_utf16(units)));
        match self {
            KeyShape::Fresh => Some(Json::text(stem)),
            KeyShape::Absent => None,
            KeyShape::Shortest => Some(Json::text(rare_character(stem))),
            KeyShape::Longest => Some(padded('x', long)),
            KeyShape::LongestTwoByte => Some(wide(0x0430, long)),
            KeyShape::LongestAstral => Some(wide(0x1f600, long)),
            KeyShape::HalfAstral => Some(wide(0x1f600, long / 2)),
            KeyShape::TooLong => Some(padded('x', long + 1)),
            KeyShape::Empty => Some(Json::text("")),
            KeyShape::Nul => Some(Json::text(format!("{stem}\0b"))),
            KeyShape::LoneHigh => Some(lone(0xd800)),
            KeyShape::LoneLow => Some(lone(0xdc00)),
            KeyShape::Spaces => Some(Json::text(format!(" {stem} "))),
            KeyShape::Quotes => Some(Json::text(format!("\"{stem}'\\"))),
            KeyShape::SlashPercent => Some(Json::text(format!("{stem}/a%2Fb?c#d"))),
            KeyShape::Emoji => Some(Json::text(format!("{stem}\u{1f6d2}"))),
            KeyShape::Cjk => Some(Json::text(format!("{stem}\u{6ce8}\u{6587}"))),
            KeyShape::Control => Some(Json::text(format!("{stem}\u{1}\t\u{1f}\u{7f}"))),
            KeyShape::Number => Some(Json::from(number(stem))),
            KeyShape::Null => Some(Json::Null),
            KeyShape::Object => Some(Json::object([("key", Json::text(stem))])),
            KeyShape::Flag => Some(Json::Bool(true)),
            KeyShape::TwinByCase => Some(Json::text(String::from_utf16_lossy(&other()).to_uppercase())),
            KeyShape::TwinBySpace => {
                let mut units = other();
                units.push(u16::from(b' '));
                text(&units)
            }
            // The other one is asked to end in a decomposed letter, or it is no twin by composition: see `ends_decomposed`.
            KeyShape::TwinByComposition => {
                Some(Json::text(String::from_utf16_lossy(&other()).replace("e\u{301}", "\u{e9}")))
            }
            KeyShape::TwinByLast => {
                let mut units = other();
                if let Some(last) = units.last_mut() {
                    *last = if *last == u16::from(b'x') { u16::from(b'z') } else { u16::from(b'x') };
                }
                text(&units)
            }
            KeyShape::TwinBeforeNul => text(other().split(|unit| *unit == 0).next().unwrap_or_default()),
            KeyShape::TwinBySurrogate => {
                let units: Vec<u16> =
                    other().into_iter().map(|unit| if unit == 0xd800 { 0xdc00 } else { unit }).collect();
                text(&units)
            }
        }
    }

    /// The stem that an intent's key needs so that `self` can be its twin.
    pub fn stem_of_other(self, stem: &str) -> String {
        match self {
            KeyShape::TwinByComposition => format!("{stem}-cafe\u{301}"),
            _ => stem.to_owned(),
        }
    }
}

/// One character that hardly any other run will have used: from the 20,992 unified CJK ideographs and 11,172 Hangul
/// syllables, which every unit of length counts as one.
fn rare_character(stem: &str) -> String {
    let pick = number(stem) % (20_992 + 11_172);
    let code = if pick < 20_992 { 0x4e00 + pick } else { 0xac00 + (pick - 20_992) };
    u32::try_from(code).ok().and_then(char::from_u32).unwrap_or('\u{4e00}').to_string()
}

/// A number that depends on every byte of the stem (FNV-1a), small enough to survive a double.
fn number(stem: &str) -> u64 {
    let hash = stem
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    hash >> 12
}

impl fmt::Display for KeyShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = NAMES.iter().find(|(shape, _)| shape == self).map_or("fresh", |(_, name)| name);
        f.pad(name)
    }
}

impl FromStr for KeyShape {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        NAMES
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(shape, _)| *shape)
            .ok_or_else(|| format!("`{name}` is not a kind of key"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn characters(key: Option<Json>) -> usize {
        key.as_ref().and_then(Json::as_text).map_or(0, Text::chars_len)
    }

    #[test]
    fn lengths_are_exact_in_code_points() {
        for (shape, length) in [
            (KeyShape::Shortest, 1),
            (KeyShape::Longest, 255),
            (KeyShape::LongestTwoByte, 255),
            (KeyShape::LongestAstral, 255),
            (KeyShape::HalfAstral, 127),
            (KeyShape::TooLong, 256),
        ] {
            assert_eq!(characters(shape.mint("r7-c1-k0", 255, None)), length, "{shape}");
        }
    }

    #[test]
    fn wide_characters_are_as_wide_as_they_say() {
        let two = KeyShape::LongestTwoByte.mint("r7", 255, None).expect("a key");
        assert!(two.as_str().expect("text").chars().all(|letter| letter.len_utf8() == 2));
        let four = KeyShape::LongestAstral.mint("r7", 255, None).expect("a key");
        assert!(four.as_str().expect("text").chars().all(|letter| letter.len_utf8() == 4));
    }

    #[test]
    fn every_kind_of_key_differs_between_two_intents() {
        for (shape, name) in NAMES {
            let differs_by_intent = !shape.is_twin()
                && !matches!(shape, KeyShape::Absent | KeyShape::Empty | KeyShape::Null | KeyShape::Flag);
            if differs_by_intent {
                assert_ne!(shape.mint("k-one", 255, None), shape.mint("k-two", 255, None), "{name}");
            }
        }
    }

    #[test]
    fn a_twin_is_not_its_other() {
        for shape in [KeyShape::TwinByCase, KeyShape::TwinBySpace, KeyShape::TwinByComposition, KeyShape::TwinByLast] {
            let other = KeyShape::Fresh.mint(&shape.stem_of_other("k-one"), 255, None);
            let twin = shape.mint("k-two", 255, other.as_ref());
            assert_ne!(twin, other, "{shape}");
        }
        let nul = KeyShape::Nul.mint("k", 255, None);
        assert_eq!(KeyShape::TwinBeforeNul.mint("x", 255, nul.as_ref()), Some(Json::text("k")));
        let high = KeyShape::LoneHigh.mint("k", 255, None);
        assert_eq!(KeyShape::TwinBySurrogate.mint("x", 255, high.as_ref()), KeyShape::LoneLow.mint("k", 255, None));
    }

    #[test]
    fn names_parse_as_they_print() {
        for (shape, name) in NAMES {
            assert_eq!(name.parse::<KeyShape>(), Ok(*shape));
            assert_eq!(shape.to_string(), *name);
        }
    }
}
