//! The store's threads: a job is one closure over the tables, so that whoever serves never waits for a database and a
//! whole handler can be one transaction. It runs jobs in turn and knows nothing of what they do.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use thiserror::Error;
use tokio::sync::oneshot;

use crate::reference::store::sql::Sql;
use crate::reference::store::sqlite::Sqlite;
use crate::reference::store::tables::Tables;

/// Where a reference server keeps what it knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreAt {
    /// Nowhere: it forgets when it stops.
    Memory,
    /// In an SQLite file, which several replicas may share.
    File(PathBuf),
    /// In a PostgreSQL database, by URL; several replicas may share it.
    Postgres(String),
}

/// Why the store did not do its work.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StoreError {
    /// The database refused.
    #[error("the store refused: {0}")]
    Database(String),
    /// Its thread could not be started.
    #[error("the store's thread could not be started: {0}")]
    Thread(String),
    /// Its thread has ended.
    #[error("the store has been closed")]
    Closed,
    /// What is stored cannot be read.
    #[error("the store holds something that is not ours: {0}; name another store")]
    Foreign(String),
    /// A template of the contract does not work.
    #[error("{0}")]
    Template(String),
    /// Built without it.
    #[error("this build has no PostgreSQL store; build with `--features postgres` or name a file")]
    NoPostgres,
}

/// How a transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// What it did is kept.
    Commit,
    /// What it did is forgotten.
    Rollback,
}

type Job = Box<dyn FnOnce(&mut Tables) + Send>;

/// The store, open.
pub struct Keeper {
    jobs: Mutex<Option<Sender<Job>>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Keeper {
    /// Opens the store; blocks for as long as that takes.
    pub fn open(at: &StoreAt) -> Result<Self, StoreError> {
        // A writer that waits must not keep the one that it waits for from its thread; SQLite has one writer anyway.
        let workers = match at {
            StoreAt::Memory | StoreAt::File(_) => 1,
            StoreAt::Postgres(_) => 4,
        };
        let (jobs, waiting) = channel::<Job>();
        let waiting = Arc::new(Mutex::new(waiting));
        let mut threads = Vec::new();
        for worker in 0..workers {
            let mut tables = Tables::new(connection(at)?);
            let waiting = Arc::clone(&waiting);
            let thread = thread::Builder::new()
                .name(format!("store-{worker}"))
                .spawn(move || {
                    while let Some(job) = next(&waiting) {
                        job(&mut tables);
                    }
                })
                .map_err(|error| StoreError::Thread(error.to_string()))?;
            threads.push(thread);
        }
        Ok(Self { jobs: Mutex::new(Some(jobs)), threads: Mutex::new(threads) })
    }

    /// Runs a job on a thread of the store. The job runs to its end even if nobody waits for it any more.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Tables) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (done, result) = oneshot::channel();
        let job: Job = Box::new(move |tables| {
            let outcome = job(tables);
            // Whoever asked may have left; the work is done all the same.
            drop(done.send(outcome));
        });
        match &*self.jobs.lock().unwrap_or_else(PoisonError::into_inner) {
            Some(jobs) => jobs.send(job).map_err(|_| StoreError::Closed)?,
            None => return Err(StoreError::Closed),
        }
        result.await.map_err(|_| StoreError::Closed)?
    }

    /// Lets the jobs that wait run, then closes; blocks until then.
    pub fn close(&self) {
        drop(self.jobs.lock().unwrap_or_else(PoisonError::into_inner).take());
        let threads = std::mem::take(&mut *self.threads.lock().unwrap_or_else(PoisonError::into_inner));
        for thread in threads {
            // Whoever waited for a job that panicked has been told that the store is closed.
            drop(thread.join());
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.close();
    }
}

fn next(waiting: &Mutex<Receiver<Job>>) -> Option<Job> {
    waiting.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
}

fn connection(at: &StoreAt) -> Result<Box<dyn Sql>, StoreError> {
    match at {
        StoreAt::Memory => Ok(Box::new(Sqlite::open(None)?)),
        StoreAt::File(path) => Ok(Box::new(Sqlite::open(Some(path))?)),
        #[cfg(feature = "postgres")]
        StoreAt::Postgres(url) => Ok(Box::new(crate::reference::store::postgres::Postgres::open(url)?)),
        #[cfg(not(feature = "postgres"))]
        StoreAt::Postgres(_) => Err(StoreError::NoPostgres),
    }
}
