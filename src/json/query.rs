//! JSONPath (RFC 9535) over a value as it was spelled: which parts of it a path selects. What a path begins at has to be
//! there: an answer without it says nothing, and not that there is none.

use serde_json_path::{JsonPath, PathElement};

use crate::json::{Json, Pointer};

/// A path, and where it begins to choose.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    path: JsonPath,
    /// The part before the first wildcard, filter or slice: it names one place.
    stem: JsonPath,
    /// How the stem is written.
    begins_at: String,
    /// Whether the whole path names one place.
    is_one_place: bool,
}

impl Query {
    /// Reads a path; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let path = JsonPath::parse(text).map_err(|error| error.to_string())?;
        let begins_at = stem(text).to_owned();
        let stem = JsonPath::parse(&begins_at).map_err(|error| error.to_string())?;
        Ok(Self { path, stem, is_one_place: begins_at.trim() == text.trim(), begins_at })
    }

    /// Whether it names one place, and chooses nothing.
    pub fn is_one_place(&self) -> bool {
        self.is_one_place
    }

    /// What it selects, in order; the error says what it begins at and does not find.
    pub fn select(&self, json: &Json) -> Result<Vec<Json>, String> {
        let value = json.to_serde();
        if self.stem.query(&value).is_empty() {
            return Err(format!("without anything at {}", self.begins_at));
        }
        let located = self.path.query_located(&value);
        let places = located.iter().map(|node| {
            let tokens = node.location().iter().map(|element| match element {
                PathElement::Name(name) => (*name).to_owned(),
                PathElement::Index(index) => index.to_string(),
            });
            tokens.fold(Pointer::root(), |place, token| place.push(token.as_str()))
        });
        // The part as it was spelled, not as the other library understood it.
        Ok(places.filter_map(|place| json.at(&place).cloned()).collect())
    }
}

/// A text as a literal of a path.
pub fn literal(text: &str) -> String {
    Json::text(text).to_string()
}

/// The beginning of a path that names one place.
fn stem(text: &str) -> &str {
    let mut end = text.find('$').map_or(0, |at| at + 1);
    loop {
        let rest = &text[end..];
        let segment = match rest.chars().next() {
            Some('.') => name(&rest[1..]).map(|length| length + 1),
            Some('[') => one_place(rest),
            _ => None,
        };
        match segment {
            Some(length) => end += length,
            None => return &text[..end],
        }
    }
}

/// The length of a name, if there is one.
fn name(text: &str) -> Option<usize> {
    let is_of_name = |letter: char| letter.is_alphanumeric() || letter == '_' || !letter.is_ascii();
    let length = text.find(|letter: char| !is_of_name(letter)).unwrap_or(text.len());
    (length > 0).then_some(length)
}

/// The length of `['name']` or `[0]`, if that is what stands here.
fn one_place(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('[')?;
    let blank = inner.len() - inner.trim_start().len();
    let selector = inner.trim_start();
    let length = match selector.chars().next()? {
        quote @ ('"' | '\'') => {
            let mut escaped = false;
            let end = selector.char_indices().skip(1).find(|(_, letter)| {
                let ends = *letter == quote && !escaped;
                escaped = *letter == '\\' && !escaped;
                ends
            });
            end?.0 + 1
        }
        _ => selector.find(|letter: char| !letter.is_ascii_digit() && letter != '-').filter(|length| *length > 0)?,
    };
    let behind = &selector[length..];
    let closed = behind.trim_start().strip_prefix(']')?;
    Some(1 + blank + length + (behind.len() - closed.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: &str = r#"{"items":[{"key":"a","n":1.0},{"key":"b\"]","n":2e0}],"total":2,"in":{"deep er":[7]}}"#;

    fn selected(path: &str) -> Result<String, String> {
        let json: Json = ANSWER.parse().expect("JSON");
        let found = Query::parse(path)?.select(&json)?;
        Ok(found.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_path_selects_parts_as_they_were_spelled() {
        for (path, expected) in [
            ("$.total", "2"),
            ("$.items[*].n", "1.0 2e0"),
            ("$.items[?@.key == 'a'].n", "1.0"),
            ("$.items[?@.key == 'none']", ""),
            ("$['in']['deep er'][0]", "7"),
            ("$..n", "1.0 2e0"),
        ] {
            assert_eq!(selected(path).as_deref(), Ok(expected), "{path}");
        }
    }

    #[test]
    fn a_text_as_a_literal_is_that_text_and_no_part_of_the_path() {
        for (text, expected) in [("b\"]", "2e0"), ("' || true || '", ""), ("a", "1.0"), ("a\\", "")] {
            let path = format!("$.items[?@.key == {}].n", literal(text));
            assert_eq!(selected(&path).as_deref(), Ok(expected), "{path}");
        }
    }

    #[test]
    fn what_a_path_begins_at_has_to_be_there() {
        for path in ["$.things[*]", "$.things", "$.in.deep[?@ > 1]", "$['in']['deeper'][0]"] {
            assert!(selected(path).expect_err(path).starts_with("without anything at $"), "{path}");
        }
    }

    #[test]
    fn what_is_no_path_is_refused() {
        for path in ["", "items", "$.", "$.items[", "$[?@.a ==]", "$.a b"] {
            assert!(Query::parse(path).is_err(), "{path}");
        }
    }

    #[test]
    fn a_stem_ends_where_a_path_begins_to_choose() {
        for (path, expected) in [
            ("$", "$"),
            ("$.a.b", "$.a.b"),
            ("$.a[0]['b c'].d", "$.a[0]['b c'].d"),
            ("$.a[*].b", "$.a"),
            ("$.a[?@.b == 'x']", "$.a"),
            ("$..b", "$"),
            ("$.a['b', 'c']", "$.a"),
            ("$.a[1:2]", "$.a"),
            (r#"$[ "a\"]" ].b[*]"#, r#"$[ "a\"]" ].b"#),
        ] {
            assert_eq!(stem(path), expected, "{path}");
        }
    }
}
