//! The origin's leg: one connection, opened for one caller's connection and never shared; what the origin says on it,
//! and why it says no more. A caller that leaves changes nothing here.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::history::{Gate, OriginEnd};
use crate::message::{Octets, Response};
use crate::proxy::caller::Caller;
use crate::proxy::gates::{Gates, Unreleased};
use crate::proxy::limits::Limits;
use crate::proxy::wire::{
    AnswerHead, Asked, Bounds, Head, Inbox, Parser, Progress, is_reset, response_in, write_hearing,
};

/// So much of what an origin said instead of an answer is kept as evidence.
const SAID: usize = 4096;

/// One connection to an origin.
#[derive(Debug)]
pub(super) struct Upstream {
    /// The connection.
    pub stream: TcpStream,
    /// What came on it and belongs to no answer yet.
    pub inbox: Inbox,
    /// Where it leads.
    pub to: SocketAddr,
}

/// A whole answer with its bytes as they came.
#[derive(Debug)]
pub(super) struct Answer {
    /// All its bytes.
    pub bytes: Vec<u8>,
    /// How many of them are its head.
    pub head: usize,
    /// Where its last chunk begins, if it is chunked.
    pub last_chunk: Option<usize>,
    /// Whether the connection goes on after it.
    pub keep_alive: bool,
    /// Its status.
    pub status: u16,
    /// What its body depended on.
    pub asked: Asked,
}

impl Answer {
    /// The same as evidence. It was read whole before, so it can be read again.
    pub fn response(&self) -> Option<Response> {
        response_in(&self.bytes, self.asked)
    }

    /// The end of an origin that gave this answer.
    pub fn end(&self) -> OriginEnd {
        OriginEnd::Answered(self.response().into_iter().collect())
    }
}

/// No whole answer.
#[derive(Debug)]
pub(super) struct Failure {
    /// The origin's end.
    pub origin: OriginEnd,
    /// What did come of an answer, as it came.
    pub said: Vec<u8>,
    /// The origin reset the connection.
    pub reset: bool,
    /// It was a hold of ours that failed, not the origin.
    pub unreleased: bool,
}

impl Failure {
    /// A hold of ours failed; the caller is given nothing.
    pub fn unreleased(origin: OriginEnd) -> Self {
        Self { origin, said: Vec::new(), reset: false, unreleased: true }
    }

    /// Whether the origin was shown the whole request all the same.
    pub fn shown_whole(&self) -> Result<(), String> {
        match self.origin {
            OriginEnd::Silent { .. } | OriginEnd::Unreadable { .. } | OriginEnd::Answered(_) => Ok(()),
            OriginEnd::Untouched | OriginEnd::Unreachable(_) | OriginEnd::Partial { .. } => {
                Err("the origin was not shown the whole request".to_owned())
            }
        }
    }

    /// The same after so many bytes of the request, which had `all`.
    pub fn shown_only(self, shown: usize, all: usize) -> Self {
        if shown == all { self } else { Self { origin: OriginEnd::Partial { bytes: shown as u64 }, ..self } }
    }
}

/// The gates of an answer, in the order in which it comes to them.
const ANSWER: [Gate; 3] = [Gate::AnswerBegun, Gate::AnswerHead, Gate::AnswerWhole];

/// Who is told while an answer comes.
#[derive(Debug, Default)]
pub(super) struct Ear<'a> {
    /// The gates to pass.
    pub gates: Option<&'a mut Gates>,
    /// Who gets interim answers, and how long that may take.
    pub interim: Option<(&'a mut Caller, Duration)>,
    /// How many of the three gates were passed.
    passed: usize,
}

impl<'a> Ear<'a> {
    /// One that passes these gates, and gives interim answers to this caller.
    pub fn new(gates: &'a mut Gates, interim: Option<(&'a mut Caller, Duration)>) -> Self {
        Self { gates: Some(gates), interim, passed: 0 }
    }

    /// Passes the gates before `upto`; what a hold takes is added to the wait.
    async fn pass(&mut self, upto: usize, until: &mut Instant) -> Result<(), Unreleased> {
        let due = ANSWER.get(self.passed..upto).unwrap_or_default();
        if let (Some(gates), [_, ..]) = (&mut self.gates, due) {
            *until += gates.pass(due).await?;
        }
        self.passed = self.passed.max(upto);
        Ok(())
    }
}

impl Upstream {
    /// Connects.
    pub async fn open(to: SocketAddr, wait: Duration) -> Result<Self, Failure> {
        let unreachable = |why: String| {
            // The caller's connection stands already, and nothing is more like a refusal than a reset.
            Failure { origin: OriginEnd::Unreachable(why), said: Vec::new(), reset: true, unreleased: false }
        };
        match tokio::time::timeout(wait, TcpStream::connect(to)).await {
            Ok(Ok(stream)) => {
                stream.set_nodelay(true).map_err(|error| unreachable(error.to_string()))?;
                Ok(Self { stream, inbox: Inbox::default(), to })
            }
            Ok(Err(error)) => Err(unreachable(error.to_string())),
            Err(_) => Err(unreachable(format!("no connection within {wait:?}"))),
        }
    }

