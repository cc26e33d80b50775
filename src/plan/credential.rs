//! What a subject can do, as far as the plan depends on it, and which of its credentials an intent uses. It holds scopes
//! and names, never a secret.

use std::collections::BTreeMap;
use std::fmt;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::contract::{Speech, Wording};
use crate::name::{ClientName, CredentialName, OperationName, ScopeName};
use crate::requirement::{Requirement, Side};
use crate::subject::Subject;

/// What a subject can do; written into histories, so that they can be judged without the subject.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Abilities {
    /// Host and port that requests name.
    pub host: String,
    /// Its credentials; the first is the default.
    pub credentials: Vec<AbleCredential>,
    /// How many replicas it has.
    pub replicas: u32,
    /// Whether its process can be ended and started again.
    pub restarts: bool,
    /// Whether there is a gateway that can be put in front of it.
    pub edge: bool,
    /// The hooks that it has.
    pub hooks: Vec<String>,
    /// Requests that it wants in other words than the contract's.
    #[serde(default)]
    pub operations: BTreeMap<OperationName, Wording>,
    /// What the client under test is and can do, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<AbleClient>,
}

/// What a client under test is and can do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AbleClient {
    /// Which kind of client it is.
    pub kind: ClientName,
    /// Whether the server that it meets is under test as well.
    pub both: bool,
    /// Whether it keeps what it was asked to do over its own end.
    pub persists: bool,
    /// Operations that it can be asked for; all of them, when none is named.
    pub operations: Vec<OperationName>,
    /// Its clock: waits are this share of what the contract says.
    pub time_scale: f64,
    /// Operations that it asks for in its own words.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub speaks: IndexMap<OperationName, Speech>,
}

impl AbleClient {
    /// A client of this kind that does everything by the contract's words and on the clock, and forgets at its end.
    pub fn plain(kind: ClientName) -> Self {
        Self { kind, both: false, persists: false, operations: Vec::new(), time_scale: 1.0, speaks: IndexMap::new() }
    }
}

/// Whether a run judges a requirement: that of a server, of this kind of client, or of both.
pub fn is_judged(requirement: &Requirement, client: Option<&AbleClient>) -> bool {
    match (requirement.side, client) {
        (Side::Client, Some(client)) => requirement.clients.is_empty() || requirement.clients.contains(&client.kind),
        (Side::Server, Some(client)) => client.both,
        (Side::Server, None) => true,
        (Side::Client, None) | (Side::Sender | Side::Receiver, _) => false,
    }
}

/// One credential, without its secret.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbleCredential {
    /// Its name.
    pub name: CredentialName,
    /// Where it stands in the key space.
    pub scope: BTreeMap<ScopeName, String>,
}

/// Who sends a request.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CredentialUse {
    /// One of the subject's.
    Named(CredentialName),
    /// Nobody.
    Nobody,
    /// Somebody whom the subject does not know.
    Stranger,
}

impl fmt::Display for CredentialUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CredentialUse::Named(name) => f.pad(name.as_str()),
            CredentialUse::Nobody => f.pad("nobody"),
            CredentialUse::Stranger => f.pad("a stranger"),
        }
    }
}

impl Abilities {
    /// Of a subject whose first URL is `host`.
    pub fn of(subject: &Subject, host: &str, replicas: usize) -> Self {
        Self {
            host: host.to_owned(),
            credentials: subject
                .credentials
                .iter()
                .map(|(name, credential)| AbleCredential { name: name.clone(), scope: credential.scope.clone() })
                .collect(),
            replicas: u32::try_from(replicas).unwrap_or(u32::MAX),
            restarts: subject.server.start.is_some(),
            edge: subject.server.edge.is_some(),
            hooks: subject.hooks.keys().cloned().collect(),
            operations: subject.operations.clone(),
            client: None,
        }
    }

    /// Where a credential stands in the key space; for nobody, where the first one does.
    pub fn scope_of(&self, who: &CredentialUse) -> BTreeMap<ScopeName, String> {
        let named =
            self.credentials.iter().find(|known| matches!(who, CredentialUse::Named(name) if *name == known.name));
        named.or(self.credentials.first()).map(|known| known.scope.clone()).unwrap_or_default()
    }

    /// The credential that a scenario's word means, and its scope; the error says what the subject lacks.
    pub fn resolve(&self, word: Option<&str>) -> Result<(CredentialUse, BTreeMap<ScopeName, String>), String> {
        let first = self.credentials.first().ok_or_else(|| "credential".to_owned())?;
        let named = |found: &AbleCredential| (CredentialUse::Named(found.name.clone()), found.scope.clone());
        let same_but = |dimension: &str, candidate: &AbleCredential| {
            candidate.scope.iter().all(|(name, value)| {
                let same = first.scope.get(name) == Some(value);
                if name.as_str() == dimension { !same } else { same }
            }) && candidate.scope.keys().any(|name| name.as_str() == dimension)
        };
        match word {
            None => Ok(named(first)),
            Some("none") => Ok((CredentialUse::Nobody, BTreeMap::new())),
            Some("unknown") => Ok((CredentialUse::Stranger, BTreeMap::new())),
            Some("again") => self.credentials[1..]
                .iter()
                .find(|candidate| candidate.scope == first.scope)
                .map(named)
                .ok_or_else(|| format!("second credential of {}", scope_text(&first.scope))),
            Some(word) => match word.strip_prefix("other ") {
                Some(dimension) => self
                    .credentials
                    .iter()
                    .find(|candidate| same_but(dimension, candidate))
                    .map(named)
                    .ok_or_else(|| format!("credential of another {dimension}")),
                None => self
                    .credentials
                    .iter()
                    .find(|candidate| candidate.name.as_str() == word)
                    .map(named)
                    .ok_or_else(|| format!("credential `{word}`")),
            },
        }
    }
}

fn scope_text(scope: &BTreeMap<ScopeName, String>) -> String {
    let parts: Vec<String> = scope.iter().map(|(name, value)| format!("{name} {value}")).collect();
    parts.join(", ")
}
