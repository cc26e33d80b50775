//! Where a body ends: by length, by chunks, at the close, or at once. A framer looks at a growing buffer and remembers
//! how far it came; it never reads a socket and never repairs a chunk.

use crate::message::Framing;
use crate::proxy::wire::parser::{BadMessage, Bounds};

/// How the end of a body is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyRule {
    /// There is none.
    None,
    /// After so many bytes.
    Length(u64),
    /// After the last chunk and its trailers.
    Chunked,
    /// When the connection closes in order.
    UntilClose,
}

impl BodyRule {
    /// The same as evidence: the length itself is in the headers.
    pub fn framing(self) -> Framing {
        match self {
            BodyRule::None => Framing::None,
            BodyRule::Length(_) => Framing::Length,
            BodyRule::Chunked => Framing::Chunked,
            BodyRule::UntilClose => Framing::UntilClose,
        }
    }
}

/// A chunk-size line or a trailer line may be this long.
const LINE: usize = 8 * 1024;

/// Follows one body through a buffer that holds the message from its first byte.
#[derive(Debug)]
pub struct Framer {
    rule: BodyRule,
    /// Where the body begins: the length of the head.
    from: usize,
    /// Up to here the buffer was understood.
    at: usize,
    next: Next,
    content: Vec<u8>,
    last_chunk: Option<usize>,
}

/// What a chunked body goes on with.
#[derive(Clone, Copy, Debug)]
enum Next {
    Size,
    Data(usize),
    DataEnd,
    Trailer,
}

impl Framer {
    /// A framer for the body that begins at `from`.
    pub fn new(rule: BodyRule, from: usize) -> Self {
        Self { rule, from, at: from, next: Next::Size, content: Vec::new(), last_chunk: None }
    }

    /// The length of the whole message, once it is all there; until-close bodies never are, see [`Framer::closed`].
    pub fn advance(&mut self, message: &[u8], bounds: &Bounds) -> Result<Option<usize>, BadMessage> {
        match self.rule {
            BodyRule::None => Ok(Some(self.from)),
            BodyRule::Length(length) => {
                let length = usize::try_from(length).ok().filter(|length| *length <= bounds.body);
                let end = self.from.saturating_add(length.ok_or(BadMessage::BodyTooLong(bounds.body))?);
                Ok((message.len() >= end).then_some(end))
            }
            BodyRule::UntilClose => within(message.len(), self.from, bounds).map(|()| None),
            BodyRule::Chunked => {
                let end = self.chunks(message)?;
                within(end.unwrap_or(message.len()), self.from, bounds)?;
                Ok(end)
            }
        }
    }

    /// The length of the whole message if the close of the connection ends it.
    pub fn closed(&self, message: &[u8]) -> Option<usize> {
        match self.rule {
            BodyRule::UntilClose => Some(message.len()),
            BodyRule::None | BodyRule::Length(_) | BodyRule::Chunked => None,
        }
    }

    /// The content of the message, which ends at `end`.
    pub fn content(self, message: &[u8], end: usize) -> Vec<u8> {
        match self.rule {
            BodyRule::Chunked => self.content,
            BodyRule::None | BodyRule::Length(_) | BodyRule::UntilClose => {
                message.get(self.from..end).unwrap_or_default().to_vec()
            }
        }
    }

    /// Where the last chunk begins, in a chunked body that came so far.
    pub fn last_chunk(&self) -> Option<usize> {
        self.last_chunk
    }

    fn chunks(&mut self, message: &[u8]) -> Result<Option<usize>, BadMessage> {
        loop {
            match self.next {
                Next::Size => {
                    let Some(line) = line(message, self.at)? else { return Ok(None) };
                    let size = chunk_size(line)?;
                    if size == 0 {
                        self.last_chunk = Some(self.at);
                    }
                    self.at += line.len() + 2;
                    self.next = if size == 0 { Next::Trailer } else { Next::Data(size) };
                }
                Next::Data(left) => {
                    let there = message.get(self.at..).unwrap_or_default();
                    let taken = left.min(there.len());
                    self.content.extend_from_slice(&there[..taken]);
                    self.at += taken;
                    if taken < left {
                        self.next = Next::Data(left - taken);
                        return Ok(None);
                    }
                    self.next = Next::DataEnd;
                }
                Next::DataEnd => match message.get(self.at..).unwrap_or_default() {
                    [] | [b'\r'] => return Ok(None),
                    [b'\r', b'\n', ..] => {
                        self.at += 2;
                        self.next = Next::Size;
                    }
                    _ => return Err(BadMessage::Chunk("a chunk is longer than its size")),
                },
                Next::Trailer => {
                    let Some(line) = line(message, self.at)? else { return Ok(None) };
                    let last = line.is_empty();
                    self.at += line.len() + 2;
                    if last {
                        return Ok(Some(self.at));
                    }
                }
            }
        }
    }
}

