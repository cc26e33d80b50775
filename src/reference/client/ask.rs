//! What a client is asked to do. Values only.

use crate::json::Json;
use crate::name::OperationName;
use crate::reference::client::memory::Memory;

/// One thing wanted once.
#[derive(Clone, Debug)]
pub struct ClientAsk {
    /// Where: `http://127.0.0.1:8080`.
    pub base: String,
    /// What.
    pub operation: OperationName,
    /// The body, without a key unless the caller gave one.
    pub input: Json,
    /// A key that the caller gave, where keys are carried in a header.
    pub key: Option<Json>,
    /// Whether it is to be sent without a key.
    pub unkeyed: bool,
    /// The credential's headers.
    pub headers: Vec<(String, String)>,
    /// The client's clock: all its waits and timeouts are this share of what the contract says.
    pub scale: f64,
    /// The seed of what it mints and of its jitter.
    pub bits: u64,
    /// What it keeps over its own end.
    pub memory: Memory,
}
