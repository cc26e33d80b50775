//! The record of all exchanges of one case, and the one order of all their gates. No lock is held across a wait or
//! while anything is formatted; what a settlement has taken is closed for good.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::sync::futures::Notified;

use crate::fault::Passage;
use crate::history::{AttemptNo, Commit, FaultRecord, Gate, GateStamp, OriginEnd};
use crate::message::Octets;
use crate::proxy::armed::{Armament, Armed, Armoury};
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome, Relayed};
use crate::proxy::wire::request_in;
use crate::time::{Clock, Interval, Tick};

/// The gates of one exchange.
const GATES: usize = 12;

/// The record of all exchanges of one case.
#[derive(Debug)]
pub(super) struct Ledger {
    clock: Clock,
    /// The order of the next stamp. A tick is read under this lock, so that ticks never run against the order.
    order: Mutex<u64>,
    state: Mutex<State>,
    finished: Notify,
    armed: Notify,
}

#[derive(Debug, Default)]
struct State {
    drafts: Vec<Draft>,
    /// Requests on each connection, in order of acceptance.
    connections: Vec<u32>,
    armoury: Armoury,
}

/// A record in the making. Only its exchange writes to it, so its lock is free unless the case is being settled.
#[derive(Clone, Debug)]
pub(super) struct Draft(Arc<Mutex<Page>>);

#[derive(Debug, Default)]
struct Page {
    attempt: Option<AttemptNo>,
    connection: u32,
    request_on_connection: u32,
    passage: Option<Passage>,
    noted: Option<Noted>,
    gates: Vec<GateStamp>,
    end: Option<(Outcome, Option<Interval>)>,
    finished: bool,
}

/// What came of a request.
#[derive(Debug)]
pub(super) enum Noted {
    /// Its bytes, beginning with a whole head.
    Request(Vec<u8>),
    /// What came instead.
    NoRequest(Vec<u8>),
}

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
        Self { clock, order: Mutex::new(0), state: Mutex::default(), finished: Notify::new(), armed: Notify::new() }
    }

    /// The clock of its stamps.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Keeps an armament for the exchange that will claim it.
    pub fn arm(&self, armament: Armament) {
        lock(&self.state).armoury.add(armament);
        self.armed.notify_waiters();
    }

    /// Waits until something is armed for one exchange, from when this is called.
    pub fn armed_anew(&self) -> Notified<'_> {
        self.armed.notified()
    }

    /// Keeps an armament for every exchange that nothing else was armed for.
    pub fn arm_thereafter(&self, armed: Option<Armed>, wait: Duration) {
        lock(&self.state).armoury.add_thereafter(armed, wait);
    }

    /// Forgets every armament that no exchange has taken.
    pub fn disarm(&self) {
        lock(&self.state).armoury.clear();
    }

    /// Numbers a new connection.
    pub fn accept(&self) -> Accepted {
        let mut state = lock(&self.state);
        state.connections.push(0);
        let connection = u32::try_from(state.connections.len()).unwrap_or(u32::MAX);
        Accepted { connection, stamp: self.stamp_one(Gate::Accepted) }
    }

    /// Begins an exchange: the first byte of a request came. It takes what was armed for it.
    pub fn begin(&self, accepted: &Accepted, caller: SocketAddr) -> (Draft, Option<Armament>) {
        let mut state = lock(&self.state);
        let armament = state.armoury.claim(caller);
        let number = state.number(accepted);
        // On a connection that stands already, the exchange is accepted with its first byte.
        let stamp = if number == 1 { accepted.stamp } else { self.stamp_one(Gate::Accepted) };
        let draft = Draft::new(accepted.connection, number, stamp, armament.as_ref());
        state.drafts.push(draft.clone());
        (draft, armament)
    }

    /// Begins the record of a connection that ended without a request, if somebody has to hear of it: because it was
    /// armed for this very caller, or because the proxy ended it.
    pub fn begin_without_request(
        &self,
        accepted: &Accepted,
        caller: SocketAddr,
        always: bool,
    ) -> Option<(Draft, Option<Armament>)> {
        let mut state = lock(&self.state);
        let armament = state.armoury.claim_by_address(caller);
        (armament.is_some() || always).then(|| {
            let draft = Draft::new(accepted.connection, 0, accepted.stamp, armament.as_ref());
            state.drafts.push(draft.clone());
            (draft, armament)
        })
    }

    /// Begins the record of a connection that is to end before a request on it is read, if that was armed for the next
    /// one; and whether it is to be reset.
    pub fn begin_unread(&self, accepted: &Accepted, caller: SocketAddr) -> Option<(Draft, Armament, bool)> {
        let mut state = lock(&self.state);
        let (armament, reset) = state.armoury.claim_unread(caller)?;
        let is_new = state.connections.get(accepted.connection as usize - 1).is_none_or(|requests| *requests == 0);
        let stamp = if is_new { accepted.stamp } else { self.stamp_one(Gate::Accepted) };
        let draft = Draft::new(accepted.connection, 0, stamp, Some(&armament));
        state.drafts.push(draft.clone());
        Some((draft, armament, reset))
    }

    /// Counts a request that came on a connection which had ended before it.
    pub fn count(&self, accepted: &Accepted, draft: &Draft) {
        let number = lock(&self.state).number(accepted);
        lock(&draft.0).request_on_connection = number;
    }

    /// Stamps gates that are passed at the same time.
    pub fn stamp(&self, draft: &Draft, gates: &[Gate]) {
        let (at, first) = self.next(gates.len() as u64);
        let stamps = gates.iter().zip(first..).map(|(gate, order)| GateStamp { gate: *gate, at, order });
        lock(&draft.0).gates.extend(stamps);
    }

    /// Stamps a gate that was passed at a tick gone by.
    pub fn stamp_at(&self, draft: &Draft, gate: Gate, at: Tick) {
        let (_, order) = self.next(1);
        lock(&draft.0).gates.push(GateStamp { gate, at, order });
    }

    /// Closes a record.
    pub fn finish(&self, draft: &Draft, outcome: Outcome, at_origin: Option<Interval>) {
        let stamp = self.stamp_one(Gate::Closed);
        {
            let mut page = lock(&draft.0);
            page.gates.push(stamp);
            page.end = Some((outcome, at_origin));
            page.finished = true;
        }
        self.finished.notify_waiters();
    }

    /// Waits until every exchange is finished, not longer than `wait`, and takes all records.
    pub async fn settle(&self, wait: Duration) -> Vec<Relayed> {
        // When the time is over, what is not finished is taken as it stands.
        let _ = tokio::time::timeout(wait, self.all_finished()).await;
        let drafts = std::mem::take(&mut lock(&self.state).drafts);
        drafts.iter().map(Draft::settle).collect()
    }

    /// Requests on each connection.
    pub fn requests_on(&self) -> Vec<(u32, u32)> {
        (1..).zip(lock(&self.state).connections.iter().copied()).collect()
    }

    async fn all_finished(&self) {
        loop {
            let finished = self.finished.notified();
            {
                let state = lock(&self.state);
                if !state.armoury.awaits_a_caller() && state.drafts.iter().all(|draft| lock(&draft.0).finished) {
                    return;
                }
            }
            finished.await;
        }
    }

    fn stamp_one(&self, gate: Gate) -> GateStamp {
        let (at, order) = self.next(1);
        GateStamp { gate, at, order }
    }

    /// The tick and the first order of so many stamps.
    fn next(&self, stamps: u64) -> (Tick, u64) {
        let mut order = lock(&self.order);
        let first = *order;
        *order += stamps;
        (self.clock.now(), first)
    }
}

