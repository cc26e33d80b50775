//! The implementation under test, as one subject file describes it. It names hosts, commands and secrets; nothing here
//! connects, starts or prints them.

mod against;
mod load;

use std::collections::BTreeMap;
use std::time::Duration;

use indexmap::IndexMap;

use crate::contract::{RequestLine, Speech};
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
    /// Paths that differ from the contract's.
    pub paths: IndexMap<OperationName, String>,
    /// A longer wait than the contract's until an effect shows.
    pub settles: Option<Duration>,
    /// Hosts besides loopback that may be called.
    pub allow_hosts: Vec<String>,
}

/// Where a server is, and how to run it.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Server {
    /// Replicas of one service, as `http://HOST:PORT`.
    pub urls: Vec<String>,
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
    pub folder: std::path::PathBuf,
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
    /// Another call of the read side; a template like the contract's.
    Http(RequestLine),
}

/// How to provoke something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hook {
    /// Headers to send with the attempt.
    Headers(Vec<(String, String)>),
}
