//! Takes single values out of nodes, and remembers what is wrong with them and which names the file declares.

use std::time::Duration;

use crate::contract::RequestLine;
use crate::file::{Node, Problem, json, nearest};
use crate::json::{Json, Pointer};

/// What is wrong so far, and the names that are known.
#[derive(Default)]
pub struct Places {
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Operations of this file.
    pub operations: Vec<String>,
    /// Effects of this file.
    pub effects: Vec<String>,
    /// Scopes of this file.
    pub scopes: Vec<String>,
}

/// Names that a template of a request may use.
const NAMES: &[&str] = &["user", "case", "run", "key"];

impl Places {
    /// Remembers a problem.
    pub fn wrong(&mut self, node: &Node, message: impl Into<String>, label: impl Into<String>) {
        self.problems.push(Problem::new(node.head(), message).label(label));
    }

    /// A name that has to be one of those known.
    pub fn known(&mut self, node: &Node, what: &str, known: &[String]) -> Option<String> {
        let name = node.text()?;
        if known.iter().any(|one| one == name) {
            return Some(name.to_owned());
        }
        let label = match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => format!("did you mean `{near}`?"),
            None => format!("known are {}", known.join(", ")),
        };
        self.wrong(node, format!("no {what} `{name}`"), label);
        None
    }

    /// An operation of this file.
    pub fn operation(&mut self, node: &Node) -> Option<String> {
        let known = self.operations.clone();
        self.known(node, "operation", &known)
    }

    /// A JSON pointer.
    pub fn pointer(&mut self, node: &Node) -> Option<Pointer> {
        match node.text()?.parse() {
            Ok(pointer) => Some(pointer),
            Err(error) => {
                self.wrong(node, format!("not a JSON pointer: {error}"), "expected one like `/items/0/id`");
                None
            }
        }
    }

    /// One or many pointers.
    pub fn pointers(&mut self, node: Option<&Node>) -> Vec<Pointer> {
        many(node).into_iter().filter_map(|node| self.pointer(node)).collect()
    }

    /// `POST /path?query`.
    pub fn request_line(&mut self, node: Option<&Node>) -> RequestLine {
        let text = node.and_then(Node::text).unwrap_or_default();
        let (method, target) = text.split_once(' ').unwrap_or(("", text));
        let method_is_well = !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase());
        if let Some(node) = node
            && !(method_is_well && target.starts_with('/'))
        {
            self.wrong(
                node,
                format!("`{text}` is not a request"),
                "expected a method and a path, such as `POST /v1/things`",
            );
        }
        RequestLine { method: method.to_owned(), target: target.to_owned() }
    }

    /// `250ms` or `2s`.
    pub fn duration(&mut self, node: &Node) -> Duration {
        match node.text().map(duration) {
            Some(Ok(duration)) => duration,
            Some(Err(why)) => {
                self.wrong(node, why, "expected one like `250ms` or `2s`");
                Duration::ZERO
            }
            None => Duration::ZERO,
        }
    }

    /// A body whose templates use known names only.
    pub fn template(&mut self, node: &Node) -> Json {
        self.check_templates(node);
        json(node)
    }

    fn check_templates(&mut self, node: &Node) {
        for entry in node.entries() {
            self.check_templates(&entry.value);
        }
        for item in node.items() {
            self.check_templates(item);
        }
        let text = node.text().unwrap_or_default().to_owned();
        let mut rest = text.as_str();
        while let Some(start) = rest.find("{{") {
            let Some(length) = rest[start..].find("}}") else {
                self.wrong(node, "`{{` without `}}`", "close it");
                return;
            };
            let name = rest[start + 2..start + length].trim();
            if !NAMES.contains(&name) {
                let near = nearest(name, NAMES.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                let label = near.unwrap_or_else(|| format!("known are {}", NAMES.join(", ")));
                self.wrong(node, format!("no name `{name}` for templates"), label);
            }
            rest = &rest[start + length + 2..];
        }
    }

    /// Header names and values.
    pub fn headers(&mut self, node: Option<&Node>) -> Vec<(String, String)> {
        let entries = node.map(Node::entries).unwrap_or_default();
        entries
            .iter()
            .filter_map(|entry| {
                let (name, value) = (entry.key.text()?, entry.value.text()?);
                let well = !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
                if !well {
                    self.wrong(&entry.key, format!("`{name}` is not a header name"), "letters, digits and `-`");
                }
                if value.contains(['\r', '\n', '\0']) {
                    self.wrong(&entry.value, "a header value in more than one line", "one line, without NUL");
                }
                Some((name.to_owned(), value.to_owned()))
            })
            .collect()
    }
}

/// `250ms` or `2s`; the error says what is wrong.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration");
    let (digits, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?);
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    match unit {
        "ms" => Ok(Duration::from_millis(count)),
        "s" => Ok(Duration::from_secs(count)),
        "min" => count.checked_mul(60).map(Duration::from_secs).ok_or_else(wrong),
        _ => Err(wrong()),
    }
}

/// A node, or the items of a list.
pub fn many(node: Option<&Node>) -> Vec<&Node> {
    match node {
        None => Vec::new(),
        Some(node) if node.items().is_empty() => vec![node],
        Some(node) => node.items().iter().collect(),
    }
}
