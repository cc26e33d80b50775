//! How the judge grows: histories of 10 to 100,000 attempts at one key, one after the other and at once, each judged
//! whole. Everything is built through the public plan and recorder. It never sends anything, and never fails for a
//! missed aim; it does fail when a verdict is not the one that the history deserves.

mod aims;

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use aims::{Asked, Figure, show};
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion, SamplingMode, Throughput};
use onceproof::cli::{Library, Wanted};
use onceproof::contract::Contract;
use onceproof::fault::Passage;
use onceproof::file::Source;
use onceproof::history::{
    CallerEnd, Commit, Entry, Exchange, FaultRecord, Gate, GateStamp, Observation, OriginEnd, Recorder, SealedHistory,
    Sight,
};
use onceproof::json::Json;
use onceproof::judge::{Verdict, judge};
use onceproof::message::{Framing, Octets, Response};
use onceproof::name::{CredentialName, ScopeName};
use onceproof::plan::{
    Abilities, AbleCredential, Case, PlannedAttempt, PlannedIntent, Seed, Setting, StepAction, expand,
};
use onceproof::scenario;
use onceproof::time::{Interval, Tick};

const SIZES: [u32; 5] = [10, 100, 1_000, 10_000, 100_000];
/// The most that one step of a scenario repeats.
const OF_A_STEP: u32 = 256;
/// Sorting alone is 1.1 between the largest two, and a history that has left the caches adds to it.
const ABOUT_LINEAR: f64 = 1.25;

fn main() {
    let contract = Library::load(&Wanted::default(), "curious").expect("bundled files are checked").contract;
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1))
        .configure_from_args();
    let mut told = Vec::new();
    for shape in [Shape::OneByOne, Shape::AtOnce] {
        let mut group = criterion.benchmark_group(shape.title());
        group.sampling_mode(SamplingMode::Flat);
        let times: Vec<(u32, Duration)> =
            SIZES.iter().filter_map(|size| Some((*size, timed(&mut group, shape, *size, &contract)?))).collect();
        group.finish();
        told.push((shape, times));
    }
    criterion.final_summary();
    if Asked::of_process() == Asked::Figures {
        told.iter().for_each(|(shape, times)| show(shape.title(), &growth(times)));
    }
}

/// The shortest time in which a history of this size was judged; none when nobody asked for it.
fn timed(
    group: &mut BenchmarkGroup<'_, WallTime>,
    shape: Shape,
    attempts: u32,
    contract: &Arc<Contract>,
) -> Option<Duration> {
    let mut shortest: Option<Duration> = None;
    let mut made: Option<(Case, SealedHistory)> = None;
    group.throughput(Throughput::Elements(u64::from(attempts)));
    group.bench_function(BenchmarkId::from_parameter(attempts), |timer| {
        let (case, history) = made.get_or_insert_with(|| {
            let case = shape.case(attempts, contract);
            let history = history(&case);
            check(&case, &history, attempts);
            (case, history)
        });
        timer.iter_custom(|times| {
            let began = Instant::now();
            for _ in 0..times {
                black_box(judge(black_box(case), black_box(history)));
            }
            let took = began.elapsed();
            let each = took.div_f64(times as f64);
            shortest = Some(shortest.map_or(each, |known| known.min(each)));
            took
        });
    });
    shortest
}

/// What is timed is a whole judgement that comes out as it should, not an early way out.
fn check(case: &Case, history: &SealedHistory, attempts: u32) {
    let report = judge(case, history);
    assert_eq!(case.attempts().count(), attempts as usize);
    assert!(!report.verdicts.is_empty());
    for verdict in &report.verdicts {
        assert!(matches!(verdict.verdict, Verdict::Holds(_)), "{}: {:?}", verdict.claim, verdict.verdict);
    }
}

/// Time an attempt, and the exponent of the growth from each size to the next.
fn growth(times: &[(u32, Duration)]) -> Vec<Figure> {
    let each = times.iter().map(|(size, time)| Figure {
        what: format!("{size} attempts, time of one"),
        value: time.as_secs_f64() * 1e6 / f64::from(*size),
        unit: "µs",
        aim: None,
    });
    let exponents = times.windows(2).filter_map(|pair| {
        let [(small, short), (large, long)] = pair else { return None };
        Some(Figure {
            what: format!("exponent from {small} to {large}"),
            value: (long.as_secs_f64() / short.as_secs_f64()).ln() / (f64::from(*large) / f64::from(*small)).ln(),
            unit: "",
            aim: Some(f64::NEG_INFINITY..ABOUT_LINEAR),
        })
    });
    each.chain(exponents).collect()
}

/// How the attempts follow each other.
#[derive(Clone, Copy)]
enum Shape {
    /// Each after the answer to the one before.
    OneByOne,
    /// In races of as many as a step holds.
    AtOnce,
}

