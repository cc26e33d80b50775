//! What a run tells its listeners, in the order in which it happens. A listener shows or writes; it never changes what
//! it hears, and the run never waits for its opinion.

use std::collections::BTreeMap;
use std::io;

use crate::history::Entry;
use crate::judge::{CaseReport, RunReport};
use crate::name::CaseId;

/// One thing that a run tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The plan is made; cases are about to be played.
    RunStarted {
        /// The contract's name.
        contract: String,
        /// The subject, as people call it.
        subject: String,
        /// The seed of the plan.
        seed: u64,
        /// How many cases are planned.
        cases: usize,
    },
    /// What was found out about the subject before the first case, one line for each finding.
    Preflight(Vec<String>),
    /// One case was played and judged.
    CaseFinished(Box<FinishedCase>),
    /// Something worth saying that belongs to no case.
    Note(String),
    /// The run is over; everything is concluded. The last event.
    RunEnded(Box<RunReport>),
}

/// One case, played and judged.
#[derive(Clone, Debug, PartialEq)]
pub struct FinishedCase {
    /// Its verdicts.
    pub report: CaseReport,
    /// What happened in it; none where nobody will ask, because nothing was violated.
    pub story: Option<Story>,
}

/// What happened in one case: all that it takes to show a violation.
#[derive(Clone, Debug, PartialEq)]
pub struct Story {
    /// The case's history, in order; secrets blanked.
    pub entries: Vec<Entry>,
    /// The command that plays this one case again.
    pub again: String,
    /// What is likely to be wrong: the doc line of a saboteur that leaves the same traces.
    pub likely_cause: Option<String>,
}

/// Stories by their case, in one order whatever the order in which the cases ended.
pub type Stories = BTreeMap<CaseId, Story>;

/// Somebody who is told.
pub trait Listener {
    /// Takes note of one event. An error means that it could not be shown or written, never that it was bad news.
    fn hear(&mut self, event: &Event) -> io::Result<()>;
}

/// Keeps the story of a finished case, if it has one. For listeners that show stories when the run has ended.
pub fn keep_story(stories: &mut Stories, case: &FinishedCase) {
    if let Some(story) = &case.story {
        stories.insert(case.report.id.clone(), story.clone());
    }
}
