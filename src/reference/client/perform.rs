//! Plays one ask to its end: sends, is left with something, decides, waits, sends again. The key is minted and written
//! down before anything is sent.

use std::time::{Duration, SystemTime};

use crate::contract::{ClientRules, Contract, Outcome};
use crate::history::Told;
use crate::reference::client::ask::ClientAsk;
use crate::reference::client::batch;
use crate::reference::client::decide::{Desk, Next, Progress};
use crate::reference::client::key::{Mint, share, slots};
use crate::reference::client::memory::Settled;
use crate::reference::client::policy::{ClientPolicy, Flush, LeftOpen, MemoryUse};
use crate::reference::client::request::{Outgoing, Parts, request};
use crate::reference::client::send::{Left, Road};
use crate::time::times;

/// How long an attempt may take, where a contract does not say.
const ATTEMPT: Duration = Duration::from_secs(30);
/// Timers have their grain: a wait is never shorter than it should be.
const GRAIN: Duration = Duration::from_millis(2);

/// Does what is asked, as this kind of client has to, and tells how it ended. What cannot be asked for at all, such as an
/// operation that the contract does not have, is a failure.
pub async fn perform(contract: &Contract, kind: &ClientRules, policy: ClientPolicy, ask: ClientAsk) -> Told {
    let Some(operation) = contract.operations.get(&ask.operation) else { return Told::Failure };
    // A retry under the key needs a key.
    let policy = match policy.left_open {
        LeftOpen::RetriesWithKey if ask.unkeyed => ClientPolicy { left_open: LeftOpen::FallsBack, ..policy },
        LeftOpen::FallsBack | LeftOpen::RetriesWithKey | LeftOpen::RetriesWithoutKey => policy,
    };
    let timeout = times(kind.attempt_timeout.unwrap_or(ATTEMPT), ask.scale);
    let Some(road) = ask.memory.road(|| Road::open(timeout, policy).ok()) else { return Told::Failure };
    let desk = Desk { contract, rules: kind, policy, operation };
    let slots = slots(contract, operation, &ask);
    let mint = Mint::of(kind, policy, operation, &ask);
    let name = format!("{} {:?} {}", ask.operation, ask.key, ask.input);
    let forgets = policy.memory == MemoryUse::Forgets;
    let intent = ask.memory.open(&name, forgets, |asked| mint.first(&slots, asked));
    let mut done = intent.done;
    let mut progress = Progress::default();
    let mut keyless = false;
    let mut is_retry = false;
    loop {
        progress.made = ask.memory.begin(&name);
        let now = SystemTime::now();
        let keys = if keyless { vec![None; slots.len()] } else { mint.sent(&slots, &intent.keys, progress.made, now) };
        let wanted = batch::wanted(&done, policy.batch);
        let parts = Parts { operation, ask: &ask, slots: &slots, keys: &keys, wanted: &wanted, attempt: progress.made };
        let outgoing = request(parts, policy.body);
        let twice = is_retry && policy.flush == Flush::WithTheRetry;
        let sent = if twice { both(&road, &outgoing).await } else { road.send(&outgoing).await };
        let Some(left) = sent else {
            ask.memory.end(&name, Settled::Refused);
            return Told::Failure;
        };
        if let (Left::Answer(answer), Some(batch)) = (&left, &operation.batch)
            && operation.outcome(answer).is_some_and(Outcome::is_success)
        {
            batch::note(&mut done, batch, &wanted, answer);
            ask.memory.note(&name, &done);
        }
        progress.all_done = done.iter().all(|done| *done);
        progress.share = share(&format!("{} {} wait {}", ask.bits, ask.input, progress.made));
        match desk.next(&mut progress, &left, SystemTime::now()) {
            Next::Again { wait, keyless: leaves_out } => {
                keyless |= leaves_out;
                is_retry = true;
                pause(&road, &outgoing, policy.flush, times(wait, ask.scale)).await;
            }
            Next::End { told, after, settled } => {
                sleep(times(after, ask.scale)).await;
                ask.memory.end(&name, settled);
                return told;
            }
        }
    }
}

/// Waits; a liar's second hand sends the same in the middle of it.
async fn pause(road: &Road, outgoing: &Outgoing, flush: Flush, wait: Duration) {
    match flush {
        Flush::InTurn | Flush::WithTheRetry => sleep(wait).await,
        Flush::DuringTheWait => {
            let second = async {
                sleep(wait / 2).await;
                road.send(outgoing).await;
            };
            tokio::join!(sleep(wait), second);
        }
    }
}

/// The same twice at once; the first hand goes by its own answer.
async fn both(road: &Road, outgoing: &Outgoing) -> Option<Left> {
    let (first, _) = tokio::join!(road.send(outgoing), road.send(outgoing));
    first
}

async fn sleep(wait: Duration) {
    if !wait.is_zero() {
        tokio::time::sleep(wait.saturating_add(GRAIN)).await;
    }
}
