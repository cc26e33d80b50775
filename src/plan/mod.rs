//! The plan: contract × scenario × axes × what the subject can do × seed → cases. Pure: the same input gives the same
//! plan, byte for byte. Nothing is sent here.

mod axes;
mod case;
mod check;
mod claims;
mod client;
mod credential;
mod expand;
mod expectation;
mod intent;
mod mint;
mod reading;
mod select;
mod spelled;
mod template;
mod waiver;

pub use case::{
    Case, Cell, Expectation, Meeting, PlannedAsk, PlannedAttempt, PlannedClaim, PlannedIntent, PlannedStep, Reading,
    Setup, StepAction, Wanted,
};
pub use check::{check, check_scenarios};
pub use credential::{Abilities, AbleClient, AbleCredential, CredentialUse, is_judged};
pub use expand::{Setting, expand, rehearsed};
pub use mint::Seed;
pub use select::{Selection, SelectionError, is_of};
pub use template::{Names, render_json, render_text};
pub use waiver::{SHAPE as WAIVERS, Waived, Waiver, WaiverKind, Waivers};
