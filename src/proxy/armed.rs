//! What an exchange is to meet, declared before it arrives, and the control that its owner keeps. Arming never touches
//! a socket; which exchange takes which arming is decided once, when its first byte comes.

use std::collections::{BTreeMap, VecDeque};
use std::net::SocketAddr;
use std::time::Duration;

use tokio::sync::watch;

use crate::contract::StatusSet;
use crate::fault::{Fault, Passage};
use crate::history::{AttemptNo, Gate};
use crate::proxy::spring::Spring;

/// What the exchange of one attempt meets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Armed {
    /// The attempt.
    pub attempt: AttemptNo,
    /// The local address of the caller's socket; without one, the next exchange that no address claims.
    pub caller: Option<SocketAddr>,
    /// What it meets.
    pub passage: Passage,
    /// Where it is held until [`Control::release`], besides what the passage itself holds.
    pub hold_at: Option<Gate>,
    /// Another origin than the proxy's own, for this exchange only.
    pub origin: Option<SocketAddr>,
    /// What an answer of somebody on the way says, where that matters.
    pub says: Option<String>,
    /// Statuses besides 2xx by which the origin says that it is done.
    pub done: Option<StatusSet>,
}

/// Why a gate was not reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateError {
    /// The exchange is over.
    #[error("the exchange ended before it reached the gate {0:?}")]
    Ended(Gate),
    /// The exchange has not come so far, or has not come at all.
    #[error("the gate {0:?} was not reached within {1:?}")]
    TimedOut(Gate, Duration),
}

/// The owner's end of one armed exchange. When the last control of a held exchange is dropped nobody is left to release
/// it, so it ends as at the limit.
#[derive(Clone, Debug)]
pub struct Control {
    reached: watch::Receiver<Reached>,
    release: watch::Sender<bool>,
    spring: Spring,
    wait: Duration,
}

impl Control {
    /// Waits until the exchange has passed this gate, or is held at it; not longer than [`Limits::hold`].
    ///
    /// [`Limits::hold`]: crate::proxy::Limits::hold
    pub async fn reached(&self, gate: Gate) -> Result<(), GateError> {
        let mut reached = self.reached.clone();
        let seen = tokio::time::timeout(self.wait, reached.wait_for(|now| now.has(gate) || now.ended)).await;
        match seen {
            Ok(Ok(now)) if now.has(gate) => Ok(()),
            Ok(Ok(_) | Err(_)) => Err(GateError::Ended(gate)),
            Err(_) => Err(GateError::TimedOut(gate, self.wait)),
        }
    }

    /// Lets the exchange go on, now or when it comes to its gate. Once released, nothing of it is held again.
    pub fn release(&self) {
        self.spring.release();
        self.release.send_replace(true);
    }

    /// Waits until the exchange is over and recorded. One that never arrives is never over while the proxy stands.
    pub async fn finished(&self) {
        // An error means that the proxy is gone, and the exchange with it.
        let _ = self.reached.clone().wait_for(|now| now.ended).await;
    }
}

/// The gates that an exchange has passed.
#[derive(Clone, Copy, Debug, Default)]
struct Reached {
    gates: u16,
    ended: bool,
}

impl Reached {
    fn has(self, gate: Gate) -> bool {
        self.gates & bit(gate) != 0
    }
}

fn bit(gate: Gate) -> u16 {
    1 << (gate as u16)
}

/// The proxy's end of one armed exchange.
#[derive(Debug)]
pub(super) struct Armament {
    /// As it was armed.
    pub armed: Armed,
    /// The last byte of its request, while it is held one byte short.
    pub spring: Spring,
    reached: watch::Sender<Reached>,
    released: watch::Receiver<bool>,
}

impl Armament {
    /// Both ends.
    pub fn new(armed: Armed, wait: Duration) -> (Self, Control) {
        let (reached, reached_seen) = watch::channel(Reached::default());
        let (release, released) = watch::channel(false);
        let spring = Spring::default();
        let own = spring.clone();
        (Self { armed, spring: own, reached, released }, Control { reached: reached_seen, release, spring, wait })
    }

    /// Tells the owner that these gates were passed.
    pub fn tell(&self, gates: &[Gate]) {
        self.reached.send_modify(|reached| gates.iter().for_each(|gate| reached.gates |= bit(*gate)));
    }

    /// Tells the owner that the exchange is over.
    pub fn tell_ended(&self) {
        self.reached.send_modify(|reached| reached.ended = true);
    }

    /// Whether the owner has released the exchange.
    pub fn is_released(&self) -> bool {
        *self.released.borrow()
    }

    /// Waits until the owner releases the exchange; false when nobody does in time.
    pub async fn released(&mut self, wait: Duration) -> bool {
        let released = tokio::time::timeout(wait, self.released.wait_for(|released| *released)).await;
        matches!(released, Ok(Ok(_)))
    }
}

/// The armaments that no exchange has taken yet.
#[derive(Debug, Default)]
pub(super) struct Armoury {
    by_address: BTreeMap<SocketAddr, VecDeque<Armament>>,
    next: VecDeque<Armament>,
    thereafter: Option<(Armed, Duration)>,
}

impl Armoury {
    /// Keeps one for the exchange that will claim it.
    pub fn add(&mut self, armament: Armament) {
        match armament.armed.caller {
            Some(caller) => self.by_address.entry(caller).or_default().push_back(armament),
            None => self.next.push_back(armament),
        }
    }

    /// Keeps one for every exchange that nothing else was armed for. Nobody can release it, so it must hold nothing.
    pub fn add_thereafter(&mut self, armed: Option<Armed>, wait: Duration) {
        self.thereafter = armed.map(|armed| (armed, wait));
    }

    /// What the next exchange of this caller meets.
    pub fn claim(&mut self, caller: SocketAddr) -> Option<Armament> {
        let own = self.claim_by_address(caller).or_else(|| self.next.pop_front());
        own.or_else(|| self.thereafter.as_ref().map(|(armed, wait)| Armament::new(armed.clone(), *wait).0))
    }

    /// What the next exchange of this caller meets, where that is the end of its connection before it is read; and
    /// whether that is a reset.
    pub fn claim_unread(&mut self, caller: SocketAddr) -> Option<(Armament, bool)> {
        let own = self.by_address.get(&caller).and_then(VecDeque::front);
        let next = own.or_else(|| self.next.front()).map(|armament| &armament.armed);
        let armed = next.or_else(|| self.thereafter.as_ref().map(|(armed, _)| armed))?;
        let Passage::Faulted(Fault::PreRequest { reset }) = armed.passage else { return None };
        self.claim(caller).map(|armament| (armament, reset))
    }

    /// Forgets what no exchange has taken.
    pub fn clear(&mut self) {
        self.by_address.clear();
        self.next.clear();
        self.thereafter = None;
    }

    /// What was armed for this very caller.
    pub fn claim_by_address(&mut self, caller: SocketAddr) -> Option<Armament> {
        let queue = self.by_address.get_mut(&caller)?;
        let armament = queue.pop_front();
        if queue.is_empty() {
            self.by_address.remove(&caller);
        }
        armament
    }

    /// Whether a caller that is known by its address has still to come.
    pub fn awaits_a_caller(&self) -> bool {
        !self.by_address.is_empty()
    }
}
