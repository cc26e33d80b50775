//! One exchange: the whole request in, then what its passage makes of it. It never acts before it has read the request
//! whole, so that every fault is a slice of bytes that are there; the one exception is `early`.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::time::Instant;

use crate::fault::{Fault, Passage};
use crate::history::{Gate, OriginEnd};
use crate::message::Octets;
use crate::proxy::caller::Caller;
use crate::proxy::gates::{Gates, Unreleased};
use crate::proxy::ledger::Noted;
use crate::proxy::limits::Limits;
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome};
use crate::proxy::upstream::{Answer, Ear, Failure, Upstream};
use crate::proxy::wire::{Asked, Parser, Progress, RequestHead};
use crate::time::{Clock, Interval};

/// One exchange on its way.
#[derive(Debug)]
pub(super) struct Exchange<'a> {
    /// The bounds.
    pub limits: &'a Limits,
    /// Ticks for the interval at the origin.
    pub clock: Clock,
    /// Who asks.
    pub caller: &'a mut Caller,
    /// The caller's own connection to the origin, if there is one already.
    pub upstream: &'a mut Option<Upstream>,
    /// Its gates.
    pub gates: &'a mut Gates,
    /// Where the origin is.
    pub origin: SocketAddr,
    /// When the origin had something to do with it.
    pub at_origin: Option<Interval>,
}

/// A request that was read whole.
#[derive(Debug)]
pub(super) struct Asking {
    /// All its bytes, as they came.
    pub bytes: Vec<u8>,
    /// What its answer's body depends on.
    pub asked: Asked,
    /// Whether the caller means to go on with the connection.
    pub keep_alive: bool,
}

impl Asking {
    /// The target, as spelled.
    pub fn target(&self) -> String {
        let target = self.bytes.trim_ascii_start().split(|byte| *byte == b' ').nth(1).unwrap_or_default();
        String::from_utf8_lossy(target).into_owned()
    }
}

/// What becomes of interim answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Interim {
    /// The caller is given them.
    PassedOn,
    /// They are dropped, because nothing may leak or every byte is counted.
    Kept,
}

/// What came of reading a request.
enum Incoming {
    Whole(Asking),
    Expecting(Parser<RequestHead>),
    Lost(Outcome),
}

/// What a caller is told when the fault needs its body before anything else can happen.
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

