//! What is wrong with the intents of a scenario: what each is made from, in what words, and whether it leads back to
//! itself.

use std::collections::BTreeSet;

use crate::file::Span;
use crate::scenario::load::lint::Lint;
use crate::scenario::{IntentDecl, KeyShape, Slot};

/// The most intents that one may be made through.
const LONGEST_CHAIN: usize = 8;

impl Lint<'_, '_> {
    /// Every intent.
    pub(in crate::scenario::load) fn intents(&mut self) {
        for (name, decl) in &self.scenario.given {
            self.intent_words(decl);
            for slot in [&decl.same_as, &decl.same_key_as].into_iter().flatten() {
                self.other(name.as_str(), slot);
            }
            if let (Some(_), Some(key)) = (&decl.same_as, &decl.same_key_as) {
                let label = "`same as` brings the key: leave one of the two out";
                self.words.wrong(key.span, "a key that is the same twice".to_owned(), label);
            }
            for item in &decl.items {
                self.item(name.as_str(), item);
            }
            let is_made = decl.operation.is_some() || decl.same_as.is_some() || decl.same_key_as.is_some();
            if !is_made && self.decl_is_well(decl.span) {
                let label = "add `operation:`, or `same as:` another intent";
                self.words.wrong(decl.span, format!("`{name}` names no operation"), label);
            }
        }
    }

    fn intent_words(&mut self, decl: &IntentDecl) {
        for slot in [&decl.operation, &decl.change, &decl.variant, &decl.defect, &decl.open].into_iter().flatten() {
            self.words.is_axis(slot);
        }
        if let Some(slot) = &decl.spelled {
            self.words.spellings(slot);
        }
        if let Some(slot) = &decl.credential {
            self.words.credentials(slot);
        }
        let Some(slot) = &decl.key else { return };
        self.words.words(slot, "kind of key", &KeyShape::words().collect::<Vec<_>>());
        if decl.same_as.is_some() || decl.same_key_as.is_some() {
            return;
        }
        let values = self.words.values(slot);
        let twins = values.iter().filter(|value| value.text.parse::<KeyShape>().is_ok_and(KeyShape::is_twin));
        for twin in twins {
            let label = "say whose, with `same as:` or `same key as:`";
            self.words.wrong(twin.span, format!("`{}` is a twin of no key", twin.text), label);
        }
    }

    /// The intent that another one is made from: written out, given, and not made from that one itself.
    fn other(&mut self, name: &str, slot: &Slot) {
        if slot.axis().is_some() {
            self.words.is_axis(slot);
            let label = "write the intent's name: this is no place for an axis";
            self.words.wrong(slot.span, "an intent made from an axis".to_owned(), label);
            return;
        }
        let made_from = |decl: &IntentDecl| -> Vec<String> {
            [&decl.same_as, &decl.same_key_as].into_iter().flatten().map(|slot| slot.text.clone()).collect()
        };
        if self.intent(slot) && self.leads_to(&slot.text, name, made_from) {
            self.words.wrong(slot.span, format!("`{name}` is made from itself"), "name another intent");
        } else if self.length_from(&slot.text) > LONGEST_CHAIN {
            let message = format!("`{name}` is made through more than {LONGEST_CHAIN} other intents");
            self.words.wrong(slot.span, message, "nobody can follow that: say `same as:` the first of them");
        }
    }

    /// How many intents stand between one and what it is made from at last; counted no further than is allowed.
    fn length_from(&self, from: &str) -> usize {
        let mut name = from.to_owned();
        for length in 1..=LONGEST_CHAIN {
            let decl = self.scenario.given.get(name.as_str());
            match decl.and_then(|decl| decl.same_as.as_ref().or(decl.same_key_as.as_ref())) {
                Some(next) => name.clone_from(&next.text),
                None => return length,
            }
        }
        LONGEST_CHAIN + 1
    }

    fn item(&mut self, name: &str, slot: &Slot) {
        self.intent(slot);
        for value in self.words.values(slot) {
            let is_batch = self.scenario.given.get(value.text.as_str()).is_some_and(|decl| !decl.items.is_empty());
            if is_batch && value.text == name {
                self.words.wrong(value.span, format!("`{name}` holds itself"), "name another intent");
            } else if is_batch {
                self.words.wrong(value.span, "a batch of batches".to_owned(), "name an intent without `items:`");
            }
        }
    }

    /// Whether one comes from `from` to `to`, step by step.
    fn leads_to(&self, from: &str, to: &str, steps: impl Fn(&IntentDecl) -> Vec<String>) -> bool {
        let mut seen = BTreeSet::from([from.to_owned()]);
        let mut next = vec![from.to_owned()];
        while let Some(name) = next.pop() {
            if name == to {
                return true;
            }
            let further = self.scenario.given.get(name.as_str()).map(&steps).unwrap_or_default();
            next.extend(further.into_iter().filter(|name| seen.insert(name.clone())));
        }
        false
    }

    /// Whether the intent whose name stands here has its shape.
    fn decl_is_well(&self, place: Span) -> bool {
        let given = self.tree.get("given").map(crate::file::Node::entries).unwrap_or_default();
        let decl = given.iter().find(|entry| entry.key.span == place);
        decl.is_none_or(|entry| self.words.reading.is_well(&entry.value))
    }
}
