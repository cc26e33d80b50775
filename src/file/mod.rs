//! Our own YAML files: read with every error at once, each under its own place in the file.
//!
//! `read` turns text into a tree that keeps places and spellings, `check` holds the tree against a declared
//! `Shape`, `schema` prints the same shape as JSON Schema. Nothing here knows what a scenario or a contract is,
//! and nothing here opens a file: text comes in, values and problems go out.

mod check;
mod nearest;
mod node;
mod path;
mod places;
mod problem;
mod read;
mod reading;
mod scalar;
mod schema;
mod shape;
mod source;
mod syntax;
mod tree;
mod value;

pub use check::check;
pub use nearest::nearest;
pub use node::{Entry, Kind, Node, Scalar, Span};
pub use problem::{Problem, Problems};
pub use read::{read, read_as};
pub use reading::Reading;
pub use schema::schema;
pub use shape::{Field, Record, Shape};
pub use source::Source;
pub use value::json;
