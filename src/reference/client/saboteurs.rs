//! The saboteurs among clients: each is the honest policy with one member changed, and a line that says how it lies. No
//! row knows any API; what a lie looks like, and whether it shows, depends on the contract.

use crate::reference::client::policy::{
    Acknowledged, Attempts, BatchResend, BodyUse, ClientPolicy, Exhaustion, FallbackUse, Flush, GivesUpOn, InProgress,
    LeftOpen, MemoryUse, Minting, Pacing, Permanent, Redirect, RetryAfterUse, SuccessUse, TimeoutUse, Transport,
};

/// A reference client with one policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientSaboteur {
    /// Its name; no server has it.
    pub name: &'static str,
    /// The kind of fault: `C01`, …; `Y..` for kinds of our own; `H..` for honest variants.
    pub kind: &'static str,
    /// How it lies, in one sentence; for an honest variant, what it does otherwise.
    pub lies: &'static str,
    /// What it does.
    pub policy: ClientPolicy,
}

/// Every saboteur among clients.
pub fn client_saboteurs() -> &'static [ClientSaboteur] {
    SABOTEURS
}

macro_rules! rows {
    ($($kind:literal $name:literal $lies:literal { $($member:ident: $value:expr)? })*) => {
        &[$($crate::reference::client::ClientSaboteur {
            name: $name,
            kind: $kind,
            lies: $lies,
            policy: ClientPolicy { $($member: $value,)? ..ClientPolicy::HONEST },
        },)*]
    };
}
pub(super) use rows;

