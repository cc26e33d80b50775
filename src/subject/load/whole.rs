//! Reads a subject as a whole: where it is, who may call it, what can be seen of it and provoked in it.

use std::collections::BTreeMap;
use std::path::Path;

use indexmap::IndexMap;

use crate::file::{Entry, Node, Problems, Reading, Shape, Source, nearest};
use crate::subject::load::client::client;
use crate::subject::load::server::{call, server};
use crate::subject::load::shape::SHAPE;
use crate::subject::load::variables::{Environment, filled};
use crate::subject::{Credential, Hook, Observer, Subject};

/// What a query of an observer may bind.
const BOUND: &[&str] = &["key", "user"];

/// Reads a subject. `allowed` are hosts besides those of its `allow hosts` that may be called.
pub fn load(source: &Source, environment: Environment<'_>, allowed: &[String]) -> Result<Subject, Problems> {
    let (tree, mut reading) = Reading::open(source, &Shape::Record(&SHAPE))?;
    let subject = subject(&tree, source, environment, allowed, &mut reading);
    reading.close(subject)
}

fn subject(
    tree: &Node,
    source: &Source,
    environment: Environment<'_>,
    allowed: &[String],
    reading: &mut Reading<'_>,
) -> Subject {
    let stem = Path::new(&source.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("subject");
    let mut allow_hosts = texts(tree.get("allow hosts"), environment, reading);
    allow_hosts.extend(allowed.iter().filter(|host| !allow_hosts.contains(host)).cloned().collect::<Vec<_>>());
    let credentials: IndexMap<_, _> = entries(tree.get("credentials"))
        .map(|(name, entry)| (name.into(), credential(entry, environment, reading)))
        .collect();
    parts(tree, reading);
    if let Some(node) = tree.get("credentials").filter(|node| credentials.is_empty() && reading.is_well(node)) {
        reading.wrong(node.span, "nobody may call", "name at least one credential, with its scopes and headers");
    }
    Subject {
        name: text(tree, "name", environment, reading).unwrap_or_else(|| stem.to_owned()),
        contract: text(tree, "contract", environment, reading).unwrap_or_default(),
        server: tree
            .get("server")
            .map(|node| server(node, source, &allow_hosts, environment, reading))
            .unwrap_or_default(),
        client: tree.get("client").map(|node| client(node, source, environment, reading)),
        credentials,
        observe: entries(tree.get("observe"))
            .filter_map(|(name, entry)| Some((name.into(), observer(&entry.value, environment, reading)?)))
            .collect(),
        hooks: entries(tree.get("hooks"))
            .map(|(name, entry)| {
                (name.to_owned(), Hook::Headers(headers(entry.value.get("headers"), environment, reading)))
            })
            .collect(),
        paths: entries(tree.get("paths"))
            .filter_map(|(name, entry)| Some((name.into(), path(&entry.value, environment, reading)?)))
            .collect(),
        settles: tree.get("settles").and_then(|node| crate::contract::duration(node.text()?).ok()),
        allow_hosts,
    }
}

/// A server or a client has to be there, and somebody who may call a server.
fn parts(tree: &Node, reading: &mut Reading<'_>) {
    if !reading.is_well(tree) {
        return;
    }
    match (tree.get("server"), tree.get("client"), tree.get("credentials")) {
        (None, None, _) => {
            let label = "add `server:`, and where it is; or `client:`, and its command";
            reading.wrong(tree.head(), "a subject that is nothing", label);
        }
        (Some(server), _, None) => {
            reading.wrong(server.head(), "nobody may call this server", "add `credentials:`, at least one");
        }
        (None | Some(_), _, _) => {}
    }
}

pub(super) fn entries(node: Option<&Node>) -> impl Iterator<Item = (&str, &Entry)> {
    node.map(Node::entries).unwrap_or_default().iter().filter_map(|entry| Some((entry.key.text()?, entry)))
}

fn text(tree: &Node, field: &str, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<String> {
    tree.get(field).and_then(|node| filled(node, environment, reading))
}

fn texts(node: Option<&Node>, environment: Environment<'_>, reading: &mut Reading<'_>) -> Vec<String> {
    let Some(node) = node else { return Vec::new() };
    let one = std::iter::once(node).filter(|node| node.text().is_some());
    one.chain(node.items()).filter_map(|item| filled(item, environment, reading)).collect()
}

/// Every key except `headers` says where it stands in the key space.
fn credential(entry: &Entry, environment: Environment<'_>, reading: &mut Reading<'_>) -> Credential {
    let node = &entry.value;
    let mut scope = BTreeMap::new();
    for (name, own) in entries(Some(node)).filter(|(name, _)| *name != "headers") {
        if own.value.text().is_some() {
            scope.extend(filled(&own.value, environment, reading).map(|value| (name.into(), value)));
        } else if reading.is_well(&own.value) {
            let label = match nearest(name, ["headers"]) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "expected text".to_owned(),
            };
            reading.wrong(own.key.span, format!("the scope `{name}` is no text"), label);
        }
    }
    match node.get("headers") {
        Some(own) if own.text().is_some() && reading.is_well(own) => {
            reading.wrong(own.span, "expected a map of header names", format!("found {}", own.describe()));
        }
        None if !entries(Some(node)).any(|(name, _)| nearest(name, ["headers"]).is_some()) && reading.is_well(node) => {
            let message = format!("`{}` sends no headers", entry.key.text().unwrap_or_default());
            reading.wrong(entry.key.span, message, "add `headers:`; `{}` where it needs none");
        }
        Some(_) | None => {}
    }
    Credential { scope, headers: headers(node.get("headers"), environment, reading) }
}

/// Header names and values; a name in two cases is one name twice.
fn headers(node: Option<&Node>, environment: Environment<'_>, reading: &mut Reading<'_>) -> Vec<(String, String)> {
    let mut headers: Vec<(String, String)> = Vec::new();
    for (name, entry) in entries(node) {
        let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(token) {
            reading.wrong(entry.key.span, format!("`{name}` is not a header name"), "letters, digits and `-`");
        } else if let Some((other, _)) = headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)) {
            let message = format!("the header `{name}` stands twice");
            reading.wrong(entry.key.span, message, format!("`{other}` is the same name"));
        }
        let Some(value) = filled(&entry.value, environment, reading) else { continue };
        if value.contains(['\r', '\n', '\0']) {
            reading.wrong(
                entry.value.span,
                "a header value is one line",
                "no line end and no NUL, in variables neither",
            );
        }
        headers.push((name.to_owned(), value));
    }
    headers
}

