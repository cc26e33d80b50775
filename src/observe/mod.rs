//! Observers: how often an effect is there, read off the faulty road. An observer that cannot read says why; it never
//! says zero instead, and it never writes.

mod command;
mod http;
mod sql;
mod stable;

pub use command::ShellCommand;
pub use http::{HttpObserver, Shown, client};
pub use sql::{count, count_sqlite};
pub use stable::until_stable;

use crate::json::Json;

/// More rows than this are told no further: whatever was expected, they are too many.
const MOST_COUNTED: usize = 10_000;

/// So many rows, of which nothing is known but that they are there.
fn counted(count: usize) -> Vec<Json> {
    vec![Json::object(Vec::<(String, Json)>::new()); count.min(MOST_COUNTED)]
}
