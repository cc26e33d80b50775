//! The operations of a document that carry a key: in a header, or at the top of a JSON body, under one of the names that
//! such keys go by. A request id may only be there for tracing, so its draft says that somebody has to decide.

use crate::draft::document::Document;
use crate::draft::sample::{properties, sample};
use crate::file::{Entry, Node};
use crate::json::Json;

/// Methods that ask for something to be done.
const METHODS: [&str; 4] = ["post", "put", "patch", "delete"];

/// An operation with a key.
#[derive(Clone, Debug)]
pub struct Found {
    /// One word.
    pub name: String,
    /// `POST`.
    pub method: String,
    /// With the path of the server before it, and samples in place of what varies.
    pub path: String,
    /// What varies in the path or has to be in the query, and was given a sample.
    pub sampled: Vec<String>,
    /// Where its key is.
    pub key: Key,
    /// Whether that name is often used for tracing.
    pub may_trace: bool,
    /// The bounds of the key's length, where the document states them.
    pub length: (Option<u32>, Option<u32>),
    /// The format of the key, where the document states one.
    pub format: Option<String>,
    /// Headers that it requires besides.
    pub headers: Vec<(String, String)>,
    /// A body, without the key.
    pub body: Option<Json>,
    /// The statuses that its answers have.
    pub statuses: Vec<String>,
    /// The member of a success that looks like the identity of what was done.
    pub identity: Option<String>,
    /// Whether somebody has to say who they are.
    pub is_secured: bool,
}

/// Where a key is carried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// In this header.
    Header(String),
    /// In this member of the body.
    Member(String),
}

/// Whether a name is one that keys go by, and whether it may only be for tracing.
fn key_name(name: &str) -> Option<bool> {
    let folded: String = name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let is_key = folded.contains("idempoten") || folded.ends_with("clienttoken") || folded == "dedupkey";
    let is_request_id = folded.ends_with("requestid") || folded == "deduplicationid";
    (is_key || is_request_id).then_some(!is_key)
}

/// Every operation with a key, in the order of the document.
pub fn found(document: &Document) -> Vec<Found> {
    let mut all: Vec<Found> = Vec::new();
    for path in document.tree().get("paths").map(Node::entries).unwrap_or_default() {
        let Some(item) = document.resolved(&path.value) else { continue };
        for entry in item.entries().iter().filter(|entry| is_method(entry)) {
            if let Some(mut operation) = one(document, path, item, entry) {
                let taken = |name: &str| all.iter().any(|known| known.name == name);
                let stem = operation.name.clone();
                let mut number = 2;
                while taken(&operation.name) {
                    operation.name = format!("{stem}-{number}");
                    number += 1;
                }
                all.push(operation);
            }
        }
    }
    all
}

fn is_method(entry: &Entry) -> bool {
    entry.key.text().is_some_and(|name| METHODS.contains(&name))
}

fn one(document: &Document, path: &Entry, item: &Node, entry: &Entry) -> Option<Found> {
    let (operation, method) = (&entry.value, entry.key.text()?);
    let template = path.key.text().filter(|path| path.starts_with('/'))?;
    let parameters: Vec<&Node> = [operation, item]
        .into_iter()
        .flat_map(|node| node.get("parameters").map(Node::items).unwrap_or_default())
        .filter_map(|node| document.resolved(node))
        .collect();
    let text = |node: &Node, field: &str| document.of(node, field).and_then(Node::text).map(str::to_owned);
    let schema = document.of(operation, "requestBody").and_then(|body| json_schema(document, body));
    let in_header = parameters.iter().filter(|node| text(node, "in").as_deref() == Some("header")).find_map(|node| {
        let name = text(node, "name").filter(|name| is_token(name))?;
        Some((key_name(&name)?, name, document.of(node, "schema")))
    });
    let members = schema.map(|schema| properties(document, schema).0).unwrap_or_default();
    let in_body =
        || members.iter().find_map(|(name, own)| Some((key_name(name)?, (*name).to_owned(), document.resolved(own))));
    let (may_trace, key, shape) = match (in_header, in_body()) {
        // What is surely a key goes before what may be for tracing.
        (Some((true, ..)), Some((false, name, shape))) | (None, Some((false, name, shape))) => {
            (false, Key::Member(name), shape)
        }
        (Some((may_trace, name, shape)), _) => (may_trace, Key::Header(name), shape),
        (None, Some((may_trace, name, shape))) => (may_trace, Key::Member(name), shape),
        (None, None) => return None,
    };
    let bound = |field: &str| shape.and_then(|shape| text(shape, field)).and_then(|text| text.parse().ok());
    let mut sampled = Vec::new();
    let (target, headers) = request(document, template, &parameters, &key, &mut sampled);
    let mut body = schema.map(|schema| sample(document, schema)).filter(|body| body.as_object().is_some());
    if let (Key::Member(name), Some(Json::Object(members))) = (&key, body.as_mut()) {
        members.retain(|(known, _)| known.as_str() != Some(name));
    }
    let responses = operation.get("responses").map(Node::entries).unwrap_or_default();
    let success = responses.iter().filter(|entry| entry.key.text().is_some_and(|status| status.starts_with('2')));
    let answered = success.clone().find_map(|entry| json_schema(document, document.resolved(&entry.value)?));
    let security = operation.get("security").or(document.tree().get("security"));
    Some(Found {
        name: named(text(operation, "operationId"), method, template),
        method: method.to_ascii_uppercase(),
        path: target,
        sampled,
        may_trace,
        length: (bound("minLength"), bound("maxLength")),
        format: shape.and_then(|shape| text(shape, "format")),
        key,
        headers,
        body,
        statuses: responses.iter().filter_map(|entry| entry.key.text()).map(str::to_owned).collect(),
        identity: answered.and_then(|schema| identity(document, schema)),
        is_secured: security.is_some_and(|security| !security.items().is_empty()),
    })
}

