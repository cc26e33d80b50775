//! What stays the same while a reference server runs: the contract made ready for serving, the policy and the store. The
//! answers that are nobody's own (`invalid`, `conflict`, …) are made here too. It handles no request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use thiserror::Error;

use crate::contract::{CannedAnswer, Contract, Operation, Outcome, Reference, ReferenceOperation, Write};
use crate::json::Json;
use crate::name::OperationName;
use crate::reference::call::{Answer, Call};
use crate::reference::policy::{Memory, Policy, Throttle};
use crate::reference::route::Routes;
use crate::reference::rows::Paths;
use crate::reference::sound::check_reference;
use crate::reference::store::{End, Keeper, StoreAt, StoreError, Tables};
use crate::reference::template::Names;

/// Why a reference server cannot serve.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The contract says nothing of it.
    #[error("the contract `{0}` has no `reference` section, so it can be judged but not served")]
    NoReference(String),
    /// An operation that can be asked for and not answered.
    #[error("the contract's `reference` section does not say how to keep `{0}`")]
    NotKept(OperationName),
    /// A collection that is used and not declared.
    #[error("the contract's `reference` section uses the collection `{0}`, which `collections` does not name")]
    NoCollection(String),
    /// The store cannot be opened, or an expression of the contract does not work.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The network refused.
    #[error("cannot listen: {0}")]
    Network(#[from] std::io::Error),
}

/// A reference server, ready.
pub struct Setup {
    /// The contract.
    pub contract: Arc<Contract>,
    /// How it is kept.
    pub policy: Policy,
    /// Whether hooks are heeded.
    pub hooks: bool,
    /// This replica, told from the others.
    pub replica: String,
    /// Methods and paths.
    pub routes: Routes,
    /// Ways to rows.
    pub paths: Paths,
    /// The store.
    pub store: Keeper,
    reference: Reference,
    kept: BTreeMap<OperationName, Arc<Kept>>,
}

/// An operation and how it is kept.
pub struct Kept {
    /// What the contract promises.
    pub operation: Operation,
    /// What the server does; none for a batch that needs nothing besides its items.
    pub reference: Option<ReferenceOperation>,
    /// The collections that it reads and writes, in the one order in which they are locked.
    pub touches: Vec<String>,
    /// Whether another operation carries many of it.
    pub has_batch: bool,
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The credential.
    pub credential: String,
    /// Where it stands, in the contract's order of scopes.
    pub scopes: Vec<(String, String)>,
}

impl Caller {
    /// The scope as one text; rows of one scope are not seen from another.
    pub fn scope(&self) -> String {
        scope_text(&self.scopes)
    }
}

/// Scopes as one text.
pub fn scope_text(scopes: &[(String, String)]) -> String {
    Json::object(scopes.iter().map(|(name, value)| (name.as_str(), Json::text(value.as_str())))).to_string()
}

impl Setup {
    /// Makes a contract ready and opens the store; blocks for as long as that takes.
    pub fn new(
        contract: Arc<Contract>,
        policy: Policy,
        hooks: bool,
        store: &StoreAt,
        replica: String,
    ) -> Result<Self, ServeError> {
        let reference = contract.reference.clone().ok_or_else(|| ServeError::NoReference(contract.name.clone()))?;
        check_reference(&reference)?;
        let mut kept = BTreeMap::new();
        for (name, operation) in &contract.operations {
            let own = reference.operations.get(name).cloned();
            if own.is_none() && operation.batch.is_none() {
                return Err(ServeError::NotKept(name.clone()));
            }
            let touches = own.as_ref().map(touches).unwrap_or_default();
            let has_batch = contract.batch_of(name).is_some();
            kept.insert(
                name.clone(),
                Arc::new(Kept { operation: operation.clone(), reference: own, touches, has_batch }),
            );
        }
        let routes = Routes::of(&contract);
        let paths = Paths::of(&reference);
        let store = Keeper::open(store)?;
        Ok(Self { contract, policy, hooks, replica, routes, paths, store, reference, kept })
    }

    /// Puts the rows that are there from the start into every scope that has none yet.
    pub fn seed(&self, tables: &mut Tables) -> Result<(), StoreError> {
        if self.policy.memory == Memory::ForgottenAtStart {
            tables.transaction(|tables| tables.release_all().map(|()| (End::Commit, ())))?;
        }
        let callers = self.reference.credentials.keys().filter_map(|name| self.caller_named(name.as_str()));
        let scopes: BTreeSet<String> = callers.map(|caller| caller.scope()).collect();
        for scope in scopes {
            tables.transaction(|tables| {
                if tables.is_new_scope(&scope)? {
                    for (name, collection) in &self.reference.collections {
                        for row in &collection.rows {
                            self.paths.put(tables, &scope, name, &collection.unique, row)?;
                        }
                    }
                }
                Ok((End::Commit, ()))
            })?;
        }
        Ok(())
    }

