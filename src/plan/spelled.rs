//! Ways to write and to carry the same content: it changes bytes, never what they mean.

use crate::file::Span;
use crate::json::Spelling;
use crate::message::{Framing, Request};
use crate::plan::intent::{PlanProblem, problem};

/// How the same content is written and carried.
pub struct Spelled {
    /// How the JSON is written.
    pub json: Spelling,
    transport: Option<String>,
}

/// Ways to carry the same content that are not ways to write JSON.
pub const TRANSPORT_WORDS: &[&str] = &["chunked", "header case", "other user agent", "charset"];

impl Spelled {
    /// From a scenario's word; none is the plain way.
    pub fn parse(word: Option<(String, Span)>) -> Result<Self, PlanProblem> {
        let Some((word, span)) = word else { return Ok(Self { json: Spelling::Compact, transport: None }) };
        if TRANSPORT_WORDS.contains(&word.as_str()) {
            return Ok(Self { json: Spelling::Compact, transport: Some(word) });
        }
        match word.parse() {
            Ok(json) => Ok(Self { json, transport: None }),
            Err(_) => Err(problem(span, format!("`{word}` is not a way to write the same content"), "not a spelling")),
        }
    }

    /// Changes how a request is carried.
    pub fn transport(&self, request: &mut Request) {
        match self.transport.as_deref() {
            Some("chunked") => request.framing = Framing::Chunked,
            Some("header case") => {
                for (name, _) in &mut request.headers {
                    *name = name
                        .char_indices()
                        .map(
                            |(at, letter)| {
                                if at % 2 == 0 { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() }
                            },
                        )
                        .collect();
                }
            }
            Some("other user agent") => request.headers.push(("User-Agent".to_owned(), "another-client/2".to_owned())),
            Some("charset") => {
                for (name, value) in &mut request.headers {
                    if name.eq_ignore_ascii_case("content-type") {
                        value.push_str("; charset=utf-8");
                    }
                }
            }
            Some(_) | None => {}
        }
    }
}
