//! Plays one case of a client under test: a listener of its own, a program for each intent, the passages in the order in
//! which its requests arrive. What it does is its own; how long it may take is bounded.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;

use crate::contract::{ClientRules, StatusSet};
use crate::fault::{Fault, Loss, Passage, RetryAfter};
use crate::history::{
    AttemptNo, CallerEnd, Commit, Ending, Entry, Exchange, Exit, FaultRecord, Gate, OriginEnd, Recorder, SealedHistory,
};
use crate::message::{Framing, Octets, Request};
use crate::plan::{Case, Meeting, PlannedAsk, PlannedIntent};
use crate::proxy::{Armed, ClosedBy, Control, Limits, Proxy, Refusing, Relayed};
use crate::runner::client::ClientTarget;
use crate::runner::client::command::End;
use crate::runner::client::program::{Asked, Program};
use crate::runner::client::question::{Question, secret, state_of};
use crate::runner::observer::observe;
use crate::runner::process::free_again;
use crate::runner::target::Target;
use crate::time::{Clock, Interval, Tick, times};

/// How long what is still on the road is awaited when a program has ended.
const SETTLE: Duration = Duration::from_secs(2);
/// A program may take so much longer than all its waits.
const BESIDES: Duration = Duration::from_secs(10);
/// No program is waited for longer.
const LONGEST: Duration = Duration::from_secs(400);
/// How long a wait is taken to be where the source does not say: this, then twice, then four times as long.
const UNSAID: Duration = Duration::from_secs(1);
/// How many requests are waited for where the source does not say.
const UNSAID_ATTEMPTS: u32 = 6;
/// How many programs of one intent are started one after the other, at most.
const MOST_STARTS: usize = 8;

/// Plays a case; an error of ours ends it unfinished, and the history says so.
pub async fn play(
    case: &Case,
    target: &Arc<Target>,
    client: &ClientTarget,
    reader: &reqwest::Client,
    clock: Clock,
) -> SealedHistory {
    let recorder = Recorder::new();
    let (Some(rules), Some(able)) = (case.rules(), case.client.as_ref()) else {
        return recorder.seal(Some("the contract has no rules for this client".to_owned()));
    };
    let Some(origin) = target.replicas.first().copied() else {
        return recorder.seal(Some("there is no origin".to_owned()));
    };
    let scale = able.time_scale;
    let road = match Road::open(case, rules, origin, scale, target, client, clock).await {
        Ok(road) => road,
        Err(why) => return recorder.seal(Some(why)),
    };
    let mut road = road;
    let mut unfinished = None;
    for (step, ask) in case.asks() {
        if let Err(why) = road.ask(step, ask).await {
            unfinished = Some(why);
            break;
        }
    }
    let entries = std::mem::take(&mut road.entries);
    if able.both {
        let requests = entries.iter().filter_map(|entry| match entry {
            Entry::Exchange(exchange) => Some((&exchange.intent, &exchange.request)),
            _ => None,
        });
        let seen = case.as_seen(requests);
        let observed = observe(&seen, target, reader, origin, &clock, "end").await;
        for entry in entries.into_iter().chain(observed.into_iter().map(Entry::Observation)) {
            recorder.add(entry);
        }
    } else {
        entries.into_iter().for_each(|entry| recorder.add(entry));
    }
    recorder.seal(unfinished)
}

/// The road of one case, and what has been on it.
struct Road<'a> {
    case: &'a Case,
    rules: &'a ClientRules,
    scale: f64,
    target: &'a Target,
    client: &'a ClientTarget,
    clock: Clock,
    proxy: Proxy,
    asked: Asked<'a>,
    folder: Option<tempfile::TempDir>,
    entries: Vec<Entry>,
    attempts: u32,
}

impl<'a> Road<'a> {
    async fn open(
        case: &'a Case,
        rules: &'a ClientRules,
        origin: SocketAddr,
        scale: f64,
        target: &'a Target,
        client: &'a ClientTarget,
        clock: Clock,
    ) -> Result<Self, String> {
        let timeout = times(rules.attempt_timeout.unwrap_or(Duration::from_secs(10)), scale);
        let limits = Limits {
            // A drip outlasts any timeout that is one of each read, and never ends before the program does.
            drip: (timeout / 4).max(Duration::from_millis(1)),
            caller_wait: LONGEST,
            hold: LONGEST,
            ..target.limits
        };
        let at = free_again().map_err(|error| error.to_string())?;
        let proxy = Proxy::open_at(at, origin, clock, limits).await.map_err(|error| error.to_string())?;
        // The reference client keeps what it keeps in this process.
        let folder = match client.program {
            Program::Reference(_) => None,
            Program::Once(_) | Program::StaysUp(_) => Some(tempfile::tempdir().map_err(|error| error.to_string())?),
        };
        let asked = Asked::new(&client.program, &case.contract, rules);
        Ok(Self { case, rules, scale, target, client, clock, proxy, asked, folder, entries: Vec::new(), attempts: 0 })
    }

