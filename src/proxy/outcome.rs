//! How one exchange ended: the record that the history is made from, and what is known of a commit. Values only;
//! nothing here waits, and nothing here decides whether an end was right.

use crate::fault::Passage;
use crate::history::{AttemptNo, CallerEnd, Commit, FaultRecord, GateStamp, OriginEnd};
use crate::message::{Octets, Request, Response};
use crate::proxy::gates::Unreleased;
use crate::proxy::wire::{Asked, response_in};
use crate::time::Interval;

/// The record of one exchange.
#[derive(Clone, Debug, PartialEq)]
pub struct Relayed {
    /// The attempt that it was armed for; none: nobody armed it, so it passed clear.
    pub attempt: Option<AttemptNo>,
    /// The caller's connection, from 1 in order of acceptance.
    pub connection: u32,
    /// Which request on the connection it is, from 1; 0 when the connection ended without one.
    pub request_on_connection: u32,
    /// The request, if enough of it came to say what it is.
    pub request: Option<Request>,
    /// The head of the request as it was spelled, or what came instead, up to the bound of a head.
    pub raw_head: Octets,
    /// What it met.
    pub passage: Passage,
    /// What the fault did, and what is known of a commit.
    pub fault: FaultRecord,
    /// What the origin was shown and said.
    pub origin: OriginEnd,
    /// From the first byte shown to the origin to the last byte of its answer, or until no more was awaited.
    pub at_origin: Option<Interval>,
    /// What the caller was given.
    pub caller_got: CallerGot,
    /// The gates that it passed, in order.
    pub gates: Vec<GateStamp>,
}

/// What the caller was given.
#[derive(Clone, Debug, PartialEq)]
pub struct CallerGot {
    /// Bytes of an answer that its kernel took; interim answers not counted.
    pub bytes: u64,
    /// The answer that somebody on the way gave instead of the origin.
    pub substitute: Option<Response>,
    /// Which of the origin's answers it was given, as a place in `OriginEnd::Answered`; not when it was only begun.
    pub answer: Option<usize>,
    /// How its connection ended.
    pub closed_by: ClosedBy,
}

/// How the caller's connection ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClosedBy {
    /// It did not: it is ready for the next request, or the exchange is not over.
    Nobody,
    /// The caller left.
    Caller,
    /// The proxy ended it, by a fault or because the origin did.
    Proxy {
        /// By RST rather than FIN.
        reset: bool,
    },
}

impl Relayed {
    /// What a caller that speaks HTTP was left with, for callers that do not tell. Nobody can see from here how long a
    /// caller meant to wait, so one that left is said to have timed out.
    pub fn caller_end(&self) -> CallerEnd {
        let after = self.caller_got.bytes;
        let answer = match (&self.caller_got.substitute, &self.origin, self.caller_got.answer) {
            (Some(substitute), _, _) => Some(substitute),
            (None, OriginEnd::Answered(answers), Some(at)) => answers.get(at),
            (None, _, _) => None,
        };
        match (answer, self.caller_got.closed_by) {
            (Some(answer), _) => CallerEnd::Answered(answer.clone()),
            (None, ClosedBy::Nobody | ClosedBy::Caller) => CallerEnd::TimedOut { after },
            (None, ClosedBy::Proxy { reset }) => CallerEnd::Cut { after, reset },
        }
    }
}

/// The origin's end as an exchange leaves it.
#[derive(Debug)]
pub(super) enum Seen {
    /// As evidence.
    End(OriginEnd),
    /// A whole answer as it came. Reading out what it says is left to the settlement: nothing waits for that, while
    /// the caller waits for everything else.
    Answer {
        /// Its bytes.
        bytes: Vec<u8>,
        /// What its body depended on.
        asked: Asked,
    },
}

impl Seen {
    /// As evidence.
    pub fn into_end(self) -> OriginEnd {
        match self {
            Seen::End(end) => end,
            Seen::Answer { bytes, asked } => OriginEnd::Answered(response_in(&bytes, asked).into_iter().collect()),
        }
    }
}

impl From<OriginEnd> for Seen {
    fn from(end: OriginEnd) -> Self {
        Seen::End(end)
    }
}

/// What becomes of an exchange.
#[derive(Debug)]
pub(super) struct Outcome {
    /// Whether the fault did what its name says; else why not.
    pub fired: Result<(), String>,
    /// What the origin was shown and said.
    pub origin: Seen,
    /// What the caller was given, and how its connection ends.
    pub got: CallerGot,
}

