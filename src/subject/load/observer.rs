//! Reads an observer of a subject's own: a query, a call with a path into its answer, or a command. What distinguishes one
//! case from another is bound or handed over, never pasted; one that binds nothing is refused.

use crate::file::{Node, Reading};
use crate::json::Query;
use crate::subject::load::server::call;
use crate::subject::load::variables::{Environment, filled};
use crate::subject::{Observer, Shown};

/// What an observer may bind.
const BOUND: &[&str] = &["key", "user"];

/// The fields that say of which kind it is.
const KINDS: [&str; 3] = ["sql", "http", "command"];

/// Reads an observer.
pub fn observer(node: &Node, environment: Environment<'_>, reading: &mut Reading<'_>) -> Option<Observer> {
    if node.text().is_some() {
        templates(node, reading);
        return Some(Observer::Http(call(node, environment, reading)?, Shown::ByContract));
    }
    let kinds: Vec<&str> = KINDS.into_iter().filter(|kind| node.get(kind).is_some()).collect();
    if reading.is_well(node) {
        match kinds.as_slice() {
            [] => reading.wrong(node.head(), "an observer that looks nowhere", "add `sql:`, `http:` or `command:`"),
            [_] => together(node, reading),
            [_, second, ..] => {
                let place = node.get(second).map_or(node.head(), |node| node.span);
                reading.wrong(place, "an observer that looks at two places", "leave one out");
            }
        }
    }
    let field = |name: &str| node.get(name);
    match (field("sql"), field("http"), field("command")) {
        (Some(database), None, None) => {
            let query = field("count")?;
            everything(&[query], bound(query, reading), reading);
            let (database, count) = (filled(database, environment, reading), filled(query, environment, reading));
            Some(Observer::Sql { database: database?, count: count? })
        }
        (None, Some(request), None) => {
            let path = field("rows").or(field("count"));
            let binds = templates(request, reading) | path.is_some_and(|path| bound(path, reading));
            everything(&[request], binds, reading);
            let shown = match (field("rows"), field("count")) {
                (Some(rows), _) => Shown::Rows(selecting(rows, reading)?),
                (None, Some(count)) => Shown::Count(selecting(count, reading)?),
                (None, None) => Shown::ByContract,
            };
            Some(Observer::Http(call(request, environment, reading)?, shown))
        }
        (None, None, Some(command)) => {
            let text = command.text()?;
            for (name, variable) in [("{key}", "$ONCEPROOF_KEY"), ("{user}", "$ONCEPROOF_USER")] {
                if let Some(at) = text.find(name) {
                    let place = reading.part(command, &text[at..at + name.len()]);
                    let label = format!("nothing is pasted into a command: write \"{variable}\"");
                    reading.wrong(place, format!("`{name}` is not filled here"), label);
                }
            }
            Some(Observer::Command(filled(command, environment, reading)?))
        }
        _ => None,
    }
}

/// What the fields of one observer must be together.
fn together(node: &Node, reading: &mut Reading<'_>) {
    let (sql, command) = (node.get("sql").is_some(), node.get("command").is_some());
    if sql && node.get("count").is_none() {
        reading.wrong(node.head(), "a database without a query", "add `count:`, a query whose one number is the count");
    }
    for field in ["rows", "count"].into_iter().filter_map(|field| Some((field, node.get(field)?))) {
        let label = match field.0 {
            "rows" if sql => "a query counts: leave this out",
            _ if command => "a command prints the count: leave this out",
            _ => continue,
        };
        reading.wrong(field.1.span, format!("`{}` does not go with it", field.0), label);
    }
    if let (Some(_), Some(count), false) = (node.get("rows"), node.get("count"), sql || command) {
        reading.wrong(count.span, "rows and a count", "leave one out");
    }
}

/// A JSONPath, whatever is bound in it.
fn selecting(node: &Node, reading: &mut Reading<'_>) -> Option<String> {
    let text = node.text()?;
    let tried = BOUND.iter().fold(text.to_owned(), |text, name| text.replace(&format!("{{{name}}}"), "\"x\""));
    match Query::parse(&tried) {
        Ok(_) => Some(text.to_owned()),
        Err(why) => {
            let label = "expected one like `$.items[?@.key == {key}]`";
            reading.wrong(node.span, format!("not a JSONPath: {}", why.lines().last().unwrap_or(&why)), label);
            None
        }
    }
}

/// Whether a text binds something; what it cannot bind is a problem.
fn bound(node: &Node, reading: &mut Reading<'_>) -> bool {
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
    found
}

/// Whether a call has templates; those that use other names are problems.
fn templates(node: &Node, reading: &mut Reading<'_>) -> bool {
    crate::contract::check_templates(node, BOUND, reading);
    node.text().is_some_and(|text| text.contains("{{"))
}

/// A query that binds nothing counts what other cases did, too.
fn everything(nodes: &[&Node], binds: bool, reading: &mut Reading<'_>) {
    for node in nodes.iter().filter(|node| !binds && node.text().is_some()) {
        let label = "bind `{key}` or `{user}`, or it counts what other cases did";
        reading.wrong(node.span, "a query that counts everything", label);
    }
}
