//! The judge: from a contract, a case and its sealed history to verdicts. Pure: no clock, no IO, nothing async. One file
//! for each claim.

mod rollup;
mod verdict;

pub use rollup::{CaseReport, ClaimVerdict, RequirementReport, RunReport, Standing, roll_up};
pub use verdict::{Anomaly, Doubt, Evidence, Verdict, Violation, Witnesses};
