//! What is kept: records, one for each key; rows of the contract's collections, one scope apart from another; and paths,
//! an index from the members of a row to the row. It holds no policy: what is written here is written.

use sha2::{Digest, Sha256};

use crate::json::Json;
use crate::reference::store::keeper::{End, StoreError};
use crate::reference::store::sql::{Cell, Sql};

/// Where the record of a key stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The scope of the caller.
    pub scope: String,
    /// What the key counts for.
    pub space: String,
    /// The key.
    pub key: String,
}

/// What is known of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The request that has it.
    pub fingerprint: String,
    /// How far that request is.
    pub standing: Standing,
    /// Who works on it.
    pub owner: String,
    /// Since when, in milliseconds of the Unix clock.
    pub since: i64,
    /// The status that was answered.
    pub status: u16,
    /// The headers that were answered.
    pub headers: Vec<(String, String)>,
    /// The body that was answered, spelled as it was.
    pub body: String,
}

/// How far the request that has a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Answered; the answer is in the record.
    Settled,
    /// Being worked on.
    InProgress,
    /// Refused; only a saboteur keeps that.
    Burnt,
}

/// A row with its number, which is also its place in the order of rows.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredRow {
    /// The number.
    pub seq: i64,
    /// The row.
    pub content: Json,
}

impl Slot {
    /// One text for one slot, of a length that every index takes.
    fn digest(&self) -> String {
        digest(&[&self.scope, &self.space, &self.key])
    }
}

/// A digest of texts that keeps their borders.
pub(in crate::reference) fn digest(texts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The tables, over one connection.
pub struct Tables {
    sql: Box<dyn Sql>,
}

impl Tables {
    pub(in crate::reference::store) fn new(sql: Box<dyn Sql>) -> Self {
        Self { sql }
    }

    /// Runs something as one transaction. An error forgets what it did.
    pub fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Tables) -> Result<(End, T), StoreError>,
    ) -> Result<T, StoreError> {
        self.sql.begin()?;
        match work(self) {
            Ok((End::Commit, value)) => match self.sql.commit() {
                Ok(()) => Ok(value),
                Err(error) => self.sql.rollback().and(Err(error)),
            },
            Ok((End::Rollback, value)) => self.sql.rollback().map(|()| value),
            Err(error) => self.sql.rollback().and(Err(error)),
        }
    }

    /// Keeps other transactions on a collection of one scope waiting.
    pub fn lock(&mut self, scope: &str, collection: &str) -> Result<(), StoreError> {
        self.sql.lock(&digest(&[scope, collection]))
    }

    /// Takes a slot if it is free; a transaction that has taken it and not ended is waited for.
    pub fn claim(&mut self, slot: &Slot, record: &Record) -> Result<bool, StoreError> {
        let taken = self.sql.execute(
            "insert into records (slot, fingerprint, standing, owner, since, status, headers, body)
             values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (slot) do nothing",
            &cells(slot, record),
        )?;
        Ok(taken == 1)
    }

    /// Writes a record, whatever was there.
    pub fn keep(&mut self, slot: &Slot, record: &Record) -> Result<(), StoreError> {
        self.sql
            .execute(
                "insert into records (slot, fingerprint, standing, owner, since, status, headers, body)
                 values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (slot) do update set
                 fingerprint = excluded.fingerprint, standing = excluded.standing, owner = excluded.owner,
                 since = excluded.since, status = excluded.status, headers = excluded.headers, body = excluded.body",
                &cells(slot, record),
            )
            .map(|_| ())
    }

    /// The record of a slot.
    pub fn record(&mut self, slot: &Slot) -> Result<Option<Record>, StoreError> {
        let rows = self.sql.query(
            "select fingerprint, standing, owner, since, status, headers, body from records where slot = $1",
            &[Cell::Text(slot.digest())],
        )?;
        rows.into_iter().next().map(record).transpose()
    }

    /// Frees a slot.
    pub fn release(&mut self, slot: &Slot) -> Result<(), StoreError> {
        self.sql.execute("delete from records where slot = $1", &[Cell::Text(slot.digest())]).map(|_| ())
    }

    /// Frees every slot.
    pub fn release_all(&mut self) -> Result<(), StoreError> {
        self.sql.execute("delete from records", &[]).map(|_| ())
    }

    /// Whether this is the first time that a scope is seen.
    pub fn is_new_scope(&mut self, scope: &str) -> Result<bool, StoreError> {
        let inserted = self
            .sql
            .execute("insert into seeded (scope) values ($1) on conflict (scope) do nothing", &[scope.into()])?;
        Ok(inserted == 1)
    }

    /// The rows of a collection, in the order in which they were made.
    pub fn all_rows(&mut self, scope: &str, collection: &str) -> Result<Vec<StoredRow>, StoreError> {
        let rows = self.sql.query(
            "select seq, content from stored_rows where scope = $1 and collection = $2 order by seq",
            &[scope.into(), collection.into()],
        )?;
        rows.into_iter().map(stored_row).collect()
    }

    /// The rows that a path leads to, in the order in which they were made.
    pub fn rows_at(&mut self, path: &str) -> Result<Vec<StoredRow>, StoreError> {
        let rows = self.sql.query(
            "select stored_rows.seq, content from paths join stored_rows on stored_rows.seq = paths.seq
             where digest = $1 order by stored_rows.seq",
            &[path.into()],
        )?;
        rows.into_iter().map(stored_row).collect()
    }

    /// Adds a row, and the paths that lead to it.
    pub fn insert(&mut self, scope: &str, collection: &str, row: &Json, paths: &[String]) -> Result<(), StoreError> {
        let inserted = self.sql.query(
            "insert into stored_rows (scope, collection, content) values ($1, $2, $3) returning seq",
            &[scope.into(), collection.into(), Cell::Text(row.to_string())],
        )?;
        let seq = inserted.first().and_then(|row| row.first()).map_or(0, Cell::int);
        self.lead(seq, paths)
    }

    /// Puts a row in the place of another one.
    pub fn replace(&mut self, seq: i64, row: &Json, paths: &[String]) -> Result<(), StoreError> {
        self.sql.execute(
            "update stored_rows set content = $1 where seq = $2",
            &[Cell::Text(row.to_string()), seq.into()],
        )?;
        self.sql.execute("delete from paths where seq = $1", &[seq.into()])?;
        self.lead(seq, paths)
    }

    fn lead(&mut self, seq: i64, paths: &[String]) -> Result<(), StoreError> {
        for path in paths {
            self.sql.execute(
                "insert into paths (digest, seq) values ($1, $2) on conflict do nothing",
                &[path.as_str().into(), seq.into()],
            )?;
        }
        Ok(())
    }
}

