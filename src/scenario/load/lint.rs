//! What is wrong with a scenario as a whole: names that nothing declares, declarations that nothing uses, words that mean
//! nothing where they stand, claims that nothing could ever exercise.

use std::collections::BTreeSet;

use crate::file::{Node, Reading, nearest};
use crate::requirement::Side;
use crate::scenario::load::words::Words;
use crate::scenario::{Claim, Scenario, Slot, StepDecl, StepKind};

/// Notes every problem of a scenario.
pub fn lint(scenario: &Scenario, tree: &Node, reading: &mut Reading<'_>) {
    let words = Words { scenario, reading, used_axes: BTreeSet::new() };
    let mut lint = Lint { scenario, tree, words, used: BTreeSet::new(), attempted: BTreeSet::new() };
    lint.intents();
    lint.steps();
    lint.claims();
    lint.empty_parts();
    lint.unused();
}

/// A scenario that is looked through.
pub(in crate::scenario::load) struct Lint<'a, 's> {
    /// As it was read.
    pub scenario: &'a Scenario,
    /// As it was written.
    pub tree: &'a Node,
    /// Checks its words.
    pub words: Words<'a, 's>,
    used: BTreeSet<String>,
    attempted: BTreeSet<String>,
}

impl Lint<'_, '_> {
    fn steps(&mut self) {
        let mut observed: BTreeSet<&str> = BTreeSet::new();
        for step in &self.scenario.when {
            match &step.what {
                StepKind::Send { intent, meets, times, thereafter, .. } => {
                    self.attempt(intent);
                    self.of_side(step, thereafter.as_ref());
                    if meets.is_empty() {
                        let label = "give at least one passage, such as `clear`";
                        self.words.wrong(intent.span, "a send that meets nothing".to_owned(), label);
                    }
                    for slot in meets.iter().chain(thereafter) {
                        self.words.passages(slot);
                    }
                    self.words.count(times.as_ref());
                }
                StepKind::AtOnce { intents, copies, .. } => {
                    self.of_side(step, None);
                    if intents.is_empty() {
                        self.words.wrong(step.span, "a race of nobody".to_owned(), "name the intents");
                    }
                    for slot in intents {
                        self.attempt(slot);
                    }
                    self.words.count(copies.as_ref());
                }
                StepKind::Restart { .. } | StepKind::Observe { .. } | StepKind::Reconfigure { .. }
                    if self.scenario.side == Side::Client =>
                {
                    self.of_side(step, None);
                }
                StepKind::Restart { how } => self.words.words(how, "way to restart", &["stop", "kill"]),
                StepKind::Observe { point } => {
                    if !observed.insert(point) {
                        let message = format!("`{point}` is observed twice");
                        self.words.wrong(step.span, message, "name the second point otherwise");
                    }
                }
                StepKind::Reconfigure { intent } => self.reconfigured(intent),
            }
        }
    }

    fn reconfigured(&mut self, slot: &Slot) {
        self.intent(slot);
        for value in self.words.values(slot) {
            if self.scenario.given.get(value.text.as_str()).is_some_and(|decl| !decl.configured) {
                let message = format!("`{}` has no configuration of its own", value.text);
                let label = "add `configured: true` where it is given, or other cases are touched";
                self.words.wrong(value.span, message, label);
            }
        }
    }

    /// Part of what a scenario can do is only for the driver that is ours, and part only for one under test.
    fn of_side(&mut self, step: &StepDecl, thereafter: Option<&Slot>) {
        let is_client = self.scenario.side == Side::Client;
        match (&step.what, thereafter) {
            (StepKind::Send { .. }, Some(slot)) if !is_client => {
                let label = "only a client under test makes attempts that nobody has listed";
                self.words.wrong(slot.span, "`thereafter` without a client".to_owned(), label);
            }
            (StepKind::Send { other_replica: true, .. } | StepKind::Send { behind_edge: true, .. }, _) if is_client => {
                let label = "a client under test goes where it is told: leave out `to` and `behind`";
                self.words.wrong(step.span, "a client is not led elsewhere".to_owned(), label);
            }
            (StepKind::Send { times: Some(_), .. }, _) if is_client => {
                let label = "a client under test decides how often: say `meets` and `thereafter`";
                self.words.wrong(step.span, "`times` of a client".to_owned(), label);
            }
            (StepKind::Send { .. }, _) => {}
            (_, _) if is_client => {
                let label = "a client under test is only asked to `send`";
                self.words.wrong(step.span, "a step that no client makes".to_owned(), label);
            }
            (_, _) => {}
        }
    }

    fn claims(&mut self) {
        let part = self.claims_part();
        for claim in self.scenario.claims.iter().chain(&self.scenario.both) {
            if claim.on.is_empty() && self.is_well(part) {
                self.words.wrong(claim.span, "a claim about nothing".to_owned(), "name an intent");
            }
            for slot in &claim.on {
                if self.intent(slot) {
                    self.exercised(slot);
                }
            }
            let of_two = matches!(claim.claim, Claim::ShareKey | Claim::MintApart | Claim::DeriveKey);
            let one_alone = of_two && claim.on.len() == 1;
            if one_alone {
                let message = format!("`{}` of one intent", claim.claim);
                self.words.wrong(claim.span, message, "name the two, the first one first");
            }
            if claim.claim == Claim::DeriveKey {
                self.same_fact(&claim.on);
            }
            let is_observed = self.scenario.when.iter().any(|step| matches!(step.what, StepKind::Observe { .. }));
            if claim.claim == Claim::WriteNothingNew && !is_observed && self.steps_are_known() {
                let message = format!("`{}` compares with nothing", claim.claim);
                self.words.wrong(claim.span, message, "add an `observe:` step before what must write nothing");
            }
            if matches!(claim.claim, Claim::AnswerItems | Claim::CountItems) {
                self.batches(claim.claim, &claim.on);
            }
        }
    }

