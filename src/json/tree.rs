//! The JSON value itself, how to build one and how to look into it.
//! It never reorders members, never drops a duplicate, never respells a number.

use crate::json::number::Number;
use crate::json::text::Text;

/// A JSON value as it was written; `==` compares everything that is kept, [`Json::same_content`] what it says.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number in its original spelling.
    Number(Number),
    /// A string; its escapes are resolved, its unpaired surrogates kept.
    String(Text),
    /// The items in order.
    Array(Vec<Json>),
    /// The members in order, duplicates included; a reader sees the last of each name.
    Object(Vec<(Text, Json)>),
}

impl Json {
    /// A string value.
    pub fn text(s: impl Into<String>) -> Json {
        Json::String(Text::from(s.into()))
    }

    /// An object with these members, in this order.
    pub fn object<K: Into<String>>(members: impl IntoIterator<Item = (K, Json)>) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (Text::from(name.into()), value)).collect())
    }

    /// The member of this name, or the last of them when the name is repeated.
    pub fn get(&self, name: &str) -> Option<&Json> {
        self.as_object()?.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value)
    }

    /// Whether this is `null`.
    pub fn is_null(&self) -> bool {
        *self == Json::Null
    }

    /// The truth value, of a boolean.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Json::Bool(truth) => Some(*truth),
            Json::Null | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// The number, of a number.
    pub fn as_number(&self) -> Option<&Number> {
        match self {
            Json::Number(number) => Some(number),
            Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// The number, when it is spelled as an integer that fits.
    pub fn as_u64(&self) -> Option<u64> {
        self.as_number()?.as_u64()
    }

    /// The number, when it is spelled as an integer that fits.
    pub fn as_i64(&self) -> Option<i64> {
        self.as_number()?.as_i64()
    }

    /// The float nearest to the number, unless the number lies beyond all of them.
    pub fn as_f64(&self) -> Option<f64> {
        self.as_number()?.as_f64()
    }

    /// The text, of a string.
    pub fn as_text(&self) -> Option<&Text> {
        match self {
            Json::String(text) => Some(text),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
        }
    }

    /// The text, of a string without unpaired surrogates.
    pub fn as_str(&self) -> Option<&str> {
        self.as_text()?.as_str()
    }

    /// The items, of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Json::Array(items) => Some(items),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => None,
        }
    }

    /// The members, duplicates included, of an object.
    pub fn as_object(&self) -> Option<&[(Text, Json)]> {
        match self {
            Json::Object(members) => Some(members),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => None,
        }
    }

    /// How many arrays and objects stand inside one another; a scalar has none.
    pub fn depth(&self) -> usize {
        match self {
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => 0,
            Json::Array(items) => 1 + items.iter().map(Json::depth).max().unwrap_or(0),
            Json::Object(members) => 1 + members.iter().map(|(_, value)| value.depth()).max().unwrap_or(0),
        }
    }
}

impl From<bool> for Json {
    fn from(truth: bool) -> Json {
        Json::Bool(truth)
    }
}

impl From<Number> for Json {
    fn from(number: Number) -> Json {
        Json::Number(number)
    }
}

impl From<Text> for Json {
    fn from(text: Text) -> Json {
        Json::String(text)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Json {
        Json::text(text)
    }
}

impl From<String> for Json {
    fn from(text: String) -> Json {
        Json::text(text)
    }
}

impl From<Vec<Json>> for Json {
    fn from(items: Vec<Json>) -> Json {
        Json::Array(items)
    }
}

macro_rules! from_integers {
    ($($integer:ty)*) => {$(
        impl From<$integer> for Json {
            fn from(value: $integer) -> Json {
                Json::Number(Number::from(value))
            }
        }
    )*};
}
from_integers!(i32 i64 u16 u32 u64 usize);

#[cfg(test)]
mod tests {
    use super::Json;
    use crate::json::text::Text;

    #[test]
    fn the_last_of_two_members_with_one_name_is_read() {
        let twice = Json::object([("a", Json::from(1)), ("b", Json::Null), ("a", Json::from(2))]);
        assert_eq!(twice.get("a"), Some(&Json::from(2)));
        assert_eq!(twice.get("c"), None);
        assert_eq!(twice.as_object().map(<[_]>::len), Some(3));
    }

    #[test]
    fn text_with_an_unpaired_surrogate_is_text_but_not_a_str() {
        let lone = Json::String(Text::from_utf16(&[0xd800]));
        assert_eq!(lone.as_str(), None);
        assert!(lone.as_text().is_some());
    }

    #[test]
    fn depth_counts_containers_even_empty_ones() {
        assert_eq!(Json::Null.depth(), 0);
        assert_eq!(Json::Array(vec![]).depth(), 1);
        assert_eq!(Json::from(vec![Json::Null, Json::object([("a", Json::Array(vec![]))])]).depth(), 3);
    }
}
