//! The contract that the tests serve.

use std::sync::Arc;

use crate::contract::{Contract, load};
use crate::file::Source;
use crate::json::Json;

/// The Curious contract without its requirements, which are not served. Answers to decide echo what was sent, so that
/// there is more to replay.
pub fn curious() -> Arc<Contract> {
    let text = include_str!("../../../scenarios/contracts/curious.yaml");
    let (promised, rest) = text.split_once("\nrequirements:").unwrap();
    let served = rest.split_once("\nreference:").unwrap().1;
    let source = Source::new("curious.yaml", format!("{promised}\nreference:{served}"));
    let mut contract = load(&source, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    let reference = contract.reference.as_mut().unwrap();
    let answer = &mut reference.operations.get_mut("decide").unwrap().answer.body;
    answer.set(&"/context".parse().unwrap(), Json::from("{{ body.context }}"));
    Arc::new(contract)
}
