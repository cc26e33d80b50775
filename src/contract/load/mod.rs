//! Reads a contract file. Every problem that can be known at once is told at once; a file with any is refused. Whether
//! scenarios fill and prove the contract is for the plan.

mod answers;
mod client;
mod edit;
mod effect;
mod key;
mod names;
mod notation;
mod operation;
mod reference;
mod reference_shape;
mod requirement;
mod retry;
mod shape;
mod template;
mod values;
mod whole;

pub use notation::duration;
pub use shape::SHAPE;
pub use template::{NAMES as TEMPLATE_NAMES, check as check_templates};
pub use whole::load;
