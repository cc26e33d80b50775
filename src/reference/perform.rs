//! One request from its body to its answer: the checks before the claim, the claim itself, and what a refused or failed
//! try leaves behind (nothing, when the server is honest).

use std::sync::Arc;

use crate::contract::Outcome;
use crate::json::Json;
use crate::reference::attempt::Attempt;
use crate::reference::call::{Answer, Call};
use crate::reference::check;
use crate::reference::hook::Hook;
use crate::reference::policy::{AfterFailure, RefusedTry, Stores};
use crate::reference::settle::{claimed, settle, settled};
use crate::reference::setup::{Caller, CommonError, Kept, Setup};
use crate::reference::store::{End, Record, Standing, StoreError};

/// A request that has been routed and whose caller is known.
pub struct Asked {
    /// The operation.
    pub kept: Arc<Kept>,
    /// Who asks.
    pub caller: Caller,
    /// The request.
    pub call: Arc<Call>,
    /// What the path bound.
    pub bound: Json,
    /// What a test hook asked for.
    pub hook: Hook,
}

/// Answers a single request.
pub async fn single(setup: &Arc<Setup>, asked: Asked) -> Answer {
    match asked.call.json(setup.policy.grammar) {
        Ok(body) => perform(setup, asked, body, Place::Request).await,
        Err(problem) => setup.error(CommonError::Invalid(&problem)),
    }
}

/// Where a body stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// It is the request's.
    Request,
    /// It is an item of a batch.
    Item,
    /// It is an item of a batch whose key was looked up, and not found, before the batch began.
    ItemLookedUp,
}

/// Answers one body, be it a request's or an item's.
pub async fn perform(setup: &Arc<Setup>, asked: Asked, body: Json, place: Place) -> Answer {
    let (attempt, refusal) = checked(setup, asked, body, place);
    let attempt = Arc::new(attempt);
    let answer = match refusal {
        Some(refusal) => refusal,
        None => settle(setup, &attempt).await.unwrap_or_else(|error| failed(setup, &error)),
    };
    aftermath(setup, &attempt, &answer).await.map_or_else(|error| failed(setup, &error), |()| answer)
}

/// The attempt that a body makes, and the refusal that it meets before anything is looked up.
pub fn checked(setup: &Setup, asked: Asked, body: Json, place: Place) -> (Attempt, Option<Answer>) {
    let mut attempt = Attempt {
        kept: asked.kept,
        caller: asked.caller,
        call: asked.call,
        bound: asked.bound,
        body,
        key: None,
        is_item: place != Place::Request,
        looked_up: place == Place::ItemLookedUp,
        hook: asked.hook,
    };
    let rule = attempt.kept.operation.key();
    let key = rule.map_or(Ok(None), |rule| check::key(rule, setup.policy.grammar, &attempt.body, &attempt.call));
    let key_refusal = match key {
        Ok(key) => {
            attempt.key = key;
            None
        }
        Err(check::KeyDefect::Refused(problem)) => Some(setup.error(CommonError::WrongField(&problem))),
        Err(check::KeyDefect::Breaks) => Some(setup.error(CommonError::Failed("a character broke the handler"))),
    };
    let hooked = match attempt.hook {
        Hook::Answer(status) => Some(setup.error_with_status(status)),
        Hook::None | Hook::FailBefore | Hook::FailAfter | Hook::Work(_) => None,
    };
    let refusal = hooked.or(key_refusal).or_else(|| {
        let types = &attempt.kept.reference.as_ref()?.body;
        check::body(types, &attempt.body).map(|problem| setup.error(CommonError::WrongField(&problem)))
    });
    (attempt, refusal)
}

/// An honest server leaves the key of a refused or failed try alone.
async fn aftermath(setup: &Arc<Setup>, attempt: &Arc<Attempt>, answer: &Answer) -> Result<(), StoreError> {
    if answer.from_record || answer.status < 400 {
        return Ok(());
    }
    let Some((slot, record)) = attempt.slot(setup).zip(left_behind(setup, attempt, answer)) else {
        return Ok(());
    };
    let job = move |tables: &mut crate::reference::store::Tables| {
        tables.transaction(|tables| tables.claim(&slot, &record).map(|_| (End::Commit, ())))
    };
    setup.store.run(job).await
}

fn left_behind(setup: &Setup, attempt: &Attempt, answer: &Answer) -> Option<Record> {
    let (refused, passing) = match answer.outcome {
        Outcome::Refused | Outcome::Conflict | Outcome::Stale => (true, false),
        Outcome::RateLimited | Outcome::Unknown => (false, true),
        Outcome::InProgress | Outcome::Fresh | Outcome::Replayed => (false, false),
    };
    let policy = &setup.policy;
    if policy.after_failure == AfterFailure::Wedge && answer.outcome == Outcome::Unknown {
        return Some(claimed(setup, attempt));
    }
    let stores = match policy.stores {
        Stores::AsPromised => false,
        Stores::RefusalsToo => refused,
        Stores::OutagesToo => passing,
    };
    if stores {
        return Some(settled(setup, attempt, answer));
    }
    let burns = policy.refused_try == RefusedTry::BurnsTheKey && refused;
    burns.then(|| Record { standing: Standing::Burnt, status: 200, ..settled(setup, attempt, answer) })
}

fn failed(setup: &Setup, error: &StoreError) -> Answer {
    setup.error(CommonError::Failed(&error.to_string()))
}
