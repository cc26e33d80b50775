//! What a client has to keep: how often, after what waits and under which key it may ask again. One contract may know
//! several kinds of client. Data only; nothing here retries and nothing here judges.

use std::time::Duration;

use indexmap::IndexMap;

use crate::contract::answers::{Outcome, StatusSet};
use crate::contract::operation::{Contract, Operation};
use crate::contract::retry::{Advice, RowOn};
use crate::json::Pointer;
use crate::message::Response;
use crate::name::{ClientName, OperationName};

/// The rules of one kind of client.
#[derive(Clone, Debug, PartialEq)]
pub struct ClientRules {
    /// Its name, as the command line says it.
    pub name: ClientName,
    /// One line for people.
    pub title: String,
    /// Fewest and most requests of one intent that never succeeds; none: not said.
    pub attempts: Option<(u32, u32)>,
    /// How long it waits before it asks again.
    pub waits: Waits,
    /// A request may come later than it should by this share of the wait.
    pub later: f64,
    /// It may come earlier by this share: the jitter that the source allows.
    pub earlier: f64,
    /// No wait is longer, but for one that was asked for.
    pub cap: Option<Duration>,
    /// How long it waits when it is told to come back and not when; none: as after any failure.
    pub without_retry_after: Option<Duration>,
    /// A wait that is asked for and longer than this may be given up as a failure.
    pub patience: Option<Duration>,
    /// How long one attempt may take as a whole.
    pub attempt_timeout: Option<Duration>,
    /// The form of the keys that it mints.
    pub mints: IndexMap<OperationName, KeyForm>,
    /// Operations that it never asks for twice, whatever the matrix says.
    pub never_retries: Vec<OperationName>,
    /// Headers that may differ between attempts, lower case.
    pub varying_headers: Vec<String>,
    /// Places of the body that may differ between attempts.
    pub varying_body: Vec<Pointer>,
}

/// How long a client waits before it asks again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Waits {
    /// The source does not say.
    Unsaid,
    /// Each wait at least as long as the one before, and the last at least twice the first: exponential, in no numbers.
    Growing,
    /// These; the last stands for all that follow.
    Schedule(Vec<Duration>),
}

/// The form of a minted key: text around a UUID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyForm {
    /// As written: `app:<uuid>`.
    pub text: String,
}

/// What stands for the UUID in a key form.
pub const UUID: &str = "<uuid>";

/// What a caller was left with, as the matrix speaks of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Met<'a> {
    /// A whole answer.
    Answer(&'a Response),
    /// The connection was refused, or ended without a whole answer.
    Dropped,
    /// No answer in time.
    Timeout,
}

impl KeyForm {
    /// Whether a key has this form.
    pub fn fits(&self, key: &str) -> bool {
        let Some((before, after)) = self.text.split_once(UUID) else { return key == self.text };
        let middle = key.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        middle.is_some_and(|uuid| uuid.len() == 36 && uuid::Uuid::try_parse(uuid).is_ok())
    }

    /// A key of this form around these bits.
    pub fn mint(&self, bits: u128) -> String {
        self.text.replace(UUID, &uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid().to_string())
    }
}

impl ClientRules {
    /// What a row's advice comes to for this kind of client.
    pub fn effective(&self, advice: &Advice, operation: &OperationName) -> Advice {
        let never = self.never_retries.contains(operation);
        match advice {
            Advice::FallbackOrRetryWithKey if never => Advice::Fallback,
            Advice::Retry | Advice::RetryOnce | Advice::RetryAfter if never => Advice::Stop,
            advice => advice.clone(),
        }
    }
}

impl Waits {
    /// The wait before the attempt of this number, from 2.
    pub fn before(&self, attempt: u32) -> Option<Duration> {
        let Waits::Schedule(waits) = self else { return None };
        let at = usize::try_from(attempt.saturating_sub(2)).unwrap_or(usize::MAX);
        waits.get(at).or(waits.last()).copied()
    }
}

impl Contract {
    /// What the contract says to do about an operation after what its caller met; none: nothing, or there is nothing
    /// to do because it succeeded.
    pub fn advice(&self, rules: &ClientRules, operation: &Operation, met: Met<'_>) -> Option<Advice> {
        let outcome = match met {
            Met::Answer(answer) => operation.outcome(answer),
            Met::Dropped | Met::Timeout => None,
        };
        if outcome.is_some_and(Outcome::is_success) {
            return None;
        }
        let fits = |on: &RowOn| match (on, met) {
            (RowOn::Answer(statuses, wanted), Met::Answer(answer)) => fits(statuses, *wanted, answer.status, outcome),
            (RowOn::Dropped, Met::Dropped) | (RowOn::Timeout, Met::Timeout) => true,
            (RowOn::Answer(..) | RowOn::Dropped | RowOn::Timeout, _) => false,
        };
        // What is said of an operation is said of many of it at once, unless that is said by itself.
        let own = self.retry.iter().any(|row| row.advice.contains_key(&operation.name));
        let name = match &operation.batch {
            Some(batch) if !own => &batch.of,
            Some(_) | None => &operation.name,
        };
        let rows = self.retry.iter().filter(|row| row.on.iter().any(fits));
        let found = rows.filter_map(|row| row.advice.get(name)).next()?;
        Some(rules.effective(found, name))
    }

    /// The rules of a kind of client; the first where none is named.
    pub fn client(&self, name: Option<&str>) -> Option<&ClientRules> {
        match name {
            Some(name) => self.clients.get(name),
            None => self.clients.values().next(),
        }
    }
}

fn fits(statuses: &StatusSet, wanted: Option<Outcome>, status: u16, outcome: Option<Outcome>) -> bool {
    statuses.contains(status) && wanted.is_none_or(|wanted| outcome == Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_form_fits_what_it_mints_and_nothing_near_it() {
        let form = KeyForm { text: "app:<uuid>".to_owned() };
        let key = form.mint(7);
        assert!(form.fits(&key), "{key}");
        for wrong in ["app:", "app:7", &key[4..], &format!("{key}0"), &key.replace('-', "")] {
            assert!(!form.fits(wrong), "{wrong}");
        }
    }

    #[test]
    fn the_last_wait_of_a_schedule_stands_for_all_that_follow() {
        let waits = Waits::Schedule(vec![Duration::from_secs(1), Duration::from_secs(2)]);
        let before = |attempt| waits.before(attempt).map(|wait| wait.as_secs());
        assert_eq!((before(2), before(3), before(9)), (Some(1), Some(2), Some(2)));
        assert_eq!(Waits::Growing.before(2), None);
    }
}
