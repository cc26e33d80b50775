//! The items of a batch as one request asks for them, and which of them its answer says are done. It compares no two
//! requests.

use crate::contract::{Met, Outcome};
use crate::json::Json;
use crate::judge::client::course::{Call, Course};

/// Whether a request was answered by a success, and every item of a batch as well.
pub fn is_all_done(course: &Course<'_>, call: &Call<'_>) -> bool {
    call.succeeded && done(course, call).iter().all(|(_, done)| *done)
}

/// The items of a request, each by its key, or by all of it where it has none.
pub fn items(course: &Course<'_>, call: &Call<'_>) -> Vec<String> {
    let Some(batch) = &course.operation.batch else { return Vec::new() };
    let body = call.exchange.request.json();
    let items = body.as_ref().and_then(|body| body.at(&batch.items)?.as_array()).unwrap_or_default();
    let name =
        |item: &Json| course.item.and_then(|operation| operation.key_in_body(item)).unwrap_or_else(|| item.clone());
    items.iter().map(|item| name(item).content_key()).collect()
}

/// The items of a request, and whether its answer says that they are done; none without an answer to a batch.
pub fn done(course: &Course<'_>, call: &Call<'_>) -> Vec<(String, bool)> {
    let (Some(batch), Met::Answer(answer), true) = (&course.operation.batch, call.met, call.succeeded) else {
        return Vec::new();
    };
    let Some(body) = answer.json() else { return Vec::new() };
    let results = body.at(&batch.results).and_then(Json::as_array).unwrap_or_default();
    let is_done = |at: usize| results.get(at).and_then(|item| batch.outcome(item)).is_some_and(Outcome::is_success);
    items(course, call).into_iter().enumerate().map(|(at, item)| (item, is_done(at))).collect()
}