impl Exchange<'_> {
    /// Plays it to its end.
    pub async fn play(&mut self, passage: &Passage) -> Outcome {
        if self.gates.accepted().await.is_err() {
            return Outcome::unreleased(OriginEnd::Untouched);
        }
        let asking = match self.request(passage).await {
            Incoming::Whole(asking) => asking,
            Incoming::Expecting(parser) => return self.early(parser).await,
            Incoming::Lost(outcome) => return outcome,
        };
        let outcome = self.meet(passage, &asking).await;
        self.caller.inbox.recycle(asking.bytes);
        outcome
    }

    /// Reads a request for the record only.
    pub async fn note_request(&mut self, passage: &Passage) {
        // What comes instead of a whole request is written down as well.
        let _ = self.request(passage).await;
    }

    /// Reads the request, in bounds of length and time.
    async fn request(&mut self, passage: &Passage) -> Incoming {
        let mut until = Instant::now() + self.limits.caller_wait;
        let mut parser = Parser::<RequestHead>::new((), self.limits.bounds());
        let mut head_passed = false;
        loop {
            match parser.advance(self.caller.inbox.bytes()) {
                Ok(Progress::Whole(length)) => {
                    let due =
                        if head_passed { &[Gate::RequestWhole][..] } else { &[Gate::RequestHead, Gate::RequestWhole] };
                    return self.whole_request(&parser, length, due).await;
                }
                Ok(Progress::More) => {}
                Err(bad) => return self.lost(&bad.to_string(), ClosedBy::Proxy { reset: false }),
            }
            if let (Some(head), false) = (parser.head(), head_passed) {
                head_passed = true;
                let expects = head.expects_continue;
                match self.gates.pass(&[Gate::RequestHead]).await {
                    Ok(waited) => until += waited,
                    Err(Unreleased) => return self.lost(Unreleased::WHY, ClosedBy::Proxy { reset: false }),
                }
                if expects && origin_decides(passage, self.gates) {
                    return Incoming::Expecting(parser);
                } else if expects {
                    self.caller.give(CONTINUE, self.limits.caller_wait).await;
                }
            }
            match tokio::time::timeout_at(until, self.caller.inbox.fill(&mut self.caller.stream)).await {
                Ok(Ok(1..)) => {}
                Ok(Ok(0) | Err(_)) => {
                    return self.lost("the caller left before its request was whole", ClosedBy::Caller);
                }
                Err(_) => {
                    let why = format!("the request was not whole within {:?}", self.limits.caller_wait);
                    return self.lost(&why, ClosedBy::Proxy { reset: false });
                }
            }
        }
    }

    async fn whole_request(&mut self, parser: &Parser<RequestHead>, length: usize, due: &[Gate]) -> Incoming {
        let bytes = self.caller.inbox.take(length);
        let Some(asking) = self.write_down(parser.head(), bytes) else {
            return self.lost("a request without a head", ClosedBy::Proxy { reset: false });
        };
        match self.gates.pass(due).await {
            Ok(_) => Incoming::Whole(asking),
            Err(Unreleased) => Incoming::Lost(Outcome::unreleased(OriginEnd::Untouched)),
        }
    }

    /// Records a request, of which these bytes have come.
    pub(super) fn write_down(&self, head: Option<&RequestHead>, bytes: Vec<u8>) -> Option<Asking> {
        let RequestHead { asked, keep_alive, .. } = *head?;
        self.gates.draft.asked(Noted::Request(bytes.as_slice().to_vec()));
        Some(Asking { bytes, asked, keep_alive })
    }

    fn lost(&mut self, why: &str, closed_by: ClosedBy) -> Incoming {
        let came = self.caller.inbox.bytes();
        self.gates.draft.asked(Noted::NoRequest(came.get(..self.limits.head).unwrap_or(came).to_vec()));
        Incoming::Lost(Outcome {
            fired: Err(why.to_owned()),
            origin: OriginEnd::Untouched.into(),
            got: CallerGot::nothing(closed_by),
        })
    }

    /// Shows the origin the request and reads its answer.
    pub(super) async fn fetch(&mut self, asking: &Asking, interim: Interim) -> Result<Answer, Failure> {
        self.connect().await?;
        let shown = self.show(asking, 0).await?;
        self.hear(asking, shown, interim).await
    }

    /// Opens the connection to the origin, unless it stands.
    pub(super) async fn connect(&mut self) -> Result<(), Failure> {
        let usable = match self.upstream {
            Some(upstream) => upstream.to == self.origin && upstream.is_fresh().await,
            None => false,
        };
        if !usable {
            *self.upstream = Some(Upstream::open(self.origin, self.limits.origin_wait).await?);
        }
        match self.gates.pass(&[Gate::Connected]).await {
            Ok(_) => Ok(()),
            Err(Unreleased) => Err(Failure::unreleased(OriginEnd::Untouched)),
        }
    }

    /// Shows the origin the request from byte `from`, held one byte short where that was asked for. How much of it the
    /// origin was shown then: less than all when it would take no more.
    pub(super) async fn show(&mut self, asking: &Asking, from: usize) -> Result<usize, Failure> {
        self.come_to_origin();
        let all = asking.bytes.len();
        let mut shown = from;
        let mut due = &[Gate::AllButLast, Gate::Forwarded][..];
        if self.gates.hold_at(Gate::AllButLast) {
            shown = self.write(asking, shown, all - 1).await;
            if shown + 1 != all {
                return Ok(shown);
            }
            if let (Some(upstream), Some(last)) = (&self.upstream, asking.bytes.last()) {
                self.gates.cock(&upstream.stream, *last, self.clock);
            }
            let held = self.gates.pass(&[Gate::AllButLast]).await;
            let sprung = self.gates.sprung();
            if held.is_err() {
                return Err(self.unreleased(OriginEnd::Partial { bytes: shown as u64 }));
            }
            due = &[Gate::Forwarded];
            if let Some(at) = sprung {
                self.gates.passed_at(Gate::Forwarded, at);
                return Ok(all);
            }
        }
        shown = self.write(asking, shown, all).await;
        if shown == all && self.gates.pass(due).await.is_err() {
            let origin = OriginEnd::Silent { said: Octets::default(), why: Unreleased::WHY.to_owned() };
            return Err(self.unreleased(origin));
        }
        Ok(shown)
    }

    /// Writes a part of the request to the origin; up to where it was shown then.
    pub(super) async fn write(&mut self, asking: &Asking, from: usize, to: usize) -> usize {
        match self.upstream {
            Some(upstream) => from + upstream.show(&asking.bytes[from..to], asking.asked, self.limits).await,
            None => from,
        }
    }

    /// Reads the answer to a request of which the origin was shown so many bytes.
    pub(super) async fn hear(&mut self, asking: &Asking, shown: usize, interim: Interim) -> Result<Answer, Failure> {
        let Some(upstream) = self.upstream else { return Err(self.unreleased(OriginEnd::Untouched)) };
        let all = asking.bytes.len();
        // An origin that would take no more has said what it had to say.
        let until = Instant::now() + if shown == all { self.limits.origin_wait } else { Duration::ZERO };
        let interim = match interim {
            Interim::PassedOn => Some((&mut *self.caller, self.limits.caller_wait)),
            Interim::Kept => None,
        };
        let ear = Ear::new(self.gates, interim);
        let heard = upstream.hear(asking.asked, self.limits.bounds(), until, ear).await;
        self.leave_origin();
        match heard {
            Ok(answer) => Ok(Answer { keep_alive: answer.keep_alive && shown == all, ..answer }),
            Err(failure) => Err(failure.shown_only(shown, all)),
        }
    }

    /// Something is about to be shown to the origin.
    pub(super) fn come_to_origin(&mut self) {
        let now = self.clock.now();
        self.at_origin.get_or_insert(Interval { from: now, to: now });
    }

    /// Nothing more is awaited from the origin.
    pub(super) fn leave_origin(&mut self) {
        if let Some(interval) = &mut self.at_origin {
            interval.to = self.clock.now();
        }
    }

    fn unreleased(&mut self, origin: OriginEnd) -> Failure {
        self.leave_origin();
        Failure::unreleased(origin)
    }
}

/// Whether the origin itself is to say if the body may come. Every fault, and every hold before the origin has the
/// request, needs the whole request first: then the proxy says `100 Continue`, or neither side would ever go on.
fn origin_decides(passage: &Passage, gates: &Gates) -> bool {
    let clear = matches!(passage, Passage::Clear | Passage::Faulted(Fault::Refuse));
    let needs_all = [Gate::RequestWhole, Gate::Connected, Gate::AllButLast, Gate::Forwarded];
    clear && !needs_all.into_iter().any(|gate| gates.hold_at(gate))
}
