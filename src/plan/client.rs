//! The part of the plan that is only for clients under test: what their attempts meet, which values the phrases of the
//! matrix have for a kind of client, what a client lacks. Nothing is sent here.

use std::collections::BTreeMap;

use crate::contract::{Advice, ClientRules, Contract, Operation, Outcome, RowOn, StatusSet};
use crate::fault::{Fault, Loss, Passage};
use crate::json::Json;
use crate::message::Request;
use crate::name::IntentName;
use crate::plan::case::{Case, Cell, Meeting, PlannedIntent, Wanted};
use crate::plan::credential::AbleClient;
use crate::plan::intent::{PlanProblem, Stage, problem};
use crate::scenario::Slot;

/// What stands in a call of the read side until the key that a client minted was seen.
pub const KEY_TO_BE_SEEN: &str = "[key]";

impl Case {
    /// The same case with the keys that a client minted, as they were seen on the wire.
    pub fn as_seen<'h>(&self, requests: impl Iterator<Item = (&'h IntentName, &'h Request)>) -> Case {
        let mut seen: BTreeMap<&IntentName, Json> = BTreeMap::new();
        let mut case = self.clone();
        for (name, request) in requests {
            let Some(intent) = self.intents.get(name) else { continue };
            if let Some(key) = self.operation(intent).key_in(request) {
                seen.entry(name).or_insert(key);
            }
        }
        for (name, key) in seen {
            let Some(PlannedIntent { operation, wanted, .. }) = case.intents.get_mut(name) else { continue };
            let Wanted::One { cell, reading, .. } = wanted else { continue };
            let scope = reading.as_ref().map(|reading| reading.scope.clone()).unwrap_or_default();
            *cell = Some(Cell { scope, space: operation.clone(), key: key.content_key() });
            if let (Some(reading), Some(text)) = (reading, key.as_str()) {
                reading.target = reading.target.replace(KEY_TO_BE_SEEN, &in_query(text));
                reading.key = Some(text.to_owned());
            }
        }
        case
    }
}

/// A text as it stands in a query.
fn in_query(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

impl Stage<'_> {
    /// What an attempt meets; an answer that is named by its outcome says what the contract's answer of that name does.
    pub fn meeting(&self, intent: &PlannedIntent, slot: &Slot) -> Result<Meeting, PlanProblem> {
        let bad = |message: String| problem(slot.span, message, "not a passage");
        let mut passage = self.filled(slot)?.parse::<Passage>().map_err(|found| bad(found.to_string()))?;
        if let Passage::Faulted(
            fault @ (Fault::Late | Fault::Duplicate(_) | Fault::HangUp | Fault::Pause | Fault::Restart),
        ) = &passage
        {
            return Err(bad(format!("`{fault}` cannot be met by a client under test")));
        }
        let operation = &self.contract.operations[&intent.operation];
        let mut says = None;
        if let Some(refusal) = answer_mut(&mut passage)
            && let Some(word) = &refusal.outcome
        {
            if word == PARTLY_DONE {
                let (status, body) = partly_done(operation, self.contract, intent)
                    .ok_or_else(|| bad(format!("`{}` cannot be done in part", operation.name)))?;
                refusal.status = Some(status);
                return Ok(Meeting { passage, says: Some(body.to_string()) });
            }
            let outcome = Outcome::from_word(word).ok_or_else(|| bad(format!("no outcome `{word}`")))?;
            let example = operation.example(outcome, refusal.status).ok_or_else(|| {
                bad(format!("`{}` of {} names no such answer `{word}`", operation.name, self.contract.name))
            })?;
            refusal.status = Some(example.0);
            says = Some(example.1.to_string());
        }
        Ok(Meeting { passage, says })
    }
}

/// The answer to a batch whose first item is done, and whose others are not and may be asked for again.
const PARTLY_DONE: &str = "partly done";

fn partly_done(operation: &Operation, contract: &Contract, intent: &PlannedIntent) -> Option<(u16, Json)> {
    let batch = operation.batch.as_ref()?;
    let Wanted::Batch(items) = &intent.wanted else { return None };
    let of = |outcome: Outcome| {
        let rules = batch.item_answers.iter().filter(|rule| rule.outcome == outcome);
        rules.filter_map(|rule| rule.example(None)).next().map(|(_, body)| body)
    };
    // What the matrix says to ask for again, of one item alone.
    let single = contract.operations.get(&batch.of)?;
    let open = [Outcome::InProgress, Outcome::Unknown, Outcome::RateLimited];
    let undone = open.into_iter().filter(|outcome| single.names(*outcome)).find_map(of)?;
    let done = of(Outcome::Fresh)?;
    let results = (0..items.len()).map(|at| if at == 0 { done.clone() } else { undone.clone() }).collect();
    let (status, mut body) = operation.example(Outcome::Fresh, None)?;
    body.set(&batch.results, Json::Array(results));
    Some((status, body))
}

