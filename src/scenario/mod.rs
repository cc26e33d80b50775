//! A scenario as written: what is wanted, what each attempt meets, which claims must then hold. It names no API; it is
//! crossed with contracts by the plan.

mod claim;
mod key_shape;
mod load;

use indexmap::IndexMap;

use crate::file::Span;
use crate::name::{AxisName, IntentName, OperationName, ScenarioPath};
use crate::requirement::Side;

pub use claim::Claim;
pub use key_shape::KeyShape;
pub use load::{SHAPE, load};

/// One scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its path below the scenarios folder, without ending: its name and its selector.
    pub path: ScenarioPath,
    /// One sentence.
    pub title: String,
    /// Why it matters.
    pub because: String,
    /// What a contract must declare for it to apply.
    pub needs: Vec<Need>,
    /// What is wanted.
    pub given: IndexMap<IntentName, IntentDecl>,
    /// What happens, in order.
    pub when: Vec<StepDecl>,
    /// What varies.
    pub axes: IndexMap<AxisName, AxisDecl>,
    /// Whose claims they are.
    pub side: Side,
    /// What must then hold.
    pub claims: Vec<ClaimDecl>,
    /// What must hold besides about the server, where a client under test met one under test.
    pub both: Vec<ClaimDecl>,
}

impl Scenario {
    /// One plain intent for each of these operations, sent once with nothing in its way, and nothing claimed: for trying
    /// whether a subject can be worked with.
    pub fn plain<'n>(path: &str, side: Side, operations: impl IntoIterator<Item = &'n OperationName>) -> Self {
        let slot = |text: &str| Slot { text: text.to_owned(), span: Span::default() };
        let mut plain = Self {
            path: path.into(),
            title: "one plain intent for each operation".to_owned(),
            because: String::new(),
            needs: Vec::new(),
            given: IndexMap::new(),
            when: Vec::new(),
            axes: IndexMap::new(),
            side,
            claims: Vec::new(),
            both: Vec::new(),
        };
        for operation in operations {
            let name = operation.as_str();
            let intent = IntentDecl {
                span: Span::default(),
                operation: Some(slot(name)),
                same_as: None,
                same_key_as: None,
                key: None,
                change: None,
                variant: None,
                defect: None,
                open: None,
                spelled: None,
                credential: None,
                items: Vec::new(),
                configured: false,
                slow: false,
            };
            plain.given.insert(name.into(), intent);
            let what = StepKind::Send {
                intent: slot(name),
                meets: vec![slot("clear")],
                times: None,
                other_replica: false,
                behind_edge: false,
                thereafter: None,
            };
            plain.when.push(StepDecl { span: Span::default(), what });
        }
        plain
    }
}

/// Text that may be `$axis` until it is planned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// As written.
    pub text: String,
    /// Where.
    pub span: Span,
}

impl Slot {
    /// The axis that it names, if it is one.
    pub fn axis(&self) -> Option<&str> {
        self.text.strip_prefix('$')
    }
}

/// What a contract must declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// An operation whose first answer is brought back.
    StoredReplay,
    /// An answer to a conflict.
    Conflict,
    /// An answer while another copy is being done.
    InProgress,
    /// A batch.
    Batch,
    /// At least one scope dimension.
    Scopes,
}

impl Need {
    /// The words that scenario files use.
    pub const WORDS: &'static [&'static str] = &["stored replay", "conflict", "in progress", "batch", "scopes"];

    /// The need that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "stored replay" => Need::StoredReplay,
            "conflict" => Need::Conflict,
            "in progress" => Need::InProgress,
            "batch" => Need::Batch,
            "scopes" => Need::Scopes,
            _ => return None,
        })
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Need::StoredReplay => "stored replay",
            Need::Conflict => "conflict",
            Need::InProgress => "in progress",
            Need::Batch => "batch",
            Need::Scopes => "scopes",
        }
    }
}

