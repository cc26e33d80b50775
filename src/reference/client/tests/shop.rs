//! A tea shop's contract, and a client that asks it.

use std::time::Duration;

use crate::contract::{ClientRules, Contract, load};
use crate::file::Source;
use crate::history::Told;
use crate::json::Json;
use crate::reference::client::tests::origin::{Origin, Reply, Seen};
use crate::reference::client::{ClientAsk, ClientPolicy, Memory, client_saboteurs, perform};
use crate::scenario::Claim;

const SHOP: &str = r#"
contract: teashop
title: A shop that sells tea
operations:
  order: # keyed in the body
    request: POST /orders?table=4
    body: { tea: assam }
    marker: { at: /again, value: true }
    key: { at: /order_key, same request: content, replay: verbatim }
    answers:
      replayed: { status: 200, body: { again: true }, has: [/id] }
      fresh: { status: 200, has: [/id] }
      conflict: { status: 409, body: { error: taken } }
      in progress: { status: 409, body: { error: busy } }
      rate limited: { status: 429 }
      refused: { status: [400, 401, 404] }
      unknown: { status: 5xx }
  sip: # keyed in a header, and a duplicate has to be acknowledged with 409
    request: POST /sips
    headers: { Shop-Version: "2" }
    body: { tea: assam }
    key: { header: Sip-Key, same request: key only, replay: acknowledged }
    marker: { at: /known, value: true }
    answers:
      replayed: { status: 409, body: { known: true } }
      fresh: { status: 202 }
      unknown: { status: 5xx }
  taste: # has a fallback
    request: POST /tastes
    body: { tea: assam }
    marker: { at: /again, value: true }
    key: { at: /taste_key, same request: content, replay: verbatim }
    answers:
      replayed: { status: 200, body: { again: true } }
      fresh: { status: 200 }
      rate limited: { status: 429 }
      unknown: { status: 5xx }
  tray:
    request: POST /trays
    batch:
      of: order
      items: /orders
      results: /results
      answers:
        replayed: { body: { again: true }, has: [/id] }
        fresh: { has: [/id] }
        unknown: { has: [/error] }
    answers:
      fresh: { status: 200, has: [/results] }
      unknown: { status: 5xx }
retry:
  - on: [400, 401, 404]
    order: stop
  - on: 409 conflict
    order: stop, then choose another key
  - on: 409 in progress
    order: retry once
  - on: 429
    order: retry after
    taste: fallback
  - on: [408, 5xx, dropped, timeout]
    order: retry
    sip: retry
    taste: fallback or retry with key
clients:
  app:
    title: An app
    attempts: 4
    waits: [1s, 2s]
    later: 25%
    cap: 4s
    without retry-after: 3s
    patience: 10000s
    attempt timeout: 60s
    mints: { order: "tea:<uuid>", sip: "sip:<uuid>" }
  kiosk:
    title: A kiosk
    attempts: 2..6
    waits: growing
    cap: 1s
    never retries: taste
"#;

/// A hundredth of the contract's time.
pub const SCALE: f64 = 0.01;

/// The contract's seconds, as the client's clock has them.
pub fn seconds(count: u64) -> Duration {
    Duration::from_millis(count * 10)
}

pub fn shop() -> Contract {
    let text = SHOP.to_owned();
    load(&Source::new("teashop.yaml", text), Claim::WORDS).unwrap_or_else(|problems| panic!("{problems}"))
}

/// One ask and what it meets.
pub struct Visit {
    pub contract: Contract,
    pub rules: ClientRules,
    pub policy: ClientPolicy,
    pub ask: ClientAsk,
}

impl Visit {
    /// An honest app that wants something.
    pub fn to(operation: &str) -> Self {
        let contract = shop();
        let rules = contract.client(None).unwrap().clone();
        let ask = ClientAsk {
            base: String::new(),
            operation: operation.into(),
            input: r#"{"tea":"assam"}"#.parse().unwrap(),
            key: None,
            headers: vec![("Authorization".to_owned(), "Bearer guest".to_owned())],
            scale: SCALE,
            unkeyed: false,
            bits: 7,
            memory: Memory::default(),
        };
        Self { contract, rules, policy: ClientPolicy::HONEST, ask }
    }

    /// Three orders on one tray.
    pub fn to_tray() -> Self {
        let input = r#"{"orders":[{"tea":"assam"},{"tea":"oolong","order_key":"mine"},{"tea":"sencha"}],"table":4}"#;
        Self::to("tray").wanting(input)
    }

    /// By a saboteur, or an honest variant.
    pub fn by(mut self, name: &str) -> Self {
        let rows = client_saboteurs().iter().chain(crate::reference::client::client_honest_variants());
        self.policy = rows.into_iter().find(|row| row.name == name).unwrap_or_else(|| panic!("no `{name}`")).policy;
        self
    }

    pub fn through_kiosk(mut self) -> Self {
        self.rules = self.contract.client(Some("kiosk")).unwrap().clone();
        self
    }

    pub fn wanting(mut self, input: &str) -> Self {
        self.ask.input = input.parse::<Json>().unwrap();
        self
    }

    pub fn under(mut self, rules: impl FnOnce(&mut ClientRules)) -> Self {
        rules(&mut self.rules);
        self
    }

    /// Goes through with it; nothing takes a minute.
    pub async fn meets(&self, replies: Vec<Reply>) -> (Told, Vec<Seen>) {
        let origin = Origin::with(replies).await;
        let told = tokio::time::timeout(Duration::from_secs(45), self.at(&origin)).await;
        (told.expect("it ends"), origin.seen())
    }

    pub async fn at(&self, origin: &Origin) -> Told {
        let ask = ClientAsk { base: format!("http://{}", origin.addr), ..self.ask.clone() };
        perform(&self.contract, &self.rules, self.policy, ask).await
    }
}

/// The keys in the bodies, spelled.
pub fn keys(seen: &[Seen], place: &str) -> Vec<String> {
    seen.iter().map(|seen| seen.at(place).map_or("none".to_owned(), |key| key.to_string())).collect()
}

/// From each answer to the next request.
pub fn gaps(seen: &[Seen]) -> Vec<Duration> {
    seen.windows(2).map(|pair| pair[1].came.saturating_duration_since(pair[0].answered.unwrap())).collect()
}
