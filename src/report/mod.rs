//! What people and programs are shown of a run, each as a listener or as a pure function of the concluded run and its
//! stories: the same run, the same bytes. A report never judges, never plays, and never learns a secret.
//!
//! - `terminal`: while it runs and when it has ended; made of `block` (one finding), `table` (the requirements), `paint`.
//! - `markdown`, `junit`, `json`: the files; `folder`: where they lie.
//! - shared by all: `finding` (what is broken, worst first), `timeline` of `moment`s, `message_line`, `curl`, `tally`, `wording`.

mod block;
mod curl;
#[cfg(test)]
mod example;
mod finding;
mod folder;
mod json;
mod junit;
mod markdown;
mod message_line;
mod moment;
mod paint;
mod table;
mod tally;
mod terminal;
mod timeline;
mod wording;

pub use folder::{Folder, FolderError, RunFiles};
pub use json::{FORMAT, VerdictsError, read_json, render_json};
pub use junit::render_junit;
pub use markdown::render_markdown;
pub use terminal::{Look, Terminal, render_terminal};