fn observer(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<Observer> {
    if node.text().is_some() {
        return call(node, environment, reading).map(Observer::Http);
    }
    let (database, query) = (node.get("sql")?, node.get("count")?);
    placeholders(query, reading);
    let (database, count) = (filled(database, environment, reading), filled(query, environment, reading));
    Some(Observer::Sql { database: database?, count: count? })
}

/// A query that binds nothing counts what other cases did, too.
fn placeholders(node: &Node, reading: &mut Reading<'_>) {
    let text = node.text().unwrap_or_default();
    let mut found = false;
    for (at, _) in text.match_indices('{').filter(|(at, _)| !text[..*at].ends_with('$')) {
        let Some(length) = text[at..].find('}') else { continue };
        let (whole, name) = (&text[at..=at + length], &text[at + 1..at + length]);
        if name.is_empty() || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        found = true;
        if !BOUND.contains(&name) {
            reading.unknown(reading.part(node, whole), format!("`{whole}` is not bound"), name, BOUND.iter().copied());
        }
    }
    if !found && node.text().is_some() {
        let label = "bind `{key}` or `{user}`, or it counts what other cases did";
        reading.wrong(node.span, "a query that counts everything", label);
    }
}

fn path(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<String> {
    let path = filled(node, environment, reading)?;
    if !path.starts_with('/') {
        let written = node.text().unwrap_or_default();
        reading.wrong(node.span, format!("`{written}` is not a path"), "expected one like `/things`");
    }
    Some(path)
}