fn answer_mut(passage: &mut Passage) -> Option<&mut crate::fault::Refusal> {
    match passage {
        Passage::Faulted(Fault::PreCommit(Loss::Answer(refusal)) | Fault::PostCommit(Loss::Answer(refusal))) => {
            Some(refusal)
        }
        Passage::Clear | Passage::Faulted(_) => None,
    }
}

/// What a client lacks to play a case.
pub fn lacks_of_client(case: &Case, client: &AbleClient) -> Vec<String> {
    let mut lacks = Vec::new();
    let killed =
        case.asks().any(|(_, ask)| ask.meets.iter().any(|meeting| meeting.passage == Passage::Faulted(Fault::Kill)));
    if killed && !client.persists {
        lacks.push("memory over its own end: say `persists` if it has one".to_owned());
    }
    for intent in case.intents.values() {
        let known = client.operations.is_empty() || client.operations.contains(&intent.operation);
        if !known {
            lacks.push(format!("operation `{}`", intent.operation));
        }
    }
    lacks
}

/// The operations for which a row of the matrix gives such advice to this kind of client; batches are asked for by item.
pub fn advised(contract: &Contract, rules: &ClientRules, wanted: impl Fn(&Advice) -> bool) -> Vec<String> {
    let single = contract.operations.values().filter(|operation| operation.batch.is_none());
    single
        .filter(|operation| {
            let mut rows = contract.retry.iter().filter_map(|row| row.advice.get(&operation.name));
            rows.any(|advice| wanted(&rules.effective(advice, &operation.name)))
        })
        .map(|operation| operation.name.to_string())
        .collect()
}

/// The answers that end the matter for an operation, as passages.
pub fn stops(contract: &Contract, rules: &ClientRules, operation: &Operation) -> Vec<String> {
    let mut passages = Vec::new();
    for (on, advice) in rows(contract, rules, operation) {
        if let (RowOn::Answer(statuses, outcome), Advice::Stop | Advice::StopAnd(_)) = (on, advice) {
            for status in examples(statuses) {
                let named = outcome.map(|outcome| format!(" {outcome}")).unwrap_or_default();
                push(&mut passages, format!("pre-commit answer {status}{named}"));
            }
        }
    }
    passages
}

/// The failures after which this kind of client asks again without being told when, as passages.
pub fn passing(contract: &Contract, rules: &ClientRules, operation: &Operation) -> Vec<String> {
    let mut passages = Vec::new();
    for (on, advice) in rows(contract, rules, operation) {
        if advice != Advice::Retry {
            continue;
        }
        match on {
            RowOn::Answer(statuses, outcome) => {
                for status in examples(statuses) {
                    let named = outcome.map(|outcome| format!(" {outcome}")).unwrap_or_default();
                    push(&mut passages, format!("pre-commit answer {status}{named}"));
                }
            }
            RowOn::Dropped => {
                for passage in [
                    "pre-commit drop",
                    "pre-commit reset",
                    "post-commit drop",
                    "post-commit reset",
                    "mid-response cut head",
                    "mid-response cut body",
                ] {
                    push(&mut passages, passage.to_owned());
                }
            }
            RowOn::Timeout => push(&mut passages, "pre-commit stall".to_owned()),
        }
    }
    passages
}

fn rows<'a>(
    contract: &'a Contract,
    rules: &'a ClientRules,
    operation: &'a Operation,
) -> impl Iterator<Item = (&'a RowOn, Advice)> {
    contract.retry.iter().flat_map(move |row| {
        let advice = row.advice.get(&operation.name).map(|advice| rules.effective(advice, &operation.name));
        row.on.iter().filter_map(move |on| Some((on, advice.clone()?)))
    })
}

fn push(passages: &mut Vec<String>, passage: String) {
    if !passages.contains(&passage) {
        passages.push(passage);
    }
}

/// Each single status, and of a class some that are seldom named one by one.
pub fn examples(statuses: &StatusSet) -> Vec<u16> {
    statuses
        .ranges
        .iter()
        .flat_map(|(low, high)| if low == high { vec![*low] } else { vec![low + 3, low + 4] })
        .collect()
}
