//! Reads a hook: what is sent with an attempt, or done before and after it. It does none of it.

use crate::contract::{RequestLine, duration};
use crate::file::{Node, Reading, json};
use crate::subject::load::variables::{Environment, filled};
use crate::subject::load::whole::headers;
use crate::subject::{Deed, Hook};

/// Reads a hook.
pub fn hook(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Hook {
    let (command, asked) = (node.get("command"), node.get("call"));
    if reading.is_well(node) {
        if let (Some(_), Some(second)) = (command, asked) {
            reading.wrong(second.span, "a hook that does two things", "leave out this, or `command:`");
        }
        if command.is_none() && asked.is_none() {
            if let Some(undo) = node.get("undo") {
                reading.wrong(undo.span, "there is nothing to undo", "headers pass with their attempt: leave this out");
            } else if let Some(within) = node.get("within") {
                reading.wrong(within.span, "there is nothing to wait for", "leave this out");
            } else if node.get("headers").is_none() {
                reading.wrong(node.head(), "a hook that does nothing", "add `headers:`, `command:` or `call:`");
            }
        }
    }
    let command = command.and_then(|command| filled(command, environment, reading)).map(Deed::Command);
    Hook {
        headers: headers(node.get("headers"), environment, reading),
        before: command.or_else(|| asked.and_then(|node| call(node, environment, reading))),
        undo: node.get("undo").and_then(|node| match node.text() {
            Some(_) => filled(node, environment, reading).map(Deed::Command),
            None => call(node, environment, reading),
        }),
        within: node.get("within").and_then(|node| duration(node.text()?).ok()),
    }
}

fn call(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<Deed> {
    let line = if node.text().is_some() { node } else { node.get("request")? };
    let text = filled(line, environment, reading)?;
    let request = text.split_once(' ').filter(|(method, target)| {
        !method.is_empty() && method.bytes().all(|byte| byte.is_ascii_uppercase()) && target.starts_with('/')
    });
    let Some((method, target)) = request else {
        let written = line.text().unwrap_or_default();
        reading.wrong(line.span, format!("`{written}` is not a request"), "expected one like `POST /limits`");
        return None;
    };
    let request = RequestLine { method: method.to_owned(), target: target.to_owned() };
    let headers = headers(node.get("headers"), environment, reading);
    Some(Deed::Call { request, headers, body: node.get("body").map(json) })
}
