//! Literal histories for the judge's own tests: what was given, what each attempt met and was told, what was then read,
//! and one verdict. The case is planned as any other, so a history that no scenario could have cannot be written.

mod answers;
mod judged;
mod read;

use std::ops::Range;
use std::sync::Arc;

use crate::contract;
use crate::fault::Passage;
use crate::file::Source;
use crate::history::{
    Action, AttemptNo, CallerEnd, Commit, Entry, Exchange, FaultRecord, Gate, GateStamp, Observation, OriginEnd,
    Recorder, SealedHistory, Sight,
};
use crate::judge::judge;
use crate::message::{Framing, Octets, Response};
use crate::name::{CredentialName, IntentName, ScopeName};
use crate::plan::{Abilities, AbleCredential, Case, Seed, Setting, expand};
use crate::scenario::{self, Claim};
use crate::time::{Interval, Tick};

pub use self::answers::{
    BUSY, CONFLICT, ERROR, FRESH, ITEM, ITEM_AGAIN, ITEM_BUSY, ITEM_CONFLICT, ITEM_REFUSED, ITEM_SECOND, NOTED, REPLAY,
    SECOND, SEEN, batch,
};
pub use self::judged::Judged;

/// The made-up contract.
const THINGS: &str = include_str!("things.yaml");

/// A case in the making, and what happened in it.
#[derive(Clone)]
pub struct Story {
    given: Vec<String>,
    steps: Vec<Move>,
    events: Vec<Event>,
    attempts: u32,
    point: String,
    abilities: Abilities,
    unfinished: Option<String>,
}

/// What the scenario's step does.
#[derive(Clone)]
enum Move {
    Send { intent: String, meets: String, edge: bool },
    AtOnce(Vec<String>),
    Restart,
    Observe(String),
}

#[derive(Clone)]
enum Event {
    Attempt(Box<Told>),
    Read { of: String, point: String, sight: Sight, repeats: bool },
    Restarted { step: u32, failed: Option<String> },
}

/// One attempt as it went.
#[derive(Clone)]
struct Told {
    no: u32,
    step: u32,
    intent: String,
    made: bool,
    fired: Option<String>,
    origin: OriginEnd,
    caller: Option<CallerEnd>,
    during: Interval,
}

/// What is wanted, each as a line under `given`.
pub fn given<const N: usize>(intents: [&str; N]) -> Story {
    let scope = |owner: &str, room: &str| {
        [("owner", owner), ("room", room)].map(|(name, value)| (ScopeName::from(name), value.to_owned())).into()
    };
    let credential = |name: &str, scope| AbleCredential { name: CredentialName::from(name), scope };
    Story {
        given: intents.map(str::to_owned).into(),
        steps: Vec::new(),
        events: Vec::new(),
        attempts: 0,
        point: "end".to_owned(),
        abilities: Abilities {
            host: "127.0.0.1".to_owned(),
            credentials: vec![
                credential("first", scope("ada", "red")),
                credential("second", scope("ada", "red")),
                credential("elsewhere", scope("ada", "blue")),
            ],
            replicas: 1,
            restarts: true,
            edge: true,
            hooks: vec!["answer 429".to_owned()],
            operations: Default::default(),
            client: None,
        },
        unfinished: None,
    }
}

impl Story {
    /// The next attempt. Until more is said: a clear passage, the origin shown all of it and silent.
    pub fn attempt(mut self, intent: &str) -> Self {
        self.steps.push(Move::Send { intent: intent.to_owned(), meets: "clear".to_owned(), edge: false });
        let from = Tick(100 * u64::from(self.attempts));
        self.told(intent, Interval { from, to: Tick(from.0 + 10) })
    }

    /// Another attempt in a race with the one before it, at the same time.
    pub fn beside(mut self, intent: &str) -> Self {
        let during = self.last().during;
        match self.steps.pop() {
            Some(Move::Send { intent: first, .. }) => self.steps.push(Move::AtOnce(vec![first, intent.to_owned()])),
            Some(Move::AtOnce(mut copies)) => {
                copies.push(intent.to_owned());
                self.steps.push(Move::AtOnce(copies));
            }
            Some(Move::Restart | Move::Observe(_)) | None => panic!("a race begins with an attempt"),
        }
        self.told(intent, during)
    }

    fn told(mut self, intent: &str, during: Interval) -> Self {
        let step = u32::try_from(self.steps.len() - 1).expect("few steps");
        let silent = OriginEnd::Silent { said: Octets::default(), why: "nothing came".to_owned() };
        self.events.push(Event::Attempt(Box::new(Told {
            no: self.attempts,
            step,
            intent: intent.to_owned(),
            made: true,
            fired: None,
            origin: silent,
            caller: None,
            during,
        })));
        self.attempts += 1;
        self
    }

