//! Literal runs for the tests of the reports.

use indexmap::IndexMap;

use crate::event::{Stories, Story};
use crate::history::{
    AttemptNo, CallerEnd, Commit, Entry, EntryNo, Exchange, FaultRecord, Gate, GateStamp, Observation, OriginEnd, Sight,
};
use crate::json::{Json, diff};
use crate::judge::{
    Anomaly, CaseReport, ClaimVerdict, Doubt, Evidence, RequirementReport, RunReport, Standing, Verdict,
};
use crate::message::{Framing, Octets, Request, Response};
use crate::requirement::{Grade, Level, Side};
use crate::time::{Interval, Tick};

/// A run with one of each: a broken must in three cases, a warning, a gap, a probe, a pass and one that is not ours.
pub fn run() -> RunReport {
    let says = |id: &str, standing, says: &str, counts: (usize, usize, usize)| RequirementReport {
        says: says.to_owned(),
        held: counts.0,
        violated: counts.1,
        unknown: counts.2,
        ..requirement(id, standing)
    };
    let requirements = vec![
        says("CUR-DEC-01", Standing::Fail, "a decide under one key is done once, however often it is sent", (20, 3, 0)),
        says("CUR-DEC-02", Standing::Pass, "a decide without a key is refused", (4, 0, 0)),
        says("CUR-DEC-05", Standing::Fail, "a replayed decide is marked", (0, 3, 0)),
        says("CUR-DEC-09", Standing::Warn, "a replay brings back the first answer, member for member", (6, 1, 0)),
        RequirementReport {
            remark: Some("the subject has no second credential".to_owned()),
            ..says("CUR-SCO-01", Standing::NotJudged, "a key belongs to one organization", (0, 0, 1))
        },
        RequirementReport {
            remark: Some("decide, null member: replays".to_owned()),
            ..says("CUR-PRB-03", Standing::Reported, "whether a null member counts as the same request", (1, 0, 0))
        },
        says("CUR-CLI-01", Standing::NotApplicable, "a client keeps the key of a retry", (0, 0, 0)),
    ];
    let blind = Verdict::Unknown(Doubt::SubjectLacks("second credential".to_owned()));
    let mut cases = vec![
        lost_answer("7f3a", "post-commit reset"),
        lost_answer("81c0", "post-commit drop"),
        lost_answer("9e44", "post-commit stall"),
        case("a001", &["CUR-DEC-09"], divergent()),
        case("b002", &["CUR-SCO-01"], blind),
        case("c003", &["CUR-DEC-02"], Verdict::holds([EntryNo(0)], "")),
    ];
    for (at, path) in [(3, "server/replay/verbatim"), (4, "server/scope/two-keys"), (5, "server/key/absent")] {
        cases[at].scenario = path.into();
    }
    RunReport {
        contract: "curious".to_owned(),
        subject: "http://127.0.0.1:8080".to_owned(),
        seed: 7731,
        complete: true,
        planned: cases.len(),
        strict: false,
        kill_score: Some((31, 31)),
        requirements,
        cases,
        unused_waivers: Vec::new(),
    }
}

/// The stories of [`run`].
pub fn stories() -> Stories {
    ["7f3a", "81c0", "9e44", "a001"].into_iter().map(|id| (id.into(), story())).collect()
}

/// A requirement by its standing: a stated must, unless that standing needs another.
pub fn requirement(id: &str, standing: Standing) -> RequirementReport {
    let (level, grade) = match standing {
        Standing::Fail | Standing::Pass | Standing::Waived | Standing::NotJudged | Standing::NotApplicable => {
            (Level::Must, Grade::Stated)
        }
        Standing::Warn => (Level::Must, Grade::Derived),
        Standing::Reported => (Level::Probe, Grade::Probe),
    };
    RequirementReport {
        id: id.into(),
        level,
        grade,
        side: Side::Server,
        says: "it is done once".to_owned(),
        source: "001, replay table, row 1".to_owned(),
        standing,
        held: 0,
        violated: 0,
        waived: 0,
        unknown: 0,
        remark: None,
        shown_by: None,
    }
}

/// A case with one claim.
pub fn case(id: &str, requirements: &[&str], verdict: Verdict) -> CaseReport {
    CaseReport {
        id: id.into(),
        scenario: "server/replay/lost-answer".into(),
        title: "A write survives a lost answer".to_owned(),
        cell: IndexMap::from([("operation".to_owned(), "decide".to_owned())]),
        verdicts: vec![claimed("apply-exactly-once", requirements, verdict)],
    }
}

