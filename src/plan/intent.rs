//! Plans the intents of one case: keys, users and bodies are minted, changes and defects applied, requests written out.
//! Secrets are not in them.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::contract::{Contract, Edit, KeyPlace, Operation, Outcome, SLOW, Sameness, Syntax};
use crate::file::{Span, nearest};
use crate::json::Json;
use crate::message::{Framing, Octets, Request};
use crate::name::{CaseId, IntentName, OperationName, ScopeName};
use crate::plan::axes::AxisCell;
use crate::plan::case::{Cell, Expectation, PlannedIntent, Wanted};
use crate::plan::credential::{Abilities, CredentialUse};
use crate::plan::expectation::expectation;
use crate::plan::spelled::Spelled;
use crate::plan::template::{Names, render_json, render_text};
use crate::scenario::{IntentDecl, KeyShape, Scenario, Slot};

/// The bound that keys of every kind are minted by where the contract states none.
const UNSTATED_LENGTH: u32 = 255;

/// Why a scenario cannot be planned for a contract, and where it says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanProblem {
    /// Where.
    pub span: Span,
    /// What.
    pub message: String,
    /// Beside the caret.
    pub label: String,
}

/// The case that intents are planned for.
pub struct Stage<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The cell.
    pub axes: &'a AxisCell,
    /// The contract.
    pub contract: &'a Contract,
    /// What the subject can do.
    pub abilities: &'a Abilities,
    /// The run's namespace.
    pub namespace: &'a str,
    /// The case.
    pub case: &'a CaseId,
}

/// What an intent is made of, before it is written out.
#[derive(Clone)]
pub(in crate::plan) struct Draft {
    pub(in crate::plan) operation: OperationName,
    pub(in crate::plan) user: String,
    pub(in crate::plan) key: Option<Json>,
    pub(in crate::plan) body: Option<Json>,
    /// The body before any change: names that a change took away can still be read by.
    pub(in crate::plan) plain: Option<Json>,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    raw: Option<String>,
    credential: Option<String>,
    expects: Expectation,
    hook: Option<String>,
}