impl State {
    /// The number of the request that begins now on a connection.
    fn number(&mut self, accepted: &Accepted) -> u32 {
        let Some(requests) = self.connections.get_mut(accepted.connection as usize - 1) else { return 1 };
        *requests += 1;
        *requests
    }
}

impl Draft {
    fn new(connection: u32, request_on_connection: u32, accepted: GateStamp, armament: Option<&Armament>) -> Self {
        let mut gates = Vec::with_capacity(GATES);
        gates.push(accepted);
        Self(Arc::new(Mutex::new(Page {
            attempt: armament.map(|armament| armament.armed.attempt),
            passage: armament.map(|armament| armament.armed.passage.clone()),
            connection,
            request_on_connection,
            gates,
            ..Page::default()
        })))
    }

    /// Writes down what was asked.
    pub fn asked(&self, noted: Noted) {
        lock(&self.0).noted = Some(noted);
    }

    /// Writes down what is known already of an exchange that goes on for long.
    pub fn foresee(&self, outcome: Outcome, at_origin: Option<Interval>) {
        lock(&self.0).end = Some((outcome, at_origin));
    }

    /// The record. What its exchange still writes after this is seen by nobody.
    fn settle(&self) -> Relayed {
        let mut page = std::mem::take(&mut *lock(&self.0));
        let passage = page.passage.take().unwrap_or(Passage::Clear);
        let (mut fault, origin, caller_got, at_origin) = match page.end.take() {
            Some((outcome, at_origin)) => {
                let (fault, origin, got) = outcome.record(&passage);
                (fault, origin, got, at_origin)
            }
            None => {
                let why = "it may still go on".to_owned();
                let fault = FaultRecord { fired: false, commit: Commit::Unknown, why };
                (fault, page.shown_so_far(), CallerGot::nothing(ClosedBy::Nobody), None)
            }
        };
        if !page.finished {
            fault.why = format!("not finished when the case was settled; {}", fault.why);
        }
        let (request, raw_head) = match page.noted {
            Some(Noted::Request(bytes)) => match request_in(&bytes) {
                Some((request, head)) => (Some(request), bytes.get(..head).unwrap_or_default().to_vec()),
                None => (None, bytes),
            },
            Some(Noted::NoRequest(bytes)) => (None, bytes),
            None => (None, Vec::new()),
        };
        Relayed {
            attempt: page.attempt,
            connection: page.connection,
            request_on_connection: page.request_on_connection,
            request,
            raw_head: Octets(raw_head),
            passage,
            fault,
            origin,
            at_origin,
            caller_got,
            gates: page.gates,
        }
    }
}

impl Page {
    /// The origin's end of an exchange that is not over, as far as its gates tell.
    fn shown_so_far(&self) -> OriginEnd {
        let passed = |gate| self.gates.iter().any(|stamp| stamp.gate == gate);
        match &self.noted {
            Some(Noted::Request(_)) if passed(Gate::Forwarded) => {
                OriginEnd::Silent { said: Octets::default(), why: "its answer was not awaited to the end".to_owned() }
            }
            Some(Noted::Request(bytes)) if passed(Gate::AllButLast) => {
                OriginEnd::Partial { bytes: bytes.len().saturating_sub(1) as u64 }
            }
            Some(Noted::Request(_) | Noted::NoRequest(_)) | None => OriginEnd::Untouched,
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing under these locks is left half done in a way that matters more than the records themselves.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
