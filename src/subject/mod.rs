//! The implementation under test, as one subject file describes it. It names hosts, commands and secrets; nothing here
//! connects, starts or prints them.

mod against;
mod load;
mod words;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use indexmap::IndexMap;

use crate::contract::{RequestLine, Speech, Wording};
use crate::json::Json;
use crate::name::{ClientName, CredentialName, EffectName, OperationName, ScopeName};

pub use against::against;
pub use load::{SHAPE, load, time_scale};

/// What is under test.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    /// What people call it; also the name of its reports' folder.
    pub name: String,
    /// The contract that it is judged by.
    pub contract: String,
    /// Where its server is.
    pub server: Server,
    /// The program that is its client, where that is under test.
    pub client: Option<Client>,
    /// Who may call it.
    pub credentials: IndexMap<CredentialName, Credential>,
    /// Observers of its own, for effects that the contract reads otherwise.
    pub observe: IndexMap<EffectName, Observer>,
    /// How to provoke what no call of the contract provokes, by name.
    pub hooks: IndexMap<String, Hook>,
    /// Requests that it wants in other words than the contract's.
    pub operations: BTreeMap<OperationName, Wording>,
    /// A longer wait than the contract's until an effect shows.
    pub settles: Option<Duration>,
    /// Hosts besides loopback that may be called.
    pub allow_hosts: Vec<String>,
    /// The folder of its file, in which its commands run.
    pub folder: PathBuf,
}

/// Where a server is, and how to run it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Server {
    /// Replicas of one service, as `http://HOST:PORT` or `https://HOST:PORT`.
    pub urls: Vec<String>,
    /// The certificates of whoever vouches for it, as a file; those that this machine trusts, where none is named.
    pub ca: Option<PathBuf>,
    /// A command that starts one, with `{port}` in it; then it can be killed and restarted.
    pub start: Option<String>,
    /// Where it is run: the folder of the subject file.
    pub folder: std::path::PathBuf,
    /// Variables for that command.
    pub environment: BTreeMap<String, String>,
    /// A call that answers 2xx when it is ready.
    pub ready: Option<RequestLine>,
    /// A gateway's command, with `{port}` and `{origin}` (host and port) in it.
    pub edge: Option<String>,
}

/// A program that is a client, and how to ask it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Client {
    /// A shell command that does one intent and ends.
    pub run: Option<String>,
    /// A shell command that stays up and does one intent for each line.
    pub stays_up: Option<String>,
    /// Where it is run: the folder of the subject file.
    pub folder: PathBuf,
    /// Which kind of client it is; the contract's first, unless said.
    pub kind: Option<ClientName>,
    /// Operations that it can be asked for; all, unless said.
    pub operations: Vec<OperationName>,
    /// Variables for it.
    pub environment: BTreeMap<String, String>,
    /// Whether it keeps what it was asked to do over its own end.
    pub persists: bool,
    /// Its clock: waits are this share of what the contract says.
    pub time_scale: Option<f64>,
    /// Operations that it asks for in its own words.
    pub speaks: IndexMap<OperationName, Speech>,
}

/// One caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credential {
    /// Where it stands in the key space.
    pub scope: BTreeMap<ScopeName, String>,
    /// What it sends.
    pub headers: Vec<(String, String)>,
}

/// How to read an effect without the contract's read side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Observer {
    /// A query whose one number is the count; `{key}` and `{user}` are bound, not pasted.
    Sql {
        /// `postgres://…`, or a path of a SQLite file.
        database: String,
        /// The query.
        count: String,
    },
    /// Another call of the read side; a template over `{{ key }}` and `{{ user }}`.
    Http(RequestLine, Shown),
    /// A shell command that prints the count; key and user are variables of it.
    Command(String),
}

/// What in the answer of a call shows an effect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shown {
    /// What the contract says.
    ByContract,
    /// What this JSONPath selects; `{key}` and `{user}` are bound, not pasted.
    Rows(String),
    /// The number at this JSONPath.
    Count(String),
}

/// How to provoke something.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Hook {
    /// Headers to send with the attempt.
    pub headers: Vec<(String, String)>,
    /// What is done before the attempt.
    pub before: Option<Deed>,
    /// What is done after it, whatever came of it.
    pub undo: Option<Deed>,
    /// How long each of the two may take; ten seconds, unless said.
    pub within: Option<Duration>,
}

/// Something that is done to a subject besides its requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// A shell command.
    Command(String),
    /// A call, which must be answered 2xx.
    Call {
        /// Method and path.
        request: RequestLine,
        /// Its headers.
        headers: Vec<(String, String)>,
        /// Its body.
        body: Option<Json>,
    },
}

impl Hook {
    /// One that only sends headers, so that it touches nobody else.
    pub fn of_headers(headers: Vec<(String, String)>) -> Self {
        Self { headers, ..Self::default() }
    }

    /// Whether it changes the subject for everybody.
    pub fn is_shared(&self) -> bool {
        self.before.is_some()
    }
}