impl Stage<'_> {
    /// Every intent, and what the subject lacks for them.
    pub fn intents(&self) -> Result<(IndexMap<IntentName, PlannedIntent>, Vec<String>), PlanProblem> {
        let mut planned = IndexMap::new();
        let mut lacks = Vec::new();
        for (name, decl) in &self.scenario.given {
            let intent = if decl.items.is_empty() {
                self.single(name, decl, &mut lacks)?
            } else {
                self.batch(name, decl, &mut lacks)?
            };
            planned.insert(name.clone(), intent);
        }
        lacks.dedup();
        Ok((planned, lacks))
    }

    /// The names that every template of this case may use.
    pub fn names(&self, user: &str, key: Option<&Json>, scope: &BTreeMap<ScopeName, String>) -> Names {
        let mut names: BTreeMap<String, String> =
            scope.iter().map(|(name, value)| (name.to_string(), value.clone())).collect();
        names.extend([
            ("user".to_owned(), user.to_owned()),
            ("case".to_owned(), format!("{}-{}", self.namespace, self.case)),
            ("run".to_owned(), self.namespace.to_owned()),
        ]);
        if let Some(key) = key.and_then(Json::as_text) {
            names.insert("key".to_owned(), key.to_string_lossy());
        }
        Names(names)
    }

    /// A slot's text, with its axis filled.
    pub fn filled(&self, slot: &Slot) -> Result<String, PlanProblem> {
        match slot.axis() {
            None => Ok(slot.text.clone()),
            Some(axis) => self.axes.get(axis).cloned().ok_or_else(|| {
                problem(slot.span, format!("the axis `{axis}` has no value here"), "not an axis of `for each`")
            }),
        }
    }

    fn optional(&self, slot: Option<&Slot>) -> Result<Option<(String, Span)>, PlanProblem> {
        slot.map(|slot| Ok((self.filled(slot)?, slot.span))).transpose()
    }

    /// The request of an operation as the contract words it, with a body.
    pub fn request(
        &self,
        operation: &Operation,
        method: &str,
        target: &str,
        extra: &[(String, String)],
        body: Option<Vec<u8>>,
    ) -> Request {
        let mut headers = vec![("Host".to_owned(), self.abilities.host.clone())];
        if body.is_some() {
            headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
        }
        headers.extend(operation.headers.iter().cloned());
        headers.extend(extra.iter().cloned());
        Request {
            method: method.to_owned(),
            target: target.to_owned(),
            headers,
            framing: if body.is_some() { Framing::Length } else { Framing::None },
            body: Octets(body.unwrap_or_default()),
        }
    }

    fn operation_of(&self, decl: &IntentDecl) -> Result<OperationName, PlanProblem> {
        if let Some((name, span)) = self.optional(decl.operation.as_ref())? {
            return match self.contract.operations.get(name.as_str()) {
                Some(operation) => Ok(operation.name.clone()),
                None => {
                    let known = self.contract.operations.keys().map(|name| name.as_str());
                    let message = format!("no operation `{name}` in {}", self.contract.name);
                    Err(problem(span, message, &nearest_or_all(&name, known)))
                }
            };
        }
        let other = decl.same_as.as_ref().or(decl.same_key_as.as_ref());
        match other.and_then(|other| self.scenario.given.get(other.text.as_str())) {
            Some(other) => self.operation_of(other),
            None => Err(problem(decl.span, "this intent names no operation".to_owned(), "add `operation:`")),
        }
    }

    /// A name may come from an axis, so that only the plan sees that nothing is given under it.
    fn given(&self, name: &IntentName, span: Span) -> Result<&IntentDecl, PlanProblem> {
        let given = self.scenario.given.get(name);
        given.ok_or_else(|| problem(span, format!("`{name}` is not given"), "no intent"))
    }

    /// The scope that an intent's templates are filled for: that of who asks, as the scenario has it. An edit that changes
    /// who asks changes nothing else, and nobody's request is the first credential's without its headers.
    fn asker(&self, name: &IntentName, span: Span) -> Result<BTreeMap<ScopeName, String>, PlanProblem> {
        let decl = self.given(name, span)?;
        match (self.optional(decl.credential.as_ref())?, &decl.same_as) {
            (Some((word, _)), _) => Ok(match self.abilities.resolve(Some(&word)) {
                Ok((named, _)) => self.abilities.scope_of(&named),
                Err(_) => self.abilities.scope_of(&CredentialUse::Nobody),
            }),
            (None, Some(other)) => self.asker(&other.text.as_str().into(), other.span),
            (None, None) => Ok(self.abilities.scope_of(&CredentialUse::Nobody)),
        }
    }

    fn draft(&self, name: &IntentName, span: Span) -> Result<Draft, PlanProblem> {
        self.draft_for(name, span, &self.asker(name, span)?)
    }

    fn draft_for(
        &self,
        name: &IntentName,
        span: Span,
        scope: &BTreeMap<ScopeName, String>,
    ) -> Result<Draft, PlanProblem> {
        let decl = self.given(name, span)?;
        let operation = &self.contract.operations[&self.operation_of(decl)?];
        let index = self.scenario.given.get_index_of(name).unwrap_or_default();
        let stem = format!("{}-{}-{index}", self.namespace, self.case);
        let mut draft = match &decl.same_as {
            Some(other) => self.draft_for(&other.text.as_str().into(), other.span, scope)?,
            None => self.fresh_draft(operation, decl, &stem, scope)?,
        };
        let shape = match self.optional(decl.key.as_ref())? {
            None => None,
            Some((word, span)) => {
                Some((word.parse::<KeyShape>().map_err(|why| problem(span, why, "not a kind of key"))?, span))
            }
        };
        let other_key = match &decl.same_key_as {
            Some(other) => self.draft(&other.text.as_str().into(), other.span)?.key,
            None => draft.key.clone(),
        };
        if let Some(rule) = operation.key() {
            // What a server counts where nothing is stated may be the header's value, quotes and all.
            let unstated = UNSTATED_LENGTH - if rule.syntax == Syntax::SfString { 2 } else { 0 };
            let longest = rule.length.map_or(unstated, |(_, most)| most);
            let shape = match (shape, &decl.same_key_as, &decl.same_as) {
                (Some((shape, _)), _, _) => Some(shape),
                (None, Some(_), _) | (None, None, Some(_)) => None,
                // A client under test mints its own, unless it is given one.
                (None, None, None) if self.abilities.client.is_some() => Some(KeyShape::Absent),
                (None, None, None) => Some(KeyShape::Fresh),
            };
            match shape {
                None => draft.key = other_key,
                Some(shape) => {
                    let stem = self
                        .twin_of(name)?
                        .map_or_else(|| format!("k-{stem}"), |twin| twin.stem_of_other(&format!("k-{stem}")));
                    draft.key = shape.mint(&stem, longest, other_key.as_ref());
                    draft.expects = expectation(shape, rule);
                }
            }
        }
        for (slot, edits, kind) in [
            (&decl.change, &operation.changes, "change"),
            (&decl.variant, &operation.variants, "variant"),
            (&decl.defect, &operation.defects, "defect"),
            (&decl.open, &operation.open, "open difference"),
        ] {
            let Some((word, span)) = self.optional(slot.as_ref())? else { continue };
            let Some(edit) = edits.get(&word) else {
                let message = format!("`{}` of {} declares no {kind} `{word}`", operation.name, self.contract.name);
                return Err(problem(span, message, &nearest_or_all(&word, edits.keys().map(String::as_str))));
            };
            self.apply(edit, &mut draft, scope, span)?;
            match kind {
                "defect" => draft.expects = Expectation::Refused(edit.outcome.unwrap_or(Outcome::Refused), edit.status),
                "open difference" => draft.expects = Expectation::Open,
                _ => {}
            }
        }
        if let Some((word, _)) = self.optional(decl.credential.as_ref())? {
            if matches!(word.as_str(), "none" | "unknown") {
                draft.expects = Expectation::Refused(Outcome::Refused, None);
            }
            draft.credential = Some(word);
        }
        Ok(draft)
    }

    fn fresh_draft(
        &self,
        operation: &Operation,
        decl: &IntentDecl,
        stem: &str,
        scope: &BTreeMap<ScopeName, String>,
    ) -> Result<Draft, PlanProblem> {
        let user = format!("u-{stem}");
        let names = self.names(&user, None, scope);
        let bad = |why: String| problem(decl.span, why, "its template cannot be filled");
        let mut body = operation.body.as_ref().map(|body| render_json(body, &names)).transpose().map_err(bad)?;
        if let (true, Some(own), Some(body)) = (decl.configured, &operation.reconfigure, body.as_mut()) {
            for (place, value) in &own.set {
                body.set(place, render_json(value, &names).map_err(bad)?);
            }
        }
        Ok(Draft {
            operation: operation.name.clone(),
            user,
            key: None,
            plain: body.clone(),
            body,
            method: operation.request.method.clone(),
            target: render_text(&operation.request.target, &names).map_err(bad)?,
            headers: Vec::new(),
            raw: None,
            credential: None,
            expects: Expectation::Accepted,
            hook: None,
        })
    }

    /// The kind of twin that another intent is of this one.
    fn twin_of(&self, name: &IntentName) -> Result<Option<KeyShape>, PlanProblem> {
        for other in self.scenario.given.values() {
            let of_this =
                [&other.same_as, &other.same_key_as].into_iter().flatten().any(|slot| slot.text == name.as_str());
            if let (true, Some((word, _))) = (of_this, self.optional(other.key.as_ref())?)
                && let Some(shape) = word.parse::<KeyShape>().ok().filter(|shape| shape.is_twin())
            {
                return Ok(Some(shape));
            }
        }
        Ok(None)
    }

    fn apply(
        &self,
        edit: &Edit,
        draft: &mut Draft,
        scope: &BTreeMap<ScopeName, String>,
        span: Span,
    ) -> Result<(), PlanProblem> {
        let names = self.names(&draft.user, draft.key.as_ref(), scope);
        for (place, value) in &edit.set {
            let value =
                render_json(value, &names).map_err(|why| problem(span, why, "its template cannot be filled"))?;
            let set = draft.body.as_mut().is_some_and(|body| body.set(place, value));
            if !set {
                return Err(problem(span, format!("there is nothing to set at {place}"), "does not fit this body"));
            }
        }
        for place in &edit.remove {
            if draft.body.as_mut().and_then(|body| body.remove(place)).is_none() {
                return Err(problem(span, format!("there is nothing to remove at {place}"), "does not fit this body"));
            }
        }
        if let Some(method) = &edit.method {
            draft.method.clone_from(method);
        }
        if let Some(target) = &edit.target {
            draft.target.clone_from(target);
        }
        draft.raw = edit.raw.clone().or(draft.raw.take());
        draft.headers.extend(edit.headers.iter().cloned());
        draft.credential = edit.credential.clone().or(draft.credential.take());
        draft.hook = edit.hook.clone().or(draft.hook.take());
        Ok(())
    }

    fn single(
        &self,
        name: &IntentName,
        decl: &IntentDecl,
        lacks: &mut Vec<String>,
    ) -> Result<PlannedIntent, PlanProblem> {
        let mut draft = self.draft(name, decl.span)?;
        if decl.slow {
            draft.hook.get_or_insert_with(|| SLOW.to_owned());
        }
        let operation = &self.contract.operations[&draft.operation];
        let (credential, scope) = self.credential(draft.credential.as_deref(), lacks);
        if let Some(hook) = draft.hook.as_ref().filter(|hook| !self.abilities.hooks.contains(*hook)) {
            lacks.push(format!("hook `{hook}`"));
        }
        let mut headers = draft.headers.clone();
        let body = with_key(&draft, operation, &mut headers);
        let words = self.optional(decl.spelled.as_ref())?;
        let spelling = Spelled::parse(words)?;
        let bytes = match (&draft.raw, &body) {
            (Some(raw), _) => Some(raw.clone().into_bytes()),
            (None, Some(body)) => Some(body.spelled(spelling.json).into_bytes()),
            (None, None) => None,
        };
        let mut request = self.request(operation, &draft.method, &draft.target, &headers, bytes);
        spelling.transport(&mut request);
        let body = body.unwrap_or(Json::Null);
        Ok(PlannedIntent {
            name: name.clone(),
            operation: draft.operation.clone(),
            request,
            credential: credential.clone(),
            hook: draft.hook.clone(),
            unkeyed: draft.key.is_none() && decl.key.is_some(),
            is_carried: operation.key().zip(draft.key.as_ref()).is_none_or(|(rule, key)| rule.can_carry(key)),
            wanted: Wanted::One {
                reading: self.reading(&draft, operation.effect.as_ref(), decl, &credential, &scope)?,
                repeats: self.repeats(&draft, operation, decl, &credential, &scope)?,
                cell: cell(&draft, operation, scope),
                content: content(&draft, operation),
                expects: draft.expects.clone(),
                body,
            },
        })
    }

    fn credential(&self, word: Option<&str>, lacks: &mut Vec<String>) -> (CredentialUse, BTreeMap<ScopeName, String>) {
        self.abilities.resolve(word).unwrap_or_else(|lack| {
            lacks.push(lack);
            (CredentialUse::Nobody, BTreeMap::new())
        })
    }

    fn batch(
        &self,
        name: &IntentName,
        decl: &IntentDecl,
        lacks: &mut Vec<String>,
    ) -> Result<PlannedIntent, PlanProblem> {
        let of = self.operation_of(decl)?;
        let (operation, batch) =
            match self.contract.batch_of(&of).and_then(|found| Some((found, found.batch.as_ref()?))) {
                Some(found) => found,
                None => {
                    return Err(problem(
                        decl.span,
                        format!("no operation of {} carries many of `{of}`", self.contract.name),
                        "a batch",
                    ));
                }
            };
        let mut items = Vec::new();
        let mut bodies = Vec::new();
        for slot in &decl.items {
            let item = IntentName::from(self.filled(slot)?);
            let draft = self.draft(&item, slot.span)?;
            bodies.push(with_key(&draft, &self.contract.operations[&of], &mut Vec::new()).unwrap_or(Json::Null));
            items.push(item);
        }
        let names = self.names(&format!("u-{}-{}", self.namespace, self.case), None, &self.asker(name, decl.span)?);
        let bad = |why: String| problem(decl.span, why, "its template cannot be filled");
        let empty = Json::object(Vec::<(String, Json)>::new());
        let mut body = render_json(operation.body.as_ref().unwrap_or(&empty), &names).map_err(bad)?;
        body.set(&batch.items, Json::Array(bodies));
        let spelling = Spelled::parse(self.optional(decl.spelled.as_ref())?)?;
        let word = self.optional(decl.credential.as_ref())?;
        let (credential, _) = self.credential(word.as_ref().map(|(word, _)| word.as_str()), lacks);
        let target = render_text(&operation.request.target, &names).map_err(bad)?;
        let bytes = Some(body.spelled(spelling.json).into_bytes());
        let mut request = self.request(operation, &operation.request.method, &target, &[], bytes);
        spelling.transport(&mut request);
        Ok(PlannedIntent {
            name: name.clone(),
            operation: operation.name.clone(),
            request,
            credential,
            hook: None,
            unkeyed: false,
            is_carried: true,
            wanted: Wanted::Batch(items),
        })
    }
}

