//! A request as the reference server takes it, and an answer as it gives it; hyper stops here. What a request means is
//! decided elsewhere.

use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, TRANSFER_ENCODING};
use hyper::{Request, Response};

use crate::contract::Outcome;
use crate::json::{Json, Spelling, Text};
use crate::reference::policy::{Grammar, Spelled};

/// No honest request is larger.
pub const LARGEST_BODY: usize = 16 * 1024 * 1024;

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    /// `POST`, …
    pub method: String,
    /// The path, as sent.
    pub path: String,
    /// The query, decoded, in the order sent.
    pub query: Vec<(String, String)>,
    /// Headers, in the order sent.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// Whether the body came in chunks.
    pub chunked: bool,
}

/// An answer, before it is spelled.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// Headers, `Content-Type` included.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Json,
    /// What it amounts to.
    pub outcome: Outcome,
    /// Whether it was made from the record of a key.
    pub from_record: bool,
}

impl Call {
    /// Reads a whole request; none when its body is too large or breaks off.
    pub async fn read(request: Request<Incoming>) -> Result<Self, String> {
        let (head, body) = request.into_parts();
        let chunked = head.headers.contains_key(TRANSFER_ENCODING);
        let headers = head
            .headers
            .iter()
            .map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
            .collect();
        let body = Limited::new(body, LARGEST_BODY).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                format!("the body is larger than {LARGEST_BODY} bytes")
            } else {
                format!("the body broke off: {error}")
            }
        })?;
        Ok(Self {
            method: head.method.as_str().to_owned(),
            path: head.uri.path().to_owned(),
            query: pairs(head.uri.query().unwrap_or_default()),
            headers,
            body: body.to_bytes(),
            chunked,
        })
    }

    /// The first value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        crate::message::header(&self.headers, name)
    }

    /// The body as JSON, or what is wrong with it; no body is `null`.
    pub fn json(&self, grammar: Grammar) -> Result<Json, String> {
        if let Some(coding) = self.header(CONTENT_ENCODING.as_str()).filter(|coding| *coding != "identity") {
            return Err(format!("the content coding {coding} is not taken here"));
        }
        if self.body.is_empty() {
            return Ok(Json::Null);
        }
        if let Some(named) = self.header(CONTENT_TYPE.as_str()) {
            let essence = named.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            if essence != "application/json" && !essence.ends_with("+json") {
                return Err(format!("the content type {essence} is not taken here"));
            }
        }
        let json = Json::parse(&self.body).map_err(|error| format!("the body is not JSON: {error}"))?;
        if !has_unpaired_surrogate(&json) {
            return Ok(json);
        }
        if grammar == Grammar::ReplacesSurrogates {
            return Ok(with_replacements(json));
        }
        Err("the body holds an unpaired surrogate".to_owned())
    }

    /// The query as an object of texts; of equal names the last counts.
    pub fn query_object(&self) -> Json {
        Json::object(self.query.iter().map(|(name, value)| (name.as_str(), Json::text(value.as_str()))))
    }
}

impl Answer {
    /// An answer with a JSON body.
    pub fn new(status: u16, headers: Vec<(String, String)>, body: Json, outcome: Outcome) -> Self {
        let mut all = vec![("Content-Type".to_owned(), "application/json".to_owned())];
        all.extend(headers);
        Self { status, headers: all, body, outcome, from_record: false }
    }

    /// The answer for hyper.
    pub fn into_response(self, spelled: Spelled) -> Response<Full<Bytes>> {
        let text = match spelled {
            Spelled::Compact => self.body.to_string(),
            Spelled::Indented => self.body.spelled(Spelling::Indented),
            Spelled::MembersReversed => self.body.spelled(Spelling::MembersReversed),
        };
        let mut builder = Response::builder().status(self.status);
        for (name, value) in &self.headers {
            builder = builder.header(name, value);
        }
        builder.body(Full::new(Bytes::from(text))).unwrap_or_else(|error| {
            let mut broken =
                Response::new(Full::new(Bytes::from(format!("the contract's answer is not HTTP: {error}"))));
            *broken.status_mut() = hyper::StatusCode::INTERNAL_SERVER_ERROR;
            broken
        })
    }
}

/// `%41` and `+` in a query, `%41` in a path.
pub fn decoded(text: &str, plus_is_space: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after
            .get(..2)
            .filter(|_| *first == b'%')
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escaped {
            Some(byte) => bytes.push(byte),
            None if *first == b'+' && plus_is_space => bytes.push(b' '),
            None => bytes.push(*first),
        }
        rest = if escaped.is_some() { after.get(2..).unwrap_or_default() } else { after };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The pairs of a query, decoded.
pub fn pairs(query: &str) -> Vec<(String, String)> {
    let pieces = query.split('&').filter(|piece| !piece.is_empty());
    pieces
        .map(|piece| {
            let (name, value) = piece.split_once('=').unwrap_or((piece, ""));
            (decoded(name, true), decoded(value, true))
        })
        .collect()
}

/// A saboteur's reading: every surrogate without its partner as U+FFFD.
fn with_replacements(json: Json) -> Json {
    match json {
        Json::String(text) => Json::text(text.to_string_lossy()),
        Json::Array(items) => Json::Array(items.into_iter().map(with_replacements).collect()),
        Json::Object(members) => {
            let whole = |(name, value): (Text, Json)| (Text::from(name.to_string_lossy()), with_replacements(value));
            Json::Object(members.into_iter().map(whole).collect())
        }
        plain @ (Json::Null | Json::Bool(_) | Json::Number(_)) => plain,
    }
}

fn has_unpaired_surrogate(json: &Json) -> bool {
    match json {
        Json::String(text) => text.has_unpaired_surrogate(),
        Json::Array(items) => items.iter().any(has_unpaired_surrogate),
        Json::Object(members) => {
            members.iter().any(|(name, value)| name.has_unpaired_surrogate() || has_unpaired_surrogate(value))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::reference::call::{decoded, pairs};

    #[test]
    fn escapes_are_decoded_and_broken_ones_kept() {
        assert_eq!(decoded("a%20b%C3%A9%4", false), "a b\u{e9}%4");
        assert_eq!(decoded("a+b", false), "a+b");
    }

    #[test]
    fn a_query_is_a_list_of_pairs() {
        let expected = [("a", "1 2"), ("b", ""), ("c", "x=y")].map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(pairs("a=1+2&b&&c=x%3Dy"), expected);
    }
}
