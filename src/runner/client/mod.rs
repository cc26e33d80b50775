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

pub use metronome::Metronome;
pub use play::play;
pub use program::{Command, Program};
pub use rehearsal::rehearsal;

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

    /// The same, known to begin within such a time.
    pub fn started_within(self, startup: Duration) -> Self {
        Self { startup, ..self }
    }
}
