//! The words that stand in the slots of a scenario, and what is wrong with a slot, or with each listed value of the axis
//! that it names. It notes which axes are used.

use std::collections::BTreeSet;

use crate::fault::{FIRST_WORDS, GRAMMAR, Passage};
use crate::file::{Problem, Reading, Span, nearest};
use crate::json::Spelling;
use crate::scenario::{AxisValues, Scenario, Slot};

/// Ways to carry the same content that are not ways to write JSON.
const TRANSPORT: &[&str] = &["chunked", "header case", "other user agent", "charset"];
/// Who asks, besides `other SCOPE` and the names of the subject.
const CREDENTIALS: &[&str] = &["none", "unknown", "again"];
/// How many of something make sense.
const COUNTS: std::ops::RangeInclusive<u32> = 1..=256;

/// Checks slots.
pub struct Words<'a, 's> {
    /// Where they stand.
    pub scenario: &'a Scenario,
    /// What is wrong.
    pub reading: &'a mut Reading<'s>,
    /// Axes that some slot names.
    pub used_axes: BTreeSet<String>,
}

impl Words<'_, '_> {
    /// The slot itself, or the listed values of the axis that it names. A phrase has no values before there is a contract.
    pub fn values(&mut self, slot: &Slot) -> Vec<Slot> {
        if !self.is_axis(slot) {
            return vec![slot.clone()];
        }
        match slot.axis().and_then(|axis| self.scenario.axes.get(axis)).map(|axis| &axis.values) {
            Some(AxisValues::Listed(values)) => values.clone(),
            Some(AxisValues::Phrase(_)) | None => Vec::new(),
        }
    }

    /// Whether a slot names an axis; one that is not declared is a problem.
    pub fn is_axis(&mut self, slot: &Slot) -> bool {
        let Some(name) = slot.axis() else { return false };
        let near = nearest(name, self.scenario.axes.keys().map(|name| name.as_str())).map(str::to_owned);
        match near {
            _ if self.scenario.axes.contains_key(name) => {
                self.used_axes.insert(name.to_owned());
            }
            Some(near) => {
                self.wrong(slot.span, format!("no axis `{name}`"), &format!("did you mean `${near}`?"));
                self.used_axes.insert(near);
            }
            None => self.wrong(slot.span, format!("no axis `{name}`"), "declare it under `for each:`"),
        }
        true
    }

    /// Passages.
    pub fn passages(&mut self, slot: &Slot) {
        for value in self.values(slot) {
            let Err(bad) = value.text.parse::<Passage>() else { continue };
            let first = value.text.split_whitespace().next().unwrap_or_default();
            let near = nearest(first, FIRST_WORDS.iter().copied()).filter(|near| *near != first);
            // The whole grammar is long, and helps only where no part of it was meant.
            let (why, grammar) = match bad.why.split_once("expected clear") {
                Some((why, _)) => (why.trim_end_matches("; "), near.is_none()),
                None => (bad.why.as_str(), false),
            };
            let label = near.map_or_else(|| why.to_owned(), |near| format!("did you mean `{near}`?"));
            let problem = Problem::new(value.span, format!("`{}` is not a passage", value.text)).label(label);
            self.reading.add(if grammar { problem.help(format!("a passage is {GRAMMAR}")) } else { problem });
        }
    }

    /// A count.
    pub fn count(&mut self, slot: Option<&Slot>) {
        for value in slot.map(|slot| self.values(slot)).unwrap_or_default() {
            if !value.text.parse::<u32>().is_ok_and(|count| COUNTS.contains(&count)) {
                let label = format!("expected a number from {} to {}", COUNTS.start(), COUNTS.end());
                self.wrong(value.span, format!("`{}` is not a count", value.text), &label);
            }
        }
    }

    /// Ways to write or carry the same content.
    pub fn spellings(&mut self, slot: &Slot) {
        let known = Spelling::ALL.iter().map(|spelling| spelling.name()).chain(TRANSPORT.iter().copied());
        let known: Vec<&str> = known.collect();
        self.words(slot, "way to write the same content", &known);
    }

    /// Who asks. A name may be one of the subject's, so only what is nearly another word is a mistake.
    pub fn credentials(&mut self, slot: &Slot) {
        for value in self.values(slot) {
            let word = value.text.as_str();
            if CREDENTIALS.contains(&word) {
                continue;
            }
            let message = format!("no credential `{word}`");
            match (word.strip_prefix("other"), nearest(word, CREDENTIALS.iter().copied())) {
                (Some(rest), _) if rest.trim().is_empty() => {
                    self.wrong(value.span, message, "say in which scope, such as `other environment`");
                }
                (Some(rest), _) if rest.starts_with(' ') => {}
                (_, Some(near)) => self.wrong(value.span, message, &format!("did you mean `{near}`?")),
                (_, None) => {}
            }
        }
    }

    /// One of the words known.
    pub fn words(&mut self, slot: &Slot, what: &str, known: &[&str]) {
        for value in self.values(slot) {
            if !known.contains(&value.text.as_str()) {
                let message = format!("no {what} `{}`", value.text);
                self.reading.unknown(value.span, message, &value.text, known.iter().copied());
            }
        }
    }

    /// Notes a problem.
    pub fn wrong(&mut self, place: Span, message: String, label: &str) {
        self.reading.wrong(place, message, label);
    }
}
