//! A history as the judge reads it: every request that the origin may have acted on, with what the origin said to each,
//! items of batches taken apart. What the caller saw is not looked at here.

use std::collections::BTreeSet;

use crate::contract::{Operation, Outcome};
use crate::history::{EntryNo, Exchange, OriginEnd, SealedHistory, Sight};
use crate::json::Json;
use crate::message::Response;
use crate::name::IntentName;
use crate::plan::{Case, PlannedIntent, Reading, StepAction, Wanted};
use crate::time::{Interval, Tick};

/// One case and its history, taken apart.
pub struct View<'a> {
    /// The case.
    pub case: &'a Case,
    /// Its history.
    pub history: &'a SealedHistory,
    /// Everything that the origin may have acted on, by the time at which it was shown it.
    pub ops: Vec<Op<'a>>,
}

/// One thing that the origin was asked to do.
#[derive(Clone, Debug)]
pub struct Op<'a> {
    /// The entry.
    pub entry: EntryNo,
    /// The exchange.
    pub exchange: &'a Exchange,
    /// What was wanted.
    pub intent: &'a PlannedIntent,
    /// From when it could be acted on until it was answered; open to the end without an answer.
    pub during: Interval,
    /// Its place in a batch.
    pub place: Option<usize>,
    /// What the origin said.
    pub said: Said<'a>,
}

/// What the origin said to one thing.
#[derive(Clone, Debug)]
pub enum Said<'a> {
    /// Nothing whole: it may have acted or not.
    Nothing,
    /// Something that is not HTTP.
    Garbage(&'a str),
    /// An answer.
    Answer(Answer<'a>),
}

/// One answer, or one item of a batch answer.
#[derive(Clone, Debug)]
pub struct Answer<'a> {
    /// What it amounts to; none: nothing that the contract names.
    pub outcome: Option<Outcome>,
    /// The status (the envelope's, for an item).
    pub status: u16,
    /// The content.
    pub body: Option<Json>,
    /// The whole answer.
    pub response: &'a Response,
}

impl<'a> View<'a> {
    /// Takes a history apart.
    pub fn of(case: &'a Case, history: &'a SealedHistory) -> Self {
        let mut ops = Vec::new();
        for (entry, exchange) in history.exchanges() {
            if let Some(intent) = case.intents.get(&exchange.intent) {
                add_ops(case, entry, exchange, intent, &mut ops);
            }
        }
        ops.sort_by_key(|op| (op.during.from, op.entry, op.place));
        Self { case, history, ops }
    }

    /// The things of one intent, single and in batches.
    pub fn of_intent<'b>(&'b self, name: &'b IntentName) -> impl Iterator<Item = &'b Op<'a>> {
        self.ops.iter().filter(move |op| op.intent.name == *name)
    }

    /// The things that compete for the same key as an intent: its own alone when it has none.
    pub fn rivals<'b>(&'b self, intent: &'b PlannedIntent) -> impl Iterator<Item = &'b Op<'a>> {
        self.ops.iter().filter(move |op| match (intent.cell(), op.intent.cell()) {
            (Some(cell), Some(other)) => cell == other,
            _ => op.intent.name == intent.name,
        })
    }

    /// The exchanges of one intent, batches that it is an item of not included.
    pub fn exchanges<'b>(&'b self, name: &'b IntentName) -> impl Iterator<Item = (EntryNo, &'a Exchange)> + 'b {
        self.history.exchanges().filter(move |(_, exchange)| exchange.intent == *name)
    }

    /// The operation of an intent.
    pub fn operation(&self, intent: &PlannedIntent) -> &'a Operation {
        &self.case.contract.operations[&intent.operation]
    }

    /// The rows seen at a point for a set of readings; the error says why nothing could be seen.
    pub fn rows(&self, point: &str, readings: &BTreeSet<String>) -> Result<(Vec<EntryNo>, Vec<Json>), String> {
        let mut entries = Vec::new();
        let mut rows = Vec::new();
        let mut missing = readings.clone();
        for (entry, observation) in self.history.observations() {
            if observation.point != point || !missing.remove(&observation.reading) {
                continue;
            }
            entries.push(entry);
            match &observation.sight {
                Sight::Seen(seen) => rows.extend(seen.iter().cloned()),
                Sight::Blind(why) => return Err(why.clone()),
            }
        }
        match missing.first() {
            None => Ok((entries, rows)),
            Some(reading) => Err(format!("{reading} was not read")),
        }
    }

    /// The steps that are races.
    pub fn race_steps(&self) -> BTreeSet<u32> {
        self.case
            .steps
            .iter()
            .filter(|step| matches!(step.action, StepAction::AtOnce { .. }))
            .map(|step| step.no)
            .collect()
    }

    /// The label of an intent's reading, if its effect can be read.
    pub fn reading(&self, intent: &PlannedIntent) -> Option<String> {
        intent.reading().map(Reading::label)
    }
}