impl Shape {
    fn title(self) -> &'static str {
        match self {
            Shape::OneByOne => "judge, one by one",
            Shape::AtOnce => "judge, at once",
        }
    }

    fn case(self, attempts: u32, contract: &Arc<Contract>) -> Case {
        // Under the name of a bundled scenario, because a contract says by name where a claim proves something.
        let (name, claims) = match self {
            Shape::OneByOne => ("server/replay/plain", &["apply-exactly-once", "replay-verbatim", "mark-replay"][..]),
            Shape::AtOnce => ("server/race/same-content", &["answer-losers", "apply-exactly-once"][..]),
        };
        let full = std::iter::repeat_n(OF_A_STEP, (attempts / OF_A_STEP) as usize);
        let steps: String =
            full.chain(Some(attempts % OF_A_STEP).filter(|rest| *rest > 0)).map(|of| self.step(of)).collect();
        let claims: String = claims.iter().map(|claim| format!("  - {claim}: wanted\n")).collect();
        let text = format!(
            "title: Many attempts at one key\nbecause: Judging must not be what limits a run.\n\
             given:\n  wanted: {{ operation: decide }}\nwhen:\n{steps}server must:\n{claims}"
        );
        let scenario = scenario::load(&Source::new(format!("scenarios/{name}.yaml"), text)).expect("a sound scenario");
        let setting = Setting { contract: Arc::clone(contract), abilities: abilities(), seed: Seed(1) };
        expand(&Arc::new(scenario), &setting).expect("a sound plan").pop().expect("one case")
    }

    fn step(self, attempts: u32) -> String {
        match self {
            Shape::OneByOne => format!("  - send: wanted\n    times: {attempts}\n"),
            Shape::AtOnce => format!("  - at once: [wanted]\n    copies: {attempts}\n"),
        }
    }
}

fn abilities() -> Abilities {
    let scope = [("organization", "acme"), ("environment", "live")];
    Abilities {
        host: "reference.test".to_owned(),
        credentials: vec![AbleCredential {
            name: CredentialName::from("live"),
            scope: scope.into_iter().map(|(name, value)| (ScopeName::from(name), value.to_owned())).collect(),
        }],
        replicas: 1,
        restarts: false,
        edge: false,
        hooks: Vec::new(),
        operations: Default::default(),
        client: None,
    }
}

/// What an honest server leaves: the first attempt is done, all others bring its answer back, and one effect is read.
fn history(case: &Case) -> SealedHistory {
    let recorder = Recorder::new();
    let mut now = 0;
    for step in &case.steps {
        let attempts = match &step.action {
            StepAction::Send(attempt) => std::slice::from_ref(attempt),
            StepAction::AtOnce { attempts, .. } => attempts.as_slice(),
            other => panic!("no shape has {other:?}"),
        };
        for (after, attempt) in (now..).zip(attempts) {
            let during = Interval { from: Tick(after), to: Tick(after + 2 * u64::from(OF_A_STEP)) };
            recorder.add(Entry::Exchange(exchange(&case.intents[&attempt.intent], attempt, step.no, during)));
        }
        now += 4 * u64::from(OF_A_STEP);
    }
    for intent in case.intents.values() {
        let reading = intent.reading().expect("decisions can be read");
        recorder.add(Entry::Observation(Observation {
            effect: reading.effect.clone(),
            of: intent.name.clone(),
            reading: reading.label(),
            point: "end".to_owned(),
            at: Tick(now),
            sight: Sight::Seen(vec![Json::parse(br#"{"decision_id":"dec_1","arm":"control"}"#).expect("JSON")]),
        }));
    }
    recorder.seal(None)
}

fn exchange(intent: &PlannedIntent, attempt: &PlannedAttempt, step: u32, during: Interval) -> Exchange {
    let answer = answer(attempt.no.0 > 0);
    let gates = [
        (Gate::RequestWhole, during.from),
        (Gate::AllButLast, during.from),
        (Gate::Forwarded, during.from),
        (Gate::AnswerBegun, during.to),
        (Gate::AnswerWhole, during.to),
        (Gate::Closed, during.to),
    ];
    Exchange {
        attempt: attempt.no,
        step,
        intent: intent.name.clone(),
        key: intent.cell().map(|cell| cell.key.clone()),
        request: intent.request.clone(),
        passage: Passage::Clear,
        connection: attempt.no.0 + 1,
        request_on_connection: 1,
        replica: 0,
        fault: FaultRecord { fired: true, commit: Commit::Committed, why: "answer seen: 200".to_owned() },
        origin: OriginEnd::Answered(vec![answer.clone()]),
        caller: CallerEnd::Answered(answer),
        at_origin: Some(during),
        at_caller: during,
        gates: gates.into_iter().zip(0..).map(|((gate, at), order)| GateStamp { gate, at, order }).collect(),
    }
}

fn answer(replayed: bool) -> Response {
    let marker = if replayed { r#","replayed":true"# } else { "" };
    let body = format!(
        r#"{{"decision_id":"dec_1","element":"welcome_email_subject","arm":"control","source":{{"page":"pricing","visit":3}}{marker}}}"#
    );
    Response {
        status: 200,
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        wire_length: body.len() as u64 + 96,
        body: Octets::from(body.as_str()),
        framing: Framing::Length,
    }
}
