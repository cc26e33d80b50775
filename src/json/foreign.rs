//! To and from `serde_json::Value`, for template engines and JSONPath, which know no other value.
//! What comes back from there is never evidence: `to_serde` loses spelling, duplicates and unpaired surrogates.

use serde_json::{Map, Number as SerdeNumber, Value};

use crate::json::number::Number;
use crate::json::text::Text;
use crate::json::tree::Json;

impl Json {
    /// The nearest `serde_json::Value`.
    ///
    /// Of duplicates the last stays, unpaired surrogates become U+FFFD, numbers are respelled and rounded to `f64`;
    /// one that lies beyond all floats, such as `1e400`, becomes a string with its spelling.
    pub fn to_serde(&self) -> Value {
        match self {
            Json::Null => Value::Null,
            Json::Bool(truth) => Value::Bool(*truth),
            Json::Number(number) => nearest(number),
            Json::String(text) => Value::String(text.to_string_lossy()),
            Json::Array(items) => Value::Array(items.iter().map(Json::to_serde).collect()),
            Json::Object(members) => {
                let pairs = members.iter().map(|(name, value)| (name.to_string_lossy(), value.to_serde()));
                Value::Object(pairs.collect::<Map<_, _>>())
            }
        }
    }

    /// The same value here, with numbers in the spelling that serde_json gives them.
    pub fn from_serde(value: &Value) -> Json {
        match value {
            Value::Null => Json::Null,
            Value::Bool(truth) => Json::Bool(*truth),
            Value::Number(number) => {
                number.to_string().parse().map_or_else(|_| Json::text(number.to_string()), Json::Number)
            }
            Value::String(text) => Json::text(text.as_str()),
            Value::Array(items) => Json::Array(items.iter().map(Json::from_serde).collect()),
            Value::Object(members) => Json::Object(
                members.iter().map(|(name, value)| (Text::from(name.as_str()), Json::from_serde(value))).collect(),
            ),
        }
    }
}

fn nearest(number: &Number) -> Value {
    let integer = number.as_u64().map(SerdeNumber::from).or_else(|| number.as_i64().map(SerdeNumber::from));
    let nearest = integer.or_else(|| number.as_f64().and_then(SerdeNumber::from_f64));
    nearest.map_or_else(|| Value::String(number.as_str().to_owned()), Value::Number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use crate::json::arbitrary::json;
    use crate::json::tree::Json;

    #[test]
    fn what_serde_json_cannot_hold_becomes_the_nearest_value() {
        let tree: Json = r#"{"a":1,"b":[1e0,1e400,-7,18446744073709551616],"c":"\ud800","a":2}"#.parse().unwrap();
        assert_eq!(
            tree.to_serde(),
            serde_json::json!({"a": 2, "b": [1.0, "1e400", -7, 18446744073709551616.0], "c": "\u{fffd}"}),
        );
    }

    proptest! {
        #[test]
        fn what_serde_json_holds_comes_back_unchanged(tree in json()) {
            let value = tree.to_serde();
            prop_assert_eq!(Json::from_serde(&value).to_serde(), value);
        }
    }
}
