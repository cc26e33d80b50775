//! One case: a scenario in one cell of its axes, for one contract, with every byte decided but the secrets. Built only by
//! the plan.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::contract::{ClientRules, Contract, Operation, Outcome, SLOW};
use crate::fault::Passage;
use crate::json::Json;
use crate::message::Request;
use crate::name::{AttemptNo, AxisName, CaseId, EffectName, IntentName, OperationName, RequirementId, ScopeName};
use crate::plan::credential::{AbleClient, CredentialUse};
use crate::scenario::{Claim, Scenario};

/// One case.
#[derive(Clone, Debug)]
pub struct Case {
    /// Short, and stable for the same contract, scenario and cell.
    pub id: CaseId,
    /// The contract.
    pub contract: Arc<Contract>,
    /// The scenario.
    pub scenario: Arc<Scenario>,
    /// The value of each axis.
    pub cell: IndexMap<AxisName, String>,
    /// What is wanted.
    pub intents: IndexMap<IntentName, PlannedIntent>,
    /// Calls made before the first step; not judged.
    pub setup: Vec<Setup>,
    /// What happens, in order.
    pub steps: Vec<PlannedStep>,
    /// What must then hold.
    pub claims: Vec<PlannedClaim>,
    /// What the subject lacks to play it; empty when it can be played.
    pub lacks: Vec<String>,
    /// The client under test, where one makes the attempts.
    pub client: Option<AbleClient>,
}

/// One intent, planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedIntent {
    /// Its name.
    pub name: IntentName,
    /// The operation that carries it: the batch operation for a batch.
    pub operation: OperationName,
    /// The request, without the credential's headers.
    pub request: Request,
    /// Who sends it.
    pub credential: CredentialUse,
    /// The subject's hook that must be armed for it.
    pub hook: Option<String>,
    /// Whether a client under test is to send it without a key.
    pub unkeyed: bool,
    /// Whether a request can carry its key: a header cannot carry every text.
    pub is_carried: bool,
    /// What it is.
    pub wanted: Wanted,
}

/// What an intent is.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a case has a handful of intents, and most are single ones")]
pub enum Wanted {
    /// One thing.
    One {
        /// Where in the key space it stands; none without a key.
        cell: Option<Cell>,
        /// What "the same request" is judged on, apart from the key.
        content: String,
        /// Its body, key included.
        body: Json,
        /// What its answer has to be.
        expects: Expectation,
        /// Where its effect is read.
        reading: Option<Reading>,
        /// Where its repeats are read, if its case speaks of them.
        repeats: Option<Reading>,
    },
    /// A batch of these, in order.
    Batch(Vec<IntentName>),
}

/// A place in the key space: intents that share one compete for it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Cell {
    /// The scope.
    pub scope: BTreeMap<ScopeName, String>,
    /// The operation whose key space it is.
    pub space: OperationName,
    /// The key, canonical.
    pub key: String,
}

/// What an intent's answer has to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expectation {
    /// A success, if its key is free or its own.
    Accepted,
    /// This outcome; this status where it is one certain status.
    Refused(Outcome, Option<u16>),
    /// Anything but a server error: the source is silent.
    Open,
}

/// A call of the read side for one intent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reading {
    /// The effect.
    pub effect: EffectName,
    /// Path and query, rendered.
    pub target: String,
    /// Whose rows it shows: two credentials of one scope see the same.
    pub scope: BTreeMap<ScopeName, String>,
    /// The key as text, and the user, for observers that bind them.
    pub key: Option<String>,
    /// See `key`.
    pub user: String,
    /// Whether it shows repeats, not the effect.
    pub of_repeats: bool,
}

/// A call that prepares or changes the configuration.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The operation.
    pub operation: OperationName,
    /// The request, without the credential's headers.
    pub request: Request,
    /// Who sends it.
    pub credential: CredentialUse,
}

/// One step, planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedStep {
    /// Its place, from 0.
    pub no: u32,
    /// What is done.
    pub action: StepAction,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq)]
pub enum StepAction {
    /// One attempt.
    Send(PlannedAttempt),
    /// Attempts at the same time.
    AtOnce {
        /// Which.
        attempts: Vec<PlannedAttempt>,
        /// Each is shown to the origin while those before it are at work there.
        in_turn: bool,
    },
    /// End the subject's process and start it again on the same store.
    Restart {
        /// Killed, not asked.
        kill: bool,
    },
    /// Read the effects under this name.
    Observe(String),
    /// Change the configuration.
    Reconfigure(Vec<Setup>),
    /// Ask the client under test for one intent; how often it tries is its own doing.
    Ask(PlannedAsk),
}

/// What a client under test is asked for, and what its attempts meet.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedAsk {
    /// The intent.
    pub intent: IntentName,
    /// What its attempts meet, in order of their arrival.
    pub meets: Vec<Meeting>,
    /// What every later one meets.
    pub thereafter: Meeting,
}

