//! An honest server of two keys, and what a case looks like when it is played against it: every answer that an honest
//! server may give, whatever is lost, overlaps or is done late.

use std::sync::{Arc, LazyLock};

use onceproof::contract::{self, Contract};
use onceproof::file::Source;
use onceproof::history::{
    AttemptNo, CallerEnd, Commit, Entry, Exchange, FaultRecord, Gate, GateStamp, Observation, OriginEnd, Sight,
};
use onceproof::json::Json;
use onceproof::message::{Framing, Octets, Response};
use onceproof::name::IntentName;
use onceproof::plan::{Abilities, AbleCredential, Case, Seed, Setting, expand};
use onceproof::scenario::{self, Claim};
use onceproof::time::{Interval, Tick};

static CONTRACT: LazyLock<Arc<Contract>> = LazyLock::new(|| {
    let things = include_str!("../../../src/judge/things.yaml");
    Arc::new(contract::load(&Source::new("things.yaml", things), Claim::WORDS).expect("the contract loads"))
});

/// What an attempt asks for: `changed` has the key of `wanted`, `all` is a batch of `wanted` and `far`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Who {
    Wanted,
    Changed,
    Far,
    All,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Clear,
    LostBefore,
    LostAfter,
    /// Never answered; done so many steps later, or never.
    Silent(Option<usize>),
}

#[derive(Clone, Copy, Debug)]
pub struct Try {
    pub who: Who,
    pub fate: Fate,
    /// Told to come back, where an honest server may say so.
    pub busy: bool,
    /// Members of an answer that are open: markers that say no, counters of zero, the order of members.
    pub loose: bool,
}

impl Who {
    fn name(self) -> &'static str {
        match self {
            Who::Wanted => "wanted",
            Who::Changed => "changed",
            Who::Far => "far",
            Who::All => "all",
        }
    }

    /// The things in it: which key, and which size.
    fn things(self) -> &'static [(usize, u32)] {
        match self {
            Who::Wanted => &[(0, 3)],
            Who::Changed => &[(0, 4)],
            Who::Far => &[(1, 3)],
            Who::All => &[(0, 3), (1, 3)],
        }
    }

    fn meets(self, other: Who) -> bool {
        self.things().iter().any(|(key, _)| other.things().iter().any(|(known, _)| known == key))
    }
}

/// An honest server: two keys, each done once.
#[derive(Default)]
struct Server {
    done: [Option<(u32, String)>; 2],
    made: u32,
    /// Unanswered, and done at this step.
    pending: Vec<(usize, Who)>,
    /// Unanswered at all: they may still hold their keys.
    silent: Vec<Who>,
}

enum Did {
    Fresh(String),
    Again(String),
    Conflict,
}

impl Server {
    fn ask(&mut self, (key, size): (usize, u32)) -> Did {
        match &self.done[key] {
            Some((known, id)) if *known == size => Did::Again(id.clone()),
            Some(_) => Did::Conflict,
            None => {
                self.made += 1;
                let id = format!("thing-{:04}", self.made);
                self.done[key] = Some((size, id.clone()));
                Did::Fresh(id)
            }
        }
    }

    fn catch_up(&mut self, step: usize) {
        let (due, later) = self.pending.drain(..).partition(|(at, _)| *at <= step);
        self.pending = later;
        let due: Vec<(usize, Who)> = due;
        for thing in due.iter().flat_map(|(_, who)| who.things()) {
            self.ask(*thing);
        }
    }

