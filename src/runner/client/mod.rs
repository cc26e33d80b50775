//! Clients under test: a program is asked for one intent, its requests meet the case's passages on their way to an
//! origin, and what it tells at its end is recorded. Nothing here judges a client, and nothing here retries for it.
//!
//! - `question`: what a program is told and what it tells; `command`: a program that does one intent and ends;
//!   `resident`: one that stays up; `program`: either of them, or the reference client in this process.
//! - `play`: one case; `rehearsal`: whether the program can be worked with at all; `metronome`: how late this machine is.

mod command;
mod metronome;
mod play;
mod program;
mod question;
mod rehearsal;
mod resident;

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use crate::time::{Interval, Tick};

pub use metronome::Metronome;
pub use play::play;
pub use program::{Command, Program};
pub use rehearsal::rehearsal;

/// What a program takes at most to begin a request when its time has come, and to end when it is done.
const OF_A_PROGRAM: Duration = Duration::from_millis(250);
/// The same of the reference client, which is in this process.
const OF_THE_REFERENCE: Duration = Duration::from_millis(15);
/// A program shares the machine with ours, and is behind as well: so much more than ours was at most.
const BEHIND: u64 = 4;

/// A client to work with.
#[derive(Clone, Debug)]
pub struct ClientTarget {
    /// The program.
    pub program: Program,
    /// How long it took at most from its start to its first request, when it was rehearsed.
    pub startup: Duration,
    /// How many programs may be starting at the same time: they take the processors from each other.
    pub starting: Arc<Semaphore>,
    /// How late this machine is.
    pub metronome: Arc<Metronome>,
}

impl ClientTarget {
    /// A client that was not rehearsed yet.
    pub fn new(program: Program, metronome: Arc<Metronome>) -> Self {
        let processors = std::thread::available_parallelism().map_or(2, std::num::NonZero::get);
        Self { program, startup: Duration::from_secs(1), starting: Arc::new(Semaphore::new(processors)), metronome }
    }

    /// How much later than its time something may have been in this time by no doing of the program.
    fn grace(&self, during: Interval) -> Tick {
        let own = match self.program {
            Program::Once(_) | Program::StaysUp(_) => OF_A_PROGRAM,
            Program::Reference(_) => OF_THE_REFERENCE,
        };
        let behind = self.metronome.worst(during).0.saturating_mul(BEHIND);
        Tick(u64::try_from(own.as_micros()).unwrap_or(u64::MAX).saturating_add(behind))
    }

    /// The same, known to begin within such a time, and beginning in turn with others.
    pub fn in_turn(self, startup: Duration, starting: Arc<Semaphore>) -> Self {
        Self { startup, starting, ..self }
    }
}
