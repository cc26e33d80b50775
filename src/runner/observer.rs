//! Reads every effect that a case can have left, each reading once, off the faulty road.

use std::collections::BTreeMap;
use std::net::SocketAddr;

use futures_util::future::join_all;

use crate::history::{Observation, Sight};
use crate::json::{Query, literal};
use crate::observe::{HttpObserver, ShellCommand, Shown, count, until_stable};
use crate::plan::{Case, CredentialUse, PlannedIntent, Reading};
use crate::runner::target::Target;
use crate::subject::{self, Observer};
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
        let sight = match until_stable(settles, || read(case, target, client, origin, intent, reading)).await {
            Sight::Blind(why) => Sight::Blind(target.told(&why)),
            seen @ Sight::Seen(_) => seen,
        };
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
    let key = reading.key.as_deref();
    let (call, shown) = match target.observers.get(&reading.effect) {
        None => {
            let shown = Shown::ByContract(effect.read.clone());
            return answered(shown, reading.target.clone(), target, client, origin, &credential).await;
        }
        Some(own) if key.is_none() && binds_key(own) => {
            return Sight::Blind("its observer counts by key, and this request has none that is a text".to_owned());
        }
        Some(Observer::Sql { database, count: query }) => {
            return count(database, query, key.unwrap_or_default(), &reading.user).await;
        }
        Some(Observer::Command(line)) => {
            let mut variables = vec![
                ("ONCEPROOF_USER".to_owned(), reading.user.clone()),
                ("ONCEPROOF_EFFECT".to_owned(), reading.effect.to_string()),
                ("ONCEPROOF_URL".to_owned(), format!("http://{origin}")),
            ];
            variables.extend(key.map(|key| ("ONCEPROOF_KEY".to_owned(), key.to_owned())));
            let (line, folder) = (line.clone(), target.folder.clone());
            return ShellCommand { line, folder, variables, limit: None }.count().await;
        }
        Some(Observer::Http(call, shown)) => (call, shown),
    };
    let names = BTreeMap::from([
        ("user".to_owned(), reading.user.clone()),
        ("key".to_owned(), key.unwrap_or_default().to_owned()),
    ]);
    let path = match crate::plan::render_text(&call.target, &crate::plan::Names(names)) {
        Ok(path) => path,
        Err(why) => return Sight::Blind(why),
    };
    let bound = |path: &str| {
        let path = path.replace("{user}", &literal(&reading.user));
        Query::parse(&path.replace("{key}", &literal(key.unwrap_or_default())))
    };
    let shown = match shown {
        subject::Shown::ByContract => Ok(Shown::ByContract(effect.read.clone())),
        subject::Shown::Rows(path) => bound(path).map(Shown::Rows),
        subject::Shown::Count(path) => bound(path).map(Shown::Count),
    };
    match shown {
        Ok(shown) => answered(shown, path, target, client, origin, &credential).await,
        Err(why) => Sight::Blind(why),
    }
}

async fn answered(
    shown: Shown,
    path: String,
    target: &Target,
    client: &reqwest::Client,
    origin: SocketAddr,
    credential: &CredentialUse,
) -> Sight {
    HttpObserver {
        client: client.clone(),
        origin,
        host: target.abilities.host.clone(),
        target: path,
        headers: target.headers_of(credential),
        shown,
    }
    .read()
    .await
}

/// Whether an observer counts by the key. Without one it would count nothing, and that would pass for none.
fn binds_key(observer: &Observer) -> bool {
    match observer {
        Observer::Sql { count, .. } => count.contains("{key}"),
        Observer::Http(call, shown) => {
            let by_path = match shown {
                subject::Shown::ByContract => false,
                subject::Shown::Rows(path) | subject::Shown::Count(path) => path.contains("{key}"),
            };
            by_path || call.target.split("{{").skip(1).any(|rest| rest.trim_start().starts_with("key"))
        }
        Observer::Command(line) => line.contains("ONCEPROOF_KEY"),
    }
}
