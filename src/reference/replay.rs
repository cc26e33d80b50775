//! What a key that was used before is answered with: the first answer again, an acknowledgement, a conflict, or that it
//! is in progress. It decides from the record alone and writes nothing.

use jiff::Timestamp;

use crate::contract::{Outcome, Replay};
use crate::json::{Json, Number, Pointer};
use crate::reference::attempt::Attempt;
use crate::reference::call::Answer;
use crate::reference::claim::Claim;
use crate::reference::policy::{Marker, ReplayBody, ReplayHeaders, ReplayStatus};
use crate::reference::produce::{filled, names, now};
use crate::reference::setup::{CommonError, Setup};
use crate::reference::store::{Record, Standing, StoreError};

/// Whether a record is of the same request.
pub fn is_same(setup: &Setup, attempt: &Attempt, record: &Record) -> bool {
    attempt.fingerprint(setup).is_none_or(|own| own == record.fingerprint)
}

/// The answer to an attempt whose key has a record.
pub fn on_record(setup: &Setup, attempt: &Attempt, record: &Record) -> Result<Answer, StoreError> {
    let same = is_same(setup, attempt, record);
    let mut answer = match record.standing {
        Standing::Settled | Standing::Burnt if !same => setup.error(CommonError::Conflict),
        Standing::Settled | Standing::Burnt => replayed(setup, attempt, record)?,
        Standing::InProgress if same || setup.policy.claim == Claim::VisibleUncompared => {
            setup.error(CommonError::InProgress)
        }
        Standing::InProgress => setup.error(CommonError::Conflict),
    };
    answer.from_record = true;
    Ok(answer)
}

/// A first answer, as it goes out; what is stored has no marker.
pub fn first(setup: &Setup, attempt: &Attempt, mut answer: Answer) -> Answer {
    if answer.outcome != Outcome::Fresh {
        return answer;
    }
    if let Some((place, value)) = &attempt.kept.operation.marker {
        match (setup.policy.marker, value) {
            (Marker::Always, value) => {
                answer.body.set(place, value.clone());
            }
            (Marker::FalseOnFirst, Json::Bool(true)) => {
                answer.body.set(place, Json::Bool(false));
            }
            (Marker::FalseOnFirst, _) | (Marker::OnReplay | Marker::Never | Marker::AsText | Marker::BakedIn, _) => {}
        }
    }
    answer
}

fn replayed(setup: &Setup, attempt: &Attempt, record: &Record) -> Result<Answer, StoreError> {
    let policy = &setup.policy;
    let operation = &attempt.kept.operation;
    let acknowledgement = attempt.kept.reference.as_ref().and_then(|reference| reference.duplicate.as_ref());
    let acknowledges = operation.key().is_some_and(|rule| rule.replay == Replay::Acknowledged) && record.status < 400;
    if acknowledges && policy.replay_status == ReplayStatus::RefusesDuplicates {
        return Ok(setup.error(CommonError::Conflict));
    }
    let mut answer = match acknowledgement {
        Some(canned) if acknowledges => filled(&names(attempt), canned, Outcome::Replayed)?,
        Some(_) | None => stored(record)?,
    };
    match policy.replay_status {
        ReplayStatus::First | ReplayStatus::RefusesDuplicates => {}
        ReplayStatus::AlreadyReported => answer.status = 208,
        ReplayStatus::Created => answer.status = 201,
    }
    match policy.replay_headers {
        ReplayHeaders::First => {}
        ReplayHeaders::ContentTypeLost => {
            answer.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        }
    }
    respell(&mut answer.body, policy.replay_body);
    if let Some((place, value)) = &operation.marker {
        mark(&mut answer.body, policy.marker, place, value);
    }
    Ok(answer)
}

fn stored(record: &Record) -> Result<Answer, StoreError> {
    let body =
        record.body.parse().map_err(|error| StoreError::Foreign(format!("an answer that is not JSON: {error}")))?;
    let outcome = if record.status < 400 { Outcome::Replayed } else { Outcome::Refused };
    Ok(Answer { status: record.status, headers: record.headers.clone(), body, outcome, from_record: true })
}

fn mark(body: &mut Json, marker: Marker, place: &Pointer, value: &Json) {
    match marker {
        Marker::OnReplay | Marker::FalseOnFirst | Marker::Always => {
            body.set(place, value.clone());
        }
        Marker::AsText => {
            body.set(place, Json::text(value.to_string()));
        }
        Marker::Never => {}
        // Appended, not set: what was baked in before stays, so that it stands there twice.
        Marker::BakedIn => match (body, place.tokens()) {
            (Json::Object(members), [name]) => members.push((name.clone(), value.clone())),
            (body, _) => {
                body.set(place, value.clone());
            }
        },
    }
}

fn respell(body: &mut Json, how: ReplayBody) {
    match (how, &mut *body) {
        (ReplayBody::Verbatim | ReplayBody::TodaysAnswer, _) => {}
        (ReplayBody::MemberLost, Json::Object(members)) => {
            members.pop();
        }
        (_, Json::Object(members)) => members.iter_mut().for_each(|(_, value)| respell_below(value, how)),
        (_, Json::Array(items)) => items.iter_mut().for_each(|item| respell_below(item, how)),
        (_, Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => {}
    }
}

fn respell_below(value: &mut Json, how: ReplayBody) {
    match (how, &mut *value) {
        (ReplayBody::FreshTime, Json::String(text)) => {
            if text.as_str().is_some_and(|text| text.parse::<Timestamp>().is_ok()) {
                *value = now();
            }
        }
        (ReplayBody::ListsReversed, Json::Array(items)) => items.reverse(),
        (ReplayBody::NumbersRespelled, Json::Number(number)) => {
            if let Some(other) = number.as_f64().and_then(Number::from_f64).filter(|other| other != number) {
                *value = Json::Number(other);
            }
        }
        (ReplayBody::MemberLost, _) => {}
        (_, Json::Object(_) | Json::Array(_)) => respell(value, how),
        (_, Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => {}
    }
}