impl<'a> Op<'a> {
    /// The answer, if there was one.
    pub fn answer(&self) -> Option<&Answer<'a>> {
        match &self.said {
            Said::Answer(answer) => Some(answer),
            Said::Nothing | Said::Garbage(_) => None,
        }
    }

    /// What the answer amounts to.
    pub fn outcome(&self) -> Option<Outcome> {
        self.answer().and_then(|answer| answer.outcome)
    }

    /// Whether it was answered by a success.
    pub fn succeeded(&self) -> bool {
        self.outcome().is_some_and(Outcome::is_success)
    }

    /// Whether it may have been done although no success was answered: no answer, or one that leaves it open.
    pub fn is_open(&self) -> bool {
        match &self.said {
            Said::Nothing | Said::Garbage(_) => true,
            Said::Answer(answer) => match answer.outcome {
                Some(outcome) => outcome == Outcome::Unknown,
                None => answer.status >= 500 || (200..300).contains(&answer.status),
            },
        }
    }

    /// The answer in a few words, for evidence.
    pub fn words(&self) -> String {
        match &self.said {
            Said::Nothing => "no answer".to_owned(),
            Said::Garbage(why) => format!("no HTTP: {why}"),
            Said::Answer(answer) => answer.words(),
        }
    }
}

impl Answer<'_> {
    /// In a few words, for evidence.
    pub fn words(&self) -> String {
        let named = self.outcome.map_or_else(|| "not named by the contract".to_owned(), |outcome| outcome.to_string());
        let body = match &self.body {
            Some(body) => body.to_string(),
            None => String::from_utf8_lossy(&self.response.body.0).into_owned(),
        };
        let short: String = body.chars().take(120).collect();
        let more = if body.chars().count() > 120 { "…" } else { "" };
        format!("{} ({named}) {short}{more}", self.status)
    }
}

fn add_ops<'a>(
    case: &'a Case,
    entry: EntryNo,
    exchange: &'a Exchange,
    intent: &'a PlannedIntent,
    ops: &mut Vec<Op<'a>>,
) {
    let endless = |from: Tick| Interval { from, to: Tick(u64::MAX) };
    let shown = exchange.at_origin.unwrap_or(exchange.at_caller);
    let mut add = |during: Interval, response: Result<&'a Response, Said<'a>>| match &intent.wanted {
        Wanted::One { .. } => {
            let said = match response {
                Ok(response) => Said::Answer(single(&case.contract.operations[&intent.operation], response)),
                Err(said) => said,
            };
            ops.push(Op { entry, exchange, intent, during, place: None, said });
        }
        Wanted::Batch(items) => {
            // The envelope is an answer too, to the batch as a whole.
            let said = match &response {
                Ok(response) => Said::Answer(single(&case.contract.operations[&intent.operation], response)),
                Err(said) => said.clone(),
            };
            ops.push(Op { entry, exchange, intent, during, place: None, said });
            let batch = case.contract.operations[&intent.operation].batch.as_ref();
            let results = match (&response, batch) {
                (Ok(response), Some(batch)) => {
                    response.json().and_then(|body| Some(body.at(&batch.results)?.as_array()?.to_vec()))
                }
                _ => None,
            };
            for (place, name) in items.iter().enumerate() {
                let Some(item) = case.intents.get(name) else { continue };
                let said = match (&response, batch, results.as_ref().and_then(|results| results.get(place))) {
                    (Ok(response), Some(batch), Some(result)) => Said::Answer(Answer {
                        outcome: batch.outcome(result),
                        status: response.status,
                        body: Some(result.clone()),
                        response,
                    }),
                    // Without a place of its own the envelope answers for it.
                    (Ok(response), ..) => Said::Answer(Answer {
                        outcome: case.contract.operations[&intent.operation]
                            .outcome(response)
                            .filter(|named| !named.is_success()),
                        status: response.status,
                        body: None,
                        response,
                    }),
                    (Err(said), ..) => said.clone(),
                };
                ops.push(Op { entry, exchange, intent: item, during, place: Some(place), said });
            }
        }
    };
    match &exchange.origin {
        OriginEnd::Untouched | OriginEnd::Unreachable(_) | OriginEnd::Partial { .. } => {}
        OriginEnd::Silent { .. } => add(endless(shown.from), Err(Said::Nothing)),
        OriginEnd::Unreadable { why, .. } => add(endless(shown.from), Err(Said::Garbage(why))),
        OriginEnd::Answered(responses) => {
            for response in responses {
                add(shown, Ok(response));
            }
        }
    }
}

fn single<'a>(operation: &Operation, response: &'a Response) -> Answer<'a> {
    Answer { outcome: operation.outcome(response), status: response.status, body: response.json(), response }
}