    /// An operation and how it is kept.
    pub fn kept(&self, name: &OperationName) -> Option<&Arc<Kept>> {
        self.kept.get(name)
    }

    /// The members that identify a row of a collection.
    pub fn unique(&self, collection: &str) -> &[String] {
        self.reference.collections.get(collection).map(|collection| collection.unique.as_slice()).unwrap_or_default()
    }

    /// Who sent a request; none if nobody known did.
    pub fn caller(&self, call: &Call) -> Option<Caller> {
        let (name, _) = self.reference.credentials.iter().find(|(_, credential)| {
            credential.headers.iter().all(|(name, value)| call.header(name) == Some(value.as_str()))
        })?;
        self.caller_named(name.as_str())
    }

    fn caller_named(&self, name: &str) -> Option<Caller> {
        let credential = self.reference.credentials.get(name)?;
        let scope = |scope: &crate::name::ScopeName| {
            credential.scope.get(scope).map(|value| (scope.as_str().to_owned(), value.clone()))
        };
        Some(Caller { credential: name.to_owned(), scopes: self.contract.scopes.iter().filter_map(scope).collect() })
    }

    /// One of the contract's answers that are not an operation's own.
    pub fn error(&self, error: CommonError<'_>) -> Answer {
        let (word, status, outcome, problem) = error.parts();
        let mut names = Names::default();
        names.set("problem", Json::text(problem));
        let general = (word == "wrong field").then_some("invalid");
        let Some(canned) = self.reference.errors.get(word).or_else(|| self.reference.errors.get(general?)) else {
            return Answer::new(status, Vec::new(), Json::object([("error", Json::text(word))]), outcome);
        };
        let body = names.fill(&canned.body).unwrap_or_else(|_| canned.body.clone());
        Answer::new(canned.status, self.throttled(outcome, canned), body, outcome)
    }

    /// The contract's answer with this status, or a bare one.
    pub fn error_with_status(&self, status: u16) -> Answer {
        let outcome = match status {
            429 => Outcome::RateLimited,
            500.. => Outcome::Unknown,
            _ => Outcome::Refused,
        };
        let text = format!("a test hook asked for {status}");
        let Some(canned) = self.reference.errors.values().find(|canned| canned.status == status) else {
            return Answer::new(status, Vec::new(), Json::object([("error", Json::text(text))]), outcome);
        };
        let mut names = Names::default();
        names.set("problem", Json::text(text));
        let body = names.fill(&canned.body).unwrap_or_else(|_| canned.body.clone());
        Answer::new(status, self.throttled(outcome, canned), body, outcome)
    }

    fn throttled(&self, outcome: Outcome, canned: &CannedAnswer) -> Vec<(String, String)> {
        match self.policy.throttle {
            Throttle::Silent if outcome == Outcome::RateLimited => Vec::new(),
            Throttle::Silent | Throttle::SaysWhen => canned.headers.clone(),
        }
    }
}

/// An answer that is not an operation's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommonError<'a> {
    /// No credential, or an unknown one.
    Unauthorized,
    /// The request is wrong, and why.
    Invalid(&'a str),
    /// A member is wrong, and why; a contract may tell this from a request that cannot be read.
    WrongField(&'a str),
    /// Nothing is there.
    NoSuchPath,
    /// Something is there, for another method.
    WrongMethod,
    /// The key belongs to another request.
    Conflict,
    /// The key's request is not done.
    InProgress,
    /// Something broke, and what.
    Failed(&'a str),
}

impl<'a> CommonError<'a> {
    /// The word in contract files, the usual status, what it amounts to, and the problem.
    fn parts(self) -> (&'static str, u16, Outcome, &'a str) {
        match self {
            CommonError::Unauthorized => ("unauthorized", 401, Outcome::Refused, "a known credential is required"),
            CommonError::Invalid(problem) => ("invalid", 400, Outcome::Refused, problem),
            CommonError::WrongField(problem) => ("wrong field", 400, Outcome::Refused, problem),
            CommonError::NoSuchPath => ("no such path", 404, Outcome::Refused, "there is nothing here"),
            CommonError::WrongMethod => ("wrong method", 405, Outcome::Refused, "this path takes another method"),
            CommonError::Conflict => ("conflict", 409, Outcome::Conflict, "the key belongs to another request"),
            CommonError::InProgress => ("in progress", 409, Outcome::InProgress, "the same key is being worked on"),
            CommonError::Failed(problem) => ("failed", 500, Outcome::Unknown, problem),
        }
    }
}

fn touches(operation: &ReferenceOperation) -> Vec<String> {
    let found = operation.find.values().map(|lookup| &lookup.collection);
    let written = operation.all_writes().map(|write| match write {
        Write::Put { collection, .. } | Write::Change { collection, .. } => collection,
    });
    found.chain(written).cloned().collect::<BTreeSet<_>>().into_iter().collect()
}
