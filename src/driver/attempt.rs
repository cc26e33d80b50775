//! One attempt: one connection, one request, one end. It is connected first and sent later, so that the proxy can be
//! told whose request the next one on this address is. What came is never more than is read.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::Instant;

use crate::history::CallerEnd;
use crate::message::Octets;
use crate::proxy::wire::{AnswerHead, Asked, Bounds, Inbox, Parser, Progress, delivered, is_reset, write_hearing};
use crate::time::{Clock, Interval};

/// So much of what came instead of an answer is kept as evidence.
const SAID: usize = 4096;

/// How long it waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patience {
    /// For a connection.
    pub connect: Duration,
    /// For the whole answer, from the first byte sent.
    pub answer: Duration,
}

/// What it does after sending.
#[derive(Debug)]
pub enum After {
    /// It reads the answer.
    Read,
    /// It leaves as soon as the other side's kernel has the last byte of the request.
    HangUp,
    /// It reads the answer; once this tells it to, it waits only so much longer.
    ReadUntil(oneshot::Receiver<Duration>),
}

/// How an attempt ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Sent {
    /// What the caller was left with.
    pub caller: CallerEnd,
    /// From the first byte sent to the end of the wait.
    pub during: Interval,
}

/// A connection on which nothing was sent yet.
#[derive(Debug)]
pub struct Connected {
    stream: TcpStream,
    local: SocketAddr,
}

/// Connects, once.
pub async fn connect(to: SocketAddr, patience: &Patience) -> Result<Connected, CallerEnd> {
    let connected = match tokio::time::timeout(patience.connect, TcpStream::connect(to)).await {
        Ok(connected) => connected,
        Err(_) => return Err(CallerEnd::TimedOut { after: 0 }),
    };
    let ready = connected.and_then(|stream| {
        stream.set_nodelay(true)?;
        Ok(Connected { local: stream.local_addr()?, stream })
    });
    ready.map_err(|error| match error.kind() {
        io::ErrorKind::TimedOut => CallerEnd::TimedOut { after: 0 },
        // A reset right after the acceptance shows up here.
        _ if is_reset(&error) => CallerEnd::Cut { after: 0, reset: true },
        _ => CallerEnd::Refused,
    })
}

impl Connected {
    /// The address by which the proxy knows this caller.
    pub fn local_addr(&self) -> SocketAddr {
        self.local
    }

    /// Sends these bytes, and waits as `after` says.
    pub async fn send(self, bytes: &[u8], after: After, patience: &Patience, clock: &Clock) -> Sent {
        let from = clock.now();
        let caller = self.attempt(bytes, after, patience).await;
        Sent { caller, during: Interval { from, to: clock.now() } }
    }

    async fn attempt(mut self, bytes: &[u8], after: After, patience: &Patience) -> CallerEnd {
        let until = Instant::now() + patience.answer;
        let mut inbox = Inbox::default();
        let asked = Asked::by(bytes);
        let sent = write_hearing(&mut self.stream, &mut inbox, bytes, until, asked, Bounds::default()).await;
        match after {
            After::HangUp => {
                // When it is not all delivered the other side ended first, and then there is nothing to hang up on.
                let wait = until.saturating_duration_since(Instant::now());
                match sent == bytes.len() && delivered(&self.stream, wait).await {
                    true => CallerEnd::HungUp,
                    false => read(&mut self.stream, inbox, asked, Instant::now(), None).await,
                }
            }
            After::Read => read(&mut self.stream, inbox, asked, until, None).await,
            After::ReadUntil(told) => read(&mut self.stream, inbox, asked, until, Some(told)).await,
        }
    }
}

/// Reads the answer, and says what it came to.
async fn read(
    stream: &mut TcpStream,
    mut inbox: Inbox,
    asked: Asked,
    mut until: Instant,
    mut told: Option<oneshot::Receiver<Duration>>,
) -> CallerEnd {
    let mut heard = Heard::new(asked);
    loop {
        if let Some(end) = heard.end(&mut inbox) {
            return end;
        }
        let read = tokio::select! {
            biased;
            read = inbox.fill(stream) => read,
            longer = hear_from(&mut told) => {
                told = None;
                // A teller that is gone has nothing to tell, and the patience stays what it was.
                until = longer.map_or(until, |longer| until.min(Instant::now() + longer));
                continue;
            }
            () = tokio::time::sleep_until(until) => return CallerEnd::TimedOut { after: inbox.bytes().len() as u64 },
        };
        let reset = match read {
            Ok(1..) => continue,
            Ok(0) => false,
            Err(error) => is_reset(&error),
        };
        return heard.ended(inbox.bytes(), reset);
    }
}

/// Waits for the word of a teller; for ever when there is none.
async fn hear_from(told: &mut Option<oneshot::Receiver<Duration>>) -> Option<Duration> {
    match told {
        Some(told) => told.await.ok(),
        None => std::future::pending().await,
    }
}

/// What the bytes that came amount to, interim answers skipped.
#[derive(Debug)]
struct Heard {
    asked: Asked,
    parser: Parser<AnswerHead>,
}

impl Heard {
    fn new(asked: Asked) -> Self {
        Self { asked, parser: Parser::new(asked, Bounds::default()) }
    }

    /// The end, if nothing more has to come for it.
    fn end(&mut self, inbox: &mut Inbox) -> Option<CallerEnd> {
        loop {
            match self.parser.advance(inbox.bytes()) {
                Ok(Progress::Whole(length)) if self.parser.head().is_some_and(AnswerHead::is_interim) => {
                    inbox.take(length);
                    self.parser = Parser::new(self.asked, Bounds::default());
                }
                Ok(Progress::Whole(length)) => return self.answered(inbox.bytes(), length),
                Ok(Progress::More) => return None,
                Err(bad) => {
                    let said = inbox.bytes().get(..SAID).unwrap_or(inbox.bytes());
                    return Some(CallerEnd::Unreadable { said: Octets(said.to_vec()), why: bad.to_string() });
                }
            }
        }
    }

    /// The end when the connection ended.
    fn ended(&mut self, bytes: &[u8], reset: bool) -> CallerEnd {
        let closed = if reset { None } else { self.parser.closed(bytes) };
        let whole = closed.and_then(|length| self.answered(bytes, length));
        whole.unwrap_or(CallerEnd::Cut { after: bytes.len() as u64, reset })
    }

    fn answered(&mut self, bytes: &[u8], length: usize) -> Option<CallerEnd> {
        let parser = std::mem::replace(&mut self.parser, Parser::new(self.asked, Bounds::default()));
        Some(CallerEnd::Answered(parser.response(bytes, length)?))
    }
}
