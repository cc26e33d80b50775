//! The retry matrix: what a caller should do after each answer, row by row, as the source has it. It drives scenarios on
//! both sides; nothing here retries.

use std::collections::BTreeMap;

use crate::contract::answers::{Outcome, StatusSet};
use crate::name::OperationName;

/// One row of the matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct RetryRow {
    /// What the caller met: any of these.
    pub on: Vec<RowOn>,
    /// What to do, for each operation that the row speaks of.
    pub advice: BTreeMap<OperationName, Advice>,
}

/// What the caller met.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowOn {
    /// An answer with one of these statuses, and of this outcome where the row says one.
    Answer(StatusSet, Option<Outcome>),
    /// The connection ended without an answer.
    Dropped,
    /// No answer in time.
    Timeout,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Advice {
    /// Not again.
    Stop,
    /// Not again; something else has to be done first.
    StopAnd(String),
    /// The same request once more.
    RetryOnce,
    /// The same request, same key.
    Retry,
    /// The same request, same key, after `Retry-After`.
    RetryAfter,
    /// Serve the fallback; do not wait.
    Fallback,
    /// Serve the fallback; a retry only under the same key.
    FallbackOrRetryWithKey,
    /// The API does not answer this.
    NotReturned,
}

impl Advice {
    /// The words that contract files use; `stop, then …` stands for every text.
    pub const WORDS: &'static [&'static str] =
        &["stop", "retry once", "retry", "retry after", "fallback", "fallback or retry with key", "not returned"];

    /// The advice that words give.
    pub fn from_words(words: &str) -> Option<Self> {
        Some(match words {
            "stop" => Advice::Stop,
            "retry once" => Advice::RetryOnce,
            "retry" => Advice::Retry,
            "retry after" => Advice::RetryAfter,
            "fallback" => Advice::Fallback,
            "fallback or retry with key" => Advice::FallbackOrRetryWithKey,
            "not returned" => Advice::NotReturned,
            other => Advice::StopAnd(other.strip_prefix("stop, then ")?.to_owned()),
        })
    }
}
