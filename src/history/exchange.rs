//! One request on the wire with both of its ends, and what else a case may record. Values only.

use serde::{Deserialize, Serialize};

use crate::fault::Passage;
use crate::message::{Octets, Request, Response};
use crate::name::{AttemptNo, EffectName, IntentName};
use crate::time::{Interval, Tick};

/// An entry's place in its history, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EntryNo(pub u32);

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[expect(
    clippy::large_enum_variant,
    reason = "nearly every entry is an exchange: boxing it would cost and save nothing"
)]
pub enum Entry {
    /// One request on the wire.
    Exchange(Exchange),
    /// One count of an effect.
    Observation(Observation),
    /// Something done to the subject.
    Action(Action),
    /// How a program under test ended what it was asked to do.
    Ending(Ending),
}

/// One request on the wire, with both ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exchange {
    /// Which attempt of the plan it is.
    pub attempt: AttemptNo,
    /// Which step of the plan sent it.
    pub step: u32,
    /// What it is an attempt of.
    pub intent: IntentName,
    /// The key that makes its retries safe, as text, where it carries one.
    pub key: Option<String>,
    /// The request as sent; secrets blanked.
    pub request: Request,
    /// What it met.
    pub passage: Passage,
    /// The connection, numbered within the case, and the request's number on it; both from 1.
    pub connection: u32,
    /// See `connection`.
    pub request_on_connection: u32,
    /// Which replica it was sent to, from 0.
    pub replica: u32,
    /// What the fault did, and what is known of a commit.
    pub fault: FaultRecord,
    /// What the origin was shown and said.
    pub origin: OriginEnd,
    /// What the caller was left with.
    pub caller: CallerEnd,
    /// From the first byte shown to the origin to the last byte of its answer (or until nothing more could come).
    pub at_origin: Option<Interval>,
    /// From the first byte sent to the end of the caller's wait.
    pub at_caller: Interval,
    /// The gates that it passed.
    pub gates: Vec<GateStamp>,
}

/// What a fault did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FaultRecord {
    /// Whether it did what its name says; a clear passage always did.
    pub fired: bool,
    /// What is known of a commit at the origin.
    pub commit: Commit,
    /// Why, in a few words.
    pub why: String,
}

/// What is known of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Commit {
    /// The origin had committed: its answer was read whole, or its effect was seen.
    Committed,
    /// The origin was shown nothing that it could commit, or refused it.
    NotCommitted,
    /// Nobody knows.
    Unknown,
}

/// What the origin was shown and said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OriginEnd {
    /// It was shown nothing.
    Untouched,
    /// It could not be reached.
    Unreachable(String),
    /// It was shown the first bytes of the request only.
    Partial {
        /// How many.
        bytes: u64,
    },
    /// It was shown the whole request and never answered whole; what it did say.
    Silent {
        /// The bytes that came, up to a bound.
        said: Octets,
        /// Why no more came.
        why: String,
    },
    /// It was shown the whole request and answered; two answers after `duplicate`.
    Answered(Vec<Response>),
    /// What it said is not HTTP, or more than is read.
    Unreadable {
        /// The first bytes.
        said: Octets,
        /// What is wrong with them.
        why: String,
    },
}

/// What the caller was left with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CallerEnd {
    /// A whole answer.
    Answered(Response),
    /// No connection.
    Refused,
    /// The connection ended before the answer was whole.
    Cut {
        /// How many bytes of the answer came.
        after: u64,
        /// Reset rather than closed.
        reset: bool,
    },
    /// It gave up waiting.
    TimedOut {
        /// How many bytes of the answer had come.
        after: u64,
    },
    /// It left on purpose.
    HungUp,
    /// What came is not HTTP, or more than is read.
    Unreadable {
        /// The first bytes.
        said: Octets,
        /// What is wrong with them.
        why: String,
    },
}

/// A named place on the way of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Gate {
    /// The caller's connection was accepted.
    Accepted,
    /// The request's head was read.
    RequestHead,
    /// The request was read whole.
    RequestWhole,
    /// There is a connection to the origin.
    Connected,
    /// The origin was shown the request but for its last byte; held there in a race.
    AllButLast,
    /// The origin was shown all that it will be shown.
    Forwarded,
    /// The first byte of the answer came.
    AnswerBegun,
    /// The answer's head was read.
    AnswerHead,
    /// The answer was read whole.
    AnswerWhole,
    /// The answer's head was given to the caller.
    HeadToCaller,
    /// The answer's body was given to the caller.
    BodyToCaller,
    /// The caller's connection ended, or is ready for the next request.
    Closed,
}

/// When a gate was passed, and the run-wide order of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GateStamp {
    /// The gate.
    pub gate: Gate,
    /// When.
    pub at: Tick,
    /// The order among all stamps of the case.
    pub order: u64,
}

/// One count of an effect, read off the faulty road.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The effect.
    pub effect: EffectName,
    /// The intent that it was read for.
    pub of: IntentName,
    /// The call that read it, and as whom; two intents may share one.
    pub reading: String,
    /// The point of the scenario: `end`, or the name that a step gave it.
    pub point: String,
    /// When.
    pub at: Tick,
    /// What was seen.
    pub sight: Sight,
}

/// What an observer saw. An unreadable effect is not zero effects.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Sight {
    /// The rows, each as the read side shows it.
    Seen(Vec<crate::json::Json>),
    /// Nothing could be read, and why.
    Blind(String),
}

/// Something done to the subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Action {
    /// Which step of the plan it is.
    pub step: u32,
    /// What was done.
    pub what: String,
    /// Whether it worked; else why not.
    pub failed: Option<String>,
    /// When.
    pub at: Tick,
}

/// How a program under test ended one run for one intent. Its requests are exchanges of the same step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ending {
    /// Which step of the plan asked for it.
    pub step: u32,
    /// What it was asked to do.
    pub intent: IntentName,
    /// From its start to its end, or to when nobody waited any longer.
    pub at: Interval,
    /// How it came to its end.
    pub exit: Exit,
    /// What it said of the outcome.
    pub told: Option<Told>,
    /// The end of what it wrote, secrets blanked.
    pub wrote: String,
    /// How much later than its time something may have been by no doing of the program: what a program takes to begin a
    /// request and to end, and how far this machine was behind while it ran.
    pub grace: Tick,
}

/// How a program came to its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By a signal that was not ours.
    Signal(i32),
    /// It answered and stays up for the next intent.
    StaysUp,
    /// We ended it, as planned: it was killed to see what it does when it is started again.
    KilledAsPlanned,
    /// We ended it: it was still at work after so long.
    StillAtWork,
}

/// What a program says of the outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Told {
    /// It is done.
    Success,
    /// It is not done.
    Failure,
    /// Something else was served in its place.
    Fallback,
    /// Nobody knows whether it is done.
    Unknown,
}

impl Told {
    /// The words that programs use.
    pub const WORDS: &'static [&'static str] = &["success", "failure", "fallback", "unknown"];

    /// What a word tells.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "success" => Told::Success,
            "failure" => Told::Failure,
            "fallback" => Told::Fallback,
            "unknown" => Told::Unknown,
            _ => return None,
        })
    }

    /// The exit status that goes with it.
    pub fn status(self) -> i32 {
        match self {
            Told::Success | Told::Fallback => 0,
            Told::Failure | Told::Unknown => 1,
        }
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Told::Success => "success",
            Told::Failure => "failure",
            Told::Fallback => "fallback",
            Told::Unknown => "unknown",
        }
    }
}
