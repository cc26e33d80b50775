//! Time as histories hold it: ticks since the run began, so that a history is portable. Nothing here reads a clock
//! except [`Clock`], and nothing here waits.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// Microseconds since the run began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Tick(pub u64);

impl Tick {
    /// The time from an earlier tick to this one; zero when that one is later.
    pub fn since(self, earlier: Tick) -> Duration {
        Duration::from_micros(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Debug for Tick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}us", self.0)
    }
}

/// A closed interval: two that touch overlap.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Interval {
    /// When it began.
    pub from: Tick,
    /// When it ended.
    pub to: Tick,
}

impl Interval {
    /// Whether some tick lies in both.
    pub fn overlaps(self, other: Interval) -> bool {
        self.from <= other.to && other.from <= self.to
    }
}

/// The clock of one run; the only place where ticks come from.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    /// A clock that shows zero now.
    pub fn start() -> Self {
        Self { began: Instant::now() }
    }

    /// The tick that it shows.
    pub fn now(&self) -> Tick {
        Tick(u64::try_from(self.began.elapsed().as_micros()).unwrap_or(u64::MAX))
    }
}
