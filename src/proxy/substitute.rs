//! The answers of somebody on the way: a refusal or a redirect. They look like any small gateway's; they carry no mark
//! of ours and nothing of what the origin said.

use std::time::{Duration, SystemTime};

use crate::fault::{Refusal, RetryAfter};
use crate::message::{Framing, Octets, Response};

/// The last second of the year 9999, where HTTP dates end.
const LAST_DATE: Duration = Duration::from_secs(253_402_300_799);

/// A refusal, in these words or in a small gateway's own.
pub(super) fn refusal(refusal: &Refusal, says: Option<&str>) -> Response {
    let status = refusal.status.unwrap_or(200);
    let own = || format!("{{\"error\":\"{}\"}}", reason(status).to_ascii_lowercase());
    let body = says.map_or_else(own, str::to_owned);
    let mut headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    if let Some(retry_after) = &refusal.retry_after {
        headers.push(("Retry-After".to_owned(), retry_after_text(retry_after, SystemTime::now())));
    }
    answer(status, headers, body)
}

/// A redirect to the same path and query, as spelled.
pub(super) fn redirect(status: u16, target: &str) -> Response {
    answer(status, vec![("Location".to_owned(), target.to_owned())], String::new())
}

/// The bytes on the wire.
pub(super) fn to_bytes(answer: &Response) -> Vec<u8> {
    let mut bytes = format!("HTTP/1.1 {} {}\r\n", answer.status, reason(answer.status)).into_bytes();
    for (name, value) in &answer.headers {
        // Latin-1, as it was taken in.
        bytes.extend(
            format!("{name}: {value}\r\n").chars().map(|letter| u8::try_from(u32::from(letter)).unwrap_or(b'?')),
        );
    }
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(&answer.body.0);
    bytes
}

fn answer(status: u16, mut headers: Vec<(String, String)>, body: String) -> Response {
    let may_have_body = !matches!(status, 100..=199 | 204 | 304);
    let body = if may_have_body { body } else { String::new() };
    if may_have_body {
        headers.push(("Content-Length".to_owned(), body.len().to_string()));
    }
    let framing = if may_have_body { Framing::Length } else { Framing::None };
    let mut answer = Response { status, headers, body: Octets(body.into_bytes()), framing, wire_length: 0 };
    answer.wire_length = to_bytes(&answer).len() as u64;
    answer
}

/// A date is never earlier than it was declared to be: it has whole seconds only, so the next one is taken.
fn retry_after_text(retry_after: &RetryAfter, now: SystemTime) -> String {
    match retry_after {
        RetryAfter::Seconds(seconds) => seconds.to_string(),
        RetryAfter::Text(text) => text.clone(),
        RetryAfter::Date(offset) => {
            let shift = Duration::from_secs(offset.unsigned_abs());
            let exact = if *offset < 0 { now.checked_sub(shift) } else { now.checked_add(shift) };
            let since = exact.and_then(|date| date.duration_since(SystemTime::UNIX_EPOCH).ok());
            let beyond = if *offset < 0 { Duration::ZERO } else { LAST_DATE };
            let since = since.unwrap_or(beyond).min(LAST_DATE);
            let seconds = since.as_secs() + u64::from(since.subsec_nanos() > 0);
            httpdate::fmt_http_date(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        }
    }
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        307 => "Temporary Redirect",
        308 => "Permanent Redirect",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        408 => "Request Timeout",
        409 => "Conflict",
        410 => "Gone",
        413 => "Content Too Large",
        421 => "Misdirected Request",
        422 => "Unprocessable Content",
        425 => "Too Early",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        501 => "Not Implemented",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ => "Unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer_of(status: u16, retry_after: Option<RetryAfter>) -> Refusal {
        Refusal { status: Some(status), outcome: None, retry_after }
    }

    #[test]
    fn a_refusal_says_what_it_is_given_to_say() {
        let refusal = refusal(&answer_of(409, None), Some("{\"code\":\"busy\"}"));
        assert_eq!((refusal.status, refusal.body.0.as_slice()), (409, br#"{"code":"busy"}"#.as_slice()));
    }

    #[test]
    fn a_refusal_says_no_more_than_a_gateway_would() {
        let refusal = refusal(&answer_of(429, Some(RetryAfter::Seconds(2))), None);
        let bytes = to_bytes(&refusal);
        assert_eq!(
            String::from_utf8_lossy(&bytes),
            "HTTP/1.1 429 Too Many Requests\r\nContent-Type: application/json\r\nRetry-After: 2\r\nContent-Length: 29\r\n\r\n\
             {\"error\":\"too many requests\"}"
        );
        assert_eq!(refusal.wire_length, bytes.len() as u64);
    }

    #[test]
    fn a_date_is_never_earlier_than_declared() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_millis(1_500);
        for (offset, text) in [
            (5, "Thu, 01 Jan 1970 00:00:07 GMT"),
            (-1, "Thu, 01 Jan 1970 00:00:01 GMT"),
            (-9, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (i64::MAX, "Fri, 31 Dec 9999 23:59:59 GMT"),
        ] {
            assert_eq!(retry_after_text(&RetryAfter::Date(offset), now), text);
        }
    }

    #[test]
    fn an_answer_that_cannot_have_a_body_has_none() {
        let refusal = refusal(&answer_of(204, None), None);
        assert_eq!((refusal.framing, refusal.body.0.len()), (Framing::None, 0));
    }

    #[test]
    fn a_redirect_leads_to_the_same_path_as_spelled() {
        assert_eq!(redirect(307, "/a%2Fb?c=d").header("location"), Some("/a%2Fb?c=d"));
    }
}
