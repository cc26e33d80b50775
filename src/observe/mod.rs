//! Observers: how often an effect is there, read off the faulty road. An observer that cannot read says why; it never
//! says zero instead, and it never writes.

mod http;
mod sql;
mod stable;

pub use http::{HttpObserver, client};
pub use sql::{count, count_sqlite};
pub use stable::until_stable;
