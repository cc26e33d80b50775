//! Reads a subject file. `${NAME}` is taken from the environment; what it holds never appears in a message.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::Path;

use indexmap::IndexMap;

use crate::contract::RequestLine;
use crate::file::{Field, Node, Problem, Problems, Record, Shape, Source, read_as};
use crate::subject::{Credential, Hook, Observer, Server, Subject};

const HEADERS: Shape = Shape::Map { keys: "header names", values: &Shape::Text };
const TEXTS: Shape = Shape::OneOrMany(&Shape::Text);

/// A subject file.
pub static SHAPE: Record = Record::new(
    "subject",
    "The implementation under test.",
    &[
        Field::optional("name", "What people call it; the file's name, unless said.", Shape::Text),
        Field::required("contract", "The contract that it is judged by.", Shape::Text),
        Field::required("server", "Where its server is.", Shape::Record(&SERVER)),
        Field::required(
            "credentials",
            "Who may call it; the first is the default.",
            Shape::Map {
                keys: "credentials",
                values: &Shape::Map { keys: "scopes and `headers`", values: &Shape::Either(&[Shape::Text, HEADERS]) },
            },
        ),
        Field::optional(
            "observe",
            "Observers of its own, by effect: a call of the read side, or a query.",
            Shape::Map { keys: "effects", values: &Shape::Either(&[Shape::Text, Shape::Record(&QUERY)]) },
        ),
        Field::optional(
            "hooks",
            "How to provoke what no call provokes, by name.",
            Shape::Map { keys: "hooks", values: &Shape::Record(&HOOK) },
        ),
        Field::optional(
            "paths",
            "Paths that differ from the contract's, by operation.",
            Shape::Map { keys: "operations", values: &Shape::Text },
        ),
        Field::optional(
            "settles",
            "A longer wait until effects show, such as 2s.",
            Shape::Pattern {
                says: "a duration, such as 250ms or 2s",
                regex_for_schema: "^[0-9]+(ms|s|min)$",
                accepts: |text| duration(text).map(|_| ()).ok_or_else(|| format!("`{text}` is not a duration")),
            },
        ),
        Field::optional("allow hosts", "Hosts besides loopback that may be called.", TEXTS),
    ],
);

static SERVER: Record = Record::new(
    "server",
    "Where a server is, and how to run it.",
    &[
        Field::optional("url", "Its URL.", Shape::Text),
        Field::optional("urls", "Replicas of one service.", Shape::List(&Shape::Text)),
        Field::optional(
            "start",
            "A command that starts one, with `{port}` in it; then it can be killed and restarted.",
            Shape::Text,
        ),
        Field::optional(
            "environment",
            "Variables for that command.",
            Shape::Map { keys: "variables", values: &Shape::Text },
        ),
        Field::optional("ready", "A call that answers 2xx when it is ready, such as `GET /healthz`.", Shape::Text),
        Field::optional("edge", "A gateway's command, with `{port}` and `{origin}` in it.", Shape::Text),
    ],
);

static QUERY: Record = Record::new(
    "query",
    "A query whose one number is the count.",
    &[
        Field::required("sql", "`postgres://…`, or a SQLite file.", Shape::Text),
        Field::required("count", "The query; `{key}` and `{user}` are bound.", Shape::Text),
    ],
);

static HOOK: Record = Record::new(
    "hook",
    "How to provoke something.",
    &[Field::required("headers", "Headers to send with the attempt.", HEADERS)],
);

/// Looks a variable of the environment up.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Reads a subject.
pub fn load(source: &Source, environment: Environment<'_>) -> Result<Subject, Problems> {
    let tree = read_as(source, &Shape::Record(&SHAPE))?;
    let mut reading = Reading { environment, problems: Vec::new() };
    let subject = reading.subject(&tree, source);
    if reading.problems.is_empty() { Ok(subject) } else { Err(Problems::new(source, reading.problems)) }
}

struct Reading<'a> {
    environment: Environment<'a>,
    problems: Vec<Problem>,
}

