//! The reference server: a small honest server that keeps any contract file, on an embedded store; its saboteurs, each
//! the honest server with one choice changed; and a gateway to stand in front of it. What an API is like comes from the
//! contract alone: no path, member or word of any API is known here.
//!
//! In reading order: [`Policy`] is how a contract is kept, [`saboteurs`] and [`honest_variants`] are tables of policies;
//! `service` takes a request in, `perform` and `batch` check it, `settle` claims its key, `produce` does the work,
//! `replay` answers for what was done before (`present` is how a saboteur answers instead), `store` keeps it all.

mod attempt;
mod batch;
mod call;
mod check;
mod claim;
pub mod client;
mod connection;
mod edge;
mod honest;
mod hook;
mod perform;
mod policy;
mod present;
mod produce;
mod replay;
mod route;
mod rows;
mod saboteurs;
mod service;
mod settle;
mod setup;
mod sound;
mod stand_in;
mod store;
mod template;
#[cfg(test)]
mod tests;

pub use claim::Claim;
pub use client::{
    ClientAsk, ClientPolicy, ClientSaboteur, Memory as ClientMemory, client_honest_variants, client_saboteurs, perform,
};
pub use edge::{edge, start_edge};
pub use honest::honest_variants;
pub use hook::{HOOK_HEADER, Hook};
pub use policy::{
    AfterFailure, BatchUse, Compares, CounterUse, Coverage, Extras, Folding, GatewayUse, Grammar, Identity, KeyScope,
    Marker, Memory, NaturalUse, Pace, Policy, Recorded, RefusedTry, ReplayBody, ReplayHeaders, ReplayStatus, Spelled,
    Stores, Throttle,
};
pub use saboteurs::{Saboteur, saboteurs};
pub use service::{Running, Service, serve, start};
pub use setup::ServeError;
pub use stand_in::stand_in;
pub use store::{StoreAt, StoreError};
