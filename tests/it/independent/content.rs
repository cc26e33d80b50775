//! What a body says, whatever way it is written: the sameness of two requests, by a reader of its own.
//! Member order, white space and escapes fall away; how a number is spelled does not.

use std::collections::BTreeMap;

use serde_json::value::RawValue;

/// The content as one text: two bodies say the same exactly if these are equal. None for what cannot be read.
pub fn content(text: &str, without: Option<&str>) -> Option<String> {
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    match text.as_bytes().first()? {
        b'{' => {
            let mut members: BTreeMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
            if let Some(name) = without {
                members.remove(name);
            }
            let each: Option<Vec<String>> =
                members.iter().map(|(name, value)| Some(format!("{name:?}:{}", content(value.get(), None)?))).collect();
            Some(format!("{{{}}}", each?.join(",")))
        }
        b'[' => {
            let items: Vec<Box<RawValue>> = serde_json::from_str(text).ok()?;
            let each: Option<Vec<String>> = items.iter().map(|item| content(item.get(), None)).collect();
            Some(format!("[{}]", each?.join(",")))
        }
        b'"' => Some(format!("{:?}", serde_json::from_str::<String>(text).ok()?)),
        _ => Some(text.to_owned()),
    }
}

#[test]
fn only_what_is_said_counts() {
    let same = |a: &str, b: &str| content(a, Some("key")) == content(b, Some("key"));
    assert!(same(r#"{"a":1,"b":"c","key":"x"}"#, "{ \"b\":\"\\u0063\",\n\"a\" : 1 }"));
    assert!(same(r#"{"a":{"key":1,"b":[]}}"#, r#"{"a":{"b":[ ],"key":1}}"#));
    for other in [r#"{"a":1.0}"#, r#"{"a":"1"}"#, r#"{"a":[1]}"#, r#"{"a":1,"b":null}"#, r#"{"a":{"key":1}}"#] {
        assert!(!same(r#"{"a":1}"#, other), "{other}");
    }
    assert_eq!(content(r#""\ud800""#, None), None);
}
