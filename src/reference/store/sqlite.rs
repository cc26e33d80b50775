//! The embedded store: one SQLite connection, in a file (WAL) or in memory. Writers take the write lock when they begin
//! and wait for it, so a transaction never fails because of another one.

use std::path::Path;
use std::thread;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use crate::reference::store::keeper::StoreError;
use crate::reference::store::sql::{Cell, Sql};

const POLL: Duration = Duration::from_micros(500);
/// 15 s: longer than any handler of the reference.
const POLLS: i32 = 30_000;

const SCHEMA: &str = "
create table if not exists records (
    slot text primary key, fingerprint text not null, standing text not null, owner text not null,
    since integer not null, status integer not null, headers text not null, body text not null
) without rowid;
create table if not exists stored_rows (
    seq integer primary key autoincrement, scope text not null, collection text not null, content text not null
);
create table if not exists paths (
    digest text not null, seq integer not null, primary key (digest, seq)
) without rowid;
create index if not exists paths_by_row on paths (seq);
create index if not exists rows_by_collection on stored_rows (scope, collection);
create table if not exists seeded (scope text primary key) without rowid;
";

/// One connection.
pub struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    /// Opens a file, or a database that lives as long as the connection.
    pub fn open(file: Option<&Path>) -> Result<Self, StoreError> {
        let mut connection = match file {
            Some(path) => Connection::open(path)?,
            None => Connection::open_in_memory()?,
        };
        connection.set_prepared_statement_cache_capacity(64);
        connection.busy_handler(Some(|polls| {
            thread::sleep(POLL);
            polls < POLLS
        }))?;
        if file.is_some() {
            switch_to_wal(&connection)?;
        }
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.execute_batch(SCHEMA)?;
        Ok(Self { connection })
    }

    fn run(&mut self, statement: &str) -> Result<(), StoreError> {
        Ok(self.connection.prepare_cached(statement)?.execute([]).map(|_| ())?)
    }
}

impl Sql for Sqlite {
    fn begin(&mut self) -> Result<(), StoreError> {
        self.run("begin immediate")
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        self.run("commit")
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        if self.connection.is_autocommit() { Ok(()) } else { self.run("rollback") }
    }

    fn lock(&mut self, _name: &str) -> Result<(), StoreError> {
        // There is one writer at a time.
        Ok(())
    }

    fn execute(&mut self, statement: &'static str, cells: &[Cell]) -> Result<u64, StoreError> {
        let changed = self.connection.prepare_cached(statement)?.execute(params_from_iter(cells))?;
        Ok(changed as u64)
    }

    fn query(&mut self, statement: &'static str, cells: &[Cell]) -> Result<Vec<Vec<Cell>>, StoreError> {
        let mut prepared = self.connection.prepare_cached(statement)?;
        let columns = prepared.column_count();
        let mut found = prepared.query(params_from_iter(cells))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            rows.push((0..columns).map(|column| Ok(cell(row.get_ref(column)?))).collect::<Result<_, StoreError>>()?);
        }
        Ok(rows)
    }
}

/// Two replicas that start together may both want to switch, and SQLite does not let one of them wait for the other.
fn switch_to_wal(connection: &Connection) -> Result<(), StoreError> {
    let mut tries = 0;
    loop {
        match connection.pragma_update(None, "journal_mode", "wal") {
            Ok(()) => return Ok(()),
            Err(_) if tries < 200 => thread::sleep(POLL * 10),
            Err(error) => return Err(error.into()),
        }
        tries += 1;
    }
}

fn cell(value: ValueRef<'_>) -> Cell {
    match value {
        ValueRef::Integer(number) => Cell::Int(number),
        ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
        ValueRef::Null | ValueRef::Real(_) | ValueRef::Blob(_) => Cell::Text(String::new()),
    }
}

impl ToSql for Cell {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        match self {
            Cell::Text(text) => text.to_sql(),
            Cell::Int(number) => number.to_sql(),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        StoreError::Database(error.to_string())
    }
}
