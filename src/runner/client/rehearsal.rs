//! The rehearsal: whether a program can be worked with at all. It is asked once for each operation, and nothing is in its
//! way. A fault found here is one of the set-up, never a violation.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use crate::contract::{Contract, Operation};
use crate::history::{CallerEnd, Ending, Exchange, Exit, Gate, SealedHistory, Told};
use crate::plan::{Case, Seed, Setting, rehearsed};
use crate::requirement::Side;
use crate::runner::client::{ClientTarget, play};
use crate::runner::preflight::Preflight;
use crate::runner::target::Target;
use crate::scenario::Scenario;
use crate::time::Clock;

/// More requests for one intent that nothing hindered are a flood.
const FLOOD: usize = 20;

/// Asks for every operation once. The client's start-up is measured on the way.
pub async fn rehearsal(
    contract: &Arc<Contract>,
    target: &Arc<Target>,
    client: &mut ClientTarget,
    seed: Seed,
    clock: Clock,
) -> Preflight {
    let mut found = Preflight::default();
    let cases = match cases(contract, target, seed) {
        Ok(cases) if !cases.is_empty() => cases,
        Ok(_) => {
            found.bad(
                "one intent for each operation",
                "there is none to ask for",
                "name another under `operations`",
                true,
            );
            return found;
        }
        Err(why) => {
            found.bad("one intent for each operation", why, "mend the contract or the subject file", true);
            return found;
        }
    };
    let reader = match crate::observe::client(target.tempo.answer) {
        Ok(reader) => reader,
        Err(error) => {
            found.bad("a client for observers", error.to_string(), "this is a fault of ours", true);
            return found;
        }
    };
    let mut startup = Duration::ZERO;
    let mut works = false;
    let own: &ClientTarget = client;
    let played = join_all(cases.iter().map(|case| play(case, target, own, &reader, clock))).await;
    let mut findings = Vec::new();
    for (case, history) in cases.iter().zip(&played) {
        let Some(intent) = case.intents.values().next() else { continue };
        let operation = case.operation(intent);
        let verdict = judged(operation, history);
        if let (Ok(_), Some(took)) = (&verdict, took_to_start(history)) {
            startup = startup.max(took);
            works = true;
        }
        findings.push((operation, verdict));
    }
    for (operation, verdict) in findings {
        let tried = format!("asked the program for `{}`", operation.name);
        match verdict {
            Ok(came) => found.well(tried, came),
            // A program that does other operations may well not do this one: what is asked of it is not judged.
            Err(wrong) if works => {
                found.bad(tried, wrong.came, &wrong.remedy, false);
                found.missing.push(operation.name.clone());
            }
            Err(wrong) => found.bad(tried, wrong.came, &wrong.remedy, true),
        }
    }
    client.startup = startup.max(Duration::from_millis(5));
    found
}

/// A case of one plain intent for each operation that the program is said to do.
fn cases(contract: &Arc<Contract>, target: &Target, seed: Seed) -> Result<Vec<Case>, String> {
    let able = target.abilities.client.as_ref();
    let known = |operation: &&Operation| {
        let listed = able.map(|client| client.operations.as_slice()).unwrap_or_default();
        let is_meant = operation.effect.is_some() || operation.key().is_some();
        if listed.is_empty() { is_meant && operation.batch.is_none() } else { listed.contains(&operation.name) }
    };
    let setting = Setting { contract: Arc::clone(contract), abilities: target.abilities.clone(), seed };
    let operations = contract.operations.values().filter(known).filter(|operation| operation.batch.is_none());
    operations
        .map(|operation| {
            let path = format!("rehearsal/{}", operation.name);
            rehearsed(&Arc::new(Scenario::plain(&path, Side::Client, [&operation.name])), &setting)
        })
        .collect()
}

struct Wrong {
    came: String,
    remedy: String,
}

