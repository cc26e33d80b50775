//! A batch: many items of another operation in one request. Each item is worked on by itself, in the order sent and in
//! a transaction of its own; what is wrong with one stands in its place and touches no other.

use std::sync::Arc;

use crate::contract::{Batch, Outcome};
use crate::json::{Json, Pointer};
use crate::reference::call::Answer;
use crate::reference::hook::Hook;
use crate::reference::perform::{Asked, Place, checked, perform};
use crate::reference::policy::{BatchUse, CounterUse};
use crate::reference::settle::rehearse;
use crate::reference::setup::{CommonError, Kept, Setup};
use crate::reference::store::{End, Tables};

/// More items than this are refused.
const MOST_ITEMS: usize = 100;

/// Answers a batch.
pub async fn batch(setup: &Arc<Setup>, batch: &Batch, asked: Asked) -> Answer {
    if let Hook::Answer(status) = asked.hook {
        return setup.error_with_status(status);
    }
    let Some(of) = setup.kept(&batch.of) else {
        return setup.error(CommonError::Failed("the batch is of an operation that is not kept"));
    };
    let items = match items(setup, batch, &asked) {
        Ok(items) => items,
        Err(problem) => return setup.error(CommonError::Invalid(&problem)),
    };
    if setup.policy.batch == BatchUse::AllOrNothing
        && let Some(refusal) = first_refusal(setup, of, &asked, &items).await
    {
        return refusal;
    }
    let places = places(setup, of, &asked, &items).await;
    let mut answers: Vec<Answer> = Vec::with_capacity(items.len());
    for (item, place) in items.into_iter().zip(places) {
        let poisoned = setup.policy.batch == BatchUse::PoisonedByDuplicate
            && answers.iter().any(|answer| answer.outcome == Outcome::Replayed);
        if poisoned {
            answers.push(setup.error(CommonError::Failed("the transaction is aborted")));
            continue;
        }
        // A hook strikes once: at the first item.
        let hook = if answers.is_empty() { asked.hook } else { Hook::None };
        let breaks = matches!(hook, Hook::FailBefore | Hook::FailAfter);
        let answer = perform(setup, one_of(of, &asked, hook), item, place).await;
        if breaks && answer.outcome == Outcome::Unknown {
            return answer;
        }
        answers.push(answer);
    }
    envelope(setup, batch, &asked.kept, of, &answers)
}

fn items(setup: &Setup, batch: &Batch, asked: &Asked) -> Result<Vec<Json>, String> {
    let body = asked.call.json(setup.policy.grammar)?;
    let Some(items) = body.at(&batch.items).and_then(Json::as_array) else {
        return Err(format!("`{}` must be a list", batch.items));
    };
    if items.is_empty() || items.len() > MOST_ITEMS {
        return Err(format!("`{}` must hold 1 to {MOST_ITEMS} items, not {}", batch.items, items.len()));
    }
    Ok(items.to_vec())
}

fn one_of(of: &Arc<Kept>, asked: &Asked, hook: Hook) -> Asked {
    Asked {
        kept: Arc::clone(of),
        caller: asked.caller.clone(),
        call: Arc::clone(&asked.call),
        bound: asked.bound.clone(),
        hook,
    }
}

/// A saboteur asks for every item before it does any.
async fn first_refusal(setup: &Arc<Setup>, of: &Arc<Kept>, asked: &Asked, items: &[Json]) -> Option<Answer> {
    for item in items {
        let (attempt, refusal) = checked(setup, one_of(of, asked, Hook::None), item.clone(), Place::Item);
        let answer = match refusal {
            Some(refusal) => refusal,
            None => match rehearse(setup, &Arc::new(attempt)).await {
                Ok(answer) => answer,
                Err(error) => setup.error(CommonError::Failed(&error.to_string())),
            },
        };
        if !answer.outcome.is_success() {
            return Some(answer);
        }
    }
    None
}

