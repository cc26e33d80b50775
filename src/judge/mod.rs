//! The judge: from a contract, a case and its sealed history to verdicts. Pure: no clock, no IO, nothing async. One file
//! for each claim.

mod accept;
mod answer_items;
mod answer_losers;
mod answer_repeat_as_success;
mod apply_at_least_once;
mod apply_exactly_once;
mod apply_never;
mod carry_retry_after;
mod case;
mod client;
mod count_items;
mod effects;
mod keep_apart;
mod leave_first_unmarked;
mod leave_key_free;
mod mark_repeat_on_the_read_side;
mod mark_replay;
mod model;
mod name_safe_retry;
mod never_conflict;
mod never_fail;
mod refuse;
mod refuse_conflict;
mod repeat_safely;
mod replay_after_lock;
mod replay_verbatim;
mod report_sameness;
mod rivals;
mod rollup;
mod share_key;
#[cfg(test)]
mod testing;
mod verdict;
mod view;
mod waiving;
mod write_nothing_new;

pub use case::judge;
pub use rollup::{CaseReport, ClaimVerdict, RequirementReport, RunReport, Standing, roll_up};
pub use verdict::{Anomaly, Doubt, Evidence, Verdict, Violation, Witnesses};
pub use waiving::{unused, waive};
