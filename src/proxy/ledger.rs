//! The record of all exchanges of one case, and the one order of all their gates. Everything lies under one lock, which
//! is never held across a wait; what is taken by a settlement is closed for good.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::fault::Passage;
use crate::history::{AttemptNo, Commit, FaultRecord, Gate, GateStamp, OriginEnd};
use crate::message::{Octets, Request};
use crate::proxy::armed::{Armament, Armoury};
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome, Relayed};
use crate::time::{Clock, Interval};

/// The gates of one exchange.
const GATES: usize = 12;

/// The record of all exchanges of one case.
#[derive(Debug)]
pub(super) struct Ledger {
    clock: Clock,
    state: Mutex<State>,
    finished: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The order of the next stamp.
    order: u64,
    /// How many drafts earlier settlements have taken.
    taken: u64,
    drafts: VecDeque<Draft>,
    /// Requests on each connection, in order of acceptance.
    connections: Vec<u32>,
    armoury: Armoury,
}

/// A record in the making.
#[derive(Debug)]
struct Draft {
    relayed: Relayed,
    finished: bool,
}

/// An exchange in the ledger.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExchangeId(u64);

/// A connection that was accepted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Accepted {
    /// Its number, from 1.
    pub connection: u32,
    stamp: GateStamp,
}

impl Ledger {
    /// An empty one.
    pub fn new(clock: Clock) -> Self {
        Self { clock, state: Mutex::default(), finished: Notify::new() }
    }

    /// The clock of its stamps.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Keeps an armament for the exchange that will claim it.
    pub fn arm(&self, armament: Armament) {
        self.state().armoury.add(armament);
    }

    /// Numbers a new connection.
    pub fn accept(&self) -> Accepted {
        let mut state = self.state();
        let stamp = state.stamp(Gate::Accepted, &self.clock);
        state.connections.push(0);
        Accepted { connection: u32::try_from(state.connections.len()).unwrap_or(u32::MAX), stamp }
    }

    /// Begins an exchange: the first byte of a request came. It takes what was armed for it.
    pub fn begin(&self, accepted: &Accepted, caller: SocketAddr) -> (ExchangeId, Option<Armament>) {
        let mut state = self.state();
        let armament = state.armoury.claim(caller);
        let number = match state.connections.get_mut(accepted.connection as usize - 1) {
            Some(requests) => {
                *requests += 1;
                *requests
            }
            None => 1,
        };
        // On a connection that stands already, the exchange is accepted with its first byte.
        let stamp = if number == 1 { accepted.stamp } else { state.stamp(Gate::Accepted, &self.clock) };
        (state.draft(accepted.connection, number, stamp, armament.as_ref()), armament)
    }

    /// Begins the record of a connection that ended without a request, if somebody has to hear of it: because it was
    /// armed for this very caller, or because the proxy ended it.
    pub fn begin_without_request(
        &self,
        accepted: &Accepted,
        caller: SocketAddr,
        always: bool,
    ) -> Option<(ExchangeId, Option<Armament>)> {
        let mut state = self.state();
        let armament = state.armoury.claim_by_address(caller);
        (armament.is_some() || always)
            .then(|| (state.draft(accepted.connection, 0, accepted.stamp, armament.as_ref()), armament))
    }

    /// Stamps gates that are passed at the same time.
    pub fn stamp(&self, id: ExchangeId, gates: &[Gate]) {
        let mut state = self.state();
        let at = self.clock.now();
        let first = state.order;
        state.order += gates.len() as u64;
        if let Some(draft) = state.of(id) {
            let stamps = gates.iter().zip(first..).map(|(gate, order)| GateStamp { gate: *gate, at, order });
            draft.relayed.gates.extend(stamps);
        }
    }