impl Outcome {
    /// A hold came to its limit: the caller's connection ends in order, and nothing else is done.
    pub fn unreleased(origin: OriginEnd) -> Self {
        let got = CallerGot::nothing(ClosedBy::Proxy { reset: false });
        Self { fired: Err(Unreleased::WHY.to_owned()), origin: origin.into(), got }
    }

    /// The record of the fault, the origin's end and the caller's.
    pub fn record(self, passage: &Passage) -> (FaultRecord, OriginEnd, CallerGot) {
        let origin = self.origin.into_end();
        let (commit, known) = known_of_commit(&origin);
        let fault = match (passage, self.fired) {
            (Passage::Clear | Passage::Faulted(_), Ok(())) => FaultRecord { fired: true, commit, why: known },
            // A clear passage promises nothing that could fail to happen.
            (Passage::Clear, Err(why)) => FaultRecord { fired: true, commit, why: format!("{why}; {known}") },
            (Passage::Faulted(_), Err(why)) => FaultRecord { fired: false, commit, why: format!("{why}; {known}") },
        };
        (fault, origin, self.got)
    }
}

impl CallerGot {
    /// No byte, and the connection as it is.
    pub(super) fn nothing(closed_by: ClosedBy) -> Self {
        Self { bytes: 0, substitute: None, answer: None, closed_by }
    }
}

/// What is known of a commit from the origin's end alone, and why.
fn known_of_commit(origin: &OriginEnd) -> (Commit, String) {
    match origin {
        OriginEnd::Untouched | OriginEnd::Partial { bytes: 0 } => {
            (Commit::NotCommitted, "the origin was shown nothing".to_owned())
        }
        OriginEnd::Unreachable(why) => (Commit::NotCommitted, format!("the origin could not be reached: {why}")),
        OriginEnd::Partial { bytes } => {
            (Commit::Unknown, format!("the origin was shown the first {bytes} bytes of the request only"))
        }
        OriginEnd::Silent { why, .. } => (Commit::Unknown, format!("the origin did not answer whole: {why}")),
        OriginEnd::Unreadable { why, .. } => (Commit::Unknown, format!("the origin's answer cannot be read: {why}")),
        OriginEnd::Answered(answers) => {
            let seen = match answers.as_slice() {
                [one] => format!("answer seen: {}", one.status),
                [first, rest @ ..] => rest.iter().fold(format!("answers seen: {}", first.status), |seen, answer| {
                    format!("{seen}, {}", answer.status)
                }),
                [] => "no answer seen".to_owned(),
            };
            if answers.iter().any(|answer| (200..300).contains(&answer.status)) {
                (Commit::Committed, seen)
            } else if answers.iter().all(|answer| (400..500).contains(&answer.status)) {
                (Commit::NotCommitted, seen)
            } else {
                (Commit::Unknown, seen)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::Fault;
    use crate::message::Framing;

    fn answered(statuses: &[u16]) -> OriginEnd {
        let answer = |status: &u16| Response {
            status: *status,
            headers: Vec::new(),
            body: Octets::default(),
            framing: Framing::Length,
            wire_length: 0,
        };
        OriginEnd::Answered(statuses.iter().map(answer).collect())
    }

    #[test]
    fn a_commit_is_known_from_a_whole_success_and_ruled_out_by_refusals_only() {
        for (origin, commit) in [
            (OriginEnd::Untouched, Commit::NotCommitted),
            (OriginEnd::Partial { bytes: 0 }, Commit::NotCommitted),
            (OriginEnd::Partial { bytes: 1 }, Commit::Unknown),
            (OriginEnd::Unreachable(String::new()), Commit::NotCommitted),
            (OriginEnd::Silent { said: Octets::default(), why: String::new() }, Commit::Unknown),
            (answered(&[201]), Commit::Committed),
            (answered(&[409, 201]), Commit::Committed),
            (answered(&[409]), Commit::NotCommitted),
            (answered(&[503]), Commit::Unknown),
            (answered(&[409, 503]), Commit::Unknown),
            (answered(&[307]), Commit::Unknown),
        ] {
            assert_eq!(known_of_commit(&origin).0, commit, "{origin:?}");
        }
    }

    #[test]
    fn a_clear_passage_always_did_what_its_name_says() {
        for (passage, fired) in [(Passage::Clear, true), (Passage::Faulted(Fault::Drip), false)] {
            let got = CallerGot::nothing(ClosedBy::Caller);
            let outcome =
                Outcome { fired: Err("the caller left".to_owned()), origin: OriginEnd::Untouched.into(), got };
            assert_eq!(outcome.record(&passage).0.fired, fired);
        }
    }
}
