//! Plays one case, from its own listener to its sealed history. Every case has its own namespace, so that cases can be
//! played at the same time against one subject.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use futures_util::future::join_all;

use crate::driver::{After, Patience, connect};
use crate::fault::{Fault, Passage};
use crate::history::{Action, Entry, Gate, Recorder, SealedHistory};
use crate::plan::{Case, PlannedAttempt, PlannedStep, Setup, StepAction};
use crate::proxy::{Control, Proxy, Relayed};
use crate::runner::attempt::{Made, Way, joined};
use crate::runner::edge::Edge;
use crate::runner::hook;
use crate::runner::observer::observe;
use crate::runner::processes::{BEGINS_WITHIN, Processes};
use crate::runner::target::Target;
use crate::subject::Hook;
use crate::time::Clock;

/// How long a case may wait for what is still on the road when its steps are over.
const SETTLE: Duration = Duration::from_secs(20);

/// Plays a case; an error of ours ends it unfinished, and the history says so.
pub async fn play(case: &Case, target: &Arc<Target>, client: &reqwest::Client, clock: Clock) -> SealedHistory {
    let recorder = Recorder::new();
    match Stage::set(case, target, client, clock).await {
        Err(why) => recorder.seal(Some(why)),
        Ok(mut stage) => {
            let unfinished = stage.steps().await.err();
            stage.record(&recorder).await;
            recorder.seal(unfinished)
        }
    }
}

struct Stage<'a> {
    case: &'a Case,
    target: &'a Arc<Target>,
    client: &'a reqwest::Client,
    clock: Clock,
    began: SystemTime,
    proxy: Proxy,
    origin: SocketAddr,
    edge: Option<Edge>,
    processes: Processes,
    made: Vec<Made>,
    late: Vec<Control>,
    others: Vec<(u32, Entry)>,
}

impl<'a> Stage<'a> {
    async fn set(
        case: &'a Case,
        target: &'a Arc<Target>,
        client: &'a reqwest::Client,
        clock: Clock,
    ) -> Result<Self, String> {
        let alone = case.needs_process() || target.has_one_lock && case.is_slow();
        let processes = match (alone, &target.starter) {
            (true, Some(starter)) => Processes::start(starter, case.replicas() as usize).await?,
            _ => Processes::default(),
        };
        let first = if alone { None } else { target.replicas.first().copied() };
        let origin = processes.address(0).or(first).ok_or_else(|| "there is nothing to send to".to_owned())?;
        let proxy = Proxy::open(origin, clock, target.limits).await.map_err(|error| error.to_string())?;
        let behind_edge = case.attempts().any(|attempt| attempt.behind_edge);
        let edge = match (&target.edge, behind_edge) {
            (Some(kind), true) => Some(Edge::start(kind, &case.contract, proxy.addr()).await?),
            _ => None,
        };
        Ok(Self {
            case,
            target,
            client,
            clock,
            began: SystemTime::now(),
            proxy,
            origin,
            edge,
            processes,
            made: Vec::new(),
            late: Vec::new(),
            others: Vec::new(),
        })
    }

    async fn steps(&mut self) -> Result<(), String> {
        self.prepare(&self.case.setup).await?;
        for step in &self.case.steps {
            match &step.action {
                StepAction::Send(attempt) => {
                    let hooks = self.hooks(std::slice::from_ref(attempt));
                    self.arm(step.no, &hooks).await?;
                    let sent = self.send(step, attempt).await;
                    self.disarm(step.no, &hooks).await?;
                    sent?;
                }
                StepAction::AtOnce { attempts, in_turn } => {
                    let hooks = self.hooks(attempts);
                    self.arm(step.no, &hooks).await?;
                    let raced = self.race(step, attempts, *in_turn).await;
                    self.disarm(step.no, &hooks).await?;
                    raced?;
                }
                StepAction::Restart { kill } => self.restart(step, *kill).await?,
                // A program's requests are played elsewhere.
                StepAction::Ask(ask) => return Err(format!("`{}` is asked of a program", ask.intent)),
                StepAction::Observe(point) => self.observe(step.no, point).await,
                StepAction::Reconfigure(calls) => {
                    self.prepare(calls).await?;
                    self.acted(step.no, "reconfigured");
                }
            }
        }
        Ok(())
    }

    /// The hooks of attempts that do something besides their headers, each once.
    fn hooks(&self, attempts: &[PlannedAttempt]) -> Vec<(&'a str, &'a Hook)> {
        let intents = attempts.iter().filter_map(|attempt| self.case.intents.get(&attempt.intent));
        let mut hooks: Vec<(&str, &Hook)> = intents.filter_map(|intent| hook::shared(intent, self.target)).collect();
        hooks.dedup_by_key(|(name, _)| *name);
        hooks
    }

