//! Honest variants of the client: they keep every rule in another way than usual. The harness must find nothing wrong
//! with them. They differ in what a contract leaves open, never in what it says.

use crate::reference::client::policy::{Attempts, ClientPolicy, LeftOpen, Pacing, RetryAfterUse, Transport};
use crate::reference::client::saboteurs::{ClientSaboteur, rows};

/// Every honest variant; the first is the plain reference.
pub fn client_honest_variants() -> &'static [ClientSaboteur] {
    HONEST
}

static HONEST: &[ClientSaboteur] = rows! {
    "H20" "honest-client" "keeps every rule: one key, the waits as they stand, the fallback at once where there is one" {}
    "H21" "waits-longer" "its own waits are longer by up to a fifth, where the contract tolerates it"
        { pacing: Pacing::Longer }
    "H22" "waits-shorter" "its own waits are shorter by up to the jitter that the contract allows"
        { pacing: Pacing::Shorter }
    "H23" "retries-under-the-key" "where the contract leaves the choice, it retries under the key before it serves the fallback"
        { left_open: LeftOpen::RetriesWithKey }
    "H24" "honors-every-retry-after" "it heeds Retry-After on every answer that it retries, and never comes before its own wait"
        { retry_after: RetryAfterUse::HonoredEverywhere }
    "H25" "as-few-attempts-as-allowed" "it gives up after the fewest requests that the contract allows"
        { attempts: Attempts::Fewest }
    "H26" "keeps-no-connection" "each request has a connection of its own"
        { transport: Transport::NewEachTime }
};
