//! What a client has written down before it asks: the key of an intent, what of it is done and how often it has asked.
//! It outlives the client, so that one who was ended in the middle goes on under the same key. It sends nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::json::Json;
use crate::reference::client::send::Road;

/// What a client keeps over its own end; clones share it.
#[derive(Clone, Debug, Default)]
pub struct Memory(Arc<Mutex<Kept>>);

#[derive(Debug, Default)]
struct Kept {
    road: Option<Road>,
    asked: u64,
    intents: BTreeMap<String, Intent>,
}

/// What is kept of one intent.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Intent {
    /// The key, or the key of each item; none where nothing carries one.
    pub keys: Vec<Option<Json>>,
    /// What of it is done: one entry, or one for each item.
    pub done: Vec<bool>,
    /// How many requests were begun since it was asked for.
    pub tries: u32,
    /// Whether an earlier request may have done it.
    in_doubt: bool,
}

impl Intent {
    /// One that nobody has asked for.
    pub fn new(keys: Vec<Option<Json>>) -> Self {
        let done = vec![false; keys.len()];
        Self { keys, done, tries: 0, in_doubt: false }
    }
}

impl Memory {
    /// The road that requests are sent on; `open` opens it, once for all that is asked for.
    pub(super) fn road(&self, open: impl FnOnce() -> Option<Road>) -> Option<Road> {
        let mut kept = self.kept();
        kept.road = kept.road.take().or_else(open);
        kept.road.clone()
    }

    /// What is kept of an intent, or what `mint` makes of how often anything was asked for: the second of two equal
    /// wishes, the first of which is settled, is another intent.
    pub(super) fn open(&self, name: &str, forgets: bool, mint: impl FnOnce(u64) -> Vec<Option<Json>>) -> Intent {
        let mut kept = self.kept();
        kept.asked += 1;
        let asked = kept.asked;
        if forgets {
            kept.intents.remove(name);
        }
        kept.intents.entry(name.to_owned()).or_insert_with(|| Intent::new(mint(asked))).clone()
    }

    /// Another request begins: how many it makes.
    pub(super) fn begin(&self, name: &str) -> u32 {
        self.kept().intents.get_mut(name).map_or(1, |intent| {
            intent.in_doubt |= intent.tries > 0;
            intent.tries += 1;
            intent.tries
        })
    }

    /// What is done by now.
    pub(super) fn note(&self, name: &str, done: &[bool]) {
        if let Some(intent) = self.kept().intents.get_mut(name) {
            intent.done = done.to_vec();
        }
    }

    /// It came to an end. A key is forgotten only when nothing is open: a refusal settles it only if no earlier request
    /// may have done it.
    pub(super) fn end(&self, name: &str, end: Settled) {
        let mut kept = self.kept();
        let Some(intent) = kept.intents.get_mut(name) else { return };
        match end {
            Settled::Done => {
                kept.intents.remove(name);
            }
            Settled::Refused if !intent.in_doubt => {
                kept.intents.remove(name);
            }
            Settled::Refused | Settled::Open => {
                intent.in_doubt = true;
                intent.tries = 0;
            }
        }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is known of an intent at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// It is done.
    Done,
    /// The last request was refused for good.
    Refused,
    /// It may be done or not.
    Open,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(asked: u64) -> Vec<Option<Json>> {
        vec![Some(Json::from(asked))]
    }

    #[test]
    fn a_key_is_kept_until_nothing_is_open() {
        let memory = Memory::default();
        let open = |memory: &Memory| memory.open("tea", false, keys).keys;
        assert_eq!(open(&memory), keys(1));
        assert_eq!(memory.begin("tea"), 1);
        memory.end("tea", Settled::Open);
        assert_eq!(open(&memory), keys(1), "it may be done");
        assert_eq!(memory.begin("tea"), 1, "asked for again, it may be tried as often again");
        memory.end("tea", Settled::Refused);
        assert_eq!(open(&memory), keys(1), "refused now, and perhaps done before");
        memory.end("tea", Settled::Done);
        assert_eq!(open(&memory), keys(4), "another tea");
        memory.begin("tea");
        memory.end("tea", Settled::Refused);
        assert_eq!(open(&memory), keys(5), "refused, and nothing before");
    }

    #[test]
    fn who_was_ended_in_the_middle_goes_on_counting() {
        let memory = Memory::default();
        memory.open("tea", false, keys);
        memory.begin("tea");
        assert_eq!(memory.clone().open("tea", false, keys).tries, 1);
        assert_eq!(memory.begin("tea"), 2);
        assert_eq!(memory.open("tea", true, keys).keys, keys(3), "one that forgets mints again");
    }
}