/// The schema of what is said as JSON.
fn json_schema<'d>(document: &'d Document, body: &'d Node) -> Option<&'d Node> {
    let content = document.of(body, "content")?;
    let is_json = |entry: &&Entry| {
        entry.key.text().is_some_and(|kind| kind.split(';').next().is_some_and(|kind| kind.trim().ends_with("json")))
    };
    let media = content.entries().iter().find(is_json)?;
    document.of(&media.value, "schema")
}

/// The path with samples in place of what varies, and the headers that it requires.
fn request(
    document: &Document,
    path: &str,
    parameters: &[&Node],
    key: &Key,
    sampled: &mut Vec<String>,
) -> (String, Vec<(String, String)>) {
    let (mut path, mut query, mut headers) = (format!("{}{path}", prefix(document)), Vec::new(), Vec::new());
    for node in parameters {
        let text = |field: &str| document.of(node, field).and_then(Node::text);
        let Some(name) = text("name") else { continue };
        let value = document.of(node, "schema").map(|schema| sample(document, schema));
        let value = document
            .of(node, "example")
            .and_then(Node::text)
            .map(str::to_owned)
            .or_else(|| value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
        let value = value.filter(|value| !value.contains(['{', '\r', '\n'])).unwrap_or_else(|| "1".to_owned());
        match text("in") {
            Some("path") => {
                path = path.replace(&format!("{{{name}}}"), &encoded(&value));
                sampled.push(name.to_owned());
            }
            Some("query") if text("required") == Some("true") => {
                query.push(format!("{}={}", encoded(name), encoded(&value)));
                sampled.push(name.to_owned());
            }
            Some("header") if text("required") == Some("true") && is_token(name) => {
                let is_other =
                    !["authorization", "content-type", "accept"].contains(&name.to_ascii_lowercase().as_str());
                if is_other && *key != Key::Header(name.to_owned()) {
                    headers.push((name.to_owned(), value));
                }
            }
            _ => {}
        }
    }
    // What no parameter declares is still no template of ours, and a path is one word.
    path = escaped(&path, |byte| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=:@/%".contains(&byte));
    if !query.is_empty() {
        path = format!("{path}?{}", query.join("&"));
    }
    (path, headers)
}

/// The path of the first server.
fn prefix(document: &Document) -> String {
    let server = document.tree().get("servers").and_then(|servers| servers.items().first());
    let Some(mut url) = server.and_then(|server| server.get("url")).and_then(Node::text).map(str::to_owned) else {
        return String::new();
    };
    for entry in server.and_then(|server| server.get("variables")).map(Node::entries).unwrap_or_default() {
        let value = entry.value.get("default").and_then(Node::text).unwrap_or_default();
        url = url.replace(&format!("{{{}}}", entry.key.text().unwrap_or_default()), value);
    }
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("", |at| &rest[at..]).to_owned(),
        None => url,
    };
    let path = path.trim_end_matches('/');
    if path.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("/{path}") }
}

/// One word for an operation.
fn named(id: Option<String>, method: &str, path: &str) -> String {
    let text = id.unwrap_or_else(|| format!("{method}-{}", path.split('?').next().unwrap_or_default()));
    let mut name = String::new();
    for letter in text.chars().take(60) {
        match letter.is_alphanumeric() || letter == '_' {
            true => name.push(letter),
            false if name.ends_with('-') || name.is_empty() => {}
            false => name.push('-'),
        }
    }
    match name.trim_end_matches('-') {
        "" => "operation".to_owned(),
        taken @ ("any" | "on") => format!("{taken}-operation"),
        name => name.to_owned(),
    }
}

/// The member of an answer that looks like the identity of what was done.
fn identity(document: &Document, schema: &Node) -> Option<String> {
    let (all, _) = properties(document, schema);
    let ends = |end: &str| all.iter().map(|(name, _)| *name).find(|name| name.to_ascii_lowercase().ends_with(end));
    let whole = all.iter().map(|(name, _)| *name).find(|name| name.eq_ignore_ascii_case("id"));
    whole.or_else(|| ends("_id")).filter(|name| key_name(name).is_none()).map(str::to_owned)
}

fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

fn encoded(text: &str) -> String {
    escaped(text, |byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
}

fn escaped(text: &str, is_kept: impl Fn(u8) -> bool) -> String {
    let one = |byte: u8| if is_kept(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}