fn lost_answer(id: &str, loss: &str) -> CaseReport {
    let mut case = case(id, &["CUR-DEC-01"], duplicated());
    case.cell.insert("loss".to_owned(), loss.to_owned());
    let unmarked = found(Anomaly::WrongMarker, "the retry replays it, marked", "200 unmarked");
    case.verdicts.push(claimed("mark-replay", &["CUR-DEC-05"], unmarked));
    case
}

fn claimed(claim: &str, requirements: &[&str], verdict: Verdict) -> ClaimVerdict {
    let requirements = requirements.iter().map(|id| (*id).into()).collect();
    // Claims are the scenarios', which a report does not import; it only repeats their names.
    let claim = serde_json::from_value(claim.into()).expect("a claim");
    ClaimVerdict { claim, on: vec!["wanted".into()], requirements, verdict, waived: IndexMap::new() }
}

/// Done twice.
pub fn duplicated() -> Verdict {
    found(Anomaly::Duplicated { times: 2 }, "1 decision", "2 decisions (dec_41, dec_42)")
}

/// Answered differently.
pub fn divergent() -> Verdict {
    let parse = |text: &str| text.parse::<Json>().expect("a literal");
    let first = parse(r#"{"decision_id":"dec_41","n":1}"#);
    let places = diff(&first, &parse(r#"{"decision_id":"dec_42","n":1.0}"#), &[]);
    found(Anomaly::DivergentReplay(places), "the first answer again", "an answer that differs in 2 places")
}

/// Violated, by one finding.
pub fn found(anomaly: Anomaly, expected: &str, observed: &str) -> Verdict {
    let evidence =
        Evidence { anomaly, expected: expected.to_owned(), observed: observed.to_owned(), shown_by: vec![EntryNo(0)] };
    Verdict::violated_or(vec![evidence], || unreachable!("there is a finding"))
}

/// The lost answer of the design.
pub fn story() -> Story {
    let lost = Exchange {
        passage: "post-commit reset".parse().expect("a passage"),
        fault: FaultRecord { fired: true, commit: Commit::Committed, why: "effect seen".to_owned() },
        origin: OriginEnd::Answered(vec![answered("dec_41")]),
        caller: CallerEnd::Cut { after: 0, reset: true },
        at_origin: Some(Interval { from: Tick(1_002_000), to: Tick(1_011_800) }),
        at_caller: Interval { from: Tick(1_000_000), to: Tick(1_012_100) },
        gates: vec![GateStamp { gate: Gate::AnswerWhole, at: Tick(1_011_800), order: 8 }],
        ..exchange(0, 1_000_000)
    };
    let read = Observation {
        effect: "decision".into(),
        of: "wanted".into(),
        reading: "GET /v1/decisions".to_owned(),
        point: "end".to_owned(),
        at: Tick(1_080_250),
        sight: Sight::Seen(vec![Json::text("dec_41"), Json::text("dec_42")]),
    };
    Story {
        entries: vec![
            Entry::Exchange(lost),
            Entry::Exchange(Exchange { connection: 4, ..exchange(1, 1_062_400) }),
            Entry::Observation(read),
        ],
        again: "onceproof run server/replay/lost-answer --case 7f3a --seed 7731".to_owned(),
        likely_cause: Some("keys are forgotten as soon as the answer is out".to_owned()),
    }
}

/// A clear exchange that takes 8.6 ms and is answered.
pub fn exchange(attempt: u32, from: u64) -> Exchange {
    let during = Interval { from: Tick(from), to: Tick(from + 8_600) };
    Exchange {
        attempt: AttemptNo(attempt),
        step: attempt,
        intent: "wanted".into(),
        key: Some("k-91".to_owned()),
        request: Request {
            method: "POST".to_owned(),
            target: "/v1/decide".to_owned(),
            headers: vec![
                ("Host".to_owned(), "127.0.0.1:8080".to_owned()),
                ("Authorization".to_owned(), "Bearer ***".to_owned()),
                ("Content-Type".to_owned(), "application/json".to_owned()),
            ],
            body: Octets::from(r#"{"user_id":"u-1","idempotency_key":"k-91"}"#),
            framing: Framing::Length,
        },
        passage: "clear".parse().expect("a passage"),
        connection: 3,
        request_on_connection: 1,
        replica: 0,
        fault: FaultRecord { fired: true, commit: Commit::Committed, why: "answer seen".to_owned() },
        origin: OriginEnd::Answered(vec![answered("dec_42")]),
        caller: CallerEnd::Answered(answered("dec_42")),
        at_origin: Some(during),
        at_caller: during,
        gates: Vec::new(),
    }
}

fn answered(id: &str) -> Response {
    Response {
        status: 200,
        headers: vec![("Content-Type".to_owned(), "application/json".to_owned())],
        body: Octets(format!(r#"{{"decision_id":"{id}"}}"#).into_bytes()),
        framing: Framing::Length,
        wire_length: 120,
    }
}