/// A saboteur looks all keys up before it does any item, so that two copies in one batch are both new.
async fn places(setup: &Arc<Setup>, of: &Arc<Kept>, asked: &Asked, items: &[Json]) -> Vec<Place> {
    if setup.policy.batch != BatchUse::LookedUpFirst {
        return vec![Place::Item; items.len()];
    }
    let slots: Vec<_> = items
        .iter()
        .map(|item| checked(setup, one_of(of, asked, Hook::None), item.clone(), Place::Item).0.slot(setup))
        .collect();
    let look_up = move |tables: &mut Tables| {
        let mut places = Vec::new();
        tables.transaction(|tables| {
            for slot in &slots {
                let unknown = slot.as_ref().map(|slot| tables.record(slot)).transpose()?.flatten().is_none();
                places.push(if unknown { Place::ItemLookedUp } else { Place::Item });
            }
            Ok((End::Rollback, ()))
        })?;
        Ok(places)
    };
    setup.store.run(look_up).await.unwrap_or_else(|_| vec![Place::Item; items.len()])
}

fn envelope(setup: &Setup, batch: &Batch, own: &Kept, of: &Kept, answers: &[Answer]) -> Answer {
    let mut results: Vec<Json> = answers.iter().map(|answer| item(batch, of, answer)).collect();
    if setup.policy.batch == BatchUse::ResultsReversed {
        results.reverse();
    }
    let canned = own.reference.as_ref().or(of.reference.as_ref()).map(|reference| &reference.answer);
    let mut body = match own.reference.as_ref().map(|reference| &reference.answer.body) {
        Some(Json::Object(members)) => Json::Object(members.clone()),
        Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) | None => {
            Json::Object(Vec::new())
        }
    };
    put(&mut body, &batch.results, Json::Array(results));
    for counter in &batch.counts {
        let exact = answers.iter().filter(|answer| answer.outcome == counter.outcome).count();
        let count = match setup.policy.counter {
            CounterUse::Counts | CounterUse::LeftOutWhenZero => exact,
            CounterUse::OneTooFew => exact.saturating_sub(1),
            CounterUse::CountsSuccesses => answers.iter().filter(|answer| answer.outcome.is_success()).count(),
        };
        let left_out = setup.policy.counter == CounterUse::LeftOutWhenZero && counter.absent_means_zero && count == 0;
        if !left_out {
            put(&mut body, &counter.at, Json::from(count));
        }
    }
    let status = canned.map_or(200, |canned| canned.status);
    Answer::new(status, Vec::new(), body, Outcome::Fresh)
}

/// An item's answer: the single answer's body with what the contract adds to it in a batch. What tells a refused item
/// from others is read off the contract's own test for such an item.
fn item(batch: &Batch, of: &Kept, answer: &Answer) -> Json {
    let added = if answer.outcome.is_success() {
        of.reference.as_ref().map(|reference| reference.item.clone())
    } else {
        let test = |outcome: Outcome| batch.item_answers.iter().find(|rule| rule.outcome == outcome);
        test(answer.outcome).or_else(|| test(Outcome::Refused)).and_then(|rule| rule.body.holds.clone())
    };
    let mut item = Json::Object(added.as_ref().and_then(Json::as_object).unwrap_or_default().to_vec());
    let members = answer.body.as_object().unwrap_or_default();
    // Pushed, not set, where the name is new: a saboteur's member that stands twice stays twice.
    let Json::Object(all) = &mut item else { return item };
    for (name, value) in members {
        match all.iter_mut().find(|(known, _)| known == name && added_has(added.as_ref(), known)) {
            Some((_, known)) => *known = value.clone(),
            None => all.push((name.clone(), value.clone())),
        }
    }
    item
}

fn added_has(added: Option<&Json>, name: &crate::json::Text) -> bool {
    added.and_then(Json::as_object).unwrap_or_default().iter().any(|(known, _)| known == name)
}

/// Sets a place and makes the objects above it.
fn put(body: &mut Json, place: &Pointer, value: Json) {
    let mut above = Pointer::root();
    let parents = place.tokens().split_last().map(|(_, parents)| parents).unwrap_or_default();
    for token in parents {
        above = above.push(token.clone());
        if body.at(&above).is_none() {
            body.set(&above, Json::Object(Vec::new()));
        }
    }
    body.set(place, value);
}
