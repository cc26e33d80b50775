//! Fills `{{ name }}` in bodies and targets. An unknown name is an error; a point in time becomes its mark.

use std::collections::BTreeMap;

use crate::json::Json;

/// The names that a template may use, and their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Names(pub BTreeMap<String, String>);

impl Names {
    /// The text with its names filled.
    fn fill(&self, text: &str, encode: fn(&str) -> String) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else {
                return Err(format!("`{text}` opens `{{{{` and never closes it"));
            };
            filled.push_str(&rest[..start]);
            let name = rest[start + 2..start + length].trim();
            let moment = crate::moment::mark(name);
            let value = self.0.get(name).or(moment.as_ref()).ok_or_else(|| {
                let known: Vec<&str> = self.0.keys().map(String::as_str).collect();
                format!("`{name}` is not known here; known are {}", known.join(", "))
            })?;
            filled.push_str(&encode(value));
            rest = &rest[start + length + 2..];
        }
        filled.push_str(rest);
        Ok(filled)
    }
}

/// A target with its names filled, percent-encoded.
pub fn render_text(text: &str, names: &Names) -> Result<String, String> {
    names.fill(text, percent_encoded)
}

/// A body with the names in its texts filled.
pub fn render_json(body: &Json, names: &Names) -> Result<Json, String> {
    Ok(match body {
        Json::String(text) => match text.as_str() {
            Some(plain) => Json::text(names.fill(plain, str::to_owned)?),
            None => body.clone(),
        },
        Json::Array(items) => Json::Array(items.iter().map(|item| render_json(item, names)).collect::<Result<_, _>>()?),
        Json::Object(members) => Json::Object(
            members
                .iter()
                .map(|(name, value)| Ok((name.clone(), render_json(value, names)?)))
                .collect::<Result<_, String>>()?,
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) => body.clone(),
    })
}

/// Everything but unreserved characters (RFC 3986) as `%XX`.
fn percent_encoded(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
            other => format!("%{other:02X}"),
        })
        .collect()
}