static SABOTEURS: &[ClientSaboteur] = rows! {
    "C01" "new-key-each-time" "a key is minted for each request, so that a retry is another wish"
        { minting: Minting::EachAttempt }
    "C02" "derives-keys-from-the-clock" "a key is derived from what is asked for and from the time of the request"
        { minting: Minting::FromTheClock }
    "C03" "sends-no-key" "no key is minted, and what has none is retried all the same"
        { minting: Minting::Never }
    "C03" "retries-without-the-key" "only the first request of an intent carries the key"
        { minting: Minting::FirstOnly }
    "C03" "retries-keyless-for-a-fallback" "where the fallback may be put off by a retry under the key, it retries without"
        { left_open: LeftOpen::RetriesWithoutKey }
    "C04" "transport-resends" "a request whose connection ended is sent again at once, and nobody counts it"
        { transport: Transport::Resends }
    "C04" "transport-resends-when-kept" "a request on a connection that was kept is sent again at once when that ends: it is taken for unread"
        { transport: Transport::ResendsWhenKept }
    "C05" "retries-without-a-body" "the body was consumed by the first request: every retry is empty"
        { body: BodyUse::EmptyOnRetry }
    "C05" "cuts-the-body-on-retry" "a retry carries the first half of the body"
        { body: BodyUse::CutOnRetry }
    "C05" "counts-attempts-in-the-body" "a retry says in its body which attempt it is: it is another request"
        { body: BodyUse::CountsAttempts }
    "C06" "retries-refusals" "every 4xx is tried again, as if it passed by itself"
        { permanent: Permanent::RetriesAll }
    "C06" "retries-above-400" "what is above 400 is tried again, off by one"
        { permanent: Permanent::RetriesFrom401 }
    "C07" "gives-up-on-429" "a client that has to come back later does not"
        { gives_up_on: GivesUpOn::RateLimit }
    "C07" "gives-up-on-timeouts" "no answer in time is taken for the end"
        { gives_up_on: GivesUpOn::Timeout }
    "C07" "gives-up-on-drops" "a connection without a whole answer is taken for the end"
        { gives_up_on: GivesUpOn::Dropped }
    "C08" "takes-dates-for-now" "a date in Retry-After is no number, and what is no number is now"
        { retry_after: RetryAfterUse::DateIsNow }
    "C09" "takes-negatives-for-now" "a Retry-After below zero brings it back at once"
        { retry_after: RetryAfterUse::NegativeIsNow }
    "C09" "overflows-on-long-waits" "a Retry-After that does not fit 32 bits brings it back at once"
        { retry_after: RetryAfterUse::HugeIsNow }
    "C10" "ignores-retry-after" "Retry-After is not read: it comes back after its own wait"
        { retry_after: RetryAfterUse::Ignored }
    "C10" "reads-retry-after-on-429-only" "Retry-After is read on 429, and on no other answer"
        { retry_after: RetryAfterUse::OnlyOn429 }
    "C10" "reads-only-seconds" "a date in Retry-After is not read: it comes back after its own wait"
        { retry_after: RetryAfterUse::OnlySeconds }
    "C11" "one-attempt-too-many" "retries are counted where attempts are meant"
        { attempts: Attempts::OneMore }
    "C11" "one-attempt-too-few" "it ends one request before it may"
        { attempts: Attempts::OneFewer }
    "C11" "never-gives-up" "an intent that never succeeds is asked for without end"
        { attempts: Attempts::Endless }
    "C12" "sleeps-after-the-last" "it waits once more when there is nothing left to try"
        { pacing: Pacing::AlsoAfterTheLast }
    "C12" "waits-never-grow" "every wait is as long as the first"
        { pacing: Pacing::NoGrowth }
    "C12" "waits-have-no-cap" "every wait is four times the one before, without end"
        { pacing: Pacing::NoCap }
    "C12" "retries-at-once" "it does not wait by itself"
        { pacing: Pacing::NoWait }
    "C12" "waits-too-long" "every wait is three times as long as it should be"
        { pacing: Pacing::TooLong }
    "C13" "exhaustion-is-success" "when there is nothing left to try, a success is told"
        { exhaustion: Exhaustion::Success }
    "C13" "swallows-refusals" "a refusal is told as a success"
        { permanent: Permanent::TellsSuccess }
    "C14" "takes-duplicates-for-failures" "that it was done before, by its own first request, is told as a failure"
        { acknowledged: Acknowledged::Failure }
    "C15" "gives-up-in-progress" "that another copy is in progress is taken for the end"
        { in_progress: InProgress::GivesUp }
    "C15" "hammers-in-progress" "while another copy is in progress it asks over and over, without a wait"
        { in_progress: InProgress::Hammers }
    "C16" "resends-whole-batches" "after a part of a batch was done, all of it is asked for again"
        { batch: BatchResend::Whole }
    "C16" "drops-what-is-left" "a part of a batch is taken for the whole"
        { batch: BatchResend::Nothing }
    "C17" "flushes-during-the-wait" "what waits to be sent again is sent by a second hand, too"
        { flush: Flush::DuringTheWait }
    "C17" "flushes-with-the-retry" "a retry is sent by two hands at the same time"
        { flush: Flush::WithTheRetry }
    "C18" "redirect-becomes-get" "a redirected request is followed by a GET without a body, whose success is taken for its own"
        { redirect: Redirect::BecomesGet }
    "C18" "takes-redirects-for-success" "a redirect is no error, and what is no error is a success"
        { redirect: Redirect::TakenForDone }
    "C19" "bounds-reads-only" "an answer that drips is never given up: only the time between two reads is bounded"
        { timeout: TimeoutUse::EachRead }
    "C19" "bounds-nothing" "an answer that never comes is waited for without end"
        { timeout: TimeoutUse::None }
    "C21" "forgets-at-its-end" "ended in the middle and asked again, it mints another key"
        { memory: MemoryUse::Forgets }
    "C21" "mints-over-given-keys" "the key that the caller gave is thrown away for one of its own"
        { minting: Minting::OverGiven }
    "Y01" "one-key-for-everything" "two wishes carry the same key"
        { minting: Minting::Constant }
    "Y02" "keys-of-its-own-form" "a minted key does not have the form that the contract gives"
        { minting: Minting::OtherForm }
    "Y03" "tells-fallbacks-as-success" "where the fallback has to be served, a success is told"
        { fallback: FallbackUse::TellsSuccess }
    "Y04" "serves-no-fallback" "where the fallback has to be served, a failure is told"
        { fallback: FallbackUse::TellsFailure }
    "Y05" "waits-before-the-fallback" "the fallback is served only after a wait"
        { fallback: FallbackUse::WaitsFirst }
    "Y07" "asks-again-when-done" "a success is asked for once more, to be sure"
        { success: SuccessUse::AskedAgain }
    "Y08" "takes-success-for-failure" "a success is told as a failure"
        { success: SuccessUse::ToldAsFailure }
    "Y09" "sleeps-after-refusals" "a refusal is told only after four times the wait that a retry would have had"
        { permanent: Permanent::SleepsFirst }
    "Y06" "retries-before-the-fallback" "where the fallback has to be served at once, it retries first"
        { fallback: FallbackUse::Retries }
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::reference::client::{ClientPolicy, client_honest_variants, client_saboteurs};
    use crate::reference::{honest_variants, saboteurs};

    #[test]
    fn names_are_unique_among_clients_and_servers() {
        let clients = client_saboteurs().iter().chain(client_honest_variants()).map(|row| row.name);
        let servers = saboteurs().iter().chain(honest_variants()).map(|row| row.name);
        let names: Vec<_> = clients.chain(servers).collect();
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
    }

    #[test]
    fn no_two_rows_are_the_same_policy_and_only_the_plain_client_is_plainly_honest() {
        let rows: Vec<_> = client_honest_variants().iter().chain(client_saboteurs()).collect();
        assert_eq!(rows[0].policy, ClientPolicy::HONEST);
        for (at, row) in rows.iter().enumerate() {
            assert!(rows.iter().skip(at + 1).all(|other| other.policy != row.policy), "{}", row.name);
        }
    }

    #[test]
    fn every_kind_that_a_client_can_show_by_itself_has_a_row() {
        let kinds: BTreeSet<_> = client_saboteurs().iter().map(|row| row.kind).collect();
        for kind in (1..=19).chain([21]).map(|kind| format!("C{kind:02}")) {
            assert!(kinds.contains(kind.as_str()), "{kind}");
        }
    }
}
