//! Makes the history of one case while it is played, and seals it. Only a seal, or a file with its footer, makes a
//! history that can be judged.

use std::sync::{Arc, Mutex, PoisonError};

use crate::history::exchange::{Action, CallerEnd, Ending, Entry, EntryNo, Exchange, Observation, OriginEnd};

/// Takes entries from everywhere, in the order in which they come.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    entries: Arc<Mutex<Vec<Entry>>>,
}

impl Recorder {
    /// An empty one.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an entry.
    pub fn add(&self, entry: Entry) {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner).push(entry);
    }

    /// Ends the recording. `unfinished` says why the case was not played to its end, if it was not.
    pub fn seal(self, unfinished: Option<String>) -> SealedHistory {
        let mut guard = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        SealedHistory { entries: std::mem::take(&mut *guard), unfinished }
    }
}

/// The record of one case, whole and unchangeable.
#[derive(Clone, Debug, PartialEq)]
pub struct SealedHistory {
    entries: Vec<Entry>,
    unfinished: Option<String>,
}

impl SealedHistory {
    /// From entries that a file with a valid seal held.
    pub(super) fn from_sealed(entries: Vec<Entry>, unfinished: Option<String>) -> Self {
        Self { entries, unfinished }
    }

    /// The same history with every body passed through `clean`: what is written must hold no secret.
    pub fn map_bodies(&self, clean: impl Fn(&[u8]) -> Vec<u8>) -> SealedHistory {
        let mut copy = self.clone();
        for entry in &mut copy.entries {
            if let Entry::Exchange(exchange) = entry {
                exchange.request.body.0 = clean(&exchange.request.body.0);
                if let OriginEnd::Answered(answers) = &mut exchange.origin {
                    answers.iter_mut().for_each(|answer| answer.body.0 = clean(&answer.body.0));
                }
                if let CallerEnd::Answered(answer) = &mut exchange.caller {
                    answer.body.0 = clean(&answer.body.0);
                }
            }
        }
        copy
    }

    /// Every entry, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Why the case was not played to its end, if it was not.
    pub fn unfinished(&self) -> Option<&str> {
        self.unfinished.as_deref()
    }

    /// The exchanges, in order.
    pub fn exchanges(&self) -> impl Iterator<Item = (EntryNo, &Exchange)> {
        self.numbered().filter_map(|(no, entry)| match entry {
            Entry::Exchange(exchange) => Some((no, exchange)),
            Entry::Observation(_) | Entry::Action(_) | Entry::Ending(_) => None,
        })
    }

    /// The observations, in order.
    pub fn observations(&self) -> impl Iterator<Item = (EntryNo, &Observation)> {
        self.numbered().filter_map(|(no, entry)| match entry {
            Entry::Observation(observation) => Some((no, observation)),
            Entry::Exchange(_) | Entry::Action(_) | Entry::Ending(_) => None,
        })
    }

    /// What was done to the subject, in order.
    pub fn actions(&self) -> impl Iterator<Item = (EntryNo, &Action)> {
        self.numbered().filter_map(|(no, entry)| match entry {
            Entry::Action(action) => Some((no, action)),
            Entry::Exchange(_) | Entry::Observation(_) | Entry::Ending(_) => None,
        })
    }

    /// How programs under test ended, in order.
    pub fn endings(&self) -> impl Iterator<Item = (EntryNo, &Ending)> {
        self.numbered().filter_map(|(no, entry)| match entry {
            Entry::Ending(ending) => Some((no, ending)),
            Entry::Exchange(_) | Entry::Observation(_) | Entry::Action(_) => None,
        })
    }

    fn numbered(&self) -> impl Iterator<Item = (EntryNo, &Entry)> {
        (0..).map(EntryNo).zip(&self.entries)
    }
}
