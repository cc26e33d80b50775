//! Keys: the places of a request that carry one, and what is minted for them. Same seed, same keys; the clock is an
//! argument.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest, Sha256};

use crate::contract::{ClientRules, Contract, KeyForm, KeyPlace, Operation, Syntax, UUID};
use crate::json::{Json, Pointer};
use crate::name::OperationName;
use crate::reference::client::ask::ClientAsk;
use crate::reference::client::policy::{ClientPolicy, MemoryUse, Minting};

/// A place of a request that carries a key.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Slot {
    /// Where.
    pub place: KeyPlace,
    /// How a header writes it.
    pub syntax: Syntax,
    /// The key that the caller gave for it.
    pub given: Option<Json>,
}

/// The places of a request that carry a key: one, one for each item of a batch, or none; as many entries as there are
/// things to be done.
pub(super) fn slots(contract: &Contract, operation: &Operation, ask: &ClientAsk) -> Vec<Option<Slot>> {
    let given = |place: &Pointer| ask.input.at(place).filter(|key| is_key(key)).cloned();
    let Some(batch) = &operation.batch else {
        return vec![operation.key().map(|rule| {
            let in_body = match &rule.place {
                KeyPlace::Body(place) => given(place),
                KeyPlace::Header(_) => None,
            };
            let given = in_body.or_else(|| ask.key.clone().filter(is_key));
            Slot { place: rule.place.clone(), syntax: rule.syntax, given }
        })];
    };
    let items = ask.input.at(&batch.items).and_then(Json::as_array).map_or(0, <[Json]>::len);
    let rule = contract.operations.get(&batch.of).and_then(Operation::key);
    let inside = rule.and_then(|rule| match &rule.place {
        KeyPlace::Body(place) => Some(place),
        // An item has no headers.
        KeyPlace::Header(_) => None,
    });
    (0..items)
        .map(|item| {
            let item = batch.items.push(item.to_string());
            let place = inside?.tokens().iter().fold(item, |place, token| place.push(token.clone()));
            Some(Slot { given: given(&place), syntax: Syntax::Bare, place: KeyPlace::Body(place) })
        })
        .collect()
}

/// `null` and the empty text are no keys.
fn is_key(key: &Json) -> bool {
    !key.is_null() && key.as_str() != Some("")
}

/// Mints the keys of one intent.
#[derive(Clone, Debug)]
pub(super) struct Mint<'a> {
    /// The form that the contract gives; none: a UUID.
    pub form: Option<&'a KeyForm>,
    /// How.
    pub minting: Minting,
    /// What the bits are drawn from: the seed, and what is asked for.
    pub seed: String,
    /// Whether it is drawn anew each time, rather than made of the fact.
    pub drawn: bool,
    /// The client's clock.
    pub scale: f64,
}

impl<'a> Mint<'a> {
    /// The mint for an intent. The keys of a batch are those of its items.
    pub fn of(rules: &'a ClientRules, policy: ClientPolicy, operation: &Operation, ask: &ClientAsk) -> Self {
        let keyed: &OperationName = operation.batch.as_ref().map_or(&operation.name, |batch| &batch.of);
        let form = rules.mints.get(keyed);
        let fact = format!("{} {}", operation.name, ask.input);
        let minting = if ask.unkeyed { Minting::Never } else { policy.minting };
        // A form is that of a key that is drawn; without one, the key is that of the fact. Who forgets draws.
        let drawn = form.is_some() || policy.memory == MemoryUse::Forgets;
        let seed = if drawn { format!("{} {fact}", ask.bits) } else { fact };
        Self { form, minting, seed, drawn, scale: ask.scale }
    }

    /// The key of each slot, before the first request.
    pub fn first(&self, slots: &[Option<Slot>], asked: u64) -> Vec<Option<Json>> {
        self.keys(slots, &if self.drawn { format!("asked {asked}") } else { String::new() })
    }

    /// The key of each slot in a request, where `kept` was minted before the first.
    pub fn sent(
        &self,
        slots: &[Option<Slot>],
        kept: &[Option<Json>],
        attempt: u32,
        now: SystemTime,
    ) -> Vec<Option<Json>> {
        match self.minting {
            Minting::EachAttempt => self.keys(slots, &format!("attempt {attempt} of {kept:?}")),
            Minting::FromTheClock => self.keys(slots, &format!("at {}", self.tenths(now))),
            Minting::FirstOnly if attempt > 1 => vec![None; kept.len()],
            Minting::Once
            | Minting::Never
            | Minting::FirstOnly
            | Minting::OverGiven
            | Minting::Constant
            | Minting::OtherForm => kept.to_vec(),
        }
    }

    fn keys(&self, slots: &[Option<Slot>], salt: &str) -> Vec<Option<Json>> {
        let key = |(item, slot): (usize, &Option<Slot>)| {
            let slot = slot.as_ref()?;
            match (&slot.given, self.minting) {
                (Some(given), minting) if minting != Minting::OverGiven => Some(given.clone()),
                (_, Minting::Never) => None,
                _ => Some(Json::from(self.key(&format!("{salt}, item {item}")))),
            }
        };
        slots.iter().enumerate().map(key).collect()
    }

    fn key(&self, salt: &str) -> String {
        let bits = bits(&format!("{} {salt}", self.seed));
        let uuid = KeyForm { text: UUID.to_owned() };
        let form = self.form.unwrap_or(&uuid);
        match self.minting {
            Minting::Constant => form.mint(7),
            Minting::OtherForm => format!("{bits:032x}"),
            Minting::Once
            | Minting::EachAttempt
            | Minting::FromTheClock
            | Minting::Never
            | Minting::FirstOnly
            | Minting::OverGiven => form.mint(bits),
        }
    }

    /// The time in tenths of a second of the client's own clock.
    fn tenths(&self, now: SystemTime) -> u128 {
        let since = now.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_nanos();
        let tenth = Duration::from_millis(100).as_secs_f64() * self.scale;
        since / Duration::try_from_secs_f64(tenth).map_or(1, |tenth| tenth.as_nanos()).max(1)
    }
}

/// Bits that nothing else has.
fn bits(of: &str) -> u128 {
    Sha256::digest(of).iter().take(16).fold(0, |sum, byte| (sum << 8) | u128::from(*byte))
}

/// A share from 0 to 1 that only what it is drawn from decides.
pub(super) fn share(of: &str) -> f64 {
    let thousandths = u32::try_from(bits(of) % 1_001).unwrap_or(0);
    f64::from(thousandths) / 1_000.0
}