    /// What was done of them is undone where one fails.
    async fn arm(&mut self, step: u32, hooks: &[(&'a str, &'a Hook)]) -> Result<(), String> {
        for (index, (name, own)) in hooks.iter().enumerate() {
            if let Err(why) = hook::arm(name, own, self.target, self.origin).await {
                // The failed one too: it may have done a part.
                self.disarm(step, &hooks[..=index]).await?;
                return Err(why);
            }
            self.acted(step, &format!("the hook `{name}` was set"));
        }
        Ok(())
    }

    async fn disarm(&mut self, step: u32, hooks: &[(&'a str, &'a Hook)]) -> Result<(), String> {
        let mut failed = None;
        for (name, own) in hooks.iter().rev() {
            match hook::disarm(name, own, self.target, self.origin).await {
                Ok(()) if own.undo.is_some() => self.acted(step, &format!("the hook `{name}` was undone")),
                Ok(()) => {}
                Err(why) => failed = failed.or(Some(why)),
            }
        }
        failed.map_or(Ok(()), Err)
    }

    async fn send(&mut self, step: &PlannedStep, attempt: &PlannedAttempt) -> Result<(), String> {
        let (bytes, recorded) = self.written(attempt)?;
        let refusing = match attempt.passage {
            Passage::Faulted(Fault::Refuse) => Some(self.proxy.refuse().await.map_err(|error| error.to_string())?),
            _ => None,
        };
        let fault = match &attempt.passage {
            Passage::Faulted(fault) if fault.is_of_process() => Some(fault),
            Passage::Clear | Passage::Faulted(_) => None,
        };
        let replica = attempt.replica as usize;
        let mut processes = std::mem::take(&mut self.processes);
        let mut gone_on = Vec::new();
        let way = self.way(attempt, &processes);
        let ready = way.ready(attempt, None).await;
        let control = ready.control.clone();
        let sending = way.send(ready, &attempt.passage, &bytes);
        let meanwhile = async {
            match (control, fault) {
                (Some(control), Some(fault)) => processes.strike(fault, replica, control).await,
                (Some(control), None) => {
                    gone_on = processes.go_on_for(replica, &control).await;
                    Ok(None)
                }
                (None, _) => Ok(None),
            }
        };
        let ((sent, control), struck) = tokio::join!(sending, meanwhile);
        self.processes = processes;
        join_all(gone_on.iter().map(bounded)).await;
        if let Some(address) = struck? {
            self.lead_to(address).await;
        }
        if let Some(refusing) = refusing {
            refusing.reopen().await.map_err(|error| error.to_string())?;
        }
        let keep_late = attempt.passage == Passage::Faulted(Fault::Late);
        // The origin goes on after a caller that left; the retry is meant to meet it.
        let left = matches!(attempt.passage, Passage::Faulted(Fault::HangUp | Fault::Pause));
        match (&control, keep_late, left) {
            (Some(control), true, _) => self.late.push(control.clone()),
            (Some(control), false, false) => bounded(control).await,
            (Some(_), false, true) | (None, ..) => {}
        }
        self.made.push(Made {
            attempt: attempt.clone(),
            step: step.no,
            key: self.key(attempt),
            recorded,
            sent,
            control,
        });
        if !keep_late {
            self.release_late().await;
        }
        Ok(())
    }

    /// The retry was answered: what was held for it goes on to the origin now, and is waited for.
    async fn release_late(&mut self) {
        for control in self.late.drain(..) {
            control.release();
            bounded(&control).await;
        }
    }

    async fn race(&mut self, step: &PlannedStep, attempts: &[PlannedAttempt], in_turn: bool) -> Result<(), String> {
        let mut copies = Vec::new();
        for attempt in attempts {
            let (bytes, recorded) = self.written(attempt)?;
            let ready = self.way(attempt, &self.processes).ready(attempt, Some(Gate::AllButLast)).await;
            copies.push((attempt, bytes, recorded, ready));
        }
        let controls: Vec<Control> = copies.iter().filter_map(|(.., ready)| ready.control.clone()).collect();
        let sending = join_all(copies.into_iter().map(|(attempt, bytes, recorded, ready)| {
            let (way, key) = (self.way(attempt, &self.processes), self.key(attempt));
            async move {
                let (sent, control) = way.send(ready, &attempt.passage, &bytes).await;
                Made { attempt: attempt.clone(), step: step.no, key, recorded, sent, control }
            }
        }));
        let releasing = async {
            // A copy that cannot come so far must not hold the others for ever; the overlap is judged from the record.
            join_all(controls.iter().map(|control| control.reached(Gate::AllButLast))).await;
            for control in &controls {
                control.release();
                if in_turn {
                    // One that comes no further holds nobody up.
                    let _ = control.reached(Gate::Forwarded).await;
                    tokio::time::sleep(BEGINS_WITHIN).await;
                }
            }
        };
        let (made, ()) = tokio::join!(sending, releasing);
        for made in made {
            if let Some(control) = &made.control {
                bounded(control).await;
            }
            self.made.push(made);
        }
        Ok(())
    }

