//! What the benches have in common: whether they measure, and the table of what was measured beside what was aimed at.
//! It measures nothing, and a missed aim never fails a bench: figures of a shared machine are to be read.

mod asked;
mod table;

pub use asked::Asked;
pub use table::{Figure, show};
