//! The one integration binary: each further one is another large link.

mod architecture;
mod cli;
mod scenarios;
