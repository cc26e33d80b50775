//! A request or an answer on one line, for people. What a curl line needs to be exact is not here.

use crate::json::Json;
use crate::message::{Request, Response};
use crate::report::wording::{shorten, visible};

/// How much of a body is shown.
const BODY: usize = 72;

/// How much of a key is shown.
const KEY: usize = 40;

/// `POST /v1/decide  key k-91`.
pub fn asked(request: &Request) -> String {
    let line = format!("{} {}", visible(&request.method), shorten(&visible(&request.target), BODY));
    match key(request) {
        Some(key) => format!("{line}  key {}", shorten(&key, KEY)),
        None => line,
    }
}

/// `200 {"decision_id":"dec_41"}`.
pub fn answer(response: &Response) -> String {
    if response.body.0.is_empty() {
        return response.status.to_string();
    }
    format!("{} {}", response.status, body_line(&response.body.0))
}

/// The beginning of a body.
pub fn body_line(body: &[u8]) -> String {
    let line = match (Json::parse(body), std::str::from_utf8(body)) {
        (Ok(json), _) => json.to_string(),
        (Err(_), Ok(text)) => text.trim_end().to_owned(),
        (Err(_), Err(_)) => return format!("{} bytes that are no text", body.len()),
    };
    shorten(&visible(&line), BODY)
}

/// The key that a request carries, where a reader would look for it: headers and members that are named like one. The
/// report does not know the contract; a key with another name is still in the body that is shown.
fn key(request: &Request) -> Option<String> {
    let named = |name: &str| name.contains("idempotency") || name == "webhook-id" || name == "event_id";
    if let Some((_, value)) = request.headers.iter().find(|(name, _)| named(&name.to_ascii_lowercase())) {
        return Some(visible(value));
    }
    let body = Json::parse(&request.body.0).ok()?;
    let (_, value) =
        body.as_object()?.iter().find(|(name, _)| name.as_str().is_some_and(|name| named(&name.to_lowercase())))?;
    Some(match value.as_str() {
        Some(plain) => visible(plain),
        None => visible(&value.to_string()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Framing, Octets};

    fn check(header: Option<(&str, &str)>, body: &str, expected: &str) {
        let request = Request {
            method: "POST".into(),
            target: "/v1/decide".into(),
            headers: header.map(|(name, value)| (name.into(), value.into())).into_iter().collect(),
            body: Octets::from(body),
            framing: Framing::Length,
        };
        assert_eq!(asked(&request), expected);
    }

    #[test]
    fn a_key_is_shown_wherever_it_is_carried() {
        check(None, r#"{"idempotency_key":"k-91"}"#, "POST /v1/decide  key k-91");
        check(Some(("Idempotency-Key", "k\0")), "", r"POST /v1/decide  key k\u{0}");
        check(None, r#"{"idempotency_key":"\ud800"}"#, r#"POST /v1/decide  key "\ud800""#);
        check(None, r#"{"user":"u"}"#, "POST /v1/decide");
        check(None, "not json", "POST /v1/decide");
        let long = "x".repeat(300);
        let shown = format!("POST /v1/decide  key {}…", "x".repeat(39));
        check(Some(("idempotency-key", &long)), "", &shown);
    }

    #[test]
    fn a_body_is_one_line_whatever_it_holds() {
        assert_eq!(body_line(b"{\n  \"a\": 1\n}"), r#"{"a":1}"#);
        assert_eq!(body_line(b"<h1>\x1b[2J\nno</h1>\n"), r"<h1>\u{1b}[2J\nno</h1>");
        assert_eq!(body_line(&[0xff, 0xfe]), "2 bytes that are no text");
        assert_eq!(body_line("決".repeat(80).as_bytes()), format!("{}…", "決".repeat(35)));
    }
}
