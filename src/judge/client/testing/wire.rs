//! A request of a story as it came on the wire: the planned one with what the story changes, its gates and its end.

use crate::contract::KeyPlace;
use crate::fault::Passage;
use crate::history::{AttemptNo, CallerEnd, Commit, Exchange, FaultRecord, Gate, GateStamp, OriginEnd};
use crate::json::Json;
use crate::judge::client::testing::{Key, Made};
use crate::message::{Octets, Request};
use crate::name::IntentName;
use crate::plan::{Case, Wanted};
use crate::time::{Interval, Tick};

/// Milliseconds, as ticks.
pub fn tick(milliseconds: u64) -> Tick {
    Tick(milliseconds * 1_000)
}

/// The request as an exchange of its case.
pub fn exchange(case: &Case, made: &Made, no: u32, step: u32) -> Exchange {
    let stamp = |gate, at: u64| GateStamp { gate, at: tick(at), order: at };
    let mut gates: Vec<GateStamp> = made.opened.map(|at| stamp(Gate::Accepted, at)).into_iter().collect();
    gates.push(stamp(Gate::RequestHead, made.from));
    if made.whole {
        gates.push(stamp(Gate::RequestWhole, made.from));
    }
    if made.closed {
        gates.push(stamp(Gate::Closed, made.to));
    }
    let passage: Passage = made.passage.parse().expect("a passage");
    if let (CallerEnd::Answered(_), None) = (&made.caller, passage.answer()) {
        gates.push(stamp(Gate::AnswerWhole, made.known.unwrap_or(made.to)));
        gates.push(stamp(Gate::BodyToCaller, made.to));
    }
    Exchange {
        attempt: AttemptNo(no),
        step,
        intent: IntentName::from(made.intent.as_str()),
        key: None,
        request: request(case, made),
        passage,
        connection: made.reused.unwrap_or(no + 1),
        request_on_connection: if made.unread { 0 } else { 1 + u32::from(made.reused.is_some()) },
        replica: 0,
        fault: FaultRecord { fired: made.fired, commit: Commit::Unknown, why: "it came late".to_owned() },
        origin: OriginEnd::Untouched,
        caller: made.caller.clone(),
        at_origin: None,
        at_caller: Interval { from: tick(made.from), to: tick(made.to) },
        gates,
    }
}

fn request(case: &Case, made: &Made) -> Request {
    let intent = &case.intents[made.intent.as_str()];
    let operation = &case.contract.operations[&intent.operation];
    let mut request = intent.request.clone();
    let mut body = request.json();
    if let Some(rule) = operation.key() {
        let key = match &made.key {
            Key::Usual if intent.cell().is_some() => None,
            Key::Usual => Some(Json::text("k")),
            Key::None => Some(Json::Null),
            Key::Is(key) => Some(key.clone()),
        };
        match (&rule.place, key) {
            (KeyPlace::Body(place), Some(key)) => {
                body.as_mut().expect("a body").set(place, key);
            }
            (KeyPlace::Header(name), Some(key)) => {
                request.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
                request.headers.extend(key.as_str().map(|key| (name.clone(), key.to_owned())));
            }
            (_, None) => {}
        }
    }
    if let (Wanted::Batch(all), Some(batch)) = (&intent.wanted, &operation.batch) {
        let all: Vec<&str> = all.iter().map(|name| name.as_str()).collect();
        let items = made.items.clone().map_or_else(
            || all.iter().map(|item| item_of(case, item)).collect(),
            |items| items.iter().map(|item| item_of(case, item)).collect::<Vec<Json>>(),
        );
        body.as_mut().expect("a body").set(&batch.items, Json::Array(items));
    }
    request.body = Octets(body.map(|body| body.to_string().into_bytes()).unwrap_or_default());
    if let Some(body) = &made.body {
        request.body = body.as_str().into();
    }
    if let Some(method) = made.method {
        request.method = method.to_owned();
    }
    for (name, value) in &made.headers {
        request.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        request.headers.push((name.clone(), value.clone()));
    }
    request
}

fn item_of(case: &Case, item: &str) -> Json {
    let (name, key) = item.split_once('=').map_or((item, format!("k-{item}")), |(name, key)| (name, key.to_owned()));
    let intent = &case.intents[name];
    let mut body = intent.request.json().expect("items have a body");
    if let Some(KeyPlace::Body(place)) = case.contract.operations[&intent.operation].key().map(|rule| &rule.place)
        && !key.is_empty()
    {
        body.set(place, Json::text(key));
    }
    body
}
