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

/// A share of a time, or several times it; the longest there is where it would be longer.
pub fn times(duration: Duration, share: f64) -> Duration {
    Duration::try_from_secs_f64(duration.as_secs_f64() * share).unwrap_or(if share > 0.0 {
        Duration::MAX
    } else {
        Duration::ZERO
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_a_time_never_overflows() {
        assert_eq!(times(Duration::from_secs(5), 0.01), Duration::from_millis(50));
        assert_eq!(times(Duration::MAX, 1.5), Duration::MAX);
        assert_eq!(times(Duration::MAX, 1.0), Duration::MAX);
        assert_eq!(times(Duration::from_secs(5), -1.0), Duration::ZERO);
    }
}
