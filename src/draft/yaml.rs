//! Values as they are written into a drafted file. Every text is quoted unless it is one plain word, so that nothing in a
//! document becomes structure of a draft.

use crate::json::Json;

/// A text as a scalar.
pub fn scalar(text: &str) -> String {
    let is_plain = text.chars().next().is_some_and(|letter| letter.is_ascii_alphabetic())
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'));
    let has_meaning = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    match is_plain && !has_meaning.contains(&text.to_ascii_lowercase().as_str()) {
        true => text.to_owned(),
        false => Json::text(text).to_string(),
    }
}

/// A value as lines below a key, so far to the right.
pub fn below(value: &Json, indent: usize) -> String {
    match value.as_object() {
        Some(members) if !members.is_empty() => {
            let margin = " ".repeat(indent);
            let lines = members.iter().map(|(name, value)| {
                format!("\n{margin}{}:{}", scalar(&name.to_string_lossy()), below(value, indent + 2))
            });
            lines.collect()
        }
        _ => format!(" {value}"),
    }
}

/// A text as a comment of one line.
pub fn comment(text: &str) -> String {
    let line: String = text.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
    let words: Vec<&str> = line.split_whitespace().collect();
    words.join(" ").chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Source, json, read};

    #[test]
    fn what_is_written_is_read_back() {
        for text in [
            r#"{"a":1,"b c":{"d":"no","true":[1,{"x":null}],"e":{}},"on":"{{ user }}","7":"- x: y # z","é":"\u0007\"'\n"}"#,
            r#"{"a":"2026-01-01","b":"0755","c":"1.0","d":1.50,"e":true,"f":"~","g":"*a","h":"!t","i":""}"#,
        ] {
            let value: Json = text.parse().expect("JSON");
            let file = format!("body:{}\n", below(&value, 2));
            let tree = read(&Source::new("a.yaml", file.as_str())).unwrap_or_else(|problems| panic!("{problems}"));
            let back = json(tree.get("body").expect("a body"));
            assert_eq!(back.to_string(), value.to_string(), "{file}");
        }
    }

    #[test]
    fn a_comment_stays_one() {
        assert_eq!(comment("a\nb:\r\n  c\u{0}d"), "a b: c d");
    }
}
