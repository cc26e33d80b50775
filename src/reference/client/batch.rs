//! The parts of a batch: which items are asked for, and which of them an answer says are done.

use crate::contract::{Batch, Outcome};
use crate::json::Json;
use crate::message::Response;
use crate::reference::client::policy::BatchResend;

/// The numbers of the items that a request asks for.
pub(super) fn wanted(done: &[bool], resend: BatchResend) -> Vec<usize> {
    let items = done.iter().enumerate();
    match resend {
        BatchResend::Undone | BatchResend::Nothing => items.filter(|(_, done)| !**done).map(|(item, _)| item).collect(),
        BatchResend::Whole => items.map(|(item, _)| item).collect(),
    }
}

/// Takes the items away that are not wanted.
pub(super) fn keep(body: &mut Json, batch: &Batch, wanted: &[usize]) {
    let Some(items) = body.at(&batch.items).and_then(Json::as_array) else { return };
    let kept: Vec<Json> = wanted.iter().filter_map(|item| items.get(*item)).cloned().collect();
    body.set(&batch.items, Json::from(kept));
}

/// Notes what an answer to the wanted items says is done. An item that it does not speak of is not.
pub(super) fn note(done: &mut [bool], batch: &Batch, wanted: &[usize], answer: &Response) {
    let Some(json) = answer.json() else { return };
    let results = json.at(&batch.results).and_then(Json::as_array).unwrap_or_default();
    for (item, result) in wanted.iter().zip(results) {
        if batch.outcome(result).is_some_and(Outcome::is_success)
            && let Some(done) = done.get_mut(*item)
        {
            *done = true;
        }
    }
}
