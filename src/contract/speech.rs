//! How a client's own requests differ from the contract's: a library with its own path, its own place for the key and its
//! own idea of a success is judged by the same rules. Data, and the contract that comes of it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::contract::answers::{AnswerRule, BodyTest, Outcome, StatusSet};
use crate::contract::key::KeyPlace;
use crate::contract::operation::{Contract, Operation, RequestLine, Safety};
use crate::json::{Json, Pointer};
use crate::name::OperationName;

/// How a client asks for one operation.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Speech {
    /// Method and path, where they are its own.
    pub request: Option<(String, String)>,
    /// The header that carries the key, where that is its own.
    pub key_header: Option<String>,
    /// The place in the body that carries it.
    pub key_at: Option<Pointer>,
    /// The success that it needs to see.
    pub answer: Option<SpokenAnswer>,
}

/// A success as a client needs to see it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SpokenAnswer {
    /// The status.
    pub status: u16,
    /// The body.
    pub body: Json,
}

impl Contract {
    /// The same contract in a client's own words.
    pub fn spoken(&self, speeches: &IndexMap<OperationName, Speech>) -> Contract {
        let mut own = self.clone();
        for (name, speech) in speeches {
            if let Some(operation) = own.operations.get_mut(name) {
                speak(operation, speech);
            }
        }
        own
    }
}

fn speak(operation: &mut Operation, speech: &Speech) {
    if let Some((method, target)) = &speech.request {
        operation.request = RequestLine { method: method.clone(), target: target.clone() };
    }
    if let Safety::ByKey(rule) = &mut operation.safety {
        match (&speech.key_header, &speech.key_at) {
            (Some(header), _) => rule.place = KeyPlace::Header(header.clone()),
            (None, Some(place)) => rule.place = KeyPlace::Body(place.clone()),
            (None, None) => {}
        }
    }
    if let Some(answer) = &speech.answer {
        let of = |outcome| AnswerRule {
            outcome,
            status: Some(StatusSet { ranges: vec![(200, 299)] }),
            headers: Vec::new(),
            body: BodyTest::default(),
        };
        operation.answers.retain(|rule| !rule.outcome.is_success());
        operation.answers.insert(0, of(Outcome::Fresh));
        operation.success = Some((answer.status, answer.body.clone()));
    }
}
