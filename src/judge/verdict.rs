//! Verdicts and their evidence. A verdict that holds cannot be built without a witness; nothing here decides one.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::history::EntryNo;
use crate::json::Difference;

/// What the judge found about one claim in one case.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It held, and these entries witness it.
    Holds(Witnesses),
    /// Nobody can say.
    Unknown(Doubt),
    /// It did not hold.
    Violated(Violation),
}

/// Entries that witness a verdict; never empty.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Witnesses {
    first: EntryNo,
    others: Vec<EntryNo>,
    /// What was observed where the source leaves it open: `replays`, `conflicts`, ….
    pub observed: Option<String>,
}

/// Why nobody can say.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Doubt {
    /// Nothing happened that the claim speaks of.
    NeverExercised(String),
    /// It happened, and what was seen of it does not tell.
    Undecided(String),
    /// The fault did not do what its name says.
    FaultDidNotFire(String),
    /// An effect could not be read.
    Blind(String),
    /// The copies did not overlap.
    NoOverlap(String),
    /// The subject lacks what it takes: a second credential, a second replica, a process of ours, a hook.
    SubjectLacks(String),
    /// The case was not played to its end.
    Unfinished(String),
    /// The judge could not cope with the history.
    JudgeFailed(String),
}

/// What did not hold; at least one finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Violation {
    first: Evidence,
    others: Vec<Evidence>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// What went wrong.
    pub anomaly: Anomaly,
    /// What had to be, in a few words.
    pub expected: String,
    /// What was, in a few words.
    pub observed: String,
    /// The entries that show it.
    pub shown_by: Vec<EntryNo>,
}

/// What can go wrong.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anomaly {
    /// Acknowledged, and not there.
    Lost,
    /// There more than once.
    Duplicated {
        /// How often.
        times: u32,
    },
    /// There, and should not be.
    Unexpected,
    /// A replay that is not the first answer.
    DivergentReplay(Vec<Difference>),
    /// A replay without its marker, a first answer with it, or a marker that is not as declared.
    WrongMarker,
    /// A conflict that was not answered as one.
    MissedConflict,
    /// Refused, or by the wrong answer.
    WrongRefusal,
    /// An answer, or a trace of one, from another scope or key.
    Leak,
    /// A counter that is off, or items out of place.
    Miscounted,
    /// A server error, or an answer that the contract does not name.
    WrongAnswer,
    /// A request after an answer that ended the matter, or one too many.
    AskedAgain,
    /// No request after a failure that passes.
    GaveUp,
    /// A request before its time.
    Early {
        /// By how much, in microseconds.
        by: u64,
    },
    /// A request, or an end, after its time.
    Late {
        /// By how much, in microseconds.
        by: u64,
    },
    /// A key that is missing, changed, shared or ill-formed.
    WrongKey,
    /// Requests of one intent that ask for different things, or for nothing.
    ChangedRequest,
    /// Told an outcome that is not so.
    FalseOutcome,
}

impl Verdict {
    /// Holds, shown by these; unknown when there are none.
    pub fn holds(witnesses: impl IntoIterator<Item = EntryNo>, otherwise: &str) -> Self {
        match Witnesses::new(witnesses) {
            Some(witnesses) => Verdict::Holds(witnesses),
            None => Verdict::Unknown(Doubt::NeverExercised(otherwise.to_owned())),
        }
    }

    /// Violated, if there are findings; else what `otherwise` says.
    pub fn violated_or(findings: Vec<Evidence>, otherwise: impl FnOnce() -> Verdict) -> Self {
        let mut findings = findings.into_iter();
        match findings.next() {
            Some(first) => Verdict::Violated(Violation { first, others: findings.collect() }),
            None => otherwise(),
        }
    }

    /// The same, with what was observed where the source leaves it open.
    pub fn observing(self, observed: String) -> Self {
        match self {
            Verdict::Holds(witnesses) => Verdict::Holds(Witnesses { observed: Some(observed), ..witnesses }),
            other => other,
        }
    }

    /// How bad it is: holds, then unknown, then violated.
    pub fn rank(&self) -> u8 {
        match self {
            Verdict::Holds(_) => 0,
            Verdict::Unknown(_) => 1,
            Verdict::Violated(_) => 2,
        }
    }
}

impl Witnesses {
    /// From at least one entry.
    pub fn new(entries: impl IntoIterator<Item = EntryNo>) -> Option<Self> {
        let mut entries = entries.into_iter();
        let first = entries.next()?;
        Some(Self { first, others: entries.collect(), observed: None })
    }

    /// Every one.
    pub fn all(&self) -> impl Iterator<Item = EntryNo> + '_ {
        std::iter::once(self.first).chain(self.others.iter().copied())
    }
}

impl Violation {
    /// Every finding, worst first as the claim saw them.
    pub fn findings(&self) -> impl Iterator<Item = &Evidence> {
        std::iter::once(&self.first).chain(&self.others)
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::NeverExercised(why) => write!(f, "never exercised: {why}"),
            Doubt::Undecided(why) => write!(f, "cannot be told: {why}"),
            Doubt::FaultDidNotFire(why) => write!(f, "the fault did not fire: {why}"),
            Doubt::Blind(why) => write!(f, "the effect could not be read: {why}"),
            Doubt::NoOverlap(why) => write!(f, "the copies did not overlap: {why}"),
            Doubt::SubjectLacks(what) => write!(f, "the subject has no {what}"),
            Doubt::Unfinished(why) => write!(f, "not played to its end: {why}"),
            Doubt::JudgeFailed(why) => write!(f, "the judge could not cope: {why}"),
        }
    }
}

impl Evidence {
    /// One finding, shown by these entries.
    pub fn new(
        anomaly: Anomaly,
        expected: impl Into<String>,
        observed: impl Into<String>,
        shown_by: impl IntoIterator<Item = EntryNo>,
    ) -> Self {
        let mut shown_by: Vec<EntryNo> = shown_by.into_iter().collect();
        shown_by.sort_unstable();
        shown_by.dedup();
        Self { anomaly, expected: expected.into(), observed: observed.into(), shown_by }
    }
}

impl Anomaly {
    /// Its name in reports.
    pub fn word(&self) -> &'static str {
        match self {
            Anomaly::Lost => "lost",
            Anomaly::Duplicated { .. } => "duplicated",
            Anomaly::Unexpected => "unexpected",
            Anomaly::DivergentReplay(_) => "divergent replay",
            Anomaly::WrongMarker => "wrong marker",
            Anomaly::MissedConflict => "missed conflict",
            Anomaly::WrongRefusal => "wrong refusal",
            Anomaly::Leak => "leak",
            Anomaly::Miscounted => "miscounted",
            Anomaly::WrongAnswer => "wrong answer",
            Anomaly::AskedAgain => "asked again",
            Anomaly::GaveUp => "gave up",
            Anomaly::Early { .. } => "early",
            Anomaly::Late { .. } => "late",
            Anomaly::WrongKey => "wrong key",
            Anomaly::ChangedRequest => "changed request",
            Anomaly::FalseOutcome => "false outcome",
        }
    }
}