    /// Waits until the origin closes or speaks unasked; either way the connection is of no more use.
    pub async fn idle(&mut self) {
        // What came does not matter: nobody asked.
        let _ = self.inbox.fill(&mut self.stream).await;
    }

    /// Whether it can still be used for a request, as far as this host knows.
    pub async fn is_fresh(&mut self) -> bool {
        tokio::select! {
            biased;
            () = self.idle() => false,
            () = std::future::ready(()) => true,
        }
    }

    /// Shows the origin these bytes of a request; how many it took.
    pub async fn show(&mut self, bytes: &[u8], asked: Asked, limits: &Limits) -> usize {
        let until = Instant::now() + limits.origin_wait;
        write_hearing(&mut self.stream, &mut self.inbox, bytes, until, asked, limits.bounds()).await
    }

    /// Reads the final answer; interim ones are passed on if somebody is there for them.
    pub async fn hear(
        &mut self,
        asked: Asked,
        bounds: Bounds,
        mut until: Instant,
        mut ear: Ear<'_>,
    ) -> Result<Answer, Failure> {
        let mut parser = Parser::<AnswerHead>::new(asked, bounds);
        let length = loop {
            let progress = parser.advance(self.inbox.bytes()).map_err(|bad| self.unreadable(bad.to_string()))?;
            let interim = parser.head().is_some_and(AnswerHead::is_interim);
            match progress {
                Progress::Whole(length) if !interim => break length,
                Progress::Whole(length) => {
                    ear.pass(1, &mut until).await.map_err(|Unreleased| self.unreleased())?;
                    let interim = self.inbox.take(length);
                    if let Some((caller, wait)) = &mut ear.interim {
                        // A caller that left is found out when it is given the answer.
                        caller.give(&interim, *wait).await;
                    }
                    self.inbox.recycle(interim);
                    parser = Parser::new(asked, bounds);
                    continue;
                }
                Progress::More if parser.head().is_some() => {
                    ear.pass(2, &mut until).await.map_err(|Unreleased| self.unreleased())?;
                }
                Progress::More if !self.inbox.bytes().is_empty() => {
                    ear.pass(1, &mut until).await.map_err(|Unreleased| self.unreleased())?;
                }
                Progress::More => {}
            }
            match tokio::time::timeout_at(until, self.inbox.fill(&mut self.stream)).await {
                Ok(Ok(1..)) => {}
                Ok(Ok(0)) => match parser.closed(self.inbox.bytes()) {
                    Some(length) => break length,
                    None => return Err(self.silent("it closed the connection", false)),
                },
                Ok(Err(error)) if is_reset(&error) => return Err(self.silent("it reset the connection", true)),
                Ok(Err(error)) => return Err(self.silent(&error.to_string(), true)),
                Err(_) => return Err(self.silent("the wait for it was over", false)),
            }
        };
        let bytes = self.inbox.take(length);
        let Some(AnswerHead { status, keep_alive, .. }) = parser.head().cloned() else {
            return Err(self.unreadable("an answer without a head".to_owned()));
        };
        let head = parser.head().map_or(0, Head::length);
        // Bytes after the answer, for which nobody asked, make the connection useless.
        let keep_alive = keep_alive && self.inbox.bytes().is_empty();
        let answer = Answer { bytes, head, last_chunk: parser.last_chunk(), keep_alive, status, asked };
        match ear.pass(3, &mut until).await {
            Ok(()) => Ok(answer),
            Err(Unreleased) => Err(Failure::unreleased(answer.end())),
        }
    }

    fn silent(&mut self, why: &str, reset: bool) -> Failure {
        let said = std::mem::take(&mut self.inbox).take(usize::MAX);
        let origin = OriginEnd::Silent { said: beginning(&said), why: why.to_owned() };
        Failure { origin, said, reset, unreleased: false }
    }

    fn unreadable(&mut self, why: String) -> Failure {
        let said = std::mem::take(&mut self.inbox).take(usize::MAX);
        Failure { origin: OriginEnd::Unreadable { said: beginning(&said), why }, said, reset: false, unreleased: false }
    }

    fn unreleased(&self) -> Failure {
        let said = beginning(self.inbox.bytes());
        Failure::unreleased(OriginEnd::Silent { said, why: Unreleased::WHY.to_owned() })
    }
}

/// The beginning of what an origin said.
fn beginning(said: &[u8]) -> Octets {
    Octets(said.get(..SAID).unwrap_or(said).to_vec())
}
