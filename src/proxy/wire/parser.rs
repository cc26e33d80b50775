//! One message out of a growing buffer, in any pieces. The parser is told what has come and says whether the message is
//! whole; it never waits, and its work is linear in the bytes however they are cut up.

use crate::message::{Octets, Request, Response};
use crate::proxy::wire::body::{BodyRule, Framer};
use crate::proxy::wire::head::{AnswerHead, Asked, RequestHead};

/// How much of a message is read.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Bytes of a head.
    pub head: usize,
    /// Bytes of a body as it is on the wire.
    pub body: usize,
}

impl Bounds {
    /// For bytes that are there already.
    const NONE: Bounds = Bounds { head: usize::MAX, body: usize::MAX };
}

impl Default for Bounds {
    fn default() -> Self {
        Self { head: 64 * 1024, body: 16 * 1024 * 1024 }
    }
}

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadMessage {
    /// Not a head.
    #[error("not an HTTP/1.x head: {0}")]
    Head(#[from] httparse::Error),
    /// A head over the bound.
    #[error("a head of more than {0} bytes")]
    HeadTooLong(usize),
    /// A body over the bound.
    #[error("a body of more than {0} bytes")]
    BodyTooLong(usize),
    /// A head that does not say where its body ends.
    #[error("{0}")]
    Framing(&'static str),
    /// Bad chunking.
    #[error("{0}")]
    Chunk(&'static str),
}

/// A head of one kind of message.
pub trait Head: Sized {
    /// What else decides where the body ends.
    type Asked: Copy;

    /// The head that these bytes begin with, once it is all there.
    fn read(bytes: &[u8], asked: Self::Asked) -> Result<Option<Self>, BadMessage>;

    /// Its length in bytes, blank line included.
    fn length(&self) -> usize;

    /// How its body ends.
    fn body(&self) -> BodyRule;
}

/// How far a message came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// More has to come.
    More,
    /// It is all there, and this long.
    Whole(usize),
}

/// Follows one message through a buffer that holds it from its first byte.
#[derive(Debug)]
pub struct Parser<H: Head> {
    asked: H::Asked,
    bounds: Bounds,
    found: Option<(H, Framer)>,
    /// No blank line ends before here.
    searched: usize,
    /// A head is tried at this length even without a blank line, so that garbage is found out early.
    next_try: usize,
}

impl<H: Head> Parser<H> {
    /// A parser for the next message.
    pub fn new(asked: H::Asked, bounds: Bounds) -> Self {
        Self { asked, bounds, found: None, searched: 0, next_try: 1 }
    }

    /// The head, once it was read.
    pub fn head(&self) -> Option<&H> {
        self.found.as_ref().map(|(head, _)| head)
    }

    /// Looks at all that has come of the message.
    pub fn advance(&mut self, bytes: &[u8]) -> Result<Progress, BadMessage> {
        if self.found.is_none() {
            self.found = self.try_head(bytes)?.map(|head| {
                let framer = Framer::new(head.body(), head.length());
                (head, framer)
            });
        }
        let Some((_, framer)) = &mut self.found else { return Ok(Progress::More) };
        Ok(framer.advance(bytes, &self.bounds)?.map_or(Progress::More, Progress::Whole))
    }

    /// The length of the message if the close of the connection ends it.
    pub fn closed(&self, bytes: &[u8]) -> Option<usize> {
        self.found.as_ref().and_then(|(_, framer)| framer.closed(bytes))
    }

    /// Where the last chunk begins, if the message is chunked and came so far.
    pub fn last_chunk(&self) -> Option<usize> {
        self.found.as_ref().and_then(|(_, framer)| framer.last_chunk())
    }

    fn try_head(&mut self, bytes: &[u8]) -> Result<Option<H>, BadMessage> {
        let over = bytes.len() > self.bounds.head;
        if !over && bytes.len() < self.next_try && !self.blank_line(bytes) {
            return Ok(None);
        }
        self.searched = bytes.len();
        self.next_try = bytes.len() * 2;
        match H::read(bytes, self.asked) {
            Ok(Some(head)) if head.length() <= self.bounds.head => Ok(Some(head)),
            Ok(None) if !over => Ok(None),
            Ok(Some(_) | None) => Err(BadMessage::HeadTooLong(self.bounds.head)),
            Err(bad) => Err(bad),
        }
    }

    fn blank_line(&mut self, bytes: &[u8]) -> bool {
        let from = self.searched.saturating_sub(2).min(bytes.len());
        self.searched = bytes.len();
        bytes[from..].windows(2).any(|pair| pair == b"\n\n") || bytes[from..].windows(3).any(|three| three == b"\n\r\n")
    }
}

impl Parser<RequestHead> {
    /// The request as evidence, of which the first `length` of these bytes are; none before its head was read.
    pub fn request(self, bytes: &[u8], length: usize) -> Option<Request> {
        let (head, framer) = self.found?;
        let (method, target, headers) = RequestHead::spelled(bytes)?;
        let body = Octets(framer.content(bytes, length));
        Some(Request { method, target, headers, body, framing: head.body.framing() })
    }
}

impl Parser<AnswerHead> {
    /// The answer as evidence, which the first `length` of these bytes are; none before its head was read.
    pub fn response(self, bytes: &[u8], length: usize) -> Option<Response> {
        let (head, framer) = self.found?;
        let headers = AnswerHead::headers(bytes)?;
        let body = Octets(framer.content(bytes, length));
        let wire_length = u64::try_from(length).unwrap_or(u64::MAX);
        Some(Response { status: head.status, headers, body, framing: head.body.framing(), wire_length })
    }
}

/// The request that these bytes are, with the length of its head. What of its body is not there is left out.
pub fn request_in(bytes: &[u8]) -> Option<(Request, usize)> {
    let mut parser = Parser::<RequestHead>::new((), Bounds::NONE);
    // Bad chunking after the head does not unsay the head.
    let _ = parser.advance(bytes);
    let head = parser.head()?.length();
    Some((parser.request(bytes, bytes.len())?, head))
}

/// The whole answer that these bytes are, in a connection that may have closed after them.
pub fn response_in(bytes: &[u8], asked: Asked) -> Option<Response> {
    let mut parser = Parser::<AnswerHead>::new(asked, Bounds::NONE);
    let length = match parser.advance(bytes).ok()? {
        Progress::Whole(length) => length,
        Progress::More => parser.closed(bytes)?,
    };
    parser.response(bytes, length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOUNDS: Bounds = Bounds { head: 512, body: 512 };

    /// Where a message ends, where its last chunk begins, and what it says.
    type Read<M> = Result<Option<(usize, Option<usize>, Option<M>)>, BadMessage>;

    type Followed<H> = Result<Option<(usize, Option<usize>, Parser<H>)>, BadMessage>;

    /// Follows a message whose bytes come in pieces that end at `cuts`, and are then closed.
    fn follow<H: Head>(asked: H::Asked, bytes: &[u8], cuts: &[usize]) -> Followed<H> {
        let mut parser = Parser::<H>::new(asked, BOUNDS);
        let mut ends: Vec<usize> = cuts.iter().map(|cut| cut % (bytes.len() + 1)).chain([bytes.len()]).collect();
        ends.sort_unstable();
        for end in ends {
            if let Progress::Whole(length) = parser.advance(&bytes[..end])? {
                return Ok(Some((length, parser.last_chunk(), parser)));
            }
        }
        Ok(parser.closed(bytes).map(|length| (length, parser.last_chunk(), parser)))
    }

    fn request(bytes: &[u8], cuts: &[usize]) -> Read<Request> {
        let seen = follow::<RequestHead>((), bytes, cuts)?;
        Ok(seen.map(|(length, last, parser)| (length, last, parser.request(bytes, length))))
    }

    fn response(asked: Asked, bytes: &[u8], cuts: &[usize]) -> Read<Response> {
        let seen = follow::<AnswerHead>(asked, bytes, cuts)?;
        Ok(seen.map(|(length, last, parser)| (length, last, parser.response(bytes, length))))
    }

    fn messages() -> impl Strategy<Value = Vec<u8>> {
        let framed = prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..40)
                .prop_map(|body| { [format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes(), body].concat() }),
            proptest::collection::vec(proptest::collection::vec(any::<u8>(), 1..12), 0..4).prop_map(|chunks| {
                let mut bytes = b"tRANSFER-eNCODING: chunked\r\n\r\n".to_vec();
                for chunk in chunks {
                    bytes.extend([format!("{:x};e=1\r\n", chunk.len()).into_bytes(), chunk, b"\r\n".to_vec()].concat());
                }
                bytes.extend(b"0\r\nT: 1\r\n\r\n");
                bytes
            }),
            Just(b"\r\n".to_vec()),
        ];
        ("[A-Za-z-]{1,9}", "[ -~]{0,30}", framed, "[ -~]{0,9}").prop_map(|(name, value, framed, rest)| {
            [format!("X{name}: {value}\r\n").as_bytes(), &framed, rest.as_bytes()].concat()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_message_is_the_same_in_any_pieces(
            tail in messages(),
            cuts in proptest::collection::vec(any::<usize>(), 0..12),
        ) {
            let bytes = [b"POST /x HTTP/1.1\r\n", tail.as_slice()].concat();
            let singly: Vec<usize> = (0..bytes.len()).collect();
            prop_assert_eq!(request(&bytes, &cuts), request(&bytes, &[]));
            prop_assert_eq!(request(&bytes, &singly), request(&bytes, &[]));
            let bytes = [b"HTTP/1.1 200 OK\r\n", tail.as_slice()].concat();
            for asked in [Asked::Whole, Asked::HeadOnly] {
                prop_assert_eq!(response(asked, &bytes, &cuts), response(asked, &bytes, &[]));
            }
        }

        #[test]
        fn what_was_read_is_read_again_as_the_same(tail in messages()) {
            let bytes = [b"POST /x HTTP/1.1\r\n", tail.as_slice()].concat();
            if let Ok(Some((length, _, read))) = request(&bytes, &[]) {
                prop_assert_eq!(request_in(&bytes[..length]).map(|(request, _)| request), read);
            }
            let bytes = [b"HTTP/1.1 200 OK\r\n", tail.as_slice()].concat();
            if let Ok(Some((length, _, read))) = response(Asked::Whole, &bytes, &[]) {
                prop_assert_eq!(response_in(&bytes[..length], Asked::Whole), read);
            }
        }

        #[test]
        fn no_bytes_make_it_panic(
            bytes in proptest::collection::vec(any::<u8>(), 0..900),
            cuts in proptest::collection::vec(any::<usize>(), 0..9),
        ) {
            let _ = request(&bytes, &cuts);
            let _ = response(Asked::Whole, &bytes, &cuts);
            let _ = request_in(&bytes);
            let chunked = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", bytes.as_slice()].concat();
            let _ = response(Asked::Whole, &chunked, &cuts);
        }
    }

    #[test]
    fn a_head_that_never_ends_is_found_out_at_its_bound() {
        let endless = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &[b'x'; 600]].concat();
        assert_eq!(request(&endless, &[]), Err(BadMessage::HeadTooLong(512)));
        let singly: Vec<usize> = (0..endless.len()).collect();
        assert_eq!(request(&endless, &singly), Err(BadMessage::HeadTooLong(512)));
    }

    #[test]
    fn garbage_is_found_out_before_any_blank_line() {
        let mut parser = Parser::<AnswerHead>::new(Asked::Whole, BOUNDS);
        assert!(matches!(parser.advance(b"\x16\x03\x01garbage"), Err(BadMessage::Head(_))));
    }

    #[test]
    fn what_follows_a_message_is_not_part_of_it() {
        let two = b"GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n";
        let mut parser = Parser::<RequestHead>::new((), BOUNDS);
        assert_eq!(parser.advance(two), Ok(Progress::Whole(two.len() / 2)));
    }
}