fn cells(slot: &Slot, record: &Record) -> [Cell; 8] {
    let headers = record
        .headers
        .iter()
        .map(|(name, value)| Json::from(vec![Json::text(name.as_str()), Json::text(value.as_str())]))
        .collect::<Vec<_>>();
    let standing = match record.standing {
        Standing::Settled => "settled",
        Standing::InProgress => "in progress",
        Standing::Burnt => "burnt",
    };
    [
        Cell::Text(slot.digest()),
        Cell::Text(record.fingerprint.clone()),
        standing.into(),
        Cell::Text(record.owner.clone()),
        record.since.into(),
        i64::from(record.status).into(),
        Cell::Text(Json::from(headers).to_string()),
        Cell::Text(record.body.clone()),
    ]
}

fn record(row: Vec<Cell>) -> Result<Record, StoreError> {
    let [fingerprint, standing, owner, since, status, headers, body] =
        <[Cell; 7]>::try_from(row).map_err(|_| StoreError::Foreign("a record with other columns".to_owned()))?;
    let standing = match standing.into_text().as_str() {
        "settled" => Standing::Settled,
        "in progress" => Standing::InProgress,
        "burnt" => Standing::Burnt,
        other => return Err(StoreError::Foreign(format!("a record that is `{other}`"))),
    };
    let pairs = parsed(&headers.into_text())?;
    let pair =
        |pair: &Json| Some((pair.as_array()?.first()?.as_str()?.into(), pair.as_array()?.get(1)?.as_str()?.into()));
    Ok(Record {
        fingerprint: fingerprint.into_text(),
        standing,
        owner: owner.into_text(),
        since: since.int(),
        status: u16::try_from(status.int()).unwrap_or_default(),
        headers: pairs.as_array().unwrap_or_default().iter().filter_map(pair).collect(),
        body: body.into_text(),
    })
}

fn stored_row(row: Vec<Cell>) -> Result<StoredRow, StoreError> {
    let [seq, content] =
        <[Cell; 2]>::try_from(row).map_err(|_| StoreError::Foreign("a row with other columns".to_owned()))?;
    Ok(StoredRow { seq: seq.int(), content: parsed(&content.into_text())? })
}

fn parsed(text: &str) -> Result<Json, StoreError> {
    text.parse().map_err(|error| StoreError::Foreign(format!("{error}")))
}
