//! Drafts of the files that a user writes: a contract from an OpenAPI document, a subject file from a contract. Text with
//! comments where somebody has to decide; what nobody said is never made up without such a comment.
//!
//! - `document`: an OpenAPI document and its references; `find`: its operations with a key; `sample`: bodies from schemas.
//! - `contract`, `subject`: the two texts; `yaml`: values as they are written in them.

mod contract;
mod document;
mod find;
mod sample;
mod subject;
mod yaml;

pub use contract::contract;
pub use document::Document;
pub use find::{Found, found};
pub use subject::{Caller, Drafted, subject};
