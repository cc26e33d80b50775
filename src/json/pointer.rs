//! A place inside a JSON value, after RFC 6901: `/items/0/id`.
//! It never means more than one place; there are no wildcards.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::json::text::Text;

/// A JSON pointer; the empty one points at the whole value.
///
/// RFC 6901 has no spelling for an unpaired surrogate in a member name. We write `~ud800`, which it leaves free.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pointer(Vec<Text>);

/// Why a text is not a JSON pointer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum PointerError {
    /// No slash at the start.
    #[error("pointer {0:?} must be empty or start with \"/\"")]
    NoSlash(String),
    /// A tilde that begins no escape.
    #[error("pointer {0:?} has a \"~\" that stands for nothing; write \"~0\" for \"~\" and \"~1\" for \"/\"")]
    BareTilde(String),
}

impl Pointer {
    /// The pointer at the whole value.
    pub fn root() -> Pointer {
        Pointer::default()
    }

    /// The pointer at the member or item `token` below this one.
    pub fn push(&self, token: impl Into<Text>) -> Pointer {
        let mut tokens = self.0.clone();
        tokens.push(token.into());
        Pointer(tokens)
    }

    /// The names and indexes on the way down, unescaped.
    pub fn tokens(&self) -> &[Text] {
        &self.0
    }

    /// Whether this points at the whole value.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this is `above` or lies somewhere below it; `/ab` does not lie below `/a`.
    pub fn is_at_or_below(&self, above: &Pointer) -> bool {
        self.0.starts_with(&above.0)
    }
}

impl FromStr for Pointer {
    type Err = PointerError;

    fn from_str(text: &str) -> Result<Pointer, PointerError> {
        if text.is_empty() {
            return Ok(Pointer::root());
        }
        let path = text.strip_prefix('/').ok_or_else(|| PointerError::NoSlash(text.to_owned()))?;
        let tokens = path.split('/').map(unescaped).collect::<Option<_>>();
        tokens.map(Pointer).ok_or_else(|| PointerError::BareTilde(text.to_owned()))
    }
}

impl fmt::Display for Pointer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for token in &self.0 {
            f.write_str("/")?;
            for point in token.code_points() {
                match point {
                    Ok('~') => f.write_str("~0")?,
                    Ok('/') => f.write_str("~1")?,
                    Ok(plain) => write!(f, "{plain}")?,
                    Err(lone) => write!(f, "~u{lone:04x}")?,
                }
            }
        }
        Ok(())
    }
}

impl TryFrom<String> for Pointer {
    type Error = PointerError;

    fn try_from(text: String) -> Result<Pointer, PointerError> {
        text.parse()
    }
}

impl From<Pointer> for String {
    fn from(pointer: Pointer) -> String {
        pointer.to_string()
    }
}

/// The text of a token, or `None` when a tilde begins no escape.
fn unescaped(token: &str) -> Option<Text> {
    let mut parts = token.split('~');
    let mut units: Vec<u16> = parts.next().unwrap_or_default().encode_utf16().collect();
    for part in parts {
        let (unit, rest) = if let Some(rest) = part.strip_prefix('0') {
            (u16::from(b'~'), rest)
        } else if let Some(rest) = part.strip_prefix('1') {
            (u16::from(b'/'), rest)
        } else {
            surrogate(part)?
        };
        units.push(unit);
        units.extend(rest.encode_utf16());
    }
    Some(Text::from_utf16(&units))
}

fn surrogate(part: &str) -> Option<(u16, &str)> {
    let digits = part.strip_prefix('u')?;
    let unit = u16::from_str_radix(digits.get(..4)?, 16).ok()?;
    (0xd800..=0xdfff).contains(&unit).then_some((unit, digits.get(4..)?))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use super::{Pointer, PointerError};
    use crate::json::arbitrary::text;
    use crate::json::text::Text;

    fn pointer(spelled: &str) -> Pointer {
        spelled.parse().unwrap()
    }

    #[test]
    fn tokens_are_unescaped_and_escaped_again() {
        assert_eq!(pointer("").tokens(), &[] as &[Text]);
        assert_eq!(pointer("/").tokens(), ["".into()] as [Text; 1]);
        assert_eq!(pointer("/a~1b/~01/0").tokens(), ["a/b".into(), "~1".into(), "0".into()] as [Text; 3]);
        assert_eq!(Pointer::root().push("a/b").push("~1").push("0").to_string(), "/a~1b/~01/0");
    }

    #[test]
    fn an_unpaired_surrogate_has_a_spelling_of_its_own() {
        let lone = Pointer::root().push(Text::from_utf16(&[0xd800]));
        assert_eq!(lone.to_string(), "/~ud800");
        assert_eq!(pointer("/~ud800"), lone);
        assert_ne!(Pointer::root().push("~ud800"), lone);
    }

    #[test]
    fn what_is_not_a_pointer_is_refused_with_the_remedy() {
        let refused = |text: &str| text.parse::<Pointer>().unwrap_err();
        assert_eq!(refused("items/0"), PointerError::NoSlash("items/0".into()));
        for text in ["/~", "/~2", "/a~", "/~u0061", "/~ud80", "/~ué00"] {
            assert_eq!(refused(text), PointerError::BareTilde(text.into()));
        }
        assert_eq!(refused("a").to_string(), r#"pointer "a" must be empty or start with "/""#);
    }

    #[test]
    fn a_longer_name_is_not_below_a_shorter_one() {
        assert!(pointer("/a/b").is_at_or_below(&pointer("/a")));
        assert!(pointer("/a").is_at_or_below(&pointer("/a")));
        assert!(pointer("/a").is_at_or_below(&pointer("")));
        assert!(!pointer("/ab").is_at_or_below(&pointer("/a")));
        assert!(!pointer("/a").is_at_or_below(&pointer("/a/b")));
    }

    proptest! {
        #[test]
        fn parsing_a_printed_pointer_gives_it_back(tokens in proptest::collection::vec(text(), 0..4)) {
            let built = tokens.iter().fold(Pointer::root(), |above, token| above.push(token));
            prop_assert_eq!(built.to_string().parse(), Ok(built.clone()));
            let stored = serde_json::to_string(&built).unwrap();
            prop_assert_eq!(serde_json::from_str::<Pointer>(&stored).unwrap(), built);
        }
    }
}
