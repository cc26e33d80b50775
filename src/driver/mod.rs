//! Our client: it sends exactly the planned bytes, once, on a connection of its own, and says what it was left with. It
//! never retries, never follows a redirect, never pools a connection, and never takes the beginning of an answer for
//! an answer.

mod attempt;

pub use attempt::{After, Connected, Patience, Sent, connect};
