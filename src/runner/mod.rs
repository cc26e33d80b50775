//! Plays cases: sends what the plan says through the proxy, reads the effects, seals what was. It never judges a verdict
//! into being: it hands sealed histories to the judge.

mod attempt;
mod client;
mod edge;
mod hook;
mod observer;
mod play;
mod preflight;
mod process;
mod processes;
mod run;
mod target;

pub use client::{ClientTarget, Command, Metronome, Program, rehearsal};
pub use preflight::{Finding, Preflight, preflight};
pub use process::{Process, ProcessError, Starter};
pub use run::{Played, run};
pub use target::{EdgeKind, Target, TargetError, Tempo, authority};
