//! Reads the program that is a client, and what it says in its own words. Nothing is started here.

use std::path::Path;

use crate::contract::{Speech, SpokenAnswer};
use crate::file::{Node, Reading, Source, json};
use crate::subject::Client;
use crate::subject::load::shape::time_scale;
use crate::subject::load::variables::{Environment, filled};
use crate::subject::load::whole::entries;

/// Reads the client.
pub fn client(node: &Node, source: &Source, environment: Environment<'_>, reading: &mut Reading<'_>) -> Client {
    let words = |field: &str| node.get(field).and_then(Node::text).map(str::to_owned);
    let many = |field: &str| -> Vec<String> {
        let node = node.get(field);
        let one = node.into_iter().filter(|node| node.text().is_some());
        one.chain(node.map(Node::items).unwrap_or_default()).filter_map(|item| item.text().map(str::to_owned)).collect()
    };
    if reading.is_well(node) {
        match (node.get("run"), node.get("stays up")) {
            (None, None) => reading.wrong(node.head(), "a client that is no program", "add `run:`, or `stays up:`"),
            (Some(_), Some(second)) => {
                reading.wrong(second.span, "a client that is two programs", "leave out this, or `run:`");
            }
            (Some(_), None) | (None, Some(_)) => {}
        }
    }
    let folder = Path::new(&source.name).parent().map(Path::to_path_buf).unwrap_or_default();
    Client {
        run: node.get("run").and_then(|run| filled(run, environment, reading)),
        stays_up: node.get("stays up").and_then(|command| filled(command, environment, reading)),
        folder,
        kind: words("kind").map(Into::into),
        operations: many("operations").into_iter().map(Into::into).collect(),
        environment: entries(node.get("environment"))
            .filter_map(|(name, entry)| Some((name.to_owned(), filled(&entry.value, environment, reading)?)))
            .collect(),
        persists: words("persists").as_deref() == Some("true"),
        time_scale: words("time scale").and_then(|text| time_scale(&text).ok()),
        speaks: entries(node.get("speaks")).map(|(name, entry)| (name.into(), speech(&entry.value, reading))).collect(),
    }
}

fn speech(node: &Node, reading: &mut Reading<'_>) -> Speech {
    let request = node.get("request").and_then(|request| {
        let line = request.text().and_then(|text| text.split_once(' '));
        let line = line.filter(|(method, target)| {
            !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase()) && target.starts_with('/')
        });
        if line.is_none() && request.text().is_some() {
            let message = format!("`{}` is not a request", request.text().unwrap_or_default());
            reading.wrong(request.span, message, "expected a method and a path, such as `POST /things`");
        }
        line.map(|(method, target)| (method.to_owned(), target.to_owned()))
    });
    let key = node.get("key");
    let place = |field: &str| key.and_then(|key| key.get(field)).and_then(Node::text);
    if let Some(key) = key.filter(|key| key.get("header").is_some() == key.get("at").is_some() && key.text().is_none())
    {
        reading.wrong(key.head(), "a key in two places or in none", "say `header:`, or `at:`, or `none`");
    }
    Speech {
        request,
        key_header: place("header").map(str::to_owned),
        key_at: place("at").and_then(|text| text.parse().ok()),
        varying: {
            let node = node.get("may vary");
            let one = node.into_iter().filter(|node| node.text().is_some());
            let all = one.chain(node.map(Node::items).unwrap_or_default());
            all.filter_map(|item| item.text()?.parse().ok()).collect()
        },
        refusal: node.get("refusal").map(json),
        keyless: key.and_then(Node::text) == Some("none"),
        answer: node.get("answer").map(|answer| SpokenAnswer {
            status: answer.get("status").and_then(Node::text).and_then(|text| text.parse().ok()).unwrap_or(200),
            body: answer.get("body").map(json).unwrap_or(crate::json::Json::Null),
        }),
    }
}
