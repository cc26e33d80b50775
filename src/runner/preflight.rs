//! The preflight: whether the subject can be worked with at all. What was tried, what came back, what to change. A fault
//! found here is one of the set-up, never a violation; it judges no answer beyond "is this the API that was meant".

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use crate::contract::Contract;
use crate::driver::{After, Patience, connect};
use crate::history::{CallerEnd, Sight};
use crate::message::Response;
use crate::name::{CredentialName, OperationName};
use crate::plan::{Abilities, Case, CredentialUse, PlannedIntent, Seed, Setting, rehearsed};
use crate::requirement::Side;
use crate::runner::observer::observe;
use crate::runner::process::Process;
use crate::runner::target::{Target, Tempo};
use crate::scenario::Scenario;
use crate::time::Clock;

/// A clock that is off by more makes freshness windows and dates doubtful.
const SKEW: Duration = Duration::from_secs(5);

/// One thing tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What was tried.
    pub tried: String,
    /// What came back.
    pub came: String,
    /// What to change; none when it is well.
    pub remedy: Option<String>,
    /// Whether nothing can be judged until it is changed.
    pub fatal: bool,
}

/// What the preflight found.
#[derive(Clone, Debug, Default)]
pub struct Preflight {
    /// Everything tried, in order.
    pub findings: Vec<Finding>,
    /// Operations that the subject does not offer.
    pub missing: Vec<OperationName>,
    /// How long to wait for what.
    pub tempo: Tempo,
}

impl Preflight {
    /// Whether the subject can be worked with.
    pub fn is_ready(&self) -> bool {
        !self.findings.iter().any(|finding| finding.fatal)
    }

    /// Lines for people.
    pub fn lines(&self) -> Vec<String> {
        self.findings
            .iter()
            .map(|finding| {
                let mark = match (&finding.remedy, finding.fatal) {
                    (None, _) => "✓",
                    (Some(_), false) => "!",
                    (Some(_), true) => "✗",
                };
                let remedy = finding.remedy.as_ref().map(|remedy| format!("\n    {remedy}")).unwrap_or_default();
                format!("{mark} {}: {}{remedy}", finding.tried, finding.came)
            })
            .collect()
    }

    pub(super) fn well(&mut self, tried: impl Into<String>, came: impl Into<String>) {
        self.findings.push(Finding { tried: tried.into(), came: came.into(), remedy: None, fatal: false });
    }

    pub(super) fn bad(&mut self, tried: impl Into<String>, came: impl Into<String>, remedy: &str, fatal: bool) {
        self.findings.push(Finding { tried: tried.into(), came: came.into(), remedy: Some(remedy.to_owned()), fatal });
    }
}

/// Tries everything that a run will need, once.
pub async fn preflight(contract: &Arc<Contract>, target: &Arc<Target>, seed: Seed) -> Preflight {
    let mut found = Preflight::default();
    let clock = Clock::start();
    for (index, address) in target.replicas.iter().enumerate() {
        reach(&mut found, target, index, *address).await;
    }
    let Some(first) = target.replicas.first().copied().filter(|_| found.is_ready()) else { return found };
    let case = match writes(contract, &target.abilities, seed) {
        Ok(case) => case,
        Err(why) => {
            found.bad("one plain write for each operation", why, "mend the contract or the subject file", true);
            return found;
        }
    };
    let mut slowest = Duration::ZERO;
    let mut skew = None;
    for intent in case.intents.values() {
        let (answer, took) = write(target, first, intent, &clock).await;
        slowest = slowest.max(took);
        if let Ok(answer) = &answer {
            skew = skew.or_else(|| clock_skew(answer));
        }
        judge_write(&mut found, &case, intent, answer, took);
        // What cannot be worked with is not worked with: each further try would wait as long.
        if !found.is_ready() {
            return found;
        }
    }
    found.tempo = Tempo::for_latency(slowest);
    credentials(&mut found, &case, target, first, &clock, seed).await;
    if let Some(second) = target.replicas.get(1).copied()
        && let Some(intent) = case.intents.values().next()
    {
        // The same request again: whatever it is answered, the replica works.
        match write(target, second, intent, &clock).await.0 {
            Ok(answer) if answer.status < 500 => {
                found.well(format!("replica {}", target.replica(1)), format!("answered {}", answer.status))
            }
            other => found.bad(
                format!("replica {}", target.replica(1)),
                came(&other),
                "start it on the same store, or leave its URL out",
                true,
            ),
        }
    }
    match skew {
        Some(skew) if skew > SKEW => {
            let came = format!("its clock is {} s off", skew.as_secs());
            found.bad(
                "the Date of its answers",
                came,
                "set its clock; dates in Retry-After are read against it",
                false,
            );
        }
        Some(_) => found.well("the Date of its answers", "its clock agrees"),
        None => {}
    }
    effects(&mut found, &case, target, first, &clock).await;
    process(&mut found, target).await;
    found
}