/// Whether the program did what it was asked for: one request to the operation, answered by a success, and told so.
fn judged(operation: &Operation, history: &SealedHistory) -> Result<String, Wrong> {
    let wrong = |came: String, remedy: &str| Err(Wrong { came, remedy: remedy.to_owned() });
    if let Some(why) = history.unfinished() {
        return wrong(
            why.to_owned(),
            "give a command that can be run: `-- PROGRAM ARGUMENT…`, or `client: { run: … }`",
        );
    }
    let calls: Vec<&Exchange> = history.exchanges().map(|(_, exchange)| exchange).collect();
    let ending: Option<&Ending> = history.endings().last().map(|(_, ending)| ending);
    let wrote = ending.map(|ending| ending.wrote.trim().to_owned()).filter(|wrote| !wrote.is_empty());
    let said = wrote.map(|wrote| format!("; it wrote: {}", wrote.replace('\n', " / "))).unwrap_or_default();
    let exit = ending.map(|ending| exit(&ending.exit)).unwrap_or_default();
    let wanted = format!("{} {}", operation.request.method, operation.request.target);
    let asked = |call: &&&Exchange| {
        let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
        call.request.method == operation.request.method
            && (path(&call.request.target) == path(&operation.request.target)
                || operation.request.target.contains("{{"))
    };
    let Some(first) = calls.iter().find(asked) else {
        return match calls.first() {
            None => wrong(
                format!("it made no request, and {exit}{said}"),
                "it has to send to ONCEPROOF_URL, which is another address each time; see the README",
            ),
            Some(other) => wrong(
                format!(
                    "it asked for {} {}, not for {wanted}, and {exit}{said}",
                    other.request.method, other.request.target
                ),
                "make it ask for that, or say what it asks for under `speaks:` in a subject file",
            ),
        };
    };
    if calls.len() > FLOOD {
        return wrong(
            format!("it made {} requests for one intent that nothing hindered", calls.len()),
            "one is enough",
        );
    }
    match &first.caller {
        CallerEnd::Answered(answer) if operation.outcome(answer).is_some_and(|outcome| outcome.is_success()) => {}
        CallerEnd::Answered(answer) => {
            let body: String = String::from_utf8_lossy(&answer.body.0).chars().take(200).collect();
            return wrong(
                format!("its {wanted} was answered {} {body}{said}", answer.status),
                "it has to send what ONCEPROOF_INPUT holds, with ONCEPROOF_CREDENTIAL as its credential",
            );
        }
        _ => return wrong(format!("its {wanted} got no answer, and {exit}{said}"), "see the report of its first case"),
    }
    match ending.map(|ending| (&ending.exit, ending.told)) {
        Some((Exit::StillAtWork, _)) => wrong(
            format!("it was answered and never ended{said}"),
            "end it when the outcome is known, or use `stays up:` for a program that takes lines",
        ),
        Some((_, Some(Told::Success)) | (Exit::Status(0), None)) => {
            let took = took_to_start(history).unwrap_or_default();
            Ok(format!(
                "{wanted} answered, success told; its first request came after {:.0} ms",
                took.as_secs_f64() * 1e3
            ))
        }
        Some((_, told)) => wrong(
            format!("it was answered by a success and told {}, and {exit}{said}", told.map_or("nothing", Told::word)),
            "its last line has to be {\"outcome\":\"success\"}, or its exit status 0",
        ),
        None => wrong("it was not asked".to_owned(), "this is a fault of ours"),
    }
}

fn exit(exit: &Exit) -> String {
    match exit {
        Exit::Status(status) => format!("ended with status {status}"),
        Exit::Signal(signal) => format!("was ended by signal {signal}"),
        Exit::StaysUp => "stayed up".to_owned(),
        Exit::KilledAsPlanned | Exit::StillAtWork => "was ended because it took too long".to_owned(),
    }
}

/// From its start to its first request.
fn took_to_start(history: &SealedHistory) -> Option<Duration> {
    let (_, ending) = history.endings().next()?;
    let (_, first) = history.exchanges().next()?;
    let head = first.gates.iter().find(|stamp| stamp.gate == Gate::RequestHead)?;
    Some(head.at.since(ending.at.from))
}
