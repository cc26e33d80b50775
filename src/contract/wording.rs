//! How a server words a request differently from its contract: another path, another body, headers of its own. Data, and
//! the contract that comes of it; what its answers mean stays as it was.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::contract::operation::{Contract, Edit, Operation};
use crate::json::Json;
use crate::name::OperationName;

/// How a subject wants to be asked for one operation.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
pub struct Wording {
    /// Path and query, where they are its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The body of a plain request, where that is its own; a template like the contract's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Json>,
    /// Headers besides the contract's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
}

impl Contract {
    /// The same contract in a subject's own words.
    pub fn worded(&self, wordings: &BTreeMap<OperationName, Wording>) -> Contract {
        let mut own = self.clone();
        for (name, wording) in wordings {
            if let Some(operation) = own.operations.get_mut(name) {
                word(operation, wording);
            }
        }
        own
    }
}

fn word(operation: &mut Operation, wording: &Wording) {
    if let Some(path) = &wording.path {
        let before = std::mem::replace(&mut operation.request.target, path.clone());
        let edits = [&mut operation.changes, &mut operation.defects, &mut operation.open];
        for edit in edits.into_iter().flat_map(|edits| edits.values_mut()) {
            moved(edit, &before, path);
        }
    }
    if wording.body.is_some() {
        operation.body.clone_from(&wording.body);
    }
    for (name, value) in &wording.headers {
        operation.headers.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        operation.headers.push((name.clone(), value.clone()));
    }
}

/// An edit that only adds to the path adds to the own one; one that goes elsewhere still goes there.
fn moved(edit: &mut Edit, before: &str, path: &str) {
    let added = edit.target.as_deref().and_then(|target| target.strip_prefix(before));
    if let Some(added) = added.filter(|added| added.is_empty() || added.starts_with(['?', '&', '/'])) {
        edit.target = Some(format!("{path}{added}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::load;
    use crate::file::Source;

    const SHOP: &str = r#"
contract: shop
title: A shop
operations:
  pay:
    request: POST /payments
    headers: { X-Version: "1" }
    body: { amount: 5 }
    natural: true
    defects:
      only tried: { target: "/payments?dry=1", status: 400 }
      nowhere: { target: /payment, status: 404 }
    answers:
      fresh: { status: 200 }
      refused: { status: [400, 404] }
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

    fn worded(wording: Wording) -> Operation {
        let own = shop().worded(&[("pay".into(), wording)].into());
        assert_eq!(own.operations["ship"], shop().operations["ship"]);
        own.operations["pay"].clone()
    }

    #[test]
    fn who_words_nothing_otherwise_is_asked_as_the_contract_says() {
        assert_eq!(worded(Wording::default()), shop().operations["pay"]);
        assert_eq!(shop().worded(&[("sell".into(), Wording::default())].into()), shop());
    }

    #[test]
    fn an_own_path_moves_what_only_adds_to_it() {
        let pay = worded(Wording { path: Some("/v2/pay".to_owned()), ..Wording::default() });
        assert_eq!((pay.request.method.as_str(), pay.request.target.as_str()), ("POST", "/v2/pay"));
        assert_eq!(pay.defects["only tried"].target.as_deref(), Some("/v2/pay?dry=1"));
        assert_eq!(pay.defects["nowhere"].target.as_deref(), Some("/payment"));
    }

    #[test]
    fn an_own_body_and_own_headers_stand_for_the_contracts() {
        let body: Json = r#"{"sum":{"amount":5}}"#.parse().expect("JSON");
        let headers = vec![("x-version".to_owned(), "2".to_owned()), ("X-Tenant".to_owned(), "a".to_owned())];
        let pay = worded(Wording { body: Some(body.clone()), headers: headers.clone(), ..Wording::default() });
        assert_eq!((pay.body, pay.headers), (Some(body), headers));
    }
}
