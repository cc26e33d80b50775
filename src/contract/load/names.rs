//! The names that a contract file declares, known before anything that uses them is read. It judges no name but its form.

use crate::contract::load::template;
use crate::file::{Node, Reading};

/// What is declared.
pub struct Names<'a> {
    /// Under `operations`.
    pub operations: Vec<&'a str>,
    /// Under `effects`.
    pub effects: Vec<&'a str>,
    /// Under `clients`.
    pub clients: Vec<&'a str>,
    /// Under `scopes`.
    pub scopes: Vec<&'a str>,
    /// Under `collections` of the reference.
    pub collections: Vec<&'a str>,
    /// The claims that there are.
    pub claims: &'a [&'a str],
}

impl<'a> Names<'a> {
    /// Of a file; names that could not be used where names are written are problems.
    pub fn of(tree: &'a Node, claims: &'a [&'a str], reading: &mut Reading<'_>) -> Self {
        let keys = |node: Option<&'a Node>| -> Vec<&'a Node> {
            node.map(Node::entries).unwrap_or_default().iter().map(|entry| &entry.key).collect()
        };
        let operations = keys(tree.get("operations"));
        let scopes: Vec<&Node> = tree.get("scopes").map(Node::items).unwrap_or_default().iter().collect();
        for name in &operations {
            word(name, "an operation", reading);
            if let Some(taken @ ("any" | "on")) = name.text() {
                reading.wrong(name.span, format!("`{taken}` has another meaning"), "name the operation otherwise");
            }
        }
        for name in &scopes {
            word(name, "a scope", reading);
            if let Some(taken) = name.text().filter(|name| *name == "headers" || template::NAMES.contains(name)) {
                reading.wrong(name.span, format!("`{taken}` has another meaning"), "name the scope otherwise");
            }
        }
        for (index, scope) in scopes.iter().enumerate() {
            if scopes[..index].iter().any(|other| other.text() == scope.text()) {
                reading.wrong(scope.span, "a scope that stands twice", "leave it out");
            }
        }
        Self {
            operations: texts(&operations),
            effects: texts(&keys(tree.get("effects"))),
            clients: texts(&keys(tree.get("clients"))),
            scopes: texts(&scopes),
            collections: texts(&keys(tree.get("reference").and_then(|reference| reference.get("collections")))),
            claims,
        }
    }
}

impl Names<'_> {
    /// The names that a template over an intent may use.
    pub fn of_templates(&self) -> Vec<&str> {
        template::NAMES.iter().copied().chain(self.scopes.iter().copied()).collect()
    }
}

fn texts<'a>(nodes: &[&'a Node]) -> Vec<&'a str> {
    nodes.iter().filter_map(|node| node.text()).collect()
}

/// A name that stands between blanks, bars and commas elsewhere has to be one word.
fn word(node: &Node, what: &str, reading: &mut Reading<'_>) {
    let text = node.text().unwrap_or_default();
    let well = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if !text.chars().all(well) {
        let message = format!("`{text}` cannot be the name of {what}");
        reading.wrong(node.span, message, "one word: letters, digits, `-`, `_` and `.`");
    }
}
