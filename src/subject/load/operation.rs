//! Reads how a subject wants to be asked for an operation. Variables are filled in paths alone: bodies and headers are
//! written into histories. Whether they fit the contract is asked elsewhere.

use crate::contract::Wording;
use crate::file::{Node, Reading, json};
use crate::subject::load::variables::{Environment, filled};
use crate::subject::load::whole::headers;

/// Reads a wording.
pub fn wording(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Wording {
    if node.entries().is_empty() && reading.is_well(node) {
        reading.wrong(node.span, "an operation that is asked for as ever", "add `path:`, `body:` or `headers:`");
    }
    let as_written = |name: &str| Some(format!("${{{name}}}"));
    Wording {
        path: node.get("path").and_then(|node| path(node, environment, reading)),
        body: node.get("body").map(json),
        headers: headers(node.get("headers"), &as_written, reading),
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
