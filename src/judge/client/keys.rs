//! The keys that a request carries: its own, or those of its items. It compares none.

use crate::contract::{KeyPlace, Operation};
use crate::json::Json;
use crate::judge::client::course::{Call, Course};

/// One for each thing that the request asks for, none where a key is missing; nothing at all where a key has no place.
pub fn keys(course: &Course<'_>, call: &Call<'_>) -> Vec<Option<Json>> {
    let Some(batch) = &course.operation.batch else {
        return course.operation.key().map(|_| call.key.clone()).into_iter().collect();
    };
    let Some(operation) = course.item.filter(|item| matches!(place_of(item), Some(KeyPlace::Body(_)))) else {
        return Vec::new();
    };
    let body = call.exchange.request.json();
    let items = body.as_ref().and_then(|body| body.at(&batch.items)?.as_array()).unwrap_or_default();
    items.iter().map(|item| operation.key_in_body(item)).collect()
}

fn place_of(operation: &Operation) -> Option<&KeyPlace> {
    operation.key().map(|rule| &rule.place)
}

/// Those that are there, each as a text that is equal for equal content.
pub fn known(course: &Course<'_>, call: &Call<'_>) -> Vec<String> {
    keys(course, call).into_iter().flatten().map(|key| key.content_key()).collect()
}

/// For evidence.
pub fn words(keys: &[String]) -> String {
    match keys {
        [] => "no key".to_owned(),
        [one] => format!("key {one}"),
        many => format!("keys {}", many.join(", ")),
    }
}
