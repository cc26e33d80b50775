//! An operation: how it is asked for, what it does, how its answers are named and what its retries are safe by. The
//! contract as a whole stands here too. Data only.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use crate::contract::answers::{AnswerRule, Outcome, StatusSet};
use crate::contract::client::ClientRules;
use crate::contract::effect::Effect;
use crate::contract::key::{KeyPlace, KeyRule};
use crate::contract::reference::Reference;
use crate::contract::retry::RetryRow;
use crate::json::{Json, Pointer};
use crate::message::{Request, Response};
use crate::name::{ClientName, EffectName, OperationName, RequirementId, ScopeName};
use crate::requirement::Requirement;

/// What an API promises.
#[derive(Clone, Debug, PartialEq)]
pub struct Contract {
    /// Its name, as subject files and the command line say it.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// The dimensions of the key space.
    pub scopes: Vec<ScopeName>,
    /// What it can be asked to do.
    pub operations: IndexMap<OperationName, Operation>,
    /// What it durably does.
    pub effects: IndexMap<EffectName, Effect>,
    /// The retry matrix, row by row.
    pub retry: Vec<RetryRow>,
    /// The kinds of client that it has rules for; the first is the default.
    pub clients: IndexMap<ClientName, ClientRules>,
    /// What is judged.
    pub requirements: IndexMap<RequirementId, Requirement>,
    /// How the reference server keeps it.
    pub reference: Option<Reference>,
}

/// One thing an API can be asked to do.
#[derive(Clone, Debug, PartialEq)]
pub struct Operation {
    /// Its name.
    pub name: OperationName,
    /// How it is asked for.
    pub request: RequestLine,
    /// Headers of its own; `Content-Type: application/json` comes without saying when there is a body.
    pub headers: Vec<(String, String)>,
    /// The body of a plain request; a template over the intent. None: no body.
    pub body: Option<Json>,
    /// What it durably does; none: nothing that can be read.
    pub effect: Option<EffectName>,
    /// What shows its repeats, marked as such; none: the read side does not tell them.
    pub repeats: Option<EffectName>,
    /// What identifies what was done, in an answer.
    pub identity: Option<Pointer>,
    /// What tells a replay in its answer, apart from the replayed answer itself.
    pub marker: Option<(Pointer, Json)>,
    /// What makes a retry safe.
    pub safety: Safety,
    /// How its answers are named; the first that fits.
    pub answers: Vec<AnswerRule>,
    /// Outcomes that are stored under the key; every other one leaves it free.
    pub stored: Vec<Outcome>,
    /// Ways to ask for something else that is still valid, by name: `field changed`, …
    pub changes: IndexMap<String, Edit>,
    /// Other ways to ask that are as good as the plain one, by name.
    pub variants: IndexMap<String, Edit>,
    /// Ways to be refused, by name: `400`, …
    pub defects: IndexMap<String, Edit>,
    /// Requests whose sameness the source leaves open, by name; only reported.
    pub open: IndexMap<String, Edit>,
    /// How to change what a new request would be answered.
    pub reconfigure: Option<Reconfiguration>,
    /// Set where it carries many items of another operation.
    pub batch: Option<Batch>,
    /// Text that a 502 in front of it must say: the safe retry.
    pub safe_retry: Option<String>,
    /// The success that a client needs to see, where that is its own.
    pub success: Option<(u16, Json)>,
    /// The body of a refusal, as the client under test needs to see it.
    pub refusal: Option<Json>,
    /// Whether the client under test carries no key in it, wherever others would.
    pub keyless: bool,
}

/// Method and target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestLine {
    /// `POST`, …
    pub method: String,
    /// Path and query; may be a template.
    pub target: String,
}

/// What makes a retry safe.
#[derive(Clone, Debug, PartialEq)]
pub enum Safety {
    /// Asking twice is the same as asking once.
    Natural,
    /// A key.
    ByKey(KeyRule),
    /// Nothing.
    Unsafe,
}

/// A change to a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Edit {
    /// Places of the body and their new values; templates over the intent.
    pub set: BTreeMap<Pointer, Json>,
    /// Places of the body that go.
    pub remove: Vec<Pointer>,
    /// Another method.
    pub method: Option<String>,
    /// Another target.
    pub target: Option<String>,
    /// Text to send instead of a body.
    pub raw: Option<String>,
    /// Headers to send besides.
    pub headers: Vec<(String, String)>,
    /// `none`: without a credential; else a word that the subject resolves.
    pub credential: Option<String>,
    /// A hook of the subject that must be armed for it, by name; without that hook it can't be provoked.
    pub hook: Option<String>,
    /// What the answer must then be, for defects: an outcome, and a status where it is one certain status.
    pub outcome: Option<Outcome>,
    /// See `outcome`.
    pub status: Option<u16>,
    /// Whether the source says that it is answered so, so that this is judged by itself.
    pub stated: bool,
}

/// How to change what a new request would be answered.
#[derive(Clone, Debug, PartialEq)]
pub struct Reconfiguration {
    /// Places of the body that differ, so that nobody else's case is touched.
    pub set: BTreeMap<Pointer, Json>,
    /// Operations sent before the first attempt.
    pub before: Vec<OperationName>,
    /// Operations sent to change the configuration.
    pub change: Vec<OperationName>,
}

