//! Reads a scenario file. Every problem that can be known at once is told at once; a file with any is refused. Whether a
//! contract can fill it is for the plan.

mod intents;
mod lint;
mod shape;
mod steps;
mod whole;
mod words;

pub use shape::SHAPE;
pub use whole::load;
