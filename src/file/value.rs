//! A node of our files as JSON, with numbers as they are spelled. Only what JSON itself would call a number is one: `0755`,
//! `1_000` and `no` are texts.

use crate::file::node::{Kind, Node, Scalar};
use crate::json::{Json, Text};

/// The value that a node stands for.
pub fn json(node: &Node) -> Json {
    match &node.kind {
        Kind::List(items) => Json::Array(items.iter().map(json).collect()),
        Kind::Map(entries) => Json::Object(
            entries
                .iter()
                .map(|entry| (Text::from(entry.key.text().unwrap_or_default()), json(&entry.value)))
                .collect(),
        ),
        Kind::Scalar(scalar) => plain(scalar).unwrap_or_else(|| Json::text(scalar.text.clone())),
    }
}

fn plain(scalar: &Scalar) -> Option<Json> {
    if !scalar.plain {
        return None;
    }
    if scalar.is_null() {
        return Some(Json::Null);
    }
    match Json::parse(scalar.text.as_bytes()) {
        Ok(found @ (Json::Number(_) | Json::Bool(_) | Json::Null)) => Some(found),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Source, read};

    #[test]
    fn numbers_keep_their_spelling_and_what_is_no_json_number_is_text() {
        let source = Source::new(
            "a.yaml",
            "{ a: 41.0, b: 4.1e1, c: 0755, d: no, e: 1_000, f: \"7\", g: , h: true, i: \"cafe\\u0301\" }",
        );
        let value = json(&read(&source).expect("a map"));
        let expected = r#"{"a":41.0,"b":4.1e1,"c":"0755","d":"no","e":"1_000","f":"7","g":null,"h":true,"i":"café"}"#;
        assert_eq!(value.to_string(), expected.replace("café", "cafe\u{301}"));
    }
}
