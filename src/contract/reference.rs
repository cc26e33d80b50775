//! How the reference server keeps a contract: the small part of a contract file that is not judged, only served. Data
//! only; expressions are text in the template language and are evaluated by the server.

use std::collections::BTreeMap;
use std::time::Duration;

use indexmap::IndexMap;

use crate::contract::answers::Outcome;
use crate::contract::operation::RequestLine;
use crate::json::{Json, Pointer};
use crate::name::{CredentialName, OperationName, ScopeName};

/// How the reference server keeps a contract.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Reference {
    /// Who may call, by what headers, and as whom.
    pub credentials: IndexMap<CredentialName, ReferenceCredential>,
    /// What it keeps, and what is there from the start. Rows live in the scope of the credential.
    pub collections: IndexMap<String, Collection>,
    /// What each operation checks, does and answers. Batches need no entry: they are made of their items.
    pub operations: IndexMap<OperationName, ReferenceOperation>,
    /// The read side.
    pub reads: Vec<ReadRoute>,
    /// Answers that are not an operation's own: `unauthorized`, `forbidden`, `invalid`, `no such path`, `wrong method`,
    /// `wrong field`, `conflict`, `in progress`, `rate limited`, `failed`.
    pub errors: IndexMap<String, CannedAnswer>,
    /// The gateway in front of it.
    pub edge: Option<Edge>,
    /// Saboteurs that break nothing that this contract promises, by name, and why.
    pub lets_pass: IndexMap<String, String>,
}

/// One caller.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceCredential {
    /// The headers that it sends.
    pub headers: Vec<(String, String)>,
    /// Where it stands in the key space.
    pub scope: BTreeMap<ScopeName, String>,
}

/// Rows of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Collection {
    /// Members that identify a row, if the server does not number them.
    pub unique: Vec<String>,
    /// Rows that are there from the start, in every scope.
    pub rows: Vec<Json>,
}

/// What an operation checks, does and answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ReferenceOperation {
    /// Members of the body and their types; others are allowed.
    pub body: IndexMap<String, Type>,
    /// Rows looked up before anything is done, by the name that expressions use.
    pub find: IndexMap<String, Lookup>,
    /// Checked in order after the lookups; the first expression that is true answers.
    pub refuse: Vec<Constraint>,
    /// What is written, in order.
    pub writes: Vec<Write>,
    /// The answer to a fresh request; string leaves that are one whole `{{ … }}` become the value itself.
    pub answer: CannedAnswer,
    /// The answer to a duplicate, before its marker, where it is not the first answer again.
    pub duplicate: Option<CannedAnswer>,
    /// What is written when a duplicate is answered, in order; the names of a fresh request are known here, too.
    pub repeat_writes: Vec<Write>,
    /// Members that the answer to an item of a batch has besides.
    pub item: Json,
}

/// A row looked up.
#[derive(Clone, Debug, PartialEq)]
pub struct Lookup {
    /// Where.
    pub collection: String,
    /// Members that must match (expressions).
    pub matching: BTreeMap<String, String>,
}

/// An answer as served; string leaves are templates.
#[derive(Clone, Debug, PartialEq)]
pub struct CannedAnswer {
    /// The status.
    pub status: u16,
    /// Headers besides `Content-Type` and `Content-Length`.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Json,
}

/// A type of a member, and whether it must be there. Written `text`, or `text?` where it may be absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Type {
    /// What it is.
    pub is: TypeName,
    /// Whether it must be there.
    pub required: bool,
}

/// A type of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeName {
    /// A string without a lone surrogate.
    Text,
    /// A number.
    Number,
    /// `true` or `false`.
    Flag,
    /// An object.
    Object,
    /// An array.
    List,
    /// An array of strings.
    ListOfText,
    /// The operation's key: its rule says what it may be, and `null` is none.
    Key,
    /// Anything.
    Any,
}

/// When this, then that answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// An expression.
    pub when: String,
    /// The outcome that it is, for stores that keep some refusals.
    pub outcome: Outcome,
    /// The answer.
    pub answer: CannedAnswer,
}

/// One write.
#[derive(Clone, Debug, PartialEq)]
pub enum Write {
    /// A new row. A row with the same unique members is replaced.
    Put {
        /// Where.
        collection: String,
        /// Its members; string leaves that are one whole `{{ … }}` become the value itself.
        row: Json,
        /// Not when this expression is true.
        unless: Option<String>,
    },
    /// A change of rows that are there.
    Change {
        /// Where.
        collection: String,
        /// Members that a row must have (expressions).
        matching: BTreeMap<String, String>,
        /// Members that are set.
        set: Json,
    },
}

/// A call of the read side.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadRoute {
    /// The call. `{name}` in the path binds a segment.
    pub request: RequestLine,
    /// The collection.
    pub collection: String,
    /// Members of a row, and the query parameter or path segment that each must equal.
    pub by: BTreeMap<String, String>,
    /// Where the rows go in the answer; none: the one row is the answer, and none found is `no such path`.
    pub rows: Option<Pointer>,
    /// Where the number of the rows goes in the answer, in place of the rows.
    pub count: Option<Pointer>,
    /// Members of a row that are not shown.
    pub hide: Vec<String>,
    /// How late it shows a row, if it does not show it at once.
    pub late: Option<Late>,
}

/// How late a row is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Late {
    /// By how much.
    pub by: Duration,
    /// The member of a row that holds the time from which this counts.
    pub since: String,
}

/// The gateway.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// What it answers when its origin breaks off: status, and the body for each operation (`any` for others).
    pub broken: IndexMap<String, CannedAnswer>,
}

impl Reference {
    /// How late it shows what was done: as long has to be waited for an effect of it, and no longer.
    pub fn shows_after(&self) -> Duration {
        self.reads.iter().filter_map(|read| read.late.as_ref()).map(|late| late.by).max().unwrap_or_default()
    }
}

impl ReferenceOperation {
    /// Every write that it may make.
    pub fn all_writes(&self) -> impl Iterator<Item = &Write> {
        self.writes.iter().chain(&self.repeat_writes)
    }
}
