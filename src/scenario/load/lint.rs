//! What is wrong with a scenario as a whole: names that nothing declares, declarations that nothing uses, words that mean
//! nothing where they stand.

use std::collections::BTreeSet;

use crate::fault::{FIRST_WORDS, Passage};
use crate::file::{Problem, nearest};
use crate::json::Spelling;
use crate::scenario::{AxisValues, KeyShape, Scenario, Slot, StepKind};

/// Ways to carry the same content that are not ways to write JSON.
const TRANSPORT: &[&str] = &["chunked", "header case", "other user agent", "charset"];

/// Adds every problem.
pub fn lint(scenario: &Scenario, problems: &mut Vec<Problem>) {
    let mut lint = Lint { scenario, problems, used_axes: BTreeSet::new(), used_intents: BTreeSet::new() };
    lint.intents();
    lint.steps();
    lint.claims();
    lint.unused();
}

struct Lint<'a> {
    scenario: &'a Scenario,
    problems: &'a mut Vec<Problem>,
    used_axes: BTreeSet<String>,
    used_intents: BTreeSet<String>,
}

impl Lint<'_> {
    fn intents(&mut self) {
        for (name, decl) in &self.scenario.given {
            for slot in [&decl.same_as, &decl.same_key_as].into_iter().flatten() {
                self.intent(slot);
                if slot.text == name.as_str() || self.leads_back(name.as_str(), &slot.text) {
                    self.wrong(slot, format!("`{name}` is made from itself"), "name another intent");
                }
            }
            for item in &decl.items {
                self.intent(item);
            }
            for slot in
                [&decl.operation, &decl.change, &decl.defect, &decl.open, &decl.credential].into_iter().flatten()
            {
                self.axis(slot);
            }
            if decl.operation.is_none() && decl.same_as.is_none() && decl.same_key_as.is_none() {
                let problem = Problem::new(decl.span, format!("`{name}` names no operation"));
                self.problems.push(problem.label("add `operation:`, or `same as:` another intent"));
            }
            if let Some(slot) = &decl.key {
                self.words(slot, "kind of key", &KeyShape::words().collect::<Vec<_>>());
                let twin =
                    self.values(slot).iter().any(|value| value.text.parse::<KeyShape>().is_ok_and(KeyShape::is_twin));
                if twin && decl.same_as.is_none() && decl.same_key_as.is_none() {
                    self.wrong(
                        slot,
                        "a twin of nothing".to_owned(),
                        "say `same as:` or `same key as:` which intent it is a twin of",
                    );
                }
            }
            if let Some(slot) = &decl.spelled {
                let known: Vec<&str> =
                    Spelling::ALL.iter().map(|spelling| spelling.name()).chain(TRANSPORT.iter().copied()).collect();
                self.words(slot, "way to write the same content", &known);
            }
        }
    }

    fn leads_back(&self, start: &str, from: &str) -> bool {
        let mut seen = BTreeSet::new();
        let mut next = vec![from.to_owned()];
        while let Some(name) = next.pop() {
            let Some(decl) = self.scenario.given.get(name.as_str()) else { continue };
            for other in [&decl.same_as, &decl.same_key_as].into_iter().flatten() {
                if other.text == start {
                    return true;
                }
                if seen.insert(other.text.clone()) {
                    next.push(other.text.clone());
                }
            }
        }
        false
    }

    fn steps(&mut self) {
        for step in &self.scenario.when {
            match &step.what {
                StepKind::Send { intent, meets, times, .. } => {
                    self.intent(intent);
                    if meets.is_empty() {
                        self.wrong(
                            intent,
                            "a send that meets nothing".to_owned(),
                            "give at least one passage, such as `clear`",
                        );
                    }
                    for slot in meets {
                        self.passages(slot);
                    }
                    self.count(times.as_ref());
                }
                StepKind::AtOnce { intents, copies } => {
                    for slot in intents {
                        self.intent(slot);
                    }
                    self.count(copies.as_ref());
                }
                StepKind::Restart { how } => self.words(how, "way to restart", &["stop", "kill"]),
                StepKind::Observe { .. } => {}
                StepKind::Reconfigure { intent } => {
                    self.intent(intent);
                    let configured = self.scenario.given.get(intent.text.as_str()).is_none_or(|decl| decl.configured);
                    if !configured {
                        let message = format!("`{}` has no configuration of its own", intent.text);
                        self.wrong(
                            intent,
                            message,
                            "say `configured: true` where it is given, or other cases are touched",
                        );
                    }
                }
            }
        }
        if self.scenario.when.is_empty() {
            let span = self.scenario.given.values().next().map_or_else(Default::default, |decl| decl.span);
            self.problems.push(Problem::new(span, "nothing happens").label("add a step under `when:`"));
        }
    }

    fn claims(&mut self) {
        for claim in &self.scenario.claims {
            if claim.on.is_empty() {
                self.problems.push(Problem::new(claim.span, "a claim about nothing").label("name an intent"));
            }
            for slot in &claim.on {
                self.intent(slot);
            }
        }
        if self.scenario.claims.is_empty() {
            let span = self.scenario.given.values().next().map_or_else(Default::default, |decl| decl.span);
            self.problems.push(Problem::new(span, "nothing is claimed").label("add a claim under `server must:`"));
        }
    }

    fn unused(&mut self) {
        for (name, axis) in &self.scenario.axes {
            if !self.used_axes.contains(name.as_str()) {
                let problem = Problem::new(axis.span, format!("nothing uses the axis `{name}`"));
                self.problems.push(problem.label(format!("use it as `${name}`, or leave it out")));
            }
        }
        for (name, decl) in &self.scenario.given {
            if !self.used_intents.contains(name.as_str()) {
                let problem = Problem::new(decl.span, format!("nothing uses `{name}`"));
                self.problems.push(problem.label("send it, or leave it out"));
            }
        }
    }

    /// A name of an intent.
    fn intent(&mut self, slot: &Slot) {
        for value in self.values(slot) {
            if self.scenario.given.contains_key(value.text.as_str()) {
                self.used_intents.insert(value.text.clone());
                continue;
            }
            let known: Vec<&str> = self.scenario.given.keys().map(|name| name.as_str()).collect();
            let label = match nearest(&value.text, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("given are {}", known.join(", ")),
            };
            self.wrong(&value, format!("`{}` is not given", value.text), &label);
        }
    }

    fn passages(&mut self, slot: &Slot) {
        for value in self.values(slot) {
            if let Err(bad) = value.text.parse::<Passage>() {
                let first = value.text.split_whitespace().next().unwrap_or_default();
                let near = nearest(first, FIRST_WORDS.iter().copied()).filter(|near| *near != first);
                let label = near.map_or_else(|| "not a passage".to_owned(), |near| format!("did you mean `{near}`?"));
                let problem = Problem::new(value.span, format!("`{}` is not a passage", value.text)).label(label);
                self.problems.push(problem.help(bad.why));
            }
        }
    }

    fn count(&mut self, slot: Option<&Slot>) {
        for value in slot.map(|slot| self.values(slot)).unwrap_or_default() {
            if !value.text.parse::<u32>().is_ok_and(|count| (1..=256).contains(&count)) {
                self.wrong(&value, format!("`{}` is not a count", value.text), "expected a number from 1 to 256");
            }
        }
    }

    fn words(&mut self, slot: &Slot, what: &str, known: &[&str]) {
        for value in self.values(slot) {
            if !known.contains(&value.text.as_str()) {
                let near = nearest(&value.text, known.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                let label = near.unwrap_or_else(|| format!("known are {}", known.join("; ")));
                self.wrong(&value, format!("no {what} `{}`", value.text), &label);
            }
        }
    }

    /// The slot itself, or the listed values of the axis that it names. A phrase has no values before there is a contract.
    fn values(&mut self, slot: &Slot) -> Vec<Slot> {
        if !self.axis(slot) {
            return vec![slot.clone()];
        }
        match slot.axis().and_then(|axis| self.scenario.axes.get(axis)).map(|axis| &axis.values) {
            Some(AxisValues::Listed(values)) => values.clone(),
            Some(AxisValues::Phrase(_)) | None => Vec::new(),
        }
    }

    /// Whether a slot names an axis; one that is not declared is a problem.
    fn axis(&mut self, slot: &Slot) -> bool {
        let Some(name) = slot.axis() else { return false };
        if self.scenario.axes.contains_key(name) {
            self.used_axes.insert(name.to_owned());
        } else {
            let near = nearest(name, self.scenario.axes.keys().map(|name| name.as_str()));
            let label = match near {
                Some(near) => format!("did you mean `${near}`?"),
                None => "declare it under `for each:`".to_owned(),
            };
            self.wrong(slot, format!("no axis `{name}`"), &label);
        }
        true
    }

    fn wrong(&mut self, slot: &Slot, message: String, label: &str) {
        self.problems.push(Problem::new(slot.span, message).label(label));
    }
}