    /// A key derived from a fact is the same for the same fact, and of two facts nothing is said.
    fn same_fact(&mut self, on: &[Slot]) {
        let Some((first, others)) = on.split_first() else { return };
        let first: Vec<String> = self.words.values(first).into_iter().map(|value| value.text).collect();
        for value in others.iter().flat_map(|slot| self.words.values(slot)).collect::<Vec<_>>() {
            let Some(decl) = self.scenario.given.get(value.text.as_str()) else { continue };
            let is_same = decl.same_as.as_ref().is_some_and(|other| first.contains(&other.text));
            if !is_same || decl.change.is_some() {
                let message = format!("`{}` is another fact", value.text);
                let label = "a derived key is the same for what is the same: `same as:` the first";
                self.words.wrong(value.span, message, label);
            }
        }
    }

    /// A claim about what is never attempted would never be judged.
    fn exercised(&mut self, slot: &Slot) {
        for value in self.words.values(slot) {
            if !self.attempted.contains(&value.text) && self.steps_are_known() {
                let message = format!("`{}` is claimed about and never sent", value.text);
                self.words.wrong(value.span, message, "send it under `when:`");
            }
        }
    }

    fn batches(&mut self, claim: Claim, on: &[Slot]) {
        for value in on.iter().flat_map(|slot| self.words.values(slot)).collect::<Vec<_>>() {
            if self.scenario.given.get(value.text.as_str()).is_some_and(|decl| decl.items.is_empty()) {
                let message = format!("`{}` is no batch, and `{claim}` is about one", value.text);
                self.words.wrong(value.span, message, "name an intent with `items:`");
            }
        }
    }

    fn empty_parts(&mut self) {
        let parts = [
            ("given", self.scenario.given.is_empty(), "nothing is wanted", "add an intent"),
            ("when", self.scenario.when.is_empty(), "nothing happens", "add a step"),
            (self.claims_part(), self.scenario.claims.is_empty(), "nothing is claimed", "add a claim"),
        ];
        for (part, is_empty, message, label) in parts {
            let entry = self.tree.entries().iter().find(|entry| entry.key.text() == Some(part));
            // What is there and was refused has been told.
            let is_bare =
                |node: &Node| node.entries().is_empty() && node.items().iter().all(|item| item.entries().is_empty());
            if let Some(entry) = entry.filter(|entry| is_empty && is_bare(&entry.value)) {
                self.words.wrong(entry.key.span, message.to_owned(), label);
            }
        }
    }

    /// The list of what must hold.
    fn claims_part(&self) -> &'static str {
        if self.scenario.side == Side::Client { "client must" } else { "server must" }
    }

    /// While a part has not its shape, what it would use is not known.
    fn unused(&mut self) {
        if !["given", self.claims_part()].iter().all(|part| self.is_well(part)) || !self.steps_are_known() {
            return;
        }
        for (name, axis) in &self.scenario.axes {
            if !self.words.used_axes.contains(name.as_str()) {
                let label = format!("use it as `${name}`, or leave it out");
                self.words.wrong(axis.span, format!("nothing uses the axis `{name}`"), &label);
            }
        }
        for (name, decl) in &self.scenario.given {
            if !self.used.contains(name.as_str()) {
                self.words.wrong(decl.span, format!("nothing uses `{name}`"), "send it, or leave it out");
            }
        }
    }

    /// Notes that an intent is used; one that is not given is a problem. Whether it is given.
    pub fn intent(&mut self, slot: &Slot) -> bool {
        let mut all_given = true;
        for value in self.words.values(slot) {
            if self.scenario.given.contains_key(value.text.as_str()) {
                self.used.insert(value.text);
                continue;
            }
            all_given = false;
            let known: Vec<&str> = self.scenario.given.keys().map(|name| name.as_str()).collect();
            let label = match nearest(&value.text, known.iter().copied()) {
                // It is the one that was meant, so it is not unused as well.
                Some(near) => {
                    self.used.insert(near.to_owned());
                    self.attempted.insert(near.to_owned());
                    format!("did you mean `{near}`?")
                }
                None if known.is_empty() => continue,
                None => format!("given are {}", known.join(", ")),
            };
            self.words.wrong(value.span, format!("`{}` is not given", value.text), &label);
        }
        all_given
    }

    fn attempt(&mut self, slot: &Slot) {
        self.intent(slot);
        for value in self.words.values(slot) {
            let items = self.scenario.given.get(value.text.as_str()).map(|decl| decl.items.clone()).unwrap_or_default();
            self.attempted.insert(value.text);
            for item in items {
                let items = self.words.values(&item);
                self.attempted.extend(items.into_iter().map(|item| item.text));
            }
        }
    }

    /// Whether every step could be read, so that one knows what is sent.
    fn steps_are_known(&self) -> bool {
        let written = self.tree.get("when").map(Node::items).unwrap_or_default();
        self.is_well("when") && written.len() == self.scenario.when.len()
    }

    /// Whether a part of the file has its shape and can be read.
    fn is_well(&self, part: &str) -> bool {
        self.tree.get(part).is_some_and(|node| self.words.reading.is_well(node))
    }
}