    async fn restart(&mut self, step: &PlannedStep, kill: bool) -> Result<(), String> {
        let address = self.processes.again(kill).await?;
        self.lead_to(address).await;
        self.acted(step.no, if kill { "killed and started again" } else { "stopped and started again" });
        Ok(())
    }

    /// The subject listens elsewhere now.
    async fn lead_to(&mut self, address: SocketAddr) {
        self.origin = address;
        self.proxy.set_origin(address).await;
    }

    async fn observe(&mut self, step: u32, point: &str) {
        // A stopped process answers nobody.
        join_all(self.processes.go_on().iter().map(bounded)).await;
        let seen = observe(self.case, self.target, self.client, self.origin, &self.clock, point).await;
        self.others.extend(seen.into_iter().map(|observation| (step, Entry::Observation(observation))));
    }

    /// Calls that prepare or change the configuration: straight to the origin, and a failure ends the case.
    async fn prepare(&self, calls: &[Setup]) -> Result<(), String> {
        let patience = Patience { connect: self.target.tempo.connect, answer: self.target.tempo.answer };
        for call in calls {
            let (bytes, _) = self.target.written(&call.request, &call.credential, None, self.began);
            let failed = |what: String| format!("`{}`, which prepares this case, {what}", call.operation);
            let connected = connect(self.origin, &patience).await.map_err(|end| failed(format!("found {end:?}")))?;
            let sent = connected.send(&bytes, After::Read, &patience, &self.clock).await;
            match sent.caller {
                crate::history::CallerEnd::Answered(answer) if (200..300).contains(&answer.status) => {}
                crate::history::CallerEnd::Answered(answer) => {
                    return Err(failed(format!("was answered {}", answer.status)));
                }
                other => return Err(failed(format!("was not answered: {other:?}"))),
            }
        }
        Ok(())
    }

    fn written(&self, attempt: &PlannedAttempt) -> Result<(Vec<u8>, crate::message::Request), String> {
        let intent = self.case.intents.get(&attempt.intent).ok_or_else(|| format!("no intent `{}`", attempt.intent))?;
        Ok(self.target.written(&intent.request, &intent.credential, intent.hook.as_deref(), self.began))
    }

    /// The key of an attempt, as text.
    fn key(&self, attempt: &PlannedAttempt) -> Option<String> {
        let key = self.case.intents.get(&attempt.intent)?.cell()?.key.clone();
        // Keys are kept canonical; a text without escapes reads better without its quotes.
        Some(key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).map_or_else(|| key.clone(), str::to_owned))
    }

    fn way(&self, attempt: &PlannedAttempt, processes: &Processes) -> Way<'_> {
        let replica = attempt.replica as usize;
        let shared = self.target.replicas.get(replica).copied();
        let other = if processes.are_own() { processes.address(replica) } else { shared };
        let front = match (&self.edge, attempt.behind_edge) {
            (Some(edge), true) => edge.address(),
            _ => self.proxy.addr(),
        };
        Way {
            proxy: &self.proxy,
            front,
            origin: if attempt.replica > 0 { other } else { None },
            done: self.case.intents.get(&attempt.intent).and_then(|intent| self.case.operation(intent).says_done()),
            tempo: self.target.tempo,
            clock: self.clock,
        }
    }

    fn acted(&mut self, step: u32, what: &str) {
        let action = Action { step, what: what.to_owned(), failed: None, at: self.clock.now() };
        self.others.push((step, Entry::Action(action)));
    }

    /// Everything that was, in the order of the steps; the effects at the end come last.
    async fn record(mut self, recorder: &Recorder) {
        self.release_late().await;
        let mut relayed: Vec<Option<Relayed>> = self.proxy.settle(SETTLE).await.into_iter().map(Some).collect();
        let end = u32::MAX;
        self.observe(end, "end").await;
        let mut entries = std::mem::take(&mut self.others);
        for made in self.made.drain(..) {
            let no = made.attempt.no;
            let own = relayed.iter_mut().find(|one| one.as_ref().is_some_and(|one| one.attempt == Some(no)));
            let step = made.step;
            let exchange = joined(made, own.and_then(Option::take));
            entries.push((step, Entry::Exchange(exchange)));
        }
        entries.sort_by_key(|(step, _)| *step);
        for (_, entry) in entries {
            recorder.add(entry);
        }
    }
}

/// Waits for an exchange to be over, not for ever.
async fn bounded(control: &Control) {
    // One that does not end is recorded as unfinished when the case settles.
    let _ = tokio::time::timeout(SETTLE, control.finished()).await;
}