    /// Asks for one intent: once, and again each time that the program was killed as planned.
    async fn ask(&mut self, step: u32, ask: &PlannedAsk) -> Result<(), String> {
        let intent = self.case.intents.get(&ask.intent).ok_or_else(|| format!("no intent `{}`", ask.intent))?;
        self.proxy.disarm();
        let done = self.case.operation(intent).says_done();
        let done = done.as_ref();
        let refused = ask.meets.iter().take_while(|meeting| meeting.passage == Passage::Faulted(Fault::Refuse)).count();
        let mut controls: Vec<(Passage, Control)> =
            ask.meets[refused..].iter().map(|meeting| (meeting.passage.clone(), self.arm(meeting, done))).collect();
        self.proxy.arm_thereafter(Some(armed(&ask.thereafter, done.cloned())));
        if controls.is_empty() && ask.thereafter.passage == Passage::Clear {
            controls.push((Passage::Clear, self.arm(&ask.thereafter, done)));
        }
        let all_refused = refused > 0 && ask.thereafter.passage == Passage::Faulted(Fault::Refuse);
        let question = self.question(intent, step);
        for _ in 0..MOST_STARTS {
            let killing =
                controls.iter().position(|(passage, _)| *passage == Passage::Faulted(Fault::Kill { early: false }));
            let first = controls.first().map(|(_, control)| control.clone());
            let held = killing.and_then(|at| controls.get(at)).map(|(_, control)| control.clone());
            let permit = self.client.starting.clone().acquire_owned().await.map_err(|error| error.to_string())?;
            let from = self.clock.now();
            let refusing = match refused > 0 {
                true => Some(self.proxy.refuse().await.map_err(|error| error.to_string())?),
                false => None,
            };
            let refusal = refuse_for(refusing, (!all_refused).then(|| self.refused_for()), self.clock);
            let bound = self.bound(ask) + self.client.startup * 3;
            let started = begun(first, permit, self.client.startup * 4 + Duration::from_secs(2));
            let asking = self.asked.ask(&question, ended(held.clone(), bound));
            let (reply, refused_till, ()) = tokio::join!(asking, refusal, started);
            let (still_refusing, reopened) = refused_till?;
            if let Some(refusing) = still_refusing {
                refusing.reopen().await.map_err(|error| error.to_string())?;
            }
            let reply = reply?;
            let to = self.clock.now();
            if let Some(held) = &held {
                held.release();
            }
            self.collect(step, intent, refused, from, reopened).await;
            let at = Interval { from, to };
            let again = reply.exit == Exit::KilledAsPlanned;
            self.entries.push(Entry::Ending(Ending {
                step,
                intent: intent.name.clone(),
                at,
                exit: reply.exit,
                told: reply.told,
                wrote: String::from_utf8_lossy(&self.target.blanked(reply.wrote.as_bytes())).into_owned(),
                grace: self.client.grace(at),
            }));
            if !again {
                return Ok(());
            }
            controls.drain(..=killing.unwrap_or(0));
        }
        Err(format!("the program was started {MOST_STARTS} times for one intent"))
    }

    fn arm(&self, meeting: &Meeting, done: Option<&StatusSet>) -> Control {
        self.proxy.arm(armed(meeting, done.cloned()))
    }

    fn question(&self, intent: &PlannedIntent, step: u32) -> Question {
        let headers = self.target.headers_of(&intent.credential);
        Question {
            url: format!("http://{}", self.proxy.addr()),
            operation: intent.operation.to_string(),
            input: intent.request.json().unwrap_or(crate::json::Json::Null),
            key: intent
                .cell()
                .and_then(|cell| crate::json::Json::parse(cell.key.as_bytes()).ok()?.as_str().map(str::to_owned)),
            unkeyed: intent.unkeyed,
            credential: secret(&headers),
            headers,
            state: self.folder.as_ref().map(|own| state_of(own.path(), intent.name.as_str())).unwrap_or_default(),
            time_scale: self.scale,
            bits: bits(self.case, step),
        }
    }

