//! onceproof proves, by injecting faults, that an HTTP API does each thing exactly once. The modules in reading order:
//!
//! - vocabulary, values without IO: [`name`], [`time`], [`message`], [`json`], [`fault`], [`requirement`]
//! - declared, what ought to be: [`file`] reads our YAML; [`contract`], [`scenario`], [`subject`]; [`plan`] crosses them
//! - happened, what was: [`history`] holds it; [`proxy`] is the only road; [`driver`] sends; [`reference`](mod@reference)
//!   answers; [`observe`] counts; [`runner`] plays
//! - concluded: [`judge`] decides; [`event`] tells; [`report`] shows; [`cli`] is the command line

pub mod contract;
pub mod fault;
pub mod file;
pub mod history;
pub mod json;
pub mod judge;
pub mod message;
pub mod name;
pub mod plan;
pub mod requirement;
pub mod scenario;
pub mod subject;
pub mod time;
