//! The reference client: it asks for one thing over HTTP and retries as a contract says, by the contract's data alone;
//! its saboteurs, each the honest client with one choice changed, and its honest variants. It never judges, and it knows
//! no API.
//!
//! In reading order: [`ClientPolicy`] is how the rules are kept, [`client_saboteurs`] and [`client_honest_variants`] are
//! tables of policies; [`ClientAsk`] is what is wanted, [`Memory`] what is kept of it; `perform` plays it: `request`
//! makes what is sent (`key` mints, `batch` leaves out what is done), `send` sends it, `decide` says what next and `wait`
//! how long until then.

mod ask;
mod batch;
mod decide;
mod honest;
mod key;
mod memory;
mod perform;
mod policy;
mod request;
mod saboteurs;
mod send;
#[cfg(test)]
mod tests;
mod wait;

pub use ask::ClientAsk;
pub use honest::client_honest_variants;
pub use memory::Memory;
pub use perform::perform;
pub use policy::{
    Acknowledged, Attempts, BatchResend, BodyUse, ClientPolicy, Exhaustion, FallbackUse, Flush, GivesUpOn, InProgress,
    LeftOpen, MemoryUse, Minting, Pacing, Permanent, Redirect, RetryAfterUse, SuccessUse, TimeoutUse, Transport,
};
pub use saboteurs::{ClientSaboteur, client_saboteurs};