    /// What was on the road since the program was asked, in order of arrival.
    async fn collect(&mut self, step: u32, intent: &PlannedIntent, refused: usize, from: Tick, reopened: Option<Tick>) {
        let relayed = self.proxy.settle(SETTLE).await;
        let first = relayed.first().and_then(|one| one.gates.first()).map(|stamp| stamp.at);
        if refused > 0 {
            let entry = self.refusal(step, intent, from, reopened, first);
            self.entries.push(entry);
        }
        for one in relayed {
            let exchange = self.exchange(step, intent, one);
            self.entries.push(Entry::Exchange(exchange));
        }
    }

    fn exchange(&mut self, step: u32, intent: &PlannedIntent, relayed: Relayed) -> Exchange {
        let caller = relayed.caller_end();
        let at = |gate: Option<&crate::history::GateStamp>| gate.map(|stamp| stamp.at);
        let from = at(relayed.gates.first()).unwrap_or_default();
        let to = at(relayed.gates.last()).unwrap_or(from);
        let mut fault = relayed.fault;
        // A client that leaves in the middle of a slow answer lets the fault do what it is for.
        let left = relayed.caller_got.closed_by == ClosedBy::Caller;
        if left && matches!(relayed.passage, Passage::Faulted(Fault::Drip | Fault::DripBody)) {
            fault.fired = true;
            fault.why = format!("the caller left in the middle; {}", fault.why);
        }
        let request = relayed.request.unwrap_or_else(|| Request {
            method: String::new(),
            target: String::new(),
            headers: Vec::new(),
            body: relayed.raw_head.clone(),
            framing: Framing::None,
        });
        let request = self.target.recorded(request);
        let key = self.case.operation(intent).key_in(&request);
        Exchange {
            attempt: self.next(),
            step,
            intent: intent.name.clone(),
            key: key.map(|key| key.as_str().map_or_else(|| key.to_string(), str::to_owned)),
            request,
            passage: relayed.passage,
            connection: relayed.connection,
            request_on_connection: relayed.request_on_connection,
            replica: 0,
            fault,
            origin: relayed.origin,
            caller,
            at_origin: relayed.at_origin,
            at_caller: Interval { from, to },
            gates: relayed.gates,
        }
    }

    /// A connection that is refused leaves no trace here: that one was tried is known from the program, which was started
    /// while the port refused and came back after it did not.
    fn refusal(
        &mut self,
        step: u32,
        intent: &PlannedIntent,
        from: Tick,
        reopened: Option<Tick>,
        first: Option<Tick>,
    ) -> Entry {
        let now = self.clock.now();
        let to = reopened.unwrap_or(now);
        let soon = first.is_some_and(|first| first.since(to) < self.client.startup / 2);
        let (fired, why) = match (soon, first) {
            (true, _) => (false, "the first request came so soon that it may have been the first try".to_owned()),
            (false, Some(_)) => (true, "the port refused while the program began, and it came back".to_owned()),
            (false, None) => (true, "the port refused while the program began".to_owned()),
        };
        let attempt = self.next();
        let nothing = Request {
            method: String::new(),
            target: String::new(),
            headers: Vec::new(),
            body: Octets::default(),
            framing: Framing::None,
        };
        Entry::Exchange(Exchange {
            attempt,
            step,
            intent: intent.name.clone(),
            key: None,
            request: nothing,
            passage: Passage::Faulted(Fault::Refuse),
            connection: 0,
            request_on_connection: 0,
            replica: 0,
            fault: FaultRecord { fired, commit: Commit::NotCommitted, why },
            origin: OriginEnd::Untouched,
            caller: CallerEnd::Refused,
            at_origin: None,
            at_caller: Interval { from, to },
            gates: Vec::new(),
        })
    }

    fn next(&mut self) -> AttemptNo {
        self.attempts += 1;
        AttemptNo(self.attempts - 1)
    }

    /// How long the port refuses: until the program has surely tried, and may not yet have tried for the last time.
    fn refused_for(&self) -> Duration {
        self.client.startup * 2
    }

    /// How long a program may take for one intent: all the waits that the contract knows of, and something besides. One
    /// that is told to stop is given as long, to see what it does instead.
    fn bound(&self, ask: &PlannedAsk) -> Duration {
        let most = self.rules.attempts.map_or(UNSAID_ATTEMPTS, |(_, most)| most);
        let mut foreseen = Duration::ZERO;
        let mut schedule = Duration::ZERO;
        let mut ended = false;
        for attempt in 1..=most {
            let meeting = usize::try_from(attempt - 1).ok().and_then(|at| ask.meets.get(at)).unwrap_or(&ask.thereafter);
            let wait = self.wait_before(attempt + 1);
            schedule += if attempt <= UNSAID_ATTEMPTS { wait } else { Duration::ZERO };
            let (took, asked) = self.takes(&meeting.passage);
            foreseen += if ended { Duration::ZERO } else { took + asked.unwrap_or(wait) };
            ended |= meeting.passage == Passage::Clear;
        }
        // One whose waits have no end has to be seen to pass the cap.
        let schedule = schedule + self.rules.cap.filter(|_| ask.is_endless()).unwrap_or_default();
        let all = times(foreseen.max(schedule), self.scale * (1.0 + self.rules.later));
        all.saturating_add(times(BESIDES, self.scale.max(0.2))).min(LONGEST)
    }