/// One thing wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct IntentDecl {
    /// Where its name stands.
    pub span: Span,
    /// The operation; for `same as` that of the other one, unless given.
    pub operation: Option<Slot>,
    /// The intent whose key, user and content it repeats.
    pub same_as: Option<Slot>,
    /// The intent whose key it uses for content of its own.
    pub same_key_as: Option<Slot>,
    /// The kind of key; a fresh one by default.
    pub key: Option<Slot>,
    /// A declared way to ask that is as good as the plain one.
    pub variant: Option<Slot>,
    /// A declared change of the content that must count.
    pub change: Option<Slot>,
    /// A declared way to be refused.
    pub defect: Option<Slot>,
    /// A declared difference whose meaning the source leaves open.
    pub open: Option<Slot>,
    /// How the same content is written.
    pub spelled: Option<Slot>,
    /// Who sends it.
    pub credential: Option<Slot>,
    /// For batches: the intents that are its items, in order; `operation` is then that of the items.
    pub items: Vec<Slot>,
    /// Made in a configuration of its own, so that `reconfigure` touches nobody else.
    pub configured: bool,
    /// It takes long to be worked on, by a hook of the subject.
    pub slow: bool,
}

/// One step.
#[derive(Clone, Debug, PartialEq)]
pub struct StepDecl {
    /// Where it stands.
    pub span: Span,
    /// What is done.
    pub what: StepKind,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepKind {
    /// Attempts, one after the other.
    Send {
        /// Of what.
        intent: Slot,
        /// What each meets, one attempt for each.
        meets: Vec<Slot>,
        /// How often the whole list is gone through.
        times: Option<Slot>,
        /// To the other replica.
        other_replica: bool,
        /// Through the gateway, with the fault behind it.
        behind_edge: bool,
        /// What every later attempt of a client under test meets; clear, unless said.
        thereafter: Option<Slot>,
    },
    /// Attempts at the same time.
    AtOnce {
        /// Of what.
        intents: Vec<Slot>,
        /// How many of each.
        copies: Option<Slot>,
        /// Each is shown to the origin while those before it are at work there.
        in_turn: bool,
    },
    /// The subject's processes are stopped in order (`stop`) or killed (`kill`), and started again.
    Restart {
        /// `stop` or `kill`.
        how: Slot,
    },
    /// The effects are read, under a name for the point.
    Observe {
        /// The point's name.
        point: String,
    },
    /// The configuration of an intent is changed, as its contract says.
    Reconfigure {
        /// The intent.
        intent: Slot,
    },
}

/// One axis.
#[derive(Clone, Debug, PartialEq)]
pub struct AxisDecl {
    /// Where its name stands.
    pub span: Span,
    /// Its values.
    pub values: AxisValues,
}

/// The values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum AxisValues {
    /// Written out.
    Listed(Vec<Slot>),
    /// A phrase that the contract fills: `every keyed operation`.
    Phrase(Slot),
}

/// The phrases that an axis may be.
pub const PHRASES: &[&str] = &[
    "every operation",
    "every keyed operation",
    "every replaying operation",
    "every operation that requires its key",
    "every replaying operation that does without a key",
    "every acknowledging operation that does without a key",
    "every acknowledging operation",
    "every conflicting operation",
    "every natural operation",
    "every batched operation",
    "every reconfigurable operation",
    "every operation with a safe retry",
    "every change",
    "every variant",
    "every defect",
    "every stated defect",
    "every other scope",
    "every open difference",
    "every loss of the matrix",
    "every operation told to stop",
    "every operation told to retry",
    "every operation told to retry after",
    "every operation told to retry once",
    "every operation told to serve the fallback",
    "every repeated operation",
    "every stop of the matrix",
    "every failure that passes",
];

/// One claim as written.
#[derive(Clone, Debug, PartialEq)]
pub struct ClaimDecl {
    /// Which.
    pub claim: Claim,
    /// On which intents.
    pub on: Vec<Slot>,
    /// Where.
    pub span: Span,
}
