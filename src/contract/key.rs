//! The key of an operation: where it is carried, what it may be, and what "the same request" means. It mints nothing.

use crate::json::{Json, Pointer};

/// What makes a retry of this operation safe.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyRule {
    /// Where the key is carried.
    pub place: KeyPlace,
    /// How it is written, in a header.
    pub syntax: Syntax,
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

/// How a header writes a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syntax {
    /// As it is.
    #[default]
    Bare,
    /// As a String of Structured Field Values (RFC 9651, 3.3.3): in quotes.
    SfString,
}

impl Syntax {
    /// The value of a header that carries a key; none: no header can.
    pub fn written(self, key: &str) -> Option<String> {
        let visible = |byte: u8| (0x20..0x7f).contains(&byte);
        match self {
            // White space at the ends is not of the value (RFC 9110, 5.5).
            Syntax::Bare if key.bytes().all(visible) && key.trim_matches(' ') == key => Some(key.to_owned()),
            Syntax::SfString if key.bytes().all(visible) => {
                Some(format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\"")))
            }
            Syntax::Bare | Syntax::SfString => None,
        }
    }

    /// The key that a header's value carries; none: it is not written so. Parameters of a string are of no account.
    pub fn read(self, value: &str) -> Option<String> {
        let inner = match self {
            Syntax::Bare => return Some(value.to_owned()),
            Syntax::SfString => value.trim_matches(' ').strip_prefix('"')?,
        };
        let mut key = String::new();
        let mut letters = inner.chars();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => key.push(letters.next().filter(|letter| matches!(letter, '"' | '\\'))?),
                letter @ ' '..='~' => key.push(letter),
                _ => return None,
            }
        }
        let rest = letters.as_str();
        (rest.is_empty() || rest.starts_with(';')).then_some(key)
    }
}

impl KeyRule {
    /// The header's value for a key; none where no header can carry it, or a key in the body is asked for.
    pub fn written(&self, key: &Json) -> Option<String> {
        self.syntax.written(key.as_str()?)
    }

    /// Whether a key can be carried where this rule has it.
    pub fn can_carry(&self, key: &Json) -> bool {
        matches!(self.place, KeyPlace::Body(_)) || self.written(key).is_some()
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        for key in ["8e03978e-40d5", "", "with spaces", "a\"b\\c", "a;b=1", "~"] {
            for syntax in [Syntax::Bare, Syntax::SfString] {
                let written = syntax.written(key).expect("a value");
                assert_eq!(syntax.read(&written).as_deref(), Some(key), "{syntax:?} {written}");
            }
        }
        assert_eq!(Syntax::SfString.written("a\"b\\").as_deref(), Some(r#""a\"b\\""#));
    }

    #[test]
    fn what_no_header_can_carry_is_not_written() {
        for key in ["caf\u{e9}", "a\0b", "tab\t", "\u{7f}", "\u{1f6d2}"] {
            assert_eq!((Syntax::Bare.written(key), Syntax::SfString.written(key)), (None, None), "{key:?}");
        }
        assert_eq!(Syntax::Bare.written(" a "), None);
        assert_eq!(Syntax::SfString.written(" a ").as_deref(), Some("\" a \""));
    }

    #[test]
    fn what_is_no_string_is_no_key() {
        for value in ["bare", "\"open", "\"a\"b", "\"a\\x\"", "?1", "42", ":YQ==:", "", "\"caf\u{e9}\"", "'a'"] {
            assert_eq!(Syntax::SfString.read(value), None, "{value}");
        }
        assert_eq!(Syntax::SfString.read(" \"a\";p=1 ").as_deref(), Some("a"));
    }
}