/// Whether a body from `from` to `to` is not more than is read.
fn within(to: usize, from: usize, bounds: &Bounds) -> Result<(), BadMessage> {
    if to.saturating_sub(from) > bounds.body { Err(BadMessage::BodyTooLong(bounds.body)) } else { Ok(()) }
}

/// The line at `at` without its CRLF, once it is all there.
fn line(message: &[u8], at: usize) -> Result<Option<&[u8]>, BadMessage> {
    let rest = message.get(at..).unwrap_or_default();
    match rest.iter().take(LINE).position(|byte| *byte == b'\n') {
        Some(end) => match rest[..end].strip_suffix(b"\r") {
            Some(line) => Ok(Some(line)),
            None => Err(BadMessage::Chunk("a line of the chunking ends without a carriage return")),
        },
        None if rest.len() >= LINE => Err(BadMessage::Chunk("a line of the chunking is too long")),
        None => Ok(None),
    }
}

fn chunk_size(line: &[u8]) -> Result<usize, BadMessage> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii_end();
    let bad = BadMessage::Chunk("a chunk size is no hexadecimal number");
    if digits.is_empty() || digits.len() > 15 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return Err(bad);
    }
    std::str::from_utf8(digits).ok().and_then(|digits| usize::from_str_radix(digits, 16).ok()).ok_or(bad)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { head: 1024, body: 1024 };

    /// The end of a body, its content and the place of its last chunk.
    type Body = (usize, Vec<u8>, Option<usize>);

    fn check(body: &str) -> Result<Option<Body>, BadMessage> {
        let mut framer = Framer::new(BodyRule::Chunked, 0);
        let end = framer.advance(body.as_bytes(), &BOUNDS)?;
        let last_chunk = framer.last_chunk();
        Ok(end.map(|end| (end, framer.content(body.as_bytes(), end), last_chunk)))
    }

    #[test]
    fn chunks_end_after_their_trailers_and_know_where_the_last_one_begins() {
        let body = "3;name=\"v\"\r\nabc\r\n2 \r\nde\r\n0;last\r\nX-Sum: 1\r\n\r\n";
        let last = body.find("0;last");
        assert_eq!(check(&format!("{body}GET /")), Ok(Some((body.len(), b"abcde".to_vec(), last))));
    }

    #[test]
    fn a_body_that_has_not_all_come_is_awaited() {
        let body = "3\r\nabc\r\n0\r\n\r\n";
        for end in 0..body.len() {
            assert_eq!(check(&body[..end]), Ok(None), "{end}");
        }
    }

    #[test]
    fn bad_chunking_is_named() {
        for body in ["x\r\n", "\r\n", "3\nabc", "3\r\nabcd", "-1\r\n", "fffffffffffffffff\r\n", "3\r\nabc\r\n0\r\n\n"] {
            assert!(matches!(check(body), Err(BadMessage::Chunk(_))), "{body:?}");
        }
        assert!(matches!(check(&"1".repeat(LINE)), Err(BadMessage::Chunk(_))));
    }

    #[test]
    fn no_body_grows_over_its_bound() {
        let mut chunked = Framer::new(BodyRule::Chunked, 0);
        assert_eq!(chunked.advance(&b"1\r\na\r\n".repeat(200), &BOUNDS), Err(BadMessage::BodyTooLong(1024)));
        let mut long = Framer::new(BodyRule::Length(u64::MAX), 0);
        assert_eq!(long.advance(b"", &BOUNDS), Err(BadMessage::BodyTooLong(1024)));
        let mut endless = Framer::new(BodyRule::UntilClose, 0);
        assert_eq!(endless.advance(&[b'x'; 1025], &BOUNDS), Err(BadMessage::BodyTooLong(1024)));
    }
}
