//! Reads where a server is and how to run it. Only this machine may be called unless a host was named; names are not
//! resolved here, so the runner asks again of the address.

use std::net::IpAddr;
use std::path::Path;

use crate::contract::RequestLine;
use crate::file::{Node, Problem, Reading};
use crate::subject::Server;
use crate::subject::load::variables::{Environment, filled};

/// Reads the server.
pub fn server(
    node: &Node,
    allowed: &[String],
    folder: &Path,
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
    secured(node, &urls, reading);
    let ca = node.get("ca").and_then(|ca| filled(ca, environment, reading));
    let variables = node.get("environment").map(Node::entries).unwrap_or_default();
    Server {
        urls,
        ca: ca.map(|path| folder.join(path)),
        folder: folder.to_path_buf(),
        start: node.get("start").and_then(|start| command(start, &["{port}"], environment, reading)),
        environment: variables
            .iter()
            .filter_map(|entry| Some((entry.key.text()?.to_owned(), filled(&entry.value, environment, reading)?)))
            .collect(),
        ready: node.get("ready").and_then(|ready| call(ready, environment, reading)),
        edge: node.get("edge").and_then(|edge| command(edge, &["{port}", "{origin}"], environment, reading)),
    }
}

/// `http://HOST:PORT`, or the same by TLS, on this machine, or on a host that was named.
fn url(node: &Node, text: &str, allowed: &[String], reading: &mut Reading<'_>) -> Option<String> {
    let written = node.text().unwrap_or_default();
    let expected = "expected http://HOST:PORT, or https";
    let scheme = ["http", "https"]
        .into_iter()
        .find(|scheme| text.strip_prefix(scheme).is_some_and(|rest| rest.starts_with("://")));
    let rest = scheme.and_then(|scheme| text.get(scheme.len() + "://".len()..));
    let (Some(scheme), Some(authority)) = (scheme, rest.map(|rest| rest.strip_suffix('/').unwrap_or(rest))) else {
        reading.wrong(node.span, format!("`{written}` is no URL of a server"), expected);
        return None;
    };
    if authority.contains(['/', '?', '#', '@']) {
        let label =
            "expected http://HOST:PORT and nothing more; paths stand under `operations:`, secrets under `credentials:`";
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
    Some(format!("{scheme}://{authority}"))
}

/// What goes with TLS, and what does not.
fn secured(node: &Node, urls: &[String], reading: &mut Reading<'_>) {
    let is_secured = |url: &String| url.starts_with("https://");
    let by_tls = urls.iter().filter(|url| is_secured(url)).count();
    if let Some(ca) = node.get("ca").filter(|_| by_tls == 0 && !urls.is_empty()) {
        reading.wrong(ca.span, "nothing is spoken to by TLS", "leave this out, or give an `https` URL");
    }
    if by_tls > 0 && by_tls < urls.len() {
        let place = node.get("urls").map_or(node.head(), |urls| urls.span);
        reading.wrong(place, "replicas by TLS and without", "give all of them by one of the two");
    }
    if let Some(start) = node.get("start").filter(|_| by_tls > 0) {
        let label = "one that we start is spoken to without TLS: give its http URL, or leave this out";
        reading.wrong(start.span, "a start command of a server by TLS", label);
    }
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
