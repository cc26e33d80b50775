//! A JSON value inside our own files, through serde: plain wherever plain JSON says all of it, marked elsewhere.
//! It never reads foreign JSON; an object with a `$` name that we did not write is refused.
//!
//! Marks: `{"$number": "1.0"}`, `{"$utf16": [55296]}`, `{"$members": [["a", 1], ["a", 2]]}` for duplicates, unpaired
//! surrogates or `$` in names, and `{"$text": "[[…]]"}` for a value nested more deeply than serde_json would read.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeSeq, Serializer};

use crate::json::number::Number;
use crate::json::text::Text;
use crate::json::tree::Json;

/// A level costs up to three of the 128 that serde_json follows, and the value may itself lie deep in a file.
const PLAIN_DEPTH: usize = 32;

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.depth() > PLAIN_DEPTH {
            marked(serializer, "$text", &self.to_string())
        } else {
            Shallow(self).serialize(serializer)
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spelled = |value: String| value == self.as_str();
        match (self.as_u64(), self.as_i64()) {
            (Some(value), _) if spelled(value.to_string()) => serializer.serialize_u64(value),
            (_, Some(value)) if spelled(value.to_string()) => serializer.serialize_i64(value),
            (Some(_) | None, Some(_) | None) => marked(serializer, "$number", self.as_str()),
        }
    }
}

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.as_str() {
            Some(plain) => serializer.serialize_str(plain),
            None => marked(serializer, "$utf16", &self.units()),
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Json, D::Error> {
        deserializer.deserialize_any(Stored)
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::Number(number) => Ok(number),
            other @ (Json::Null | Json::Bool(_) | Json::String(_) | Json::Array(_) | Json::Object(_)) => {
                Err(D::Error::custom(format!("expected a number, found {other}")))
            }
        }
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Text, D::Error> {
        match Json::deserialize(deserializer)? {
            Json::String(text) => Ok(text),
            other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
                Err(D::Error::custom(format!("expected a string, found {other}")))
            }
        }
    }
}

/// A value whose depth has been measured, so that it is not measured again at each level.
struct Shallow<'a>(&'a Json);

impl Serialize for Shallow<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Json::Null => serializer.serialize_unit(),
            Json::Bool(truth) => serializer.serialize_bool(*truth),
            Json::Number(number) => number.serialize(serializer),
            Json::String(text) => text.serialize(serializer),
            Json::Array(items) => {
                let mut seq = serializer.serialize_seq(Some(items.len()))?;
                items.iter().try_for_each(|item| seq.serialize_element(&Shallow(item)))?;
                seq.end()
            }
            Json::Object(members) if has_plain_names(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                members.iter().try_for_each(|(name, value)| map.serialize_entry(name, &Shallow(value)))?;
                map.end()
            }
            Json::Object(members) => {
                let pairs: Vec<(&Text, Shallow<'_>)> = members.iter().map(|(name, v)| (name, Shallow(v))).collect();
                marked(serializer, "$members", &pairs)
            }
        }
    }
}

/// Whether each name is plain Unicode, is used once, and cannot be taken for a mark.
fn has_plain_names(members: &[(Text, Json)]) -> bool {
    let mut seen = BTreeSet::new();
    members.iter().all(|(name, _)| name.as_str().is_some_and(|plain| !plain.starts_with('$') && seen.insert(plain)))
}

fn marked<S: Serializer, T: Serialize + ?Sized>(serializer: S, mark: &str, content: &T) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(1))?;
    map.serialize_entry(mark, content)?;
    map.end()
}

struct Stored;

