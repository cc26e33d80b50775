//! What one attempt sends: the input with the keys in their places, and the headers. Nothing here sends.

use crate::contract::{KeyPlace, Operation};
use crate::json::{Json, Pointer};
use crate::message::header;
use crate::reference::client::ask::ClientAsk;
use crate::reference::client::batch;
use crate::reference::client::key::Slot;
use crate::reference::client::policy::BodyUse;

/// One request, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Outgoing {
    /// `POST`, …
    pub method: String,
    /// The whole address.
    pub url: String,
    /// Besides `Host` and the framing.
    pub headers: Vec<(String, String)>,
    /// None: no body.
    pub body: Option<Vec<u8>>,
}

/// What an attempt is made of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Parts<'a> {
    /// What is asked for.
    pub operation: &'a Operation,
    /// With what.
    pub ask: &'a ClientAsk,
    /// Where keys go.
    pub slots: &'a [Option<Slot>],
    /// The keys.
    pub keys: &'a [Option<Json>],
    /// The items of a batch that are asked for.
    pub wanted: &'a [usize],
    /// The number of the attempt.
    pub attempt: u32,
}

/// The request of an attempt.
pub(super) fn request(parts: Parts<'_>, body_use: BodyUse) -> Outgoing {
    let Parts { operation, ask, .. } = parts;
    let mut headers = operation.headers.clone();
    headers.extend(ask.headers.iter().cloned());
    let mut body = ask.input.clone();
    for (slot, key) in parts.slots.iter().zip(parts.keys) {
        let Some(slot) = slot else { continue };
        match (&slot.place, key) {
            (KeyPlace::Body(place), Some(key)) => {
                body.set(place, key.clone());
            }
            (KeyPlace::Body(place), None) => {
                body.remove(place);
            }
            (KeyPlace::Header(name), Some(key)) => {
                let key = spoken(key);
                headers.push((name.clone(), slot.syntax.written(&key).unwrap_or(key)));
            }
            (KeyPlace::Header(_), None) => {}
        }
    }
    if let Some(batch) = &operation.batch {
        batch::keep(&mut body, batch, parts.wanted);
    }
    let is_retry = parts.attempt > 1;
    if body_use == BodyUse::CountsAttempts && is_retry {
        body.set(&Pointer::root().push("attempt"), Json::from(parts.attempt));
    }
    let is_nothing = body.is_null() || body.as_object().is_some_and(<[_]>::is_empty);
    let has_body = operation.body.is_some() || operation.batch.is_some() || !is_nothing;
    let body = has_body.then(|| body.to_string().into_bytes()).map(|bytes| match body_use {
        BodyUse::EmptyOnRetry if is_retry => Vec::new(),
        BodyUse::CutOnRetry if is_retry => bytes.get(..bytes.len() / 2).unwrap_or_default().to_vec(),
        BodyUse::Same | BodyUse::CountsAttempts | BodyUse::EmptyOnRetry | BodyUse::CutOnRetry => bytes,
    });
    if body.is_some() && header(&headers, "content-type").is_none() {
        headers.push(("Content-Type".to_owned(), "application/json".to_owned()));
    }
    let url = format!("{}{}", ask.base.trim_end_matches('/'), operation.request.target);
    Outgoing { method: operation.request.method.clone(), url, headers, body }
}

/// A key as a header says it.
fn spoken(key: &Json) -> String {
    key.as_str().map_or_else(|| key.to_string(), str::to_owned)
}
