//! Heads of requests and answers: what they say, and how the body after them ends. The bytes themselves stay where they
//! are; nothing here respells a name or drops a header that the evidence should show.

use std::mem::MaybeUninit;

use crate::proxy::wire::body::BodyRule;
use crate::proxy::wire::parser::{BadMessage, Head};

/// More headers than this are not read.
const HEADERS: usize = 256;

/// Names and values in order, as spelled.
pub type Headers = Vec<(String, String)>;

/// A request's head: what has to be known to pass it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestHead {
    /// What its answer's body depends on.
    pub asked: Asked,
    /// How its body ends.
    pub body: BodyRule,
    /// Whether the caller means to go on with the connection.
    pub keep_alive: bool,
    /// Whether the caller waits for `100 Continue`.
    pub expects_continue: bool,
    length: usize,
}

/// An answer's head: what has to be known to pass it on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerHead {
    /// The status.
    pub status: u16,
    /// How its body ends.
    pub body: BodyRule,
    /// Whether the origin means to go on with the connection.
    pub keep_alive: bool,
    length: usize,
}

impl RequestHead {
    /// Method, target and headers of the head that these bytes begin with, as spelled; the two framing headers left
    /// out, bytes above 127 as Latin-1.
    pub fn spelled(bytes: &[u8]) -> Option<(String, String, Headers)> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
        let mut head = httparse::Request::new(&mut []);
        head.parse_with_uninit_headers(bytes, &mut headers).ok()?;
        let kept = head.headers.iter().filter(|header| !is_framing(header.name)).map(spelled).collect();
        Some((head.method?.to_owned(), head.path?.to_owned(), kept))
    }
}

impl AnswerHead {
    /// The headers of the head that these bytes begin with, in order, as spelled; bytes above 127 as Latin-1.
    pub fn headers(bytes: &[u8]) -> Option<Headers> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
        let mut head = httparse::Response::new(&mut []);
        httparse::ParserConfig::default().parse_response_with_uninit_headers(&mut head, bytes, &mut headers).ok()?;
        Some(head.headers.iter().map(spelled).collect())
    }

    /// Whether a final answer is still to come.
    pub fn is_interim(&self) -> bool {
        (100..200).contains(&self.status) && self.status != 101
    }
}

/// What an answer's body depends on besides its own head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Any method but HEAD.
    Whole,
    /// HEAD: the answer has no body, whatever its headers say.
    HeadOnly,
}

impl Asked {
    /// What a request with this method, or one that begins with it, asks for.
    pub fn by(method: &[u8]) -> Self {
        match method.strip_prefix(b"HEAD") {
            Some([] | [b' ', ..]) => Asked::HeadOnly,
            Some(_) | None => Asked::Whole,
        }
    }
}

impl Head for RequestHead {
    type Asked = ();

    fn read(bytes: &[u8], (): ()) -> Result<Option<Self>, BadMessage> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
        let mut head = httparse::Request::new(&mut []);
        let length = match head.parse_with_uninit_headers(bytes, &mut headers)? {
            httparse::Status::Complete(length) => length,
            httparse::Status::Partial => return Ok(None),
        };
        let said = Said::of(head.headers, head.version)?;
        let body = match (said.coding, said.length) {
            (Some(Coding::Chunked), _) => BodyRule::Chunked,
            (Some(Coding::Other), _) => return Err(BadMessage::Framing("a request whose last coding is not chunked")),
            (None, Some(length)) => BodyRule::Length(length),
            (None, None) => BodyRule::None,
        };
        Ok(Some(Self {
            asked: Asked::by(head.method.unwrap_or_default().as_bytes()),
            body,
            keep_alive: said.keep_alive,
            expects_continue: said.expects_continue,
            length,
        }))
    }

    fn length(&self) -> usize {
        self.length
    }

    fn body(&self) -> BodyRule {
        self.body
    }
}

impl Head for AnswerHead {
    type Asked = Asked;

    fn read(bytes: &[u8], asked: Asked) -> Result<Option<Self>, BadMessage> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADERS];
        let mut head = httparse::Response::new(&mut []);
        let config = httparse::ParserConfig::default();
        let length = match config.parse_response_with_uninit_headers(&mut head, bytes, &mut headers)? {
            httparse::Status::Complete(length) => length,
            httparse::Status::Partial => return Ok(None),
        };
        let status = head.code.unwrap_or_default();
        let said = Said::of(head.headers, head.version)?;
        let body = match (asked, status) {
            (Asked::HeadOnly, _) | (_, 100..=199 | 204 | 304) => BodyRule::None,
            (Asked::Whole, _) => match (said.coding, said.length) {
                (Some(Coding::Chunked), _) => BodyRule::Chunked,
                (Some(Coding::Other), _) | (None, None) => BodyRule::UntilClose,
                (None, Some(length)) => BodyRule::Length(length),
            },
        };
        let keep_alive = said.keep_alive && status != 101 && body != BodyRule::UntilClose;
        Ok(Some(Self { status, body, keep_alive, length }))
    }

    fn length(&self) -> usize {
        self.length
    }

    fn body(&self) -> BodyRule {
        self.body
    }
}

/// What the headers say about the message itself.
struct Said {
    length: Option<u64>,
    coding: Option<Coding>,
    keep_alive: bool,
    expects_continue: bool,
}

/// The last transfer coding.
#[derive(Clone, Copy)]
enum Coding {
    Chunked,
    Other,
}

