//! The gates of one exchange: each is stamped when it is passed, told to the owner, and at the right one the exchange
//! waits until it is released. Order between exchanges is made here and nowhere else; nothing sleeps.

use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::history::Gate;
use crate::proxy::armed::Armament;
use crate::proxy::ledger::{Draft, Ledger};
use crate::time::{Clock, Tick};

/// A hold came to its limit, or nobody was left to release it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Unreleased;

impl Unreleased {
    /// In words.
    pub const WHY: &str = "it was held and never released";
}

/// The gates of one exchange.
#[derive(Debug)]
pub(super) struct Gates {
    /// Where they are stamped.
    pub ledger: Arc<Ledger>,
    /// Whose they are.
    pub draft: Draft,
    /// The owner's wishes, if it was armed.
    pub armament: Option<Armament>,
    /// How long a hold may last.
    pub limit: Duration,
}

impl Gates {
    /// Tells that the exchange was accepted, which the ledger has stamped already.
    pub async fn accepted(&mut self) -> Result<(), Unreleased> {
        let Some(armament) = &self.armament else { return Ok(()) };
        armament.tell(&[Gate::Accepted]);
        if self.hold_at(Gate::Accepted) { self.hold().await.map(|_| ()) } else { Ok(()) }
    }

    /// Passes these gates, which are reached at the same time; waits at the one that is held. How long it waited.
    pub async fn pass(&mut self, gates: &[Gate]) -> Result<Duration, Unreleased> {
        let held = self.armament.as_ref().and_then(|armament| armament.armed.hold_at);
        let Some(at) = held.and_then(|held| gates.iter().position(|gate| *gate == held)) else {
            self.stamp(gates);
            return Ok(Duration::ZERO);
        };
        let (before, after) = gates.split_at(at + 1);
        self.stamp(before);
        let waited = self.hold().await?;
        self.stamp(after);
        Ok(waited)
    }

    /// Waits until the owner releases the exchange.
    pub async fn hold(&mut self) -> Result<Duration, Unreleased> {
        let began = Instant::now();
        let Some(armament) = &mut self.armament else { return Err(Unreleased) };
        if armament.released(self.limit).await { Ok(began.elapsed()) } else { Err(Unreleased) }
    }

    /// Whether an answer with this status says that it is done.
    pub fn is_done(&self, status: u16) -> bool {
        let done = self.armament.as_ref().and_then(|armament| armament.armed.done.as_ref());
        (200..300).contains(&status) || done.is_some_and(|statuses| statuses.contains(status))
    }

    /// Whether the owner has released the exchange.
    pub fn is_released(&self) -> bool {
        self.armament.as_ref().is_some_and(Armament::is_released)
    }

    /// Leaves the last byte of a request to whoever releases the exchange.
    pub fn cock(&self, socket: &impl AsFd, last: u8, clock: Clock) {
        if let Some(armament) = &self.armament {
            armament.spring.cock(socket, last, clock);
        }
    }

    /// When that byte was written, if it was.
    pub fn sprung(&self) -> Option<Tick> {
        self.armament.as_ref().and_then(|armament| armament.spring.take())
    }

    /// Passes a gate that was reached before this task could say so.
    pub fn passed_at(&self, gate: Gate, at: Tick) {
        self.ledger.stamp_at(&self.draft, gate, at);
        if let Some(armament) = &self.armament {
            armament.tell(&[gate]);
        }
    }

    /// Whether the exchange is to be held at this gate.
    pub fn hold_at(&self, gate: Gate) -> bool {
        self.armament.as_ref().is_some_and(|armament| armament.armed.hold_at == Some(gate))
    }

    fn stamp(&self, gates: &[Gate]) {
        if gates.is_empty() {
            return;
        }
        self.ledger.stamp(&self.draft, gates);
        if let Some(armament) = &self.armament {
            armament.tell(gates);
        }
    }
}