    fn wait_before(&self, attempt: u32) -> Duration {
        let doubled = UNSAID * 2_u32.saturating_pow(attempt.saturating_sub(2).min(2));
        self.rules.waits.before(attempt).unwrap_or(doubled)
    }

    /// How long an attempt takes that meets this, and the wait that it is then asked for.
    fn takes(&self, passage: &Passage) -> (Duration, Option<Duration>) {
        let timeout = self.rules.attempt_timeout.unwrap_or(Duration::from_secs(10));
        let without = self.rules.without_retry_after;
        match passage {
            Passage::Faulted(
                Fault::Drip | Fault::DripBody | Fault::PreCommit(Loss::Stall) | Fault::PostCommit(Loss::Stall),
            ) => (timeout, None),
            passage => {
                let Some(refusal) = passage.answer() else { return (Duration::ZERO, None) };
                let asked = match &refusal.retry_after {
                    Some(RetryAfter::Seconds(seconds)) => Some(Duration::from_secs(*seconds)),
                    Some(RetryAfter::Date(seconds)) => Some(Duration::from_secs(seconds.unsigned_abs() + 1)),
                    // So many digits that they stand as a text are an age; nobody has to wait for it.
                    Some(RetryAfter::Text(text))
                        if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()) =>
                    {
                        None
                    }
                    Some(RetryAfter::Text(_)) => without,
                    None if refusal.status == Some(429) => without,
                    None => None,
                };
                let patience = self.rules.patience.unwrap_or(Duration::from_secs(60));
                (Duration::ZERO, asked.filter(|asked| *asked <= patience))
            }
        }
    }
}

fn armed(meeting: &Meeting, done: Option<StatusSet>) -> Armed {
    Armed {
        attempt: AttemptNo(0),
        caller: None,
        passage: meeting.passage.clone(),
        hold_at: None,
        origin: None,
        says: meeting.says.clone(),
        done,
    }
}

/// When a program is ended by us: as planned, while its answer is held, or because it takes too long.
async fn ended(held: Option<Control>, bound: Duration) -> End {
    let planned = async {
        match held {
            // One that never comes so far is ended by the bound.
            Some(held) if held.reached(Gate::AnswerWhole).await.is_ok() => End::Planned,
            Some(_) | None => std::future::pending().await,
        }
    };
    tokio::select! {
        end = planned => end,
        () = tokio::time::sleep(bound) => End::Impatient,
    }
}

/// Refuses for so long, or until it is told to stop; when it was over.
async fn refuse_for(
    refusing: Option<Refusing>,
    window: Option<Duration>,
    clock: Clock,
) -> Result<(Option<Refusing>, Option<Tick>), String> {
    match (refusing, window) {
        (Some(refusing), Some(window)) => {
            tokio::time::sleep(window).await;
            refusing.reopen().await.map_err(|error| error.to_string())?;
            Ok((None, Some(clock.now())))
        }
        (refusing, _) => Ok((refusing, None)),
    }
}

/// Keeps the permit to start until the program has begun to ask, or should have.
async fn begun(first: Option<Control>, permit: OwnedSemaphorePermit, wait: Duration) {
    let Some(first) = first else {
        tokio::time::sleep(wait).await;
        drop(permit);
        return;
    };
    // That it never asks is seen from what it did.
    let _ = tokio::time::timeout(wait, first.reached(Gate::RequestHead)).await;
    drop(permit);
}

/// What the reference client mints from in this step: the case's own, so that the same seed mints the same.
fn bits(case: &Case, step: u32) -> u64 {
    use sha2::{Digest, Sha256};
    let namespace = case.intents.values().next().map(|intent| intent.request.body.0.clone()).unwrap_or_default();
    let mut hasher = Sha256::new();
    hasher.update(case.id.as_str());
    hasher.update(&namespace);
    hasher.update(step.to_be_bytes());
    hasher.finalize().iter().take(8).fold(0, |sum, byte| (sum << 8) | u64::from(*byte))
}