    fn last(&mut self) -> &mut Told {
        match self.events.iter_mut().rev().find(|event| matches!(event, Event::Attempt(_))) {
            Some(Event::Attempt(told)) => told,
            Some(Event::Read { .. } | Event::Restarted { .. }) | None => panic!("there is no attempt yet"),
        }
    }

    /// What the origin answers; a second call is a second answer, as after `duplicate`.
    pub fn origin(mut self, status: u16, body: &str) -> Self {
        let answer = answer(status, body);
        match &mut self.last().origin {
            OriginEnd::Answered(answers) => answers.push(answer),
            other => *other = OriginEnd::Answered(vec![answer]),
        }
        self
    }

    /// A header of the origin's last answer, instead of one of that name.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        let OriginEnd::Answered(answers) = &mut self.last().origin else { panic!("no answer to put a header on") };
        let headers = &mut answers.last_mut().expect("an answer").headers;
        headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// The origin has the whole request and never answers.
    pub fn silent(self) -> Self {
        self
    }

    /// The origin says what is not HTTP.
    pub fn garbage(mut self) -> Self {
        self.last().origin = OriginEnd::Unreadable { said: "?".into(), why: "no status line".to_owned() };
        self
    }

    /// The origin is shown nothing.
    pub fn untouched(mut self) -> Self {
        self.last().origin = OriginEnd::Untouched;
        self.meets("pre-commit drop")
    }

    /// The origin is shown the beginning only.
    pub fn partial(mut self) -> Self {
        self.last().origin = OriginEnd::Partial { bytes: 20 };
        self.meets("mid-request cut 20")
    }

    /// The caller is left without the answer.
    pub fn caller_lost(self) -> Self {
        self.meets("post-commit drop")
    }

    /// The caller goes through the gateway and is answered by it.
    pub fn gateway(mut self, status: u16, body: &str) -> Self {
        self.last().caller = Some(CallerEnd::Answered(answer(status, body)));
        if let Some(Move::Send { edge, .. }) = self.steps.last_mut() {
            *edge = true;
        }
        self.meets("post-commit drop")
    }

    /// What the attempt meets.
    pub fn meets(mut self, passage: &str) -> Self {
        match self.steps.last_mut() {
            Some(Move::Send { meets, .. }) => *meets = passage.to_owned(),
            _ => panic!("only a single attempt meets a fault"),
        }
        self
    }

    /// Its fault did not do what its name says.
    pub fn not_fired(mut self, why: &str) -> Self {
        self.last().fired = Some(why.to_owned());
        self
    }

    /// It was planned and never made.
    pub fn never_made(mut self) -> Self {
        self.last().made = false;
        self
    }

    /// When the origin worked on it.
    pub fn at(mut self, ticks: Range<u64>) -> Self {
        self.last().during = Interval { from: Tick(ticks.start), to: Tick(ticks.end) };
        self
    }

    /// The effects are read now, under this name: the reads that follow, up to the next attempt.
    pub fn observe(mut self, point: &str) -> Self {
        self.steps.push(Move::Observe(point.to_owned()));
        self.point = point.to_owned();
        self
    }

    /// The subject's process is ended and started again.
    pub fn restart(mut self, failed: Option<&str>) -> Self {
        self.steps.push(Move::Restart);
        let step = u32::try_from(self.steps.len() - 1).expect("few steps");
        self.events.push(Event::Restarted { step, failed: failed.map(str::to_owned) });
        self
    }

    /// The case was not played to its end.
    pub fn unfinished(mut self, why: &str) -> Self {
        self.unfinished = Some(why.to_owned());
        self
    }

    /// The subject is able to do less.
    pub fn unable(mut self, change: fn(&mut Abilities)) -> Self {
        change(&mut self.abilities);
        self
    }

    /// The verdict on one claim, such as `accept: wanted`.
    pub fn judged(&self, claim: &str) -> Judged {
        let case = self.case(claim);
        let history = self.history(&case);
        let report = judge(&case, &history);
        let [only] = report.verdicts.as_slice() else { panic!("`{claim}` has no meaning here") };
        Judged(only.verdict.clone())
    }

    fn case(&self, claim: &str) -> Case {
        let contract = contract::load(&Source::new("things.yaml", THINGS), Claim::WORDS).expect("the contract loads");
        let scenario =
            scenario::load(&Source::new("scenarios/server/story.yaml", self.text(claim))).expect("the scenario loads");
        let setting = Setting { contract: Arc::new(contract), abilities: self.abilities.clone(), seed: Seed(7) };
        let cases = expand(&Arc::new(scenario), &setting).unwrap_or_else(|problems| panic!("{problems:?}"));
        cases.into_iter().next().expect("one case")
    }

