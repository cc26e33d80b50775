//! One attempt: the driver's end and the proxy's end, brought together. Order comes from gates, never from sleeping.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::oneshot;

use crate::contract::StatusSet;
use crate::driver::{After, Connected, Patience, Sent, connect};
use crate::fault::{Fault, Loss, Passage};
use crate::history::{CallerEnd, Commit, Exchange, FaultRecord, Gate, OriginEnd};
use crate::message::Request;
use crate::plan::PlannedAttempt;
use crate::proxy::{Armed, Control, Proxy, Relayed};
use crate::runner::target::Tempo;
use crate::time::{Clock, Interval};

/// What is needed to make one attempt.
pub struct Way<'a> {
    /// The proxy.
    pub proxy: &'a Proxy,
    /// Where the driver connects: the proxy, or the gateway in front of it.
    pub front: SocketAddr,
    /// The origin, when it is not the proxy's own.
    pub origin: Option<SocketAddr>,
    /// Statuses by which the origin says that it is done.
    pub done: Option<StatusSet>,
    /// How long to wait.
    pub tempo: Tempo,
    /// The run's clock.
    pub clock: Clock,
}

/// An attempt that was made, the proxy's end still to come.
#[derive(Debug)]
pub struct Made {
    /// As planned.
    pub attempt: PlannedAttempt,
    /// The step that made it.
    pub step: u32,
    /// The key that it carries.
    pub key: Option<String>,
    /// The request, secrets blanked.
    pub recorded: Request,
    /// The driver's end.
    pub sent: Sent,
    /// The proxy's end, while it is not over; none when it never got there.
    pub control: Option<Control>,
}

/// A connection that is armed and has sent nothing yet.
pub struct Ready {
    /// The connection; or what the caller was left with instead.
    pub connected: Result<Connected, CallerEnd>,
    /// The hold on its exchange.
    pub control: Option<Control>,
}

impl Way<'_> {
    /// Connects and arms; nothing is sent.
    pub async fn ready(&self, attempt: &PlannedAttempt, hold_at: Option<Gate>) -> Ready {
        let patience = self.patience();
        match connect(self.front, &patience).await {
            Err(end) => Ready { connected: Err(end), control: None },
            Ok(connected) => {
                // Behind a gateway the proxy sees the gateway's socket, not ours.
                let caller = (!attempt.behind_edge).then(|| connected.local_addr());
                let armed = Armed {
                    attempt: attempt.no,
                    caller,
                    passage: attempt.passage.clone(),
                    hold_at,
                    origin: self.origin,
                    says: None,
                    done: self.done.clone(),
                };
                let control = self.proxy.arm(armed);
                Ready { connected: Ok(connected), control: Some(control) }
            }
        }
    }

    /// Sends, and waits as a caller would.
    pub async fn send(&self, ready: Ready, passage: &Passage, bytes: &[u8]) -> (Sent, Option<Control>) {
        let now = self.clock.now();
        let Ready { connected, control } = ready;
        let connected = match connected {
            Ok(connected) => connected,
            Err(caller) => return (Sent { caller, during: Interval { from: now, to: self.clock.now() } }, control),
        };
        let after = match (passage, &control) {
            (Passage::Faulted(Fault::HangUp), _) => After::HangUp,
            (passage, Some(control)) => match held_at(passage) {
                Some(gate) => After::ReadUntil(self.told(control.clone(), gate)),
                None => After::Read,
            },
            (_, None) => After::Read,
        };
        (connected.send(bytes, after, &self.patience(), &self.clock).await, control)
    }

    /// Tells the driver, once the exchange is held at a gate, how much longer a caller waits.
    fn told(&self, control: Control, gate: Gate) -> oneshot::Receiver<Duration> {
        let (tell, told) = oneshot::channel();
        let held = self.tempo.held;
        tokio::spawn(async move {
            if control.reached(gate).await.is_ok() {
                // A caller that is gone already needs no telling.
                let _ = tell.send(held);
            }
        });
        told
    }

    fn patience(&self) -> Patience {
        Patience { connect: self.tempo.connect, answer: self.tempo.answer }
    }
}

/// The gate at which an exchange is held until its caller gives up.
fn held_at(passage: &Passage) -> Option<Gate> {
    match passage {
        Passage::Faulted(Fault::PreCommit(Loss::Stall) | Fault::Late) => Some(Gate::RequestWhole),
        Passage::Faulted(Fault::PostCommit(Loss::Stall)) => Some(Gate::AnswerWhole),
        Passage::Faulted(Fault::Pause) => Some(Gate::Forwarded),
        Passage::Clear | Passage::Faulted(_) => None,
    }
}

/// Both ends as one exchange.
pub fn joined(made: Made, relayed: Option<Relayed>) -> Exchange {
    let Made { attempt, step, key, recorded, sent, .. } = made;
    let from_proxy = relayed.map(|relayed| {
        (
            relayed.connection,
            relayed.request_on_connection,
            relayed.fault,
            relayed.origin,
            relayed.at_origin,
            relayed.gates,
        )
    });
    let (connection, request_on_connection, fault, origin, at_origin, gates) = from_proxy.unwrap_or_else(|| {
        let refused = sent.caller == CallerEnd::Refused;
        let meant = attempt.passage == Passage::Faulted(Fault::Refuse);
        let why = if refused { "connection refused" } else { "the request never reached the proxy" };
        let fault = FaultRecord { fired: refused == meant, commit: Commit::NotCommitted, why: why.to_owned() };
        (0, 0, fault, OriginEnd::Untouched, None, Vec::new())
    });
    let mut fault = fault;
    // The caller's own deed is only seen at its end.
    if attempt.passage == Passage::Faulted(Fault::HangUp) && sent.caller != CallerEnd::HungUp {
        fault.fired = false;
        fault.why = "the caller could not leave as planned".to_owned();
    }
    Exchange {
        attempt: attempt.no,
        step,
        intent: attempt.intent,
        key,
        request: recorded,
        passage: attempt.passage,
        connection,
        request_on_connection,
        replica: attempt.replica,
        fault,
        origin,
        caller: sent.caller,
        at_origin,
        at_caller: sent.during,
        gates,
    }
}