impl PlannedAsk {
    /// Whether no attempt of it can succeed.
    pub fn is_endless(&self) -> bool {
        self.thereafter.passage != Passage::Clear && self.meets.iter().all(|meeting| meeting.passage != Passage::Clear)
    }
}

/// What one attempt of a client meets.
#[derive(Clone, Debug, PartialEq)]
pub struct Meeting {
    /// The passage.
    pub passage: Passage,
    /// What an answer on the way says, where the passage names an outcome.
    pub says: Option<String>,
}

/// One attempt, planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedAttempt {
    /// Its place among the case's attempts, from 0.
    pub no: AttemptNo,
    /// Of what.
    pub intent: IntentName,
    /// What it meets.
    pub passage: Passage,
    /// Which replica it is sent to.
    pub replica: u32,
    /// Through the gateway, with the fault behind it.
    pub behind_edge: bool,
}

/// One claim, planned.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedClaim {
    /// Which.
    pub claim: Claim,
    /// On what.
    pub on: Vec<IntentName>,
    /// The requirements that it proves here.
    pub requirements: Vec<RequirementId>,
}

impl Case {
    /// The operation of an intent.
    pub fn operation(&self, intent: &PlannedIntent) -> &Operation {
        &self.contract.operations[&intent.operation]
    }

    /// Every attempt, in order.
    pub fn attempts(&self) -> impl Iterator<Item = &PlannedAttempt> {
        self.steps.iter().flat_map(|step| match &step.action {
            StepAction::Send(attempt) => std::slice::from_ref(attempt),
            StepAction::AtOnce { attempts, .. } => attempts.as_slice(),
            StepAction::Restart { .. } | StepAction::Observe(_) | StepAction::Reconfigure(_) | StepAction::Ask(_) => {
                &[]
            }
        })
    }

    /// The rules of the client under test.
    pub fn rules(&self) -> Option<&ClientRules> {
        self.contract.client(Some(self.client.as_ref()?.kind.as_str()))
    }

    /// What the client under test is asked for, in order.
    pub fn asks(&self) -> impl Iterator<Item = (u32, &PlannedAsk)> {
        self.steps.iter().filter_map(|step| match &step.action {
            StepAction::Ask(ask) => Some((step.no, ask)),
            _ => None,
        })
    }

    /// Whether it needs a process of its own to end.
    pub fn needs_process(&self) -> bool {
        self.steps.iter().any(|step| matches!(step.action, StepAction::Restart { .. }))
            || self.attempts().any(|attempt| match &attempt.passage {
                Passage::Clear => false,
                Passage::Faulted(fault) => fault.is_of_process(),
            })
    }

    /// Whether it asks for something that takes long.
    pub fn is_slow(&self) -> bool {
        self.intents.values().any(|intent| intent.hook.as_deref() == Some(SLOW))
    }

    /// How many replicas it speaks to.
    pub fn replicas(&self) -> u32 {
        self.attempts().map(|attempt| attempt.replica + 1).max().unwrap_or(1)
    }

    /// What people call it: the scenario and the cell.
    pub fn label(&self) -> String {
        let cell: Vec<&str> = self.cell.values().map(String::as_str).collect();
        if cell.is_empty() {
            self.scenario.path.to_string()
        } else {
            format!("{} [{}]", self.scenario.path, cell.join(", "))
        }
    }
}

impl PlannedIntent {
    /// Where in the key space it stands.
    pub fn cell(&self) -> Option<&Cell> {
        match &self.wanted {
            Wanted::One { cell, .. } => cell.as_ref(),
            Wanted::Batch(_) => None,
        }
    }

    /// Where its effect is read.
    pub fn reading(&self) -> Option<&Reading> {
        match &self.wanted {
            Wanted::One { reading, .. } => reading.as_ref(),
            Wanted::Batch(_) => None,
        }
    }

    /// Where its repeats are read.
    pub fn repeats(&self) -> Option<&Reading> {
        match &self.wanted {
            Wanted::One { repeats, .. } => repeats.as_ref(),
            Wanted::Batch(_) => None,
        }
    }

    /// What "the same request" is judged on.
    pub fn content(&self) -> Option<&str> {
        match &self.wanted {
            Wanted::One { content, .. } => Some(content),
            Wanted::Batch(_) => None,
        }
    }
}

impl Reading {
    /// Its name in a history: the call, and whose rows it shows.
    pub fn label(&self) -> String {
        let scope: Vec<String> = self.scope.iter().map(|(name, value)| format!("{name} {value}")).collect();
        let of = if scope.is_empty() { String::new() } else { format!(" of {}", scope.join(", ")) };
        let repeats = if self.of_repeats { "repeats in " } else { "" };
        format!("{repeats}{}{of}", self.target)
    }
}