    /// Writes down what was asked.
    pub fn asked(&self, id: ExchangeId, request: Option<Request>, raw_head: &[u8]) {
        if let Some(draft) = self.state().of(id) {
            draft.relayed.request = request;
            draft.relayed.raw_head = Octets(raw_head.to_vec());
        }
    }

    /// Writes down what is known already of an exchange that goes on for long.
    pub fn foresee(&self, id: ExchangeId, fault: FaultRecord, origin: OriginEnd, at_origin: Option<Interval>) {
        if let Some(draft) = self.state().of(id) {
            draft.relayed.fault = fault;
            draft.relayed.origin = origin;
            draft.relayed.at_origin = at_origin;
        }
    }

    /// Closes the record.
    pub fn finish(&self, id: ExchangeId, outcome: Outcome, at_origin: Option<Interval>) {
        {
            let mut state = self.state();
            let stamp = state.stamp(Gate::Closed, &self.clock);
            if let Some(draft) = state.of(id) {
                draft.relayed.gates.push(stamp);
                draft.relayed.fault = outcome.record(&draft.relayed.passage);
                draft.relayed.origin = outcome.origin;
                draft.relayed.at_origin = at_origin;
                draft.relayed.caller_got = outcome.got;
                draft.finished = true;
            }
        }
        self.finished.notify_waiters();
    }

    /// Waits until every exchange is finished, not longer than `wait`, and takes all records.
    pub async fn settle(&self, wait: Duration) -> Vec<Relayed> {
        // When the time is over, what is not finished is taken as it stands.
        let _ = tokio::time::timeout(wait, self.all_finished()).await;
        let mut state = self.state();
        let drafts = std::mem::take(&mut state.drafts);
        state.taken += drafts.len() as u64;
        drafts.into_iter().map(Draft::settled).collect()
    }

    /// Requests on each connection.
    pub fn requests_on(&self) -> Vec<(u32, u32)> {
        (1..).zip(self.state().connections.iter().copied()).collect()
    }

    async fn all_finished(&self) {
        loop {
            let finished = self.finished.notified();
            {
                let state = self.state();
                if !state.armoury.awaits_a_caller() && state.drafts.iter().all(|draft| draft.finished) {
                    return;
                }
            }
            finished.await;
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing under the lock can be left half done in a way that matters more than the records themselves.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn stamp(&mut self, gate: Gate, clock: &Clock) -> GateStamp {
        let order = self.order;
        self.order += 1;
        GateStamp { gate, at: clock.now(), order }
    }

    fn of(&mut self, id: ExchangeId) -> Option<&mut Draft> {
        let at = usize::try_from(id.0.checked_sub(self.taken)?).ok()?;
        self.drafts.get_mut(at)
    }

    fn draft(&mut self, connection: u32, request: u32, accepted: GateStamp, armament: Option<&Armament>) -> ExchangeId {
        let mut gates = Vec::with_capacity(GATES);
        gates.push(accepted);
        let attempt: Option<AttemptNo> = armament.map(|armament| armament.armed.attempt);
        let passage = armament.map_or(Passage::Clear, |armament| armament.armed.passage.clone());
        let relayed = Relayed {
            attempt,
            connection,
            request_on_connection: request,
            request: None,
            raw_head: Octets::default(),
            passage,
            fault: FaultRecord { fired: false, commit: Commit::Unknown, why: String::new() },
            origin: OriginEnd::Untouched,
            at_origin: None,
            caller_got: CallerGot::nothing(ClosedBy::Nobody),
            gates,
        };
        self.drafts.push_back(Draft { relayed, finished: false });
        ExchangeId(self.taken + self.drafts.len() as u64 - 1)
    }
}

impl Draft {
    fn settled(self) -> Relayed {
        let Draft { mut relayed, finished } = self;
        if !finished {
            let fault = &mut relayed.fault;
            let known = if fault.why.is_empty() { String::new() } else { format!("; {}", fault.why) };
            fault.why = format!("not finished when the case was settled{known}");
        }
        relayed
    }
}
