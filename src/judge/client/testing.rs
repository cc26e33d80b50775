//! Literal histories of a client for the judge's own tests: each request and what it was left with, each ending and what
//! was told, then one verdict. Times are in milliseconds. The case is planned as any other; nothing here judges.

mod planned;
mod wire;

use crate::history::{CallerEnd, Ending, Entry, Exit, Recorder, SealedHistory, Told};
use crate::json::Json;
use crate::judge::client::testing::wire::{exchange, tick};
use crate::judge::judge;
use crate::judge::testing::Judged;
use crate::message::{Framing, Response};
use crate::name::IntentName;
use crate::plan::Case;
use crate::time::Interval;

/// A success of every operation.
pub const DONE: &str = r#"{"done":true}"#;
/// Another copy has the key.
pub const BUSY: &str = r#"{"error":"busy"}"#;
/// Any other error.
pub const ERROR: &str = r#"{"error":"no"}"#;

/// A case in the making, and what happened in it.
#[derive(Clone)]
pub struct Story {
    given: Vec<String>,
    kind: &'static str,
    scale: f64,
    persists: bool,
    /// What is asked for, in order.
    asks: Vec<String>,
    events: Vec<Event>,
}

#[derive(Clone)]
enum Event {
    Call(Box<Made>),
    End(Finished),
}

/// One request as it came.
#[derive(Clone)]
struct Made {
    intent: String,
    method: Option<&'static str>,
    key: Key,
    body: Option<String>,
    items: Option<Vec<&'static str>>,
    headers: Vec<(String, String)>,
    passage: &'static str,
    fired: bool,
    whole: bool,
    closed: bool,
    caller: CallerEnd,
    from: u64,
    to: u64,
    known: Option<u64>,
    opened: Option<u64>,
    reused: Option<u32>,
    unread: bool,
}

/// The key that a request carries.
#[derive(Clone)]
enum Key {
    /// The given one, else `k`.
    Usual,
    None,
    Is(Json),
}

#[derive(Clone)]
struct Finished {
    intent: String,
    from: u64,
    to: u64,
    exit: Exit,
    told: Option<Told>,
    lag: u64,
}

/// What is wanted, each as a line under `given`.
pub fn given<const N: usize>(intents: [&str; N]) -> Story {
    Story {
        given: intents.map(str::to_owned).into(),
        kind: "steady",
        scale: 1.0,
        persists: true,
        asks: Vec::new(),
        events: Vec::new(),
    }
}

/// One intent of this operation, by the name of `wanted`.
pub fn wanted(operation: &str) -> Story {
    given([&format!("wanted: {{ operation: {operation} }}")]).ask("wanted")
}

