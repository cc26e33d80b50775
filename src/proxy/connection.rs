//! One caller's connection: exchange after exchange, until one of them ends it or either side leaves. It lives in one
//! task that nothing but the end of the proxy cancels, so a caller that leaves cannot take its request back.

use std::net::SocketAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::fault::Passage;
use crate::history::OriginEnd;
use crate::proxy::armed::Armament;
use crate::proxy::caller::{Caller, FAREWELL, Goodbye};
use crate::proxy::exchange::Exchange;
use crate::proxy::gates::Gates;
use crate::proxy::ledger::{Accepted, Draft, Ledger};
use crate::proxy::limits::Limits;
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome};
use crate::proxy::upstream::Upstream;
use crate::proxy::wire::Inbox;

/// What all connections of a proxy share.
#[derive(Debug)]
pub(super) struct Road {
    /// The record.
    pub ledger: Arc<Ledger>,
    /// The bounds.
    pub limits: Limits,
    origin: Mutex<SocketAddr>,
}

impl Road {
    /// A road to this origin.
    pub fn new(ledger: Ledger, limits: Limits, origin: SocketAddr) -> Self {
        Self { ledger: Arc::new(ledger), limits, origin: Mutex::new(origin) }
    }

    /// Where it leads now.
    pub fn origin(&self) -> SocketAddr {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Leads it elsewhere, for exchanges from now on.
    pub fn lead_to(&self, origin: SocketAddr) {
        *self.origin.lock().unwrap_or_else(PoisonError::into_inner) = origin;
    }
}

/// How the wait for a request ended.
enum Wait {
    /// The connection is to end before it is read.
    Unread(Box<Unread>),
    /// Its first byte came.
    Begun,
    /// The caller left.
    CallerLeft,
    /// The origin ended its side.
    OriginLeft,
    /// Not one byte ever came.
    NeverSent,
}

/// The record of a connection that is to end before the next request on it is read.
struct Unread {
    draft: Draft,
    armament: Armament,
    reset: bool,
}

/// Serves one connection to its end.
pub(super) async fn serve(road: Arc<Road>, stream: TcpStream, address: SocketAddr, accepted: Accepted) {
    let mut caller = Caller { stream, inbox: Inbox::default(), address };
    let mut upstream = None;
    let mut is_first = true;
    loop {
        match next_request(&road, &accepted, &mut caller, &mut upstream, is_first).await {
            Wait::Unread(unread) => {
                drop(upstream);
                return end_unread(&road, caller, &accepted, *unread).await;
            }
            Wait::Begun => is_first = false,
            Wait::CallerLeft => return unsent(&road, caller, &accepted, ClosedBy::Caller, false).await,
            Wait::OriginLeft => return unsent(&road, caller, &accepted, ClosedBy::Proxy { reset: false }, false).await,
            Wait::NeverSent => return unsent(&road, caller, &accepted, ClosedBy::Proxy { reset: false }, true).await,
        }
        let (draft, armament) = road.ledger.begin(&accepted, caller.address);
        let passage = armament.as_ref().map_or(Passage::Clear, |armament| armament.armed.passage.clone());
        let origin = armament.as_ref().and_then(|armament| armament.armed.origin).unwrap_or_else(|| road.origin());
        let mut gates = Gates { ledger: Arc::clone(&road.ledger), draft, armament, limit: road.limits.hold };
        let mut exchange = Exchange {
            limits: &road.limits,
            clock: *road.ledger.clock(),
            caller: &mut caller,
            upstream: &mut upstream,
            gates: &mut gates,
            origin,
            at_origin: None,
        };
        let outcome = exchange.play(&passage).await;
        let at_origin = exchange.at_origin;
        if outcome.got.closed_by != ClosedBy::Nobody {
            // The origin's side ends first, so that nothing is left of the exchange when its record says so.
            drop(upstream);
            let goodbye = caller.close(outcome.got.closed_by).await;
            road.ledger.finish(&gates.draft, outcome, at_origin);
            tell_ended(gates.armament);
            if let Some(goodbye) = goodbye {
                goodbye.said().await;
            }
            return;
        }
        road.ledger.finish(&gates.draft, outcome, at_origin);
        tell_ended(gates.armament);
    }
}

/// Waits for the first byte of the next request, or until the connection is to end before one.
async fn next_request(
    road: &Road,
    accepted: &Accepted,
    caller: &mut Caller,
    upstream: &mut Option<Upstream>,
    is_first: bool,
) -> Wait {
    if !caller.inbox.bytes().is_empty() {
        return Wait::Begun;
    }
    loop {
        let mut armed = pin!(road.ledger.armed_anew());
        // From here on nothing that is armed is missed.
        armed.as_mut().enable();
        if let Some((draft, armament, reset)) = road.ledger.begin_unread(accepted, caller.address) {
            return Wait::Unread(Box::new(Unread { draft, armament, reset }));
        }
        tokio::select! {
            biased;
            wait = first_byte(road, caller, upstream, is_first) => return wait,
            () = armed => {}
        }
    }
}

/// Waits for the first byte of the next request.
async fn first_byte(road: &Road, caller: &mut Caller, upstream: &mut Option<Upstream>, is_first: bool) -> Wait {
    let came = caller.inbox.fill(&mut caller.stream);
    let read = match upstream {
        // When the origin ends an idle connection, the caller's is ended too, as it would be without a proxy.
        Some(upstream) => tokio::select! {
            biased;
            read = came => read,
            () = upstream.idle() => return Wait::OriginLeft,
        },
        None if is_first => match tokio::time::timeout(road.limits.caller_wait, came).await {
            Ok(read) => read,
            Err(_) => return Wait::NeverSent,
        },
        None => came.await,
    };
    if matches!(read, Ok(1..)) { Wait::Begun } else { Wait::CallerLeft }
}

/// Ends a connection before the next request on it is read. What the caller sends all the same, because it has not
/// noticed, is written down where the end leaves it to be seen.
async fn end_unread(road: &Arc<Road>, mut caller: Caller, accepted: &Accepted, unread: Unread) {
    let Unread { draft, armament, reset } = unread;
    let by = ClosedBy::Proxy { reset };
    let ended = || Outcome { fired: Ok(()), origin: OriginEnd::Untouched.into(), got: CallerGot::nothing(by) };
    if reset {
        caller.close(by).await;
        road.ledger.finish(&draft, ended(), None);
        return armament.tell_ended();
    }
    // An error means that the caller was faster.
    let _ = caller.stream.shutdown().await;
    draft.foresee(ended(), None);
    let passage = armament.armed.passage.clone();
    let mut gates = Gates { ledger: Arc::clone(&road.ledger), draft, armament: Some(armament), limit: FAREWELL };
    let sent = async {
        if !matches!(caller.inbox.fill(&mut caller.stream).await, Ok(1..)) {
            return;
        }
        road.ledger.count(accepted, &gates.draft);
        let mut upstream = None;
        let mut exchange = Exchange {
            limits: &road.limits,
            clock: *road.ledger.clock(),
            caller: &mut caller,
            upstream: &mut upstream,
            gates: &mut gates,
            origin: road.origin(),
            at_origin: None,
        };
        exchange.note_request(&passage).await;
    };
    // A caller that keeps its side open is left then.
    let _ = tokio::time::timeout(FAREWELL, sent).await;
    road.ledger.finish(&gates.draft, ended(), None);
    tell_ended(gates.armament);
    Goodbye(caller.stream).said().await;
}

/// Ends a connection on which no request is under way; recorded when somebody armed it or `always`.
async fn unsent(road: &Road, caller: Caller, accepted: &Accepted, by: ClosedBy, always: bool) {
    let record: Option<(Draft, Option<Armament>)> = road.ledger.begin_without_request(accepted, caller.address, always);
    let goodbye = caller.close(by).await;
    if let Some((draft, armament)) = record {
        let fired = Err("the caller sent nothing".to_owned());
        let outcome = Outcome { fired, origin: OriginEnd::Untouched.into(), got: CallerGot::nothing(by) };
        road.ledger.finish(&draft, outcome, None);
        tell_ended(armament);
    }
    if let Some(goodbye) = goodbye {
        goodbye.said().await;
    }
}

fn tell_ended(armament: Option<Armament>) {
    if let Some(armament) = armament {
        armament.tell_ended();
    }
}