impl Reading<'_> {
    fn subject(&mut self, tree: &Node, source: &Source) -> Subject {
        let stem = Path::new(&source.name).file_stem().and_then(|stem| stem.to_str()).unwrap_or("subject");
        let allow_hosts = self.texts(tree.get("allow hosts"));
        let server = tree.get("server").map(|node| self.server(node, &allow_hosts)).unwrap_or_default();
        let credentials: IndexMap<_, _> =
            entries(tree.get("credentials")).map(|(name, node)| (name.into(), self.credential(node))).collect();
        if let (true, Some(node)) = (credentials.is_empty(), tree.get("credentials")) {
            self.wrong(node, "no credential", "name at least one, with its headers");
        }
        Subject {
            name: tree.get("name").map_or_else(|| stem.to_owned(), |node| self.text(node)),
            contract: tree.get("contract").map(|node| self.text(node)).unwrap_or_default(),
            server,
            credentials,
            observe: entries(tree.get("observe"))
                .filter_map(|(name, node)| Some((name.into(), self.observer(node)?)))
                .collect(),
            hooks: entries(tree.get("hooks"))
                .map(|(name, node)| (name.to_owned(), Hook::Headers(self.pairs(node.get("headers")))))
                .collect(),
            paths: entries(tree.get("paths")).map(|(name, node)| (name.into(), self.text(node))).collect(),
            settles: tree.get("settles").and_then(Node::text).and_then(duration),
            allow_hosts,
        }
    }

    fn server(&mut self, node: &Node, allowed: &[String]) -> Server {
        let places: Vec<&Node> =
            node.get("url").into_iter().chain(node.get("urls").map(Node::items).unwrap_or_default()).collect();
        let urls = places.iter().map(|place| self.url(place, allowed)).collect::<Vec<String>>();
        let start = node.get("start").map(|start| self.text(start));
        if urls.is_empty() && start.is_none() {
            self.wrong(node, "a server without a place", "give `url:` or `urls:`, or a command under `start:`");
        }
        if let (Some(command), Some(place)) = (&start, node.get("start"))
            && !command.contains("{port}")
        {
            self.wrong(
                place,
                "a start command without `{port}`",
                "the port is chosen anew each time: pass `{port}` on",
            );
        }
        Server {
            urls,
            start,
            environment: entries(node.get("environment"))
                .map(|(name, value)| (name.to_owned(), self.text(value)))
                .collect(),
            ready: node.get("ready").map(|ready| self.call(ready)),
            edge: node.get("edge").map(|edge| self.text(edge)),
        }
    }

    fn url(&mut self, node: &Node, allowed: &[String]) -> String {
        let text = self.text(node);
        let Some(rest) = text.strip_prefix("http://") else {
            let label = if text.starts_with("https://") {
                "TLS is not in this version: give the http port"
            } else {
                "expected http://HOST:PORT"
            };
            self.wrong(node, format!("`{text}` cannot be called"), label);
            return text;
        };
        let authority = rest.trim_end_matches('/');
        let host = match authority.rsplit_once(':') {
            Some((host, port)) if port.parse::<u16>().is_ok_and(|port| port > 0) => host.trim_matches(['[', ']']),
            Some(_) | None => {
                self.wrong(node, format!("`{text}` has no port"), "expected http://HOST:PORT");
                return text;
            }
        };
        let loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        if !loopback && !allowed.iter().any(|known| known == host) {
            self.wrong(
                node,
                format!("`{host}` is not on this machine"),
                "name it under `allow hosts:` if it may be called",
            );
        }
        format!("http://{authority}")
    }

    fn credential(&mut self, node: &Node) -> Credential {
        let mut scope = BTreeMap::new();
        for entry in node.entries().iter().filter(|entry| entry.key.text() != Some("headers")) {
            if let Some(name) = entry.key.text() {
                scope.insert(name.into(), self.text(&entry.value));
            }
        }
        if node.get("headers").is_none() {
            self.wrong(node, "a credential without headers", "add `headers:`; `{}` where it sends none");
        }
        Credential { scope, headers: self.pairs(node.get("headers")) }
    }

    fn observer(&mut self, node: &Node) -> Option<Observer> {
        if node.text().is_some() {
            return Some(Observer::Http(self.call(node)));
        }
        Some(Observer::Sql { database: self.text(node.get("sql")?), count: node.get("count")?.text()?.to_owned() })
    }

    fn call(&mut self, node: &Node) -> RequestLine {
        let text = self.text(node);
        match text.split_once(' ') {
            Some(("GET", target)) if target.starts_with('/') => {
                RequestLine { method: "GET".to_owned(), target: target.to_owned() }
            }
            _ => {
                self.wrong(node, format!("`{text}` is not a call"), "expected one like `GET /healthz`");
                RequestLine { method: "GET".to_owned(), target: "/".to_owned() }
            }
        }
    }

    fn pairs(&mut self, node: Option<&Node>) -> Vec<(String, String)> {
        entries(node).map(|(name, value)| (name.to_owned(), self.text(value))).collect()
    }

    fn texts(&mut self, node: Option<&Node>) -> Vec<String> {
        match node {
            None => Vec::new(),
            Some(node) if node.text().is_some() => vec![self.text(node)],
            Some(node) => node.items().iter().map(|item| self.text(item)).collect(),
        }
    }

    /// A text with its variables filled; `$${` stands for `${`.
    fn text(&mut self, node: &Node) -> String {
        let raw = node.text().unwrap_or_default();
        let mut filled = String::new();
        let mut rest = raw;
        while let Some(at) = rest.find("${") {
            let (before, after) = rest.split_at(at);
            if let Some(kept) = before.strip_suffix('$') {
                filled.push_str(kept);
                filled.push_str("${");
                rest = &after[2..];
                continue;
            }
            filled.push_str(before);
            let Some(end) = after.find('}') else {
                self.wrong(node, "`${` without `}`", "close it, or write `$${` for the text itself");
                return filled;
            };
            let name = &after[2..end];
            match (self.environment)(name) {
                Some(value) => filled.push_str(&value),
                None => {
                    self.wrong(node, format!("the variable `{name}` is not set"), "set it, or write the value here")
                }
            }
            rest = &after[end + 1..];
        }
        filled + rest
    }

    fn wrong(&mut self, node: &Node, message: impl Into<String>, label: impl Into<String>) {
        self.problems.push(Problem::new(node.head(), message).label(label));
    }
}

fn entries<'n>(node: Option<&'n Node>) -> impl Iterator<Item = (&'n str, &'n Node)> + use<'n> {
    node.map(Node::entries).unwrap_or_default().iter().filter_map(|entry| Some((entry.key.text()?, &entry.value)))
}

fn duration(text: &str) -> Option<std::time::Duration> {
    crate::contract::duration(text).ok()
}
