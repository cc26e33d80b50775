//! How a client's own requests differ from the contract's: a library with its own path, its own place for the key and its
//! own idea of a success is judged by the same rules. Data, and the contract that comes of it.

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::contract::answers::{AnswerRule, BodyTest, Outcome, StatusSet};
use crate::contract::key::{KeyPlace, Syntax};
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
    /// Whether it carries none, wherever the contract has it.
    #[serde(default)]
    pub keyless: bool,
    /// What of its body may differ between attempts.
    #[serde(default)]
    pub varying: Vec<Pointer>,
    /// The body of a refusal, as it needs to see it.
    #[serde(default)]
    pub refusal: Option<Json>,
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
            for rules in own.clients.values_mut() {
                rules.varying_body.extend(speech.varying.iter().cloned());
            }
        }
        own
    }
}

fn speak(operation: &mut Operation, speech: &Speech) {
    if let Some((method, target)) = &speech.request {
        operation.request = RequestLine { method: method.clone(), target: target.clone() };
    }
    operation.keyless = speech.keyless;
    operation.refusal.clone_from(&speech.refusal);
    if let Safety::ByKey(rule) = &mut operation.safety {
        match (&speech.key_header, &speech.key_at) {
            (Some(header), _) => {
                rule.place = KeyPlace::Header(header.clone());
                rule.syntax = Syntax::Bare;
            }
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

#[cfg(test)]
mod tests {
    use crate::contract::{Contract, KeyPlace, Outcome, Speech, SpokenAnswer, load};
    use crate::file::Source;
    use crate::json::Json;
    use crate::message::{Framing, Request, Response};

    const SHOP: &str = r#"
contract: shop
title: A shop
operations:
  pay:
    request: POST /payments
    body: { amount: 5 }
    marker: { at: /again, value: true }
    key: { at: /key, same request: content, replay: verbatim }
    answers:
      replayed: { status: 200, body: { again: true } }
      fresh: { status: 200, has: [/id] }
      refused: { status: 400 }
  ship:
    request: PUT /ships
    body: { to: home }
    natural: true
    answers:
      fresh: { status: 200 }
"#;

    fn shop() -> Contract {
        load(&Source::new("shop.yaml", SHOP), &["accept"]).unwrap_or_else(|problems| panic!("{problems}"))
    }

    fn spoken(name: &str, speech: Speech) -> Contract {
        shop().spoken(&[(name.into(), speech)].into_iter().collect())
    }

    fn answer(status: u16, body: &str) -> Response {
        Response { status, headers: Vec::new(), body: body.into(), framing: Framing::Length, wire_length: 0 }
    }

    #[test]
    fn who_says_nothing_of_its_own_speaks_as_the_contract_does() {
        for name in ["pay", "ship", "nothing"] {
            assert_eq!(spoken(name, Speech::default()), shop(), "{name}");
        }
    }

    #[test]
    fn its_own_request_and_place_of_the_key_stand_for_the_contracts() {
        let own = spoken(
            "pay",
            Speech {
                request: Some(("PATCH".to_owned(), "/p".to_owned())),
                key_header: Some("Own-Key".to_owned()),
                ..Speech::default()
            },
        );
        let pay = &own.operations["pay"];
        assert_eq!((pay.request.method.as_str(), pay.request.target.as_str()), ("PATCH", "/p"));
        assert_eq!(pay.key().map(|rule| &rule.place), Some(&KeyPlace::Header("Own-Key".to_owned())));
        assert_eq!(own.operations["ship"], shop().operations["ship"]);
        let at = Speech { key_at: "/meta/id".parse().ok(), ..Speech::default() };
        let place = spoken("pay", at).operations["pay"].key().map(|rule| rule.place.clone());
        assert_eq!(place, Some(KeyPlace::Body("/meta/id".parse().expect("a pointer"))));
    }

    #[test]
    fn who_carries_no_key_has_none_even_where_the_contract_would_look_for_one() {
        let body: Json = r#"{"key":"k","amount":5}"#.parse().expect("JSON");
        assert!(shop().operations["pay"].key_in_body(&body).is_some());
        let own = spoken("pay", Speech { keyless: true, ..Speech::default() });
        assert_eq!(own.operations["pay"].key_in_body(&body), None);
        let request = Request {
            method: "POST".to_owned(),
            target: "/payments".to_owned(),
            headers: Vec::new(),
            body: body.to_string().as_str().into(),
            framing: Framing::Length,
        };
        assert_eq!(own.operations["pay"].key_in(&request), None);
        assert!(shop().operations["pay"].key_in(&request).is_some());
    }

    #[test]
    fn what_may_vary_and_its_own_refusal_are_added() {
        let refusal: Json = r#"{"code":"no"}"#.parse().expect("JSON");
        let varying = vec!["/sentAt".parse().expect("a pointer")];
        let own =
            spoken("pay", Speech { varying: varying.clone(), refusal: Some(refusal.clone()), ..Speech::default() });
        assert_eq!(own.operations["pay"].refusal, Some(refusal));
        assert!(own.clients.values().all(|rules| rules.varying_body == varying));
    }

    #[test]
    fn a_key_of_what_needs_none_changes_nothing() {
        let own = Speech { key_header: Some("Own-Key".to_owned()), ..Speech::default() };
        assert_eq!(spoken("ship", own), shop());
    }

    #[test]
    fn its_own_success_is_a_success_and_a_refusal_stays_one() {
        let body: Json = r#"{"ok":1}"#.parse().expect("JSON");
        let own = Speech { answer: Some(SpokenAnswer { status: 202, body: body.clone() }), ..Speech::default() };
        let pay = spoken("pay", own).operations["pay"].clone();
        assert_eq!(pay.success, Some((202, body)));
        assert_eq!(pay.outcome(&answer(202, "{}")), Some(Outcome::Fresh));
        assert_eq!(pay.outcome(&answer(400, "{}")), Some(Outcome::Refused));
        // By the contract alone that is none.
        assert_eq!(shop().operations["pay"].outcome(&answer(202, "{}")), None);
    }
}
