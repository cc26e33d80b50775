//! onceproof proves, by injecting faults, that an HTTP API does each thing exactly once. The modules in reading order:
//!
//! - vocabulary, values without IO: [`name`], [`time`], [`message`], [`json`], [`fault`], [`requirement`]
//! - declared, what ought to be: [`file`] reads our YAML; [`contract`], [`scenario`], [`subject`]; [`plan`] crosses them;
//!   [`draft`] writes first versions of them
//! - happened, what was: [`history`] holds it; [`proxy`] is the only road; [`driver`] sends; [`reference`](mod@reference)
//!   answers; [`observe`] counts; [`runner`] plays
//! - concluded: [`judge`] decides; [`event`] tells; [`report`] shows; [`cli`] is the command line

// What comes in, by a file or by a socket, never ends the program; only tests say with a panic what they found.
#![cfg_attr(not(test), deny(clippy::unwrap_used, clippy::panic, clippy::todo, clippy::unimplemented))]

pub mod cli;
pub mod contract;
pub mod draft;
pub mod driver;
pub mod event;
pub mod fault;
pub mod file;
pub mod history;
pub mod json;
pub mod judge;
pub mod message;
pub mod name;
pub mod observe;
pub mod plan;
pub mod proxy;
pub mod reference;
pub mod report;
pub mod requirement;
pub mod runner;
pub mod scenario;
pub mod subject;
pub mod time;
