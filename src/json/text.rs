//! The text of a JSON string: Unicode, or UTF-16 with unpaired surrogates, which JSON can spell and Rust cannot hold.
//! It never replaces a surrogate, except in `to_string_lossy`; how the text was escaped is not kept.

use std::fmt;

/// The text of a JSON string or member name; it may hold unpaired surrogates.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(Form);

/// `Unpaired` is used only where `Plain` cannot be, so that derived equality is equality of the text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Form {
    Plain(String),
    Unpaired(Vec<u16>),
}

impl Text {
    /// The text made of these UTF-16 units; surrogates that stand side by side as a pair become one character.
    pub fn from_utf16(units: &[u16]) -> Text {
        match String::from_utf16(units) {
            Ok(plain) => Text(Form::Plain(plain)),
            Err(_) => Text(Form::Unpaired(units.to_vec())),
        }
    }

    /// The text as Unicode, or `None` when an unpaired surrogate is inside.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Form::Plain(plain) => Some(plain),
            Form::Unpaired(_) => None,
        }
    }

    /// The text with U+FFFD in the place of each unpaired surrogate.
    pub fn to_string_lossy(&self) -> String {
        self.code_points().map(|point| point.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    /// The UTF-16 units of the text.
    pub fn units(&self) -> Vec<u16> {
        match &self.0 {
            Form::Plain(plain) => plain.encode_utf16().collect(),
            Form::Unpaired(units) => units.clone(),
        }
    }

    /// How many code points the text has; an unpaired surrogate counts as one.
    pub fn chars_len(&self) -> usize {
        match &self.0 {
            Form::Plain(plain) => plain.chars().count(),
            Form::Unpaired(units) => char::decode_utf16(units.iter().copied()).count(),
        }
    }

    /// Whether a surrogate without its other half is inside.
    pub fn has_unpaired_surrogate(&self) -> bool {
        self.as_str().is_none()
    }

    /// Whether U+0000 is inside.
    pub fn has_nul(&self) -> bool {
        match &self.0 {
            Form::Plain(plain) => plain.contains('\0'),
            Form::Unpaired(units) => units.contains(&0),
        }
    }

    /// The code points in order; `Err` holds an unpaired surrogate.
    pub(in crate::json) fn code_points(&self) -> impl Iterator<Item = Result<char, u16>> + '_ {
        let (plain, units): (&str, &[u16]) = match &self.0 {
            Form::Plain(plain) => (plain, &[]),
            Form::Unpaired(units) => ("", units),
        };
        let unpaired = char::decode_utf16(units.iter().copied());
        plain.chars().map(Ok).chain(unpaired.map(|point| point.map_err(|lone| lone.unpaired_surrogate())))
    }
}

impl From<String> for Text {
    fn from(plain: String) -> Text {
        Text(Form::Plain(plain))
    }
}

impl From<&str> for Text {
    fn from(plain: &str) -> Text {
        Text::from(plain.to_owned())
    }
}

impl From<&Text> for Text {
    fn from(text: &Text) -> Text {
        text.clone()
    }
}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

/// The text as a JSON string, quotes included, so that nothing is lost in a failed assertion.
impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::json::print::write_text(f, self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use super::Text;

    #[test]
    fn halves_of_a_pair_and_the_replacement_character_are_three_texts() {
        let high = Text::from_utf16(&[0xd800]);
        let low = Text::from_utf16(&[0xdc00]);
        assert_ne!(high, low);
        assert_ne!(high, Text::from("\u{fffd}"));
        assert_eq!(high.to_string_lossy(), low.to_string_lossy());
        assert_eq!(format!("{high:?}"), r#""\ud800""#);
    }

    #[test]
    fn a_pair_written_as_units_is_the_one_character() {
        let pair = Text::from_utf16(&[0xd83d, 0xde00]);
        assert_eq!(pair, Text::from("😀"));
        assert_eq!(pair.chars_len(), 1);
        assert!(!pair.has_unpaired_surrogate());
    }

    #[test]
    fn an_unpaired_surrogate_counts_as_one_code_point() {
        let text = Text::from_utf16(&[0x61, 0xdc00, 0xd83d, 0xde00, 0xd800]);
        assert_eq!(text.chars_len(), 4);
        assert_eq!(text.as_str(), None);
        assert_eq!(text.to_string_lossy(), "a\u{fffd}😀\u{fffd}");
    }

    #[test]
    fn nul_is_seen_with_and_without_surrogates() {
        assert!(Text::from("a\0b").has_nul());
        assert!(Text::from_utf16(&[0xd800, 0]).has_nul());
        assert!(!Text::from("a0b").has_nul());
    }

    proptest! {
        #[test]
        fn units_make_the_same_text_again(units in proptest::collection::vec(any::<u16>(), 0..12)) {
            prop_assert_eq!(Text::from_utf16(&units).units(), units);
        }
    }
}
