//! Where the reference server keeps its rows and its keys: SQLite, or PostgreSQL by URL. What is kept, and how, is the
//! same in both; `sql` is the little that differs. The store never decides what a request means.

mod keeper;
#[cfg(feature = "postgres")]
mod postgres;
mod sql;
mod sqlite;
mod tables;

pub use keeper::{End, Keeper, StoreAt, StoreError};
pub(in crate::reference) use tables::digest;
pub use tables::{Record, Slot, Standing, StoredRow, Tables};