fn nearest_or_all<'n>(word: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// A problem at a place.
pub fn problem(span: Span, message: String, label: &str) -> PlanProblem {
    PlanProblem { span, message, label: label.to_owned() }
}

/// The body with its key in place; a key that is carried in a header goes there.
fn with_key(draft: &Draft, operation: &Operation, headers: &mut Vec<(String, String)>) -> Option<Json> {
    let mut body = draft.body.clone();
    if let (Some(rule), Some(key)) = (operation.key(), &draft.key) {
        match &rule.place {
            KeyPlace::Body(place) => {
                if let Some(body) = body.as_mut() {
                    body.set(place, key.clone());
                }
            }
            KeyPlace::Header(name) => headers.extend(rule.written(key).map(|value| (name.clone(), value))),
        }
    }
    body
}

fn cell(draft: &Draft, operation: &Operation, scope: BTreeMap<ScopeName, String>) -> Option<Cell> {
    let empty_is_none = operation.key().is_some_and(|rule| rule.empty_is_none);
    let is_none = |key: &Json| key.is_null() || (empty_is_none && key.as_str() == Some(""));
    let key = draft.key.as_ref().filter(|key| !is_none(key))?;
    Some(Cell { scope, space: draft.operation.clone(), key: key.content_key() })
}

fn content(draft: &Draft, operation: &Operation) -> String {
    match operation.key().map(|rule| rule.sameness) {
        Some(Sameness::KeyOnly) => String::new(),
        Some(Sameness::Content) | None => {
            let body =
                draft.raw.clone().unwrap_or_else(|| draft.body.as_ref().map(Json::content_key).unwrap_or_default());
            format!("{} {} {body}", draft.method, draft.target)
        }
    }
}
