//! A requirement: one testable sentence of a contract, and how far it binds. It holds no verdict.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::name::{ClientName, RequirementId};

/// One testable sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// Its id, as reports cite it.
    pub id: RequirementId,
    /// How far it binds.
    pub level: Level,
    /// Whether its source says it, or it follows.
    pub grade: Grade,
    /// Who has to keep it.
    pub side: Side,
    /// The kinds of client that have to keep it; all of them, when none is named.
    pub clients: Vec<ClientName>,
    /// Where the source says it.
    pub source: String,
    /// The sentence.
    pub says: String,
    /// Where the source leaves two readings open: what both are, and what is done about it.
    pub note: Option<String>,
    /// Which claims prove it; empty only with `not_judged`.
    pub proofs: Vec<Proof>,
    /// Why no claim of this version can prove it, if none can.
    pub not_judged: Option<String>,
}

/// Which claims, on which operations, in which scenarios and cells, prove a requirement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The claim's name.
    pub claim: String,
    /// Operations; empty means any.
    pub operations: Vec<String>,
    /// A glob over scenario paths; none means any.
    pub scenario: Option<String>,
    /// Cells: axis and the values of it that count.
    pub cells: Vec<(String, Vec<String>)>,
}

/// How far a requirement binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Only reported: the source is silent.
    Probe,
    /// Allowed.
    May,
    /// Advised; broken, it warns.
    Should,
    /// Binding; broken, it fails.
    Must,
}

/// Whether the source says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Grade {
    /// The source is silent.
    Probe,
    /// It follows from what the source says.
    Derived,
    /// The source says so.
    Stated,
}

/// Who has to keep a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The API's server.
    Server,
    /// A caller of the API, or an SDK.
    Client,
    /// A webhook sender.
    Sender,
    /// A webhook receiver.
    Receiver,
}

macro_rules! words {
    ($type:ident { $($variant:ident = $word:literal),* }) => {
        impl $type {
            /// Every word, in order.
            pub const WORDS: &'static [&'static str] = &[$($word),*];

            /// The value that a word names.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }

            /// The word for it.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words!(Level { Must = "must", Should = "should", May = "may", Probe = "probe" });
words!(Grade { Stated = "stated", Derived = "derived", Probe = "probe" });
words!(Side { Server = "server", Client = "client", Sender = "sender", Receiver = "receiver" });