    fn text(&self, claim: &str) -> String {
        let step = |step: &Move| match step {
            Move::Send { intent, meets, edge } => {
                let behind = if *edge { "\n    behind: edge" } else { "" };
                format!("  - send: {intent}\n    meets: [\"{meets}\"]{behind}\n")
            }
            Move::AtOnce(intents) => format!("  - at once: [{}]\n", intents.join(", ")),
            Move::Restart => "  - restart: kill\n".to_owned(),
            Move::Observe(point) => format!("  - observe: {point}\n"),
        };
        let when: String = self.steps.iter().map(step).collect();
        let given: String = self.used(&format!("{when} {claim}")).iter().map(|line| format!("  {line}\n")).collect();
        format!("title: a story\nbecause: it is told\ngiven:\n{given}when:\n{when}server must:\n  - {claim}\n")
    }

    /// What a scenario gives it has to use, so that several stories can share a beginning.
    fn used(&self, text: &str) -> Vec<&str> {
        let words = |text: &str| -> Vec<String> {
            text.split(|letter: char| !letter.is_alphanumeric() && letter != '-').map(str::to_owned).collect()
        };
        let mut known = words(text);
        // Intents are made from earlier ones only.
        let mut used: Vec<&str> = Vec::new();
        for line in self.given.iter().rev() {
            let (name, decl) = line.split_once(':').expect("a name and what it is");
            if known.iter().any(|word| word == name) {
                known.extend(words(decl));
                used.push(line);
            }
        }
        used.reverse();
        used
    }

    fn history(&self, case: &Case) -> SealedHistory {
        let recorder = Recorder::new();
        for (event, now) in self.events.iter().zip(0_u64..) {
            let entry = match event {
                Event::Attempt(told) if told.made => Entry::Exchange(exchange(case, told)),
                Event::Attempt(_) => continue,
                Event::Read { of, point, sight, repeats } => {
                    let intent = &case.intents[of.as_str()];
                    let reading = if *repeats { intent.repeats() } else { intent.reading() };
                    let reading = reading.expect("an effect that can be read");
                    Entry::Observation(Observation {
                        effect: reading.effect.clone(),
                        of: IntentName::from(of.as_str()),
                        reading: reading.label(),
                        point: point.clone(),
                        at: Tick(10_000 + now),
                        sight: sight.clone(),
                    })
                }
                Event::Restarted { step, failed } => Entry::Action(Action {
                    step: *step,
                    what: "restart".to_owned(),
                    failed: failed.clone(),
                    at: Tick(10_000 + now),
                }),
            };
            recorder.add(entry);
        }
        recorder.seal(self.unfinished.clone())
    }
}

fn answer(status: u16, body: &str) -> Response {
    Response {
        status,
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        body: body.into(),
        framing: Framing::Length,
        wire_length: 0,
    }
}

fn exchange(case: &Case, told: &Told) -> Exchange {
    let planned = case.attempts().find(|attempt| attempt.no == AttemptNo(told.no)).expect("a planned attempt");
    let intent = &case.intents[told.intent.as_str()];
    let shown = !matches!(told.origin, OriginEnd::Untouched);
    let answered = match &told.origin {
        OriginEnd::Answered(answers) => answers.last().cloned(),
        _ => None,
    };
    let caller = match (&told.caller, answered, &planned.passage) {
        (Some(caller), ..) => caller.clone(),
        (None, Some(answer), Passage::Clear) => CallerEnd::Answered(answer),
        (None, ..) => CallerEnd::Cut { after: 0, reset: false },
    };
    let stamp = |gate, at| GateStamp { gate, at, order: at.0 };
    Exchange {
        attempt: AttemptNo(told.no),
        step: told.step,
        intent: intent.name.clone(),
        key: intent.cell().map(|cell| cell.key.clone()),
        request: intent.request.clone(),
        passage: planned.passage.clone(),
        connection: told.no + 1,
        request_on_connection: 1,
        replica: 0,
        fault: FaultRecord {
            fired: told.fired.is_none(),
            commit: Commit::Unknown,
            why: told.fired.clone().unwrap_or_default(),
        },
        origin: told.origin.clone(),
        caller,
        at_origin: shown.then_some(told.during),
        at_caller: told.during,
        gates: vec![stamp(Gate::Forwarded, told.during.from), stamp(Gate::AnswerWhole, told.during.to)],
    }
}
