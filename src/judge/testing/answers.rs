//! What servers of the made-up contract answer, by what it means. A single answer of `make` is a row of its effect too.

/// Answers of `make`, which are rows of its effect too.
pub const FRESH: &str = r#"{"thing_id":"t1","size":3}"#;
/// The first answer again, marked.
pub const REPLAY: &str = r#"{"thing_id":"t1","size":3,"again":true}"#;
/// A second thing.
pub const SECOND: &str = r#"{"thing_id":"t2","size":3}"#;
/// The key belongs to another request.
pub const CONFLICT: &str = r#"{"error":"other request"}"#;
/// Another copy has the key.
pub const BUSY: &str = r#"{"error":"busy"}"#;
/// Any other error.
pub const ERROR: &str = r#"{"error":"no"}"#;
/// An answer of `note` to a repeat; its first is `NOTED`.
pub const SEEN: &str = r#"{"seen":true}"#;
/// The first answer of `note`, and a row of it.
pub const NOTED: &str = r#"{"text":"hello"}"#;

/// Items' answers.
pub const ITEM: &str = r#"{"status":"ok","thing_id":"t1"}"#;
/// See `ITEM`.
pub const ITEM_AGAIN: &str = r#"{"status":"ok","thing_id":"t1","again":true}"#;
/// See `ITEM`.
pub const ITEM_SECOND: &str = r#"{"status":"ok","thing_id":"t2"}"#;
/// See `ITEM`.
pub const ITEM_CONFLICT: &str = r#"{"status":"error","error":"other request"}"#;
/// See `ITEM`.
pub const ITEM_REFUSED: &str = r#"{"status":"error","error":"no"}"#;
/// See `ITEM`.
pub const ITEM_BUSY: &str = r#"{"status":"error","error":"busy"}"#;

/// The answer to a batch: its items', and counters as members.
pub fn batch<const N: usize>(items: [&str; N], counters: &str) -> String {
    format!(r#"{{"results":[{}]{counters}}}"#, items.join(","))
}
