//! How a key is claimed: the one choice of a policy that decides what two copies at once do to each other. It tells
//! times; `settle` acts on them.

use std::time::Duration;

/// How a key is claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// One transaction holds the claim, the effect and the answer; a second copy waits for it, then replays.
    InTransaction,
    /// Honest too: the claim is committed first, with a lease; a second copy is told that the first is in progress.
    Visible,
    /// As `Visible`, but a copy with another payload is told "in progress", not "conflict".
    VisibleUncompared,
    /// As `Visible`, but a key that a copy met in progress stays so for whoever asks later.
    VisibleForEver,
    /// As `Visible`, but the lease is shorter than the handler and its owner is not checked at the end.
    ShortLease,
    /// Looks the key up, works, then stores.
    CheckThenAct,
    /// Looks the key up, works, then inserts it; the loser's unique violation surfaces as a failure.
    CheckThenInsert,
}

impl Claim {
    /// How long an unfinished claim keeps others away.
    pub fn lease(self) -> Duration {
        match self {
            Claim::ShortLease => Duration::from_millis(20),
            Claim::InTransaction
            | Claim::Visible
            | Claim::VisibleUncompared
            | Claim::VisibleForEver
            | Claim::CheckThenAct
            | Claim::CheckThenInsert => Duration::from_secs(3),
        }
    }

    /// The work between the look-up and the store that makes two copies overlap.
    pub fn stretch(self) -> Duration {
        match self {
            Claim::CheckThenAct | Claim::CheckThenInsert => Duration::from_millis(15),
            Claim::InTransaction
            | Claim::Visible
            | Claim::VisibleUncompared
            | Claim::VisibleForEver
            | Claim::ShortLease => Duration::ZERO,
        }
    }
}
