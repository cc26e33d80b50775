//! How late this machine is: a task that wakes every few milliseconds and notes when it was woken late. What is judged
//! to be late is judged against that; nothing else is timed here.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;

use crate::time::{Clock, Interval, Tick};

/// How often it wakes.
const BEAT: Duration = Duration::from_millis(10);
/// Later than this is noted.
const NOTED: Duration = Duration::from_millis(3);

/// Notes how late this machine was, until it is dropped.
#[derive(Debug)]
pub struct Metronome {
    late: Arc<Mutex<Vec<(Tick, u64)>>>,
    beating: JoinHandle<()>,
}

impl Metronome {
    /// Begins.
    pub fn start(clock: Clock) -> Self {
        let late: Arc<Mutex<Vec<(Tick, u64)>>> = Arc::default();
        let noted = Arc::clone(&late);
        let beating = tokio::spawn(async move {
            loop {
                let began = Instant::now();
                tokio::time::sleep(BEAT).await;
                let late = began.elapsed().saturating_sub(BEAT);
                if late > NOTED {
                    let micros = u64::try_from(late.as_micros()).unwrap_or(u64::MAX);
                    noted.lock().unwrap_or_else(PoisonError::into_inner).push((clock.now(), micros));
                }
            }
        });
        Self { late, beating }
    }

    /// The most that it was late in this time.
    pub fn worst(&self, during: Interval) -> Tick {
        let late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        let within =
            late.iter().filter(|(at, micros)| during.from <= *at && at.0.saturating_sub(*micros) <= during.to.0);
        Tick(within.map(|(_, micros)| *micros).max().unwrap_or(0))
    }
}

impl Drop for Metronome {
    fn drop(&mut self) {
        self.beating.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn it_notes_when_the_machine_was_behind_and_by_how_much() {
        let clock = Clock::start();
        let metronome = Metronome::start(clock);
        tokio::time::sleep(BEAT * 3).await;
        let from = clock.now();
        // Nothing else runs on this thread meanwhile.
        std::thread::sleep(Duration::from_millis(120));
        tokio::time::sleep(BEAT * 3).await;
        let to = clock.now();
        let worst = metronome.worst(Interval { from, to });
        assert!(worst.0 >= 90_000, "{worst:?}");
        let within = Interval { from, to: Tick(from.0 + 60_000) };
        assert!(metronome.worst(within).0 >= 90_000, "it began within");
        assert_eq!(metronome.worst(Interval { from: Tick(to.0 + 10_000_000), to: Tick(u64::MAX) }), Tick(0));
    }
}
