//! The reference client: placeholder until it is merged.

use std::sync::{Arc, Mutex};

use crate::contract::{ClientRules, Contract};
use crate::history::Told;
use crate::json::Json;
use crate::name::OperationName;

#[derive(Clone, Debug, Default)]
pub struct Memory(#[allow(dead_code)] Arc<Mutex<()>>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientPolicy;

impl ClientPolicy {
    pub const HONEST: ClientPolicy = ClientPolicy;
}

pub struct ClientSaboteur {
    pub kind: &'static str,
    pub name: &'static str,
    pub doc: &'static str,
    pub policy: ClientPolicy,
}

pub struct ClientAsk {
    pub base: String,
    pub operation: OperationName,
    pub input: Json,
    pub key: Option<Json>,
    pub headers: Vec<(String, String)>,
    pub scale: f64,
    pub bits: u64,
    pub memory: Memory,
}

pub async fn perform(_: &Contract, _: &ClientRules, _: ClientPolicy, _: ClientAsk) -> Told {
    Told::Failure
}

pub fn client_saboteurs() -> &'static [ClientSaboteur] {
    &[]
}

pub fn client_honest_variants() -> &'static [ClientSaboteur] {
    &[]
}
