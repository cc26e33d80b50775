//! The little SQL that both stores speak: statements with `$1`, `$2`, … in order, texts and whole numbers. It holds no
//! statement of its own.

use crate::reference::store::keeper::StoreError;

/// A value in a statement or in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// A text, without `U+0000`.
    Text(String),
    /// A whole number.
    Int(i64),
}

impl Cell {
    /// The text; empty for a number.
    pub fn into_text(self) -> String {
        match self {
            Cell::Text(text) => text,
            Cell::Int(_) => String::new(),
        }
    }

    /// The number; zero for a text.
    pub fn int(&self) -> i64 {
        match self {
            Cell::Text(_) => 0,
            Cell::Int(number) => *number,
        }
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Cell::Text(text.to_owned())
    }
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Cell::Int(number)
    }
}

/// One connection to a database; blocking, so it lives on a thread of its own.
pub trait Sql: Send {
    /// Starts a transaction that may write.
    fn begin(&mut self) -> Result<(), StoreError>;
    /// Ends it and keeps what it did.
    fn commit(&mut self) -> Result<(), StoreError>;
    /// Ends it and forgets what it did.
    fn rollback(&mut self) -> Result<(), StoreError>;
    /// Keeps other transactions that lock the same name waiting until this one ends.
    fn lock(&mut self, name: &str) -> Result<(), StoreError>;
    /// Runs a statement; the number of rows that it changed.
    fn execute(&mut self, statement: &'static str, cells: &[Cell]) -> Result<u64, StoreError>;
    /// Runs a query; its rows.
    fn query(&mut self, statement: &'static str, cells: &[Cell]) -> Result<Vec<Vec<Cell>>, StoreError>;
}
