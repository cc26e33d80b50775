//! Reads every effect that a case can have left, each reading once, off the faulty road.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use futures_util::future::join_all;

use crate::history::{Observation, Sight};
use crate::observe::{HttpObserver, count, until_stable};
use crate::plan::{Case, CredentialUse, PlannedIntent, Reading};
use crate::runner::target::Target;
use crate::subject::Observer;
use crate::time::Clock;

/// What was seen, one observation for each reading.
pub async fn observe(
    case: &Case,
    target: &Target,
    client: &reqwest::Client,
    origin: SocketAddr,
    clock: &Clock,
    point: &str,
) -> Vec<Observation> {
    let mut readings: BTreeMap<String, (&PlannedIntent, &Reading)> = BTreeMap::new();
    for intent in case.intents.values() {
        // Nobody's effects cannot be read as nobody: as the first credential they can.
        for reading in intent.reading().into_iter().chain(intent.repeats()) {
            readings.entry(reading.label()).or_insert((intent, reading));
        }
    }
    let all = readings.into_iter().map(|(label, (intent, reading))| async move {
        let settles = target.settles(&case.contract, &reading.effect);
        let sight = until_stable(settles, || read(case, target, client, origin, intent, reading)).await;
        Observation {
            effect: reading.effect.clone(),
            of: intent.name.clone(),
            reading: label,
            point: point.to_owned(),
            at: clock.now(),
            sight,
        }
    });
    join_all(all).await
}

async fn read(
    case: &Case,
    target: &Target,
    client: &reqwest::Client,
    origin: SocketAddr,
    intent: &PlannedIntent,
    reading: &Reading,
) -> Sight {
    let Some(effect) = case.contract.effects.get(&reading.effect) else {
        return Sight::Blind(format!("no effect `{}`", reading.effect));
    };
    let credential = match &intent.credential {
        named @ CredentialUse::Named(_) => named.clone(),
        CredentialUse::Nobody | CredentialUse::Stranger => match target.credentials.keys().next() {
            Some(first) => CredentialUse::Named(first.clone()),
            None => CredentialUse::Nobody,
        },
    };
    let (path, rows) = match target.observers.get(&reading.effect) {
        Some(Observer::Sql { database, count: query }) => {
            return count(database, query, reading.key.as_deref().unwrap_or_default(), &reading.user).await;
        }
        Some(Observer::Http(call)) => {
            let names = BTreeMap::from([
                ("user".to_owned(), reading.user.clone()),
                ("key".to_owned(), reading.key.clone().unwrap_or_default()),
            ]);
            match crate::plan::render_text(&call.target, &crate::plan::Names(names)) {
                Ok(path) => (path, effect.read.clone()),
                Err(why) => return Sight::Blind(why),
            }
        }
        None => (reading.target.clone(), effect.read.clone()),
    };
    HttpObserver {
        client: client.clone(),
        origin,
        host: target.abilities.host.clone(),
        target: path,
        headers: target.headers_of(&credential),
        read: rows,
    }
    .read()
    .await
}
