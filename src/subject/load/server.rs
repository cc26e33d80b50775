//! Reads where a server is and how to run it. Only this machine may be called unless a host was named; names are not
//! resolved here, so the runner asks again of the address.

use std::net::IpAddr;
use std::path::Path;

use crate::contract::RequestLine;
use crate::file::{Node, Problem, Reading, Source};
use crate::subject::Server;
use crate::subject::load::variables::{Environment, filled};

/// Reads the server.
pub fn server(
    node: &Node,
    source: &Source,
    allowed: &[String],
    environment: Environment<'_>,
    reading: &mut Reading<'_>,
) -> Server {
    let places = node.get("url").into_iter().chain(node.get("urls").map(Node::items).unwrap_or_default());
    let mut urls: Vec<String> = Vec::new();
    for place in places {
        let Some(url) = filled(place, environment, reading).and_then(|text| url(place, &text, allowed, reading)) else {
            continue;
        };
        if urls.contains(&url) {
            reading.wrong(place.span, "a URL that stands twice", "name another replica, or leave it out");
        }
        urls.push(url);
    }
    let nowhere = ["url", "start"].iter().all(|field| node.get(field).is_none())
        && node.get("urls").is_none_or(|urls| urls.items().is_empty());
    if nowhere && reading.is_well(node) {
        reading.wrong(node.head(), "a server that is nowhere", "add `url:` or `urls:`, or a command under `start:`");
    }
    let variables = node.get("environment").map(Node::entries).unwrap_or_default();
    Server {
        urls,
        folder: Path::new(&source.name).parent().map(Path::to_path_buf).unwrap_or_default(),
        start: node.get("start").and_then(|start| command(start, &["{port}"], environment, reading)),
        environment: variables
            .iter()
            .filter_map(|entry| Some((entry.key.text()?.to_owned(), filled(&entry.value, environment, reading)?)))
            .collect(),
        ready: node.get("ready").and_then(|ready| call(ready, environment, reading)),
        edge: node.get("edge").and_then(|edge| command(edge, &["{port}", "{origin}"], environment, reading)),
    }
}

/// `http://HOST:PORT` on this machine, or on a host that was named.
fn url(node: &Node, text: &str, allowed: &[String], reading: &mut Reading<'_>) -> Option<String> {
    let written = node.text().unwrap_or_default();
    let expected = "expected http://HOST:PORT";
    if text.starts_with("https://") {
        let label = "TLS is not in this version: give the http port behind it";
        reading.wrong(node.span, format!("`{written}` cannot be called"), label);
        return None;
    }
    let Some(authority) = text.strip_prefix("http://").map(|rest| rest.strip_suffix('/').unwrap_or(rest)) else {
        reading.wrong(node.span, format!("`{written}` is no URL of a server"), expected);
        return None;
    };
    if authority.contains(['/', '?', '#', '@']) {
        let label =
            "expected http://HOST:PORT and nothing more; paths stand under `paths:`, secrets under `credentials:`";
        reading.wrong(node.span, format!("`{written}` has more than a host and a port"), label);
        return None;
    }
    let port = authority.rsplit_once(':').filter(|(_, port)| port.parse::<u16>().is_ok_and(|port| port > 0));
    let Some((host, _)) = port.filter(|(host, _)| !host.is_empty() && (!host.contains(':') || host.starts_with('[')))
    else {
        reading.wrong(node.span, format!("`{written}` has no port"), expected);
        return None;
    };
    let bare = host.trim_matches(['[', ']']);
    let is_here =
        bare.eq_ignore_ascii_case("localhost") || bare.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_allowed = allowed.iter().any(|known| known.eq_ignore_ascii_case(bare) || known.eq_ignore_ascii_case(host));
    if !is_here && !is_allowed {
        let problem = Problem::new(node.span, format!("`{written}` is not on this machine"));
        let help =
            "faults are injected only where that was allowed: name the host under `allow hosts:`, or with --allow-host";
        reading.add(problem.label("its host is not allowed").help(help));
    }
    Some(format!("http://{authority}"))
}

/// A command that uses what it is given.
fn command(node: &Node, needs: &[&str], environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<String> {
    let command = filled(node, environment, reading)?;
    for need in needs.iter().filter(|need| !command.contains(**need)) {
        let label = "it is another one each time: pass it on";
        reading.wrong(node.span, format!("a command without `{need}`"), label);
    }
    Some(command)
}

/// `GET /healthz`.
pub fn call(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<RequestLine> {
    let text = filled(node, environment, reading)?;
    match text.split_once(' ') {
        Some(("GET", target)) if target.starts_with('/') => {
            Some(RequestLine { method: "GET".to_owned(), target: target.to_owned() })
        }
        Some(_) | None => {
            let written = node.text().unwrap_or_default();
            reading.wrong(node.span, format!("`{written}` is not a call"), "expected one like `GET /healthz`");
            None
        }
    }
}
