//! A request or an answer on one line, for people. What a curl line needs to be exact is not here.

use crate::json::Json;
use crate::message::{Request, Response};
use crate::report::wording::{shorten, visible};

/// How much of a body is shown.
const BODY: usize = 72;

/// How much of a key is shown.
const KEY: usize = 40;

/// `POST /things  key k-91`.
pub fn asked(request: &Request, key: Option<&str>) -> String {
    let line = format!("{} {}", visible(&request.method), shorten(&visible(&request.target), BODY));
    match key {
        Some(key) => format!("{line}  key {}", shorten(&visible(key), KEY)),
        None => line,
    }
}

/// `200 {"id":"d41"}`.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Framing, Octets};

    fn check(key: Option<&str>, expected: &str) {
        let request = Request {
            method: "POST".into(),
            target: "/v1/decide".into(),
            headers: Vec::new(),
            body: Octets::from("{}"),
            framing: Framing::Length,
        };
        assert_eq!(asked(&request, key), expected);
    }

    #[test]
    fn a_key_is_shown_on_the_line_of_its_request() {
        check(Some("k-91"), "POST /v1/decide  key k-91");
        check(Some("k\0"), r"POST /v1/decide  key k\u{0}");
        check(None, "POST /v1/decide");
        check(Some(&"x".repeat(300)), &format!("POST /v1/decide  key {}…", "x".repeat(39)));
    }

    #[test]
    fn a_body_is_one_line_whatever_it_holds() {
        assert_eq!(body_line(b"{\n  \"a\": 1\n}"), r#"{"a":1}"#);
        assert_eq!(body_line(b"<h1>\x1b[2J\nno</h1>\n"), r"<h1>\u{1b}[2J\nno</h1>");
        assert_eq!(body_line(&[0xff, 0xfe]), "2 bytes that are no text");
        assert_eq!(body_line("決".repeat(80).as_bytes()), format!("{}…", "決".repeat(35)));
    }
}
