//! What a request asks for, apart from its key and from what may differ between attempts. It judges no difference.

use crate::contract::{KeyPlace, Operation};
use crate::json::Json;
use crate::judge::client::course::{Call, Course};

/// What a request asks for: texts that are equal for equal content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// All of it, but for the items of a batch.
    pub whole: String,
    /// The items of a batch, in order.
    pub items: Vec<String>,
}

impl Content {
    /// Of a request.
    pub fn of(course: &Course<'_>, call: &Call<'_>) -> Self {
        let Some(mut body) = call.exchange.request.json() else {
            let raw = &call.exchange.request.body.0;
            return Self { whole: String::from_utf8_lossy(raw).into_owned(), items: Vec::new() };
        };
        let mut items = Vec::new();
        if let Some(batch) = &course.operation.batch
            && let Some(Json::Array(sent)) = body.remove(&batch.items)
        {
            items = sent.into_iter().map(|item| plain(course, course.item, item)).collect();
        }
        Self { whole: plain(course, Some(course.operation), body), items }
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.whole.is_empty()
    }

    /// Whether it asks for the same, or for a part of the same items.
    pub fn is_of(&self, first: &Content) -> bool {
        self.whole == first.whole
            && self.items.is_empty() == first.items.is_empty()
            && self.items.iter().all(|item| first.items.contains(item))
    }
}

/// The key is judged by itself.
fn plain(course: &Course<'_>, operation: Option<&Operation>, mut body: Json) -> String {
    let key = operation.and_then(Operation::key).and_then(|rule| match &rule.place {
        KeyPlace::Body(place) => Some(place),
        KeyPlace::Header(_) => None,
    });
    for place in key.into_iter().chain(&course.rules.varying_body) {
        body.remove(place);
    }
    body.content_key()
}
