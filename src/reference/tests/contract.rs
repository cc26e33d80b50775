//! The contracts that the tests serve.

use std::sync::Arc;

use crate::contract::{Contract, load};
use crate::file::Source;
use crate::json::Json;

/// The Curious contract without its requirements, which are not served. Answers to decide echo what was sent, so that
/// there is more to replay.
pub fn curious() -> Arc<Contract> {
    let mut contract = served("curious.yaml", include_str!("../../../scenarios/contracts/curious.yaml"));
    let reference = contract.reference.as_mut().unwrap();
    let answer = &mut reference.operations.get_mut("decide").unwrap().answer.body;
    answer.set(&"/context".parse().unwrap(), Json::from("{{ body.context }}"));
    Arc::new(contract)
}

/// The Scanova contract without its requirements: a duplicate is answered like the first, and noted.
pub fn scanova() -> Arc<Contract> {
    Arc::new(served("scanova.yaml", include_str!("../../../scenarios/contracts/scanova.yaml")))
}

/// The contract whose key is required, in a header.
pub fn required() -> Arc<Contract> {
    let text = include_str!("../../../scenarios/contracts/ietf-idempotency-key.yaml");
    Arc::new(served("required.yaml", text))
}

/// The contract that refuses what is too old.
pub fn windowed() -> Arc<Contract> {
    Arc::new(served("windowed.yaml", include_str!("../../../scenarios/contracts/2mee-ingest.yaml")))
}

fn served(name: &str, text: &str) -> Contract {
    let (promised, rest) = text.split_once("\nrequirements:").unwrap();
    let served = rest.split_once("\nreference:").unwrap().1;
    let source = Source::new(name, format!("{promised}\nreference:{served}"));
    load(&source, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}
