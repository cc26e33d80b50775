//! The other store: one PostgreSQL connection. It blocks, as the embedded one does, so that one engine serves both; a
//! connection that was lost is opened again at the next transaction.

use std::collections::BTreeMap;

use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row, Statement};

use crate::reference::store::keeper::StoreError;
use crate::reference::store::sql::{Cell, Sql};

/// Sent at once, so that it is one transaction: replicas that start together make the tables one after the other.
const SCHEMA: &str = "
select pg_advisory_xact_lock(7731);
create table if not exists records (
    slot text primary key, fingerprint text not null, standing text not null, owner text not null,
    since bigint not null, status bigint not null, headers text not null, body text not null
);
create table if not exists stored_rows (
    seq bigserial primary key, scope text not null, collection text not null, content text not null
);
create table if not exists paths (digest text not null, seq bigint not null, primary key (digest, seq));
create index if not exists paths_by_row on paths (seq);
create index if not exists rows_by_collection on stored_rows (scope, collection);
create table if not exists seeded (scope text primary key);
";

/// One connection.
pub struct Postgres {
    url: String,
    runtime: Runtime,
    client: Client,
    prepared: BTreeMap<&'static str, Statement>,
}

impl Postgres {
    /// Connects, and makes the tables where they are missing.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| StoreError::Thread(error.to_string()))?;
        let client = runtime.block_on(connect(url))?;
        runtime.block_on(client.batch_execute(SCHEMA))?;
        Ok(Self { url: url.to_owned(), runtime, client, prepared: BTreeMap::new() })
    }

    fn statement(&mut self, statement: &'static str) -> Result<Statement, StoreError> {
        if let Some(known) = self.prepared.get(statement) {
            return Ok(known.clone());
        }
        let prepared = self.runtime.block_on(self.client.prepare(statement))?;
        self.prepared.insert(statement, prepared.clone());
        Ok(prepared)
    }
}

async fn connect(url: &str) -> Result<Client, StoreError> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    // It ends with the client; an error of it surfaces at the next statement.
    tokio::spawn(connection);
    Ok(client)
}

impl Sql for Postgres {
    fn begin(&mut self) -> Result<(), StoreError> {
        if self.client.is_closed() {
            self.client = self.runtime.block_on(connect(&self.url))?;
            self.prepared.clear();
        }
        Ok(self.runtime.block_on(self.client.batch_execute("begin"))?)
    }

    fn commit(&mut self) -> Result<(), StoreError> {
        Ok(self.runtime.block_on(self.client.batch_execute("commit"))?)
    }

    fn rollback(&mut self) -> Result<(), StoreError> {
        Ok(self.runtime.block_on(self.client.batch_execute("rollback"))?)
    }

    fn lock(&mut self, name: &str) -> Result<(), StoreError> {
        self.query("select 1::bigint from pg_advisory_xact_lock(hashtextextended($1, 0))", &[name.into()]).map(|_| ())
    }

    fn execute(&mut self, statement: &'static str, cells: &[Cell]) -> Result<u64, StoreError> {
        let prepared = self.statement(statement)?;
        Ok(self.runtime.block_on(self.client.execute(&prepared, &parameters(cells)))?)
    }

    fn query(&mut self, statement: &'static str, cells: &[Cell]) -> Result<Vec<Vec<Cell>>, StoreError> {
        let prepared = self.statement(statement)?;
        let rows = self.runtime.block_on(self.client.query(&prepared, &parameters(cells)))?;
        rows.iter().map(|row| (0..row.len()).map(|column| cell(row, column)).collect()).collect()
    }
}

fn parameters(cells: &[Cell]) -> Vec<&(dyn ToSql + Sync)> {
    cells
        .iter()
        .map(|cell| -> &(dyn ToSql + Sync) {
            match cell {
                Cell::Text(text) => text,
                Cell::Int(number) => number,
            }
        })
        .collect()
}

fn cell(row: &Row, column: usize) -> Result<Cell, StoreError> {
    match row.try_get::<_, i64>(column) {
        Ok(number) => Ok(Cell::Int(number)),
        Err(_) => Ok(Cell::Text(row.try_get(column)?)),
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        let detail = error.as_db_error().map(|said| format!(": {}", said.message())).unwrap_or_default();
        StoreError::Database(format!("{error}{detail}"))
    }
}