/// How an operation carries many items of another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Batch {
    /// The operation of one item.
    pub of: OperationName,
    /// Where the items go.
    pub items: Pointer,
    /// Where their answers stand, in the order sent.
    pub results: Pointer,
    /// How an item's answer is named; the first that fits.
    pub item_answers: Vec<AnswerRule>,
    /// Members of an item's answer that a single answer does not have.
    pub envelope: Vec<Pointer>,
    /// Counters.
    pub counts: Vec<Counter>,
}

/// A counter in a batch answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    /// What it counts.
    pub outcome: Outcome,
    /// Where it stands.
    pub at: Pointer,
    /// Whether it may be left out when it is zero.
    pub absent_means_zero: bool,
}

impl Operation {
    /// What an answer amounts to; none: nothing that the contract names.
    pub fn outcome(&self, answer: &Response) -> Option<Outcome> {
        self.answers.iter().find(|rule| rule.fits(answer)).map(|rule| rule.outcome)
    }

    /// An answer of this outcome, with this status where one is wanted.
    pub fn example(&self, outcome: Outcome, status: Option<u16>) -> Option<(u16, Json)> {
        if let (true, Some((own, body))) = (outcome == Outcome::Fresh, &self.success) {
            return Some((status.unwrap_or(*own), body.clone()));
        }
        let rules = self.answers.iter().filter(|rule| rule.outcome == outcome);
        rules.filter_map(|rule| rule.example(status)).next()
    }

    /// The key rule, where a key makes retries safe.
    pub fn key(&self) -> Option<&KeyRule> {
        match &self.safety {
            Safety::ByKey(rule) => Some(rule),
            Safety::Natural | Safety::Unsafe => None,
        }
    }

    /// The key that a request carries; an empty text and `null` are none.
    pub fn key_in(&self, request: &Request) -> Option<Json> {
        if self.keyless {
            return None;
        }
        let rule = self.key()?;
        match &rule.place {
            KeyPlace::Header(name) => {
                let value = crate::message::header(&request.headers, name)?;
                // One that is not written as it should be is told apart by what it is.
                some_key(Json::from(rule.syntax.read(value).unwrap_or_else(|| value.to_owned()).as_str()))
            }
            KeyPlace::Body(_) => self.key_in_body(&request.json()?),
        }
    }

    /// The key that a body carries, where keys are carried there.
    pub fn key_in_body(&self, body: &Json) -> Option<Json> {
        if self.keyless {
            return None;
        }
        match &self.key()?.place {
            KeyPlace::Header(_) => None,
            KeyPlace::Body(place) => some_key(body.at(place)?.clone()),
        }
    }

    /// Whether an answer tells a repeat from a first; where none does, only effects can.
    pub fn tells_repeats(&self) -> bool {
        self.names(Outcome::Replayed)
    }

    /// The statuses by which it says that something is done.
    pub fn says_done(&self) -> Option<StatusSet> {
        let rules = self.answers.iter().filter(|rule| rule.outcome.is_success());
        let ranges: Vec<(u16, u16)> =
            rules.filter_map(|rule| rule.status.as_ref()).flat_map(|set| set.ranges.iter().copied()).collect();
        (!ranges.is_empty()).then_some(StatusSet { ranges })
    }

    /// Whether an answer has to tell a repeat: by a marker, or by a status of its own. A header may, and need not.
    pub fn marks_repeats(&self) -> bool {
        self.marker.is_some() || self.tells_repeats() && self.has_status_for_repeats()
    }

    /// Whether no first answer has a status of a repeat.
    pub fn has_status_for_repeats(&self) -> bool {
        let of = |outcome: Outcome| self.answers.iter().filter(move |rule| rule.outcome == outcome);
        let apart = |one: &AnswerRule, other: &AnswerRule| {
            one.status.as_ref().zip(other.status.as_ref()).is_some_and(|(one, other)| one.is_apart_from(other))
        };
        of(Outcome::Replayed).all(|replay| of(Outcome::Fresh).all(|first| apart(replay, first)))
    }

    /// Whether its answers know an outcome.
    pub fn names(&self, outcome: Outcome) -> bool {
        self.answers.iter().any(|rule| rule.outcome == outcome)
    }
}

fn some_key(key: Json) -> Option<Json> {
    (!key.is_null() && key.as_str() != Some("")).then_some(key)
}

impl Batch {
    /// What an item's answer amounts to.
    pub fn outcome(&self, item: &Json) -> Option<Outcome> {
        self.item_answers.iter().find(|rule| rule.fits_item(item)).map(|rule| rule.outcome)
    }
}

/// The hook that makes any operation take long, so that others can come while it is at work.
pub const SLOW: &str = "slow";

impl Contract {
    /// The names of the hooks that a subject may have: what some defect needs, and what makes it slow.
    pub fn hooks(&self) -> BTreeSet<&str> {
        let defects = self.operations.values().flat_map(|operation| operation.defects.values());
        defects.filter_map(|edit| edit.hook.as_deref()).chain([SLOW]).collect()
    }

    /// The batch operation whose items are of `operation`.
    pub fn batch_of(&self, operation: &OperationName) -> Option<&Operation> {
        self.operations.values().find(|candidate| candidate.batch.as_ref().is_some_and(|batch| &batch.of == operation))
    }
}