impl Said {
    fn of(headers: &[httparse::Header<'_>], version: Option<u8>) -> Result<Self, BadMessage> {
        let mut said = Self { length: None, coding: None, keep_alive: version == Some(1), expects_continue: false };
        for httparse::Header { name, value } in headers {
            if name.eq_ignore_ascii_case("content-length") {
                for number in value.split(|byte| *byte == b',') {
                    let length = length(number.trim_ascii())?;
                    if said.length.is_some_and(|known| known != length) {
                        return Err(BadMessage::Framing("two content-lengths that differ"));
                    }
                    said.length = Some(length);
                }
            } else if name.eq_ignore_ascii_case("transfer-encoding") {
                let last = value.rsplit(|byte| *byte == b',').next().unwrap_or_default().trim_ascii();
                said.coding = Some(if last.eq_ignore_ascii_case(b"chunked") { Coding::Chunked } else { Coding::Other });
            } else if name.eq_ignore_ascii_case("connection") {
                for token in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                    if token.eq_ignore_ascii_case(b"close") {
                        said.keep_alive = false;
                    } else if token.eq_ignore_ascii_case(b"keep-alive") && version == Some(0) {
                        said.keep_alive = true;
                    }
                }
            } else if name.eq_ignore_ascii_case("expect") {
                said.expects_continue |= value.trim_ascii().eq_ignore_ascii_case(b"100-continue");
            }
        }
        Ok(said)
    }
}

fn is_framing(name: &str) -> bool {
    name.eq_ignore_ascii_case("content-length") || name.eq_ignore_ascii_case("transfer-encoding")
}

fn length(digits: &[u8]) -> Result<u64, BadMessage> {
    let bad = BadMessage::Framing("a content-length that is no number");
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Err(bad);
    }
    std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).ok_or(bad)
}

fn spelled(header: &httparse::Header<'_>) -> (String, String) {
    let value = match std::str::from_utf8(header.value) {
        Ok(text) if text.is_ascii() => text.to_owned(),
        Ok(_) | Err(_) => header.value.iter().map(|byte| char::from(*byte)).collect(),
    };
    (header.name.to_owned(), value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &str, asked: Asked) -> AnswerHead {
        AnswerHead::read(text.as_bytes(), asked).expect("a readable head").expect("a whole head")
    }

    #[test]
    fn a_request_keeps_its_spelling_and_leaves_its_framing_to_the_framing() {
        let text = "POST /a?b HTTP/1.1\r\nhOsT: h\r\nContent-Length: 3\r\nX-Odd:  \u{e9} \r\nx-odd: 2\r\n\r\n";
        let bytes: Vec<u8> = text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect();
        let head = RequestHead::read(&bytes, ()).expect("a readable head").expect("a whole head");
        let (method, target, headers) = RequestHead::spelled(&bytes).expect("a whole head");
        assert_eq!((method.as_str(), target.as_str()), ("POST", "/a?b"));
        let kept: Vec<_> = headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(kept, [("hOsT", "h"), ("X-Odd", "\u{e9}"), ("x-odd", "2")]);
        assert_eq!((head.body, head.keep_alive, head.length()), (BodyRule::Length(3), true, bytes.len()));
    }

    #[test]
    fn an_answer_has_no_body_where_there_can_be_none() {
        let text = |status| format!("HTTP/1.1 {status} x\r\nContent-Length: 5\r\n\r\n");
        for status in [100, 199, 204, 304] {
            assert_eq!(answer(&text(status), Asked::Whole).body, BodyRule::None, "{status}");
        }
        assert_eq!(answer(&text(200), Asked::HeadOnly).body, BodyRule::None);
        assert_eq!(answer(&text(200), Asked::Whole).body, BodyRule::Length(5));
        assert_eq!(answer("HTTP/1.1 200 x\r\n\r\n", Asked::Whole).body, BodyRule::UntilClose);
    }

    #[test]
    fn chunked_wins_over_a_length_and_a_length_said_twice_must_be_the_same() {
        let both = "HTTP/1.1 200 x\r\nContent-Length: 5\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n";
        assert_eq!(answer(both, Asked::Whole).body, BodyRule::Chunked);
        let differ = "HTTP/1.1 200 x\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n";
        assert!(matches!(AnswerHead::read(differ.as_bytes(), Asked::Whole), Err(BadMessage::Framing(_))));
        assert_eq!(answer("HTTP/1.1 200 x\r\nContent-Length: 5, 5\r\n\r\n", Asked::Whole).body, BodyRule::Length(5));
    }

    #[test]
    fn who_goes_on_with_the_connection_depends_on_version_and_header() {
        for (version, header, goes_on) in [
            ("1.1", "X: y", true),
            ("1.1", "Connection: x, Close", false),
            ("1.0", "X: y", false),
            ("1.0", "Connection: Keep-Alive", true),
        ] {
            let text = format!("HTTP/{version} 200 x\r\nContent-Length: 0\r\n{header}\r\n\r\n");
            assert_eq!(answer(&text, Asked::Whole).keep_alive, goes_on, "{text}");
        }
    }

    #[test]
    fn only_the_method_head_asks_for_no_body() {
        assert_eq!(
            [b"HEAD".as_slice(), b"HEAD /", b"HEADS /", b"GET /"].map(Asked::by),
            [Asked::HeadOnly, Asked::HeadOnly, Asked::Whole, Asked::Whole]
        );
    }
}
