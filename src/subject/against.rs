//! Whether a subject file speaks of what its contract declares: scopes, effects, hooks, operations. The file by itself was
//! found to be well before; nothing is called.

use crate::contract::Contract;
use crate::file::{Node, Problem, Problems, Reading, Shape, Source, nearest};
use crate::subject::load::SHAPE;
use crate::subject::words;

/// Every name in a subject file that its contract does not declare, and every scope that a credential leaves open.
pub fn against(source: &Source, contract: &Contract) -> Result<(), Problems> {
    let (tree, mut reading) = Reading::open(source, &Shape::Record(&SHAPE))?;
    let section = |name: &str| tree.get(name).map(Node::entries).unwrap_or_default();
    // A client alone is given the credentials of the reference.
    let scopes: Vec<&str> = contract.scopes.iter().map(|name| name.as_str()).collect();
    let effects: Vec<&str> = contract.effects.keys().map(|name| name.as_str()).collect();
    let operations: Vec<&str> = contract.operations.keys().map(|name| name.as_str()).collect();
    let hooks: Vec<&str> = contract.hooks().into_iter().collect();
    let mut problems = Vec::new();
    for credential in section("credentials") {
        let own = credential.value.entries();
        let keys = own.iter().map(|entry| &entry.key).filter(|key| key.text() != Some("headers"));
        let absent: Vec<&str> = scopes.iter().copied().filter(|scope| credential.value.get(scope).is_none()).collect();
        // One slip is one problem: a scope that stands there misspelt is not missing as well.
        let mut misspelt = Vec::new();
        for key in keys.filter(|key| key.text().is_some_and(|name| !scopes.contains(&name))) {
            misspelt.extend(nearest(key.text().unwrap_or_default(), absent.iter().copied()));
            problems.extend(unknown(key, "scope", &scopes, contract));
        }
        for scope in absent.iter().filter(|scope| !misspelt.contains(scope)) {
            let problem = Problem::new(credential.key.span, format!("a credential without its `{scope}`"));
            problems.push(problem.label(format!("say which {scope} it belongs to")));
        }
    }
    let client = tree.get("client");
    let kinds: Vec<&str> = contract.clients.keys().map(|name| name.as_str()).collect();
    if let Some(kind) = client.and_then(|client| client.get("kind")) {
        problems.extend(unknown(kind, "kind of client", &kinds, contract));
    }
    for operation in client
        .and_then(|client| client.get("operations"))
        .into_iter()
        .flat_map(|node| std::iter::once(node).filter(|node| node.text().is_some()).chain(node.items()))
    {
        problems.extend(unknown(operation, "operation", &operations, contract));
    }
    for entry in client.and_then(|client| client.get("speaks")).map(Node::entries).unwrap_or_default() {
        problems.extend(unknown(&entry.key, "operation", &operations, contract));
    }
    for (name, what, known) in
        [("observe", "effect", &effects), ("hooks", "hook", &hooks), ("operations", "operation", &operations)]
    {
        problems.extend(section(name).iter().filter_map(|entry| unknown(&entry.key, what, known, contract)));
    }
    problems.into_iter().for_each(|problem| reading.add(problem));
    words::all_fit(&tree, contract, &mut reading);
    reading.close(())
}

fn unknown(key: &Node, what: &str, known: &[&str], contract: &Contract) -> Option<Problem> {
    let name = key.text().filter(|name| !known.contains(name))?;
    let label = match nearest(name, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => format!("{} has none", contract.name),
        None => format!("known are {}", known.join(", ")),
    };
    Some(Problem::new(key.span, format!("no {what} `{name}` in {}", contract.name)).label(label))
}