    fn answer(&mut self, who: Who, loose: bool) -> Response {
        let said: Vec<(Did, u32)> = who.things().iter().map(|thing| (self.ask(*thing), thing.1)).collect();
        if who != Who::All {
            let (did, size) = &said[0];
            let status = if matches!(did, Did::Conflict) { 409 } else { 200 };
            return response(status, &format!("{{{}}}", members(did, *size, loose)));
        }
        let count = |wanted: fn(&Did) -> bool| said.iter().filter(|(did, _)| wanted(did)).count();
        let (again, fresh) = (count(|did| matches!(did, Did::Again(_))), count(|did| matches!(did, Did::Fresh(_))));
        let items: Vec<String> = said
            .iter()
            .map(|(did, size)| {
                let status = if matches!(did, Did::Conflict) { "error" } else { "ok" };
                format!(r#"{{"status":"{status}",{}}}"#, members(did, *size, loose))
            })
            .collect();
        let counter = if loose && again == 0 { String::new() } else { format!(r#","again":{again}"#) };
        response(200, &format!(r#"{{"results":[{}],"made":{fresh}{counter}}}"#, items.join(",")))
    }

    fn rows(&self, key: usize) -> Vec<Json> {
        let row = |(size, id): &(u32, String)| json(&format!(r#"{{"thing_id":"{id}","size":{size}}}"#));
        self.done[key].iter().map(row).collect()
    }
}

fn members(did: &Did, size: u32, loose: bool) -> String {
    match (did, loose) {
        (Did::Fresh(id), false) => format!(r#""thing_id":"{id}","size":{size}"#),
        (Did::Fresh(id), true) => format!(r#""again":false,"thing_id":"{id}","size":{size}"#),
        (Did::Again(id), false) => format!(r#""thing_id":"{id}","size":{size},"again":true"#),
        (Did::Again(id), true) => format!(r#""size":{size},"again":true,"thing_id":"{id}""#),
        (Did::Conflict, _) => r#""error":"other request""#.to_owned(),
    }
}

pub fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("JSON")
}

pub fn response(status: u16, body: &str) -> Response {
    let headers = vec![("Content-Type".to_owned(), "application/json".to_owned())];
    Response { status, headers, body: body.into(), framing: Framing::Length, wire_length: 0 }
}

/// A case and what happened in it.
#[derive(Clone)]
pub struct Played {
    pub case: Case,
    pub entries: Vec<Entry>,
}

/// Plays the steps, each a single attempt or a race.
pub fn play(steps: &[Vec<Try>], observed: Option<usize>) -> Played {
    // Every intent that a claim names is sent: these two at the end never arrive.
    let lost = |who| vec![Try { who, fate: Fate::LostBefore, busy: false, loose: false }];
    let all: Vec<Vec<Try>> = steps.iter().cloned().chain([lost(Who::Changed), lost(Who::All)]).collect();
    let mut server = Server::default();
    let mut entries = Vec::new();
    let mut when = String::new();
    let mut step = 0;
    let mut before = false;
    let case = |when: &str, before: bool| planned(steps, when, before);
    let mut exchanges = Vec::new();
    for (index, tries) in all.iter().enumerate() {
        server.catch_up(index);
        // Only where the key is taken nothing can move any more.
        if observed == Some(index) && server.done[0].is_some() {
            when += "  - observe: before\n";
            before = true;
            step += 1;
            exchanges.push(Err(("before", server.rows(0))));
        }
        let race = tries.len() > 1;
        let names: Vec<&str> = tries.iter().map(|one| one.who.name()).collect();
        when += &if race {
            format!("  - at once: [{}]\n", names.join(", "))
        } else {
            format!("  - send: {}\n    meets: [{}]\n", names[0], passage(tries[0].fate, race))
        };
        for (place, one) in tries.iter().enumerate() {
            let holders = tries[..place].iter().map(|other| other.who).chain(server.silent.iter().copied());
            let contended = holders.into_iter().any(|other| other.meets(one.who));
            let fate =
                if race && matches!(one.fate, Fate::LostBefore | Fate::LostAfter) { Fate::Clear } else { one.fate };
            let origin = match fate {
                Fate::LostBefore => OriginEnd::Untouched,
                Fate::Silent(due) => {
                    server.silent.push(one.who);
                    match due {
                        Some(0) => one.who.things().iter().for_each(|thing| drop(server.ask(*thing))),
                        Some(later) => server.pending.push((index + later, one.who)),
                        None => {}
                    }
                    OriginEnd::Silent { said: Octets::default(), why: "nothing came".to_owned() }
                }
                // Told so before its lock is had: nothing is done. A lost answer has to be a success, or nothing was lost.
                Fate::Clear if one.busy && contended && one.who != Who::All => {
                    OriginEnd::Answered(vec![response(409, r#"{"error":"busy"}"#)])
                }
                Fate::Clear | Fate::LostAfter => OriginEnd::Answered(vec![server.answer(one.who, one.loose)]),
            };
            let shift = u64::try_from(place * 7 % 5).expect("small");
            let from = 100 * u64::try_from(index).expect("small") + shift;
            exchanges.push(Ok((step, *one, origin, Interval { from: Tick(from), to: Tick(from + 20 - 2 * shift) })));
        }
        step += 1;
    }
    server.catch_up(usize::MAX - 1);
    let case = case(&when, before);
    let mut no = 0;
    for exchange in exchanges {
        entries.push(match exchange {
            Err((point, rows)) => observation(&case, "wanted", point, rows),
            Ok((step, one, origin, during)) => {
                no += 1;
                Entry::Exchange(self::exchange(&case, no - 1, step, one, origin, during))
            }
        });
    }
    entries.push(observation(&case, "wanted", "end", server.rows(0)));
    entries.push(observation(&case, "far", "end", server.rows(1)));
    Played { case, entries }
}

fn passage(fate: Fate, race: bool) -> &'static str {
    match fate {
        Fate::LostBefore if !race => "pre-commit drop",
        Fate::LostAfter if !race => "post-commit drop",
        Fate::LostBefore | Fate::LostAfter | Fate::Clear | Fate::Silent(_) => "clear",
    }
}

fn exchange(case: &Case, no: u32, step: u32, one: Try, origin: OriginEnd, during: Interval) -> Exchange {
    let planned = case.attempts().find(|attempt| attempt.no == AttemptNo(no)).expect("a planned attempt");
    let stamp = |gate, at: Tick| GateStamp { gate, at, order: at.0 };
    Exchange {
        attempt: AttemptNo(no),
        step,
        intent: IntentName::from(one.who.name()),
        key: None,
        request: case.intents[one.who.name()].request.clone(),
        passage: planned.passage.clone(),
        connection: no + 1,
        request_on_connection: 1,
        replica: 0,
        fault: FaultRecord { fired: true, commit: Commit::Unknown, why: String::new() },
        at_origin: (origin != OriginEnd::Untouched).then_some(during),
        origin,
        caller: CallerEnd::TimedOut { after: 0 },
        at_caller: during,
        gates: vec![stamp(Gate::Forwarded, during.from)],
    }
}

fn observation(case: &Case, of: &str, point: &str, rows: Vec<Json>) -> Entry {
    let reading = case.intents[of].reading().expect("a reading");
    Entry::Observation(Observation {
        effect: reading.effect.clone(),
        of: IntentName::from(of),
        reading: reading.label(),
        point: point.to_owned(),
        at: Tick(1_000_000),
        sight: Sight::Seen(rows),
    })
}

fn planned(steps: &[Vec<Try>], when: &str, before: bool) -> Case {
    let mut claims = vec![
        "apply-exactly-once: wanted",
        "apply-exactly-once: far",
        "apply-at-least-once: [wanted, far]",
        "replay-verbatim: [wanted, far]",
        "mark-replay: [wanted, changed, far]",
        "leave-first-unmarked: [wanted, far]",
        "answer-repeat-as-success: [wanted, far]",
        "refuse-conflict: changed",
        "refuse-conflict: wanted",
        "answer-losers: [wanted, changed]",
        "replay-after-lock: [wanted, far]",
        "answer-items: all",
        "count-items: all",
        "never-fail: [wanted, changed, far, all]",
        "report-sameness: changed",
        "carry-retry-after: wanted",
    ];
    if !steps.iter().flatten().any(|one| one.who == Who::Changed) {
        claims.extend(["accept: [wanted, far]", "keep-apart: [wanted, far]", "leave-key-free: [wanted, far]"]);
    }
    if before {
        claims.push("write-nothing-new: wanted");
    }
    let claims: String = claims.iter().map(|claim| format!("  - {claim}\n")).collect();
    let text = format!(
        "title: laws\nbecause: they hold\ngiven:\n  wanted: {{ operation: make }}\n  changed: {{ same as: wanted, change: bigger }}\n  \
         far: {{ operation: make }}\n  all: {{ operation: make, items: [wanted, far] }}\nwhen:\n{when}server must:\n{claims}"
    );
    let scenario = scenario::load(&Source::new("scenarios/server/laws.yaml", text)).expect("the scenario loads");
    let scope = ["owner", "room"].map(|name| (name.into(), "red".to_owned())).into();
    let abilities = Abilities {
        host: "127.0.0.1".to_owned(),
        credentials: vec![AbleCredential { name: "first".into(), scope }],
        replicas: 1,
        restarts: false,
        edge: false,
        hooks: Vec::new(),
        operations: Default::default(),
        client: None,
    };
    let setting = Setting { contract: Arc::clone(&CONTRACT), abilities, seed: Seed(7) };
    expand(&Arc::new(scenario), &setting).expect("the case is planned").remove(0)
}

impl std::fmt::Debug for Played {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for entry in &self.entries {
            match entry {
                Entry::Exchange(one) => writeln!(
                    f,
                    "step {} {} {} {:?} {:?}",
                    one.step, one.intent, one.passage, one.at_origin, one.origin
                )?,
                Entry::Observation(seen) => writeln!(f, "{} {} {:?}", seen.point, seen.of, seen.sight)?,
                Entry::Action(action) => writeln!(f, "{}", action.what)?,
                Entry::Ending(ending) => writeln!(f, "{:?}", ending.exit)?,
            }
        }
        Ok(())
    }
}