async fn reach(found: &mut Preflight, target: &Target, index: usize, address: SocketAddr) {
    let patience = Patience { connect: target.tempo.connect, answer: target.tempo.answer };
    let called = target.replica(index);
    match connect(address, &patience).await {
        Ok(_) => found.well(format!("connect to {called}"), "accepted"),
        Err(CallerEnd::Refused) => {
            found.bad(format!("connect to {called}"), "refused", "start the server, or mend its URL", true);
        }
        Err(other) => {
            let remedy =
                if index == 0 { "start the server, or mend its URL" } else { "start this replica, or leave it out" };
            found.bad(format!("connect to {called}"), format!("{other:?}"), remedy, true);
        }
    }
}

/// A case of one plain intent for each operation that is not a batch, in the contract's order.
fn writes(contract: &Arc<Contract>, abilities: &Abilities, seed: Seed) -> Result<Case, String> {
    let operations = contract.operations.values().filter(|operation| operation.batch.is_none());
    let scenario = Scenario::plain("preflight", Side::Server, operations.map(|operation| &operation.name));
    let setting =
        Setting { contract: Arc::clone(contract), abilities: Abilities { client: None, ..abilities.clone() }, seed };
    rehearsed(&Arc::new(scenario), &setting)
}

type Came = Result<Response, CallerEnd>;

async fn write(target: &Target, to: SocketAddr, intent: &PlannedIntent, clock: &Clock) -> (Came, Duration) {
    write_as(target, to, intent, &intent.credential, clock).await
}

async fn write_as(
    target: &Target,
    to: SocketAddr,
    intent: &PlannedIntent,
    credential: &CredentialUse,
    clock: &Clock,
) -> (Came, Duration) {
    let patience = Patience { connect: target.tempo.connect, answer: target.tempo.answer };
    let (bytes, _) = target.written(&intent.request, credential, None, std::time::SystemTime::now());
    let began = clock.now();
    let came = match connect(to, &patience).await {
        Err(end) => Err(end),
        Ok(connected) => match connected.send(&bytes, After::Read, &patience, clock).await.caller {
            CallerEnd::Answered(answer) => Ok(answer),
            other => Err(other),
        },
    };
    (came, clock.now().since(began))
}

fn judge_write(found: &mut Preflight, case: &Case, intent: &PlannedIntent, answer: Came, took: Duration) {
    let operation = case.operation(intent);
    let tried = format!("{}: {} {}", operation.name, intent.request.method, intent.request.target);
    let answer = match answer {
        Ok(answer) => answer,
        Err(_) => {
            found.bad(tried, came(&answer), "is this an HTTP/1.1 server, and this its port?", true);
            return;
        }
    };
    let said = || format!("answered {} {}", answer.status, short(&answer));
    match operation.outcome(&answer) {
        Some(outcome) if outcome.is_success() => {
            found.well(tried, format!("answered {} in {:.1} ms", answer.status, took.as_secs_f64() * 1000.0));
        }
        _ if matches!(answer.status, 401 | 403) => {
            found.bad(tried, said(), "check the headers of the first credential", true);
        }
        _ if matches!(answer.status, 404 | 405 | 501) => {
            found.missing.push(operation.name.clone());
            found.bad(
                tried,
                said(),
                "it is taken for not offered; give its path under `operations` if it is elsewhere",
                false,
            );
        }
        _ => found.bad(
            tried,
            said(),
            "a plain write must be answered by a success of the contract",
            answer.status != 409,
        ),
    }
}