/// The answer to a batch.
pub fn results<const N: usize>(items: [&str; N]) -> String {
    format!(r#"{{"results":[{}]}}"#, items.map(|status| format!(r#"{{"status":"{status}"}}"#)).join(","))
}

impl Story {
    /// Another kind of client.
    pub fn kind(mut self, kind: &'static str) -> Self {
        self.kind = kind;
        self
    }

    /// Its clock.
    pub fn scale(mut self, scale: f64) -> Self {
        self.scale = scale;
        self
    }

    /// It forgets what it was asked for when it ends.
    pub fn forgetful(mut self) -> Self {
        self.persists = false;
        self
    }

    /// What follows is of this intent.
    pub fn ask(mut self, intent: &str) -> Self {
        self.asks.push(intent.to_owned());
        self
    }

    fn intent(&self) -> String {
        self.asks.last().expect("something is asked for").clone()
    }

    /// A request comes; until more is said it is lost after 10 ms, by a clear passage.
    pub fn call(mut self, at: u64) -> Self {
        self.events.push(Event::Call(Box::new(Made {
            intent: self.intent(),
            method: None,
            key: Key::Usual,
            body: None,
            items: None,
            headers: Vec::new(),
            passage: "clear",
            fired: true,
            whole: true,
            closed: true,
            caller: CallerEnd::Cut { after: 0, reset: false },
            from: at,
            to: at + 10,
            known: None,
            opened: None,
            reused: None,
            unread: false,
        })));
        self
    }

    fn last(&mut self) -> &mut Made {
        match self.events.last_mut() {
            Some(Event::Call(made)) => made,
            Some(Event::End(_)) | None => panic!("there is no request yet"),
        }
    }

    /// What the client is given.
    pub fn answered(mut self, status: u16, body: &str) -> Self {
        self.last().caller = CallerEnd::Answered(Response {
            status,
            headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
            body: body.into(),
            framing: Framing::Length,
            wire_length: 0,
        });
        self
    }

    /// A header of that answer.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let CallerEnd::Answered(answer) = &mut self.last().caller else { panic!("no answer to put a header on") };
        answer.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The client gives up waiting at this time.
    pub fn left(mut self, at: u64) -> Self {
        self.last().caller = CallerEnd::TimedOut { after: 0 };
        self.last().to = at;
        self
    }

    /// The client is left with what it is left with at this time.
    pub fn until(mut self, at: u64) -> Self {
        self.last().to = at;
        self
    }

    /// The origin's answer was whole at this time, before the client was given it.
    pub fn known(mut self, at: u64) -> Self {
        self.last().known = Some(at);
        self
    }

    /// Its connection was accepted at this time.
    pub fn opened(mut self, at: u64) -> Self {
        self.last().opened = Some(at);
        self
    }

    /// It came on this connection, which had carried others; a connection of its own has the number of the request, from 1.
    pub fn reused(mut self, connection: u32) -> Self {
        self.last().reused = Some(connection);
        self
    }

    /// What the request meets.
    pub fn meets(mut self, passage: &'static str) -> Self {
        self.last().passage = passage;
        self
    }

    /// What it meets did not do what its name says.
    pub fn not_fired(mut self) -> Self {
        self.last().fired = false;
        self
    }

    /// The request did not come whole.
    pub fn partial(mut self) -> Self {
        self.last().whole = false;
        self.last().body = Some(String::new());
        self
    }

    /// Its connection was refused, until then.
    pub fn refused(mut self, until: u64) -> Self {
        let last = self.last();
        (last.passage, last.caller, last.to) = ("refuse", CallerEnd::Refused, until);
        self.partial().method("")
    }

    /// Its connection ended before a request came on it.
    pub fn unread(mut self) -> Self {
        let last = self.last();
        (last.passage, last.unread) = ("pre-request reset", true);
        self.partial().method("")
    }

    /// It was still open when the history was sealed.
    pub fn open(mut self) -> Self {
        self.last().closed = false;
        self
    }

    /// Its key.
    pub fn key(mut self, key: &str) -> Self {
        self.last().key = Key::Is(Json::text(key));
        self
    }

    /// Its key, which is no text.
    pub fn odd_key(mut self, key: u32) -> Self {
        self.last().key = Key::Is(Json::from(key));
        self
    }

    /// It carries no key.
    pub fn no_key(mut self) -> Self {
        self.last().key = Key::None;
        self
    }

    /// Its method.
    pub fn method(mut self, method: &'static str) -> Self {
        self.last().method = Some(method);
        self
    }

    /// Its body, as written.
    pub fn body(mut self, body: &str) -> Self {
        self.last().body = Some(body.to_owned());
        self
    }

    /// A header of the request, in place of one of that name.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.last().headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The items of a batch: `name`, `name=key`, or `name=` without a key.
    pub fn items<const N: usize>(mut self, items: [&'static str; N]) -> Self {
        self.last().items = Some(items.into());
        self
    }

    fn end(mut self, at: u64, exit: Exit, told: Option<Told>) -> Self {
        let intent = self.intent();
        let before = self.events.iter().rev().find_map(|event| match event {
            Event::End(end) if end.intent == intent => Some(end.to),
            Event::End(_) | Event::Call(_) => None,
        });
        self.events.push(Event::End(Finished { intent, from: before.unwrap_or(0), to: at, exit, told, lag: 0 }));
        self
    }

    /// It ends and tells.
    pub fn tells(self, at: u64, told: &str) -> Self {
        let told = Told::from_word(told).expect("a word that programs use");
        let status = i32::from(matches!(told, Told::Failure | Told::Unknown));
        self.end(at, Exit::Status(status), Some(told))
    }

    /// It ends with this status and tells nothing.
    pub fn exits(self, at: u64, status: i32) -> Self {
        self.end(at, Exit::Status(status), None)
    }

    /// A signal ends it.
    pub fn crashes(self, at: u64) -> Self {
        self.end(at, Exit::Signal(11), None)
    }

    /// It answers and stays up.
    pub fn stays_up(self, at: u64, told: Option<Told>) -> Self {
        self.end(at, Exit::StaysUp, told)
    }

    /// It is killed as planned.
    pub fn killed(self, at: u64) -> Self {
        self.end(at, Exit::KilledAsPlanned, None)
    }

    /// It is still at work when nobody waits any longer.
    pub fn still_at_work(self, at: u64) -> Self {
        self.end(at, Exit::StillAtWork, None)
    }

    /// The machine was behind by so much meanwhile.
    pub fn lag(mut self, lag: u64) -> Self {
        match self.events.last_mut() {
            Some(Event::End(end)) => end.lag = lag,
            Some(Event::Call(_)) | None => panic!("only an ending knows of a lag"),
        }
        self
    }

    /// The verdict on one claim, such as `stop: wanted`.
    #[track_caller]
    pub fn judged(&self, claim: &str) -> Judged {
        let case = planned::case(self, claim).expect("one case");
        let history = self.history(&case);
        let report = judge(&case, &history);
        let [only] = report.verdicts.as_slice() else { panic!("`{claim}` has no meaning here") };
        Judged(only.verdict.clone())
    }

    /// Whether the plan has this claim at all.
    pub fn is_planned(&self, claim: &str) -> bool {
        planned::case(self, claim).is_some()
    }

    fn calls(&self) -> impl Iterator<Item = &Made> {
        self.events.iter().filter_map(|event| match event {
            Event::Call(made) => Some(made.as_ref()),
            Event::End(_) => None,
        })
    }

    fn history(&self, case: &Case) -> SealedHistory {
        let recorder = Recorder::new();
        let step = |intent: &str| {
            let at = self.asks.iter().position(|asked| asked == intent).expect("it is asked for");
            u32::try_from(at).expect("few steps")
        };
        for (event, no) in self.events.iter().zip(0..) {
            recorder.add(match event {
                Event::Call(made) => Entry::Exchange(exchange(case, made, no, step(&made.intent))),
                Event::End(end) => Entry::Ending(Ending {
                    step: step(&end.intent),
                    intent: IntentName::from(end.intent.as_str()),
                    at: Interval { from: tick(end.from), to: tick(end.to) },
                    exit: end.exit.clone(),
                    told: end.told,
                    wrote: String::new(),
                    grace: tick(250 + 4 * end.lag),
                }),
            });
        }
        recorder.seal(None)
    }
}
