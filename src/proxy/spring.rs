//! The last byte of a held request, written by whoever releases it: the copies of a race are let go by one loop of
//! writes, whatever the scheduler does with their tasks. It holds a second handle of a socket and never reads from it.

use std::io::Write;
use std::net::TcpStream;
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::time::{Clock, Tick};

/// Shared by an exchange and its owner.
#[derive(Clone, Debug, Default)]
pub(super) struct Spring(Arc<Mutex<State>>);

#[derive(Debug, Default)]
enum State {
    /// Nothing is held one byte short.
    #[default]
    Slack,
    /// One byte is left to write.
    Cocked { socket: TcpStream, last: u8, clock: Clock },
    /// It was written then.
    Sprung(Tick),
}

impl Spring {
    /// Leaves the last byte to whoever releases the exchange. Without a second handle the exchange writes it itself.
    pub fn cock(&self, socket: &impl AsFd, last: u8, clock: Clock) {
        if let Ok(handle) = socket.as_fd().try_clone_to_owned() {
            *self.lock() = State::Cocked { socket: TcpStream::from(handle), last, clock };
        }
    }

    /// Writes the byte, if one is left.
    pub fn release(&self) {
        let mut state = self.lock();
        let written = match &mut *state {
            State::Cocked { socket, last, clock } => match socket.write(&[*last]) {
                Ok(1) => Some(clock.now()),
                // Full or broken: the exchange tries for itself, and records what became of it.
                Ok(_) | Err(_) => None,
            },
            State::Slack | State::Sprung(_) => return,
        };
        *state = written.map_or(State::Slack, State::Sprung);
    }

    /// Takes the byte back: when it was written, if it was.
    pub fn take(&self) -> Option<Tick> {
        match std::mem::take(&mut *self.lock()) {
            State::Sprung(at) => Some(at),
            State::Slack | State::Cocked { .. } => None,
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