async fn credentials(
    found: &mut Preflight,
    case: &Case,
    target: &Target,
    first: SocketAddr,
    clock: &Clock,
    seed: Seed,
) {
    let offered = |intent: &&PlannedIntent| !found.missing.contains(&intent.operation);
    let Some(intent) = case.intents.values().find(offered) else {
        found.bad(
            "one plain write for each operation",
            "none is offered",
            "check the URL, and the paths under `operations`",
            true,
        );
        return;
    };
    for name in target.credentials.keys().skip(1) {
        let credential = CredentialUse::Named(name.clone());
        // A request may name the scope of who asks, so each credential has one of its own.
        let own = writes(&case.contract, &asked_by(&target.abilities, name), seed).ok();
        let own = own.as_ref().and_then(|own| own.intents.get(&intent.name)).unwrap_or(intent);
        let (answer, _) = write_as(target, first, own, &credential, clock).await;
        match answer {
            Ok(answer) if !matches!(answer.status, 401 | 403) && answer.status < 500 => {
                found.well(format!("credential `{name}`"), format!("answered {}", answer.status));
            }
            other => {
                found.bad(format!("credential `{name}`"), came(&other), "check its headers, or leave it out", true)
            }
        }
    }
}

/// The same subject, with another credential as its first.
fn asked_by(abilities: &Abilities, name: &CredentialName) -> Abilities {
    let mut abilities = abilities.clone();
    abilities.credentials.sort_by_key(|known| known.name != *name);
    abilities
}

async fn effects(found: &mut Preflight, case: &Case, target: &Arc<Target>, first: SocketAddr, clock: &Clock) {
    let client = match crate::observe::client(target.tempo.answer) {
        Ok(client) => client,
        Err(error) => {
            found.bad("a client for observers", error.to_string(), "this is a fault of the harness", true);
            return;
        }
    };
    for seen in observe(case, target, &client, first, clock, "preflight").await {
        if case.intents.get(&seen.of).is_some_and(|intent| found.missing.contains(&intent.operation)) {
            continue;
        }
        let tried = format!("observer of `{}`", seen.effect);
        let remedy = "its claims will not be judged; give an observer under `observe`";
        match seen.sight {
            Sight::Seen(rows) if rows.is_empty() => {
                found.bad(tried, "sees nothing of the write just made", remedy, false);
            }
            Sight::Seen(rows) => found.well(tried, format!("sees {} of 1 write", rows.len())),
            Sight::Blind(why) => found.bad(tried, why, remedy, false),
        }
    }
}

/// Whether a process of the subject can be started by its command.
async fn process(found: &mut Preflight, target: &Target) {
    let Some(starter) = &target.starter else { return };
    let started = match tempfile::tempdir() {
        Err(error) => Err(error.to_string()),
        Ok(folder) => match Process::start(starter, folder.path()).await {
            Ok(mut process) => process.end(true).await.map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        },
    };
    match started {
        Ok(()) => found.well("its start command", "starts, and ends when it is killed"),
        Err(why) => found.bad("its start command", why, "mend `start` in the subject file", true),
    }
}

fn clock_skew(answer: &Response) -> Option<Duration> {
    let date = httpdate::parse_http_date(answer.header("date")?).ok()?;
    let now = std::time::SystemTime::now();
    Some(now.duration_since(date).unwrap_or_else(|behind| behind.duration()))
}

fn came(answer: &Came) -> String {
    match answer {
        Ok(answer) => format!("answered {} {}", answer.status, short(answer)),
        Err(CallerEnd::Refused) => "connection refused".to_owned(),
        Err(CallerEnd::Cut { after, reset }) => {
            let how = if *reset { "reset" } else { "closed" };
            format!("the connection was {how} after {after} bytes")
        }
        Err(CallerEnd::TimedOut { after }) => format!("no whole answer in time ({after} bytes came)"),
        Err(CallerEnd::Unreadable { why, .. }) => format!("not HTTP: {why}"),
        Err(CallerEnd::HungUp | CallerEnd::Answered(_)) => "nothing".to_owned(),
    }
}

fn short(answer: &Response) -> String {
    String::from_utf8_lossy(&answer.body.0).chars().take(160).collect()
}