impl<'de> Visitor<'de> for Stored {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a json value")
    }

    fn visit_unit<E: Error>(self) -> Result<Json, E> {
        Ok(Json::Null)
    }

    fn visit_bool<E: Error>(self, truth: bool) -> Result<Json, E> {
        Ok(Json::Bool(truth))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Json, E> {
        Ok(Json::from(value))
    }

    /// We never write one, since a float forgets its spelling.
    fn visit_f64<E: Error>(self, value: f64) -> Result<Json, E> {
        Err(E::custom(format!("the spelling of {value} is not known; write {{\"$number\": \"{value}\"}}")))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Json, E> {
        Ok(Json::text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element()? {
            items.push(item);
        }
        Ok(Json::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Json, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if name.starts_with('$') {
                let alone = members.is_empty();
                let value = unmarked(&name, &mut map)?;
                return match map.next_key::<String>()? {
                    None if alone => Ok(value),
                    Some(_) | None => Err(A::Error::custom(format!("\"{name}\" must be the only member"))),
                };
            }
            members.push((Text::from(name), map.next_value()?));
        }
        Ok(Json::Object(members))
    }
}

fn unmarked<'de, A: MapAccess<'de>>(mark: &str, map: &mut A) -> Result<Json, A::Error> {
    match mark {
        "$number" => map.next_value::<String>()?.parse().map(Json::Number).map_err(A::Error::custom),
        "$utf16" => Ok(Json::String(Text::from_utf16(&map.next_value::<Vec<u16>>()?))),
        "$members" => map.next_value().map(Json::Object),
        "$text" => map.next_value::<String>()?.parse().map_err(A::Error::custom),
        foreign => Err(A::Error::custom(format!(
            "\"{foreign}\" is no mark of a stored json value; write such a member inside \"$members\""
        ))),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use crate::json::arbitrary::json;
    use crate::json::tree::Json;

    fn check(tree: &Json, stored: &str) {
        assert_eq!(serde_json::to_string(tree).unwrap(), stored);
        assert_eq!(serde_json::from_str::<Json>(stored).unwrap(), *tree, "{stored}");
    }

    #[test]
    fn plain_values_are_stored_plainly_and_the_others_marked() {
        let stored = |text: &str, stored: &str| check(&text.parse().unwrap(), stored);
        stored(
            r#"{"a":[1,-1,18446744073709551615,true,null,"x"]}"#,
            r#"{"a":[1,-1,18446744073709551615,true,null,"x"]}"#,
        );
        stored("[1.0,-0,1e400]", r#"[{"$number":"1.0"},{"$number":"-0"},{"$number":"1e400"}]"#);
        stored(r#""a\ud800""#, r#"{"$utf16":[97,55296]}"#);
        stored(r#"{"a":1,"a":2}"#, r#"{"$members":[["a",1],["a",2]]}"#);
        stored(r#"{"\ud800":1}"#, r#"{"$members":[[{"$utf16":[55296]},1]]}"#);
        stored(r#"{"$number":"1.0"}"#, r#"{"$members":[["$number","1.0"]]}"#);
    }

    #[test]
    fn a_value_too_deep_for_serde_json_is_stored_as_its_text() {
        for depth in [32, 33, 127, 128, 512] {
            let nested = (1..depth).fold(r#"{"$a":1.0}"#.to_owned(), |inner, _| format!(r#"{{"b":1,"b":{inner}}}"#));
            let tree: Json = nested.parse().unwrap();
            let stored = serde_json::to_string(&[&tree]).unwrap();
            assert_eq!(stored.starts_with(r#"[{"$text":"#), depth > 32);
            assert_eq!(serde_json::from_str::<Vec<Json>>(&stored).unwrap(), [tree]);
        }
    }

    #[test]
    fn what_we_never_write_is_refused() {
        for (foreign, message) in [
            ("1.5", r#"the spelling of 1.5 is not known; write {"$number": "1.5"}"#),
            (r#"{"$ref":1}"#, r#""$ref" is no mark of a stored json value; write such a member inside "$members""#),
            (r#"{"a":1,"$number":"1"}"#, r#""$number" must be the only member"#),
            (r#"{"$number":"1","a":1}"#, r#""$number" must be the only member"#),
            (r#"{"$number":"01"}"#, "a number must not begin with superfluous zeros"),
        ] {
            let error = serde_json::from_str::<Json>(foreign).unwrap_err().to_string();
            assert!(error.starts_with(message), "{foreign}: {error}");
        }
    }

    proptest! {
        #[test]
        fn storing_and_reading_is_the_identity(tree in json()) {
            let stored = serde_json::to_string(&tree).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Json>(&stored).unwrap(), &tree);
            let value = serde_json::to_value(&tree).unwrap();
            prop_assert_eq!(serde_json::from_value::<Json>(value).unwrap(), tree);
        }
    }
}
