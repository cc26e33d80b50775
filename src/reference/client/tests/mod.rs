//! The reference client on the wire: a stand-in answers by a script and writes down what came. Order, counts, contents
//! and lower bounds of time; that something was quick is never asserted, only that nobody waited for a minute.

mod honest;
mod lies;
mod origin;
mod pacing;
mod resume;
mod shop;

pub use shop::shop;
