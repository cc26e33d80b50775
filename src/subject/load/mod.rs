//! Reads a subject file. Every problem that can be known at once is told at once; a file with any is refused. What the
//! environment holds never appears in a message, and nothing is resolved, connected or started.

mod client;
mod hook;
mod observer;
mod operation;
mod server;
mod shape;
mod variables;
mod whole;

pub use shape::{SHAPE, time_scale};
pub use whole::load;
