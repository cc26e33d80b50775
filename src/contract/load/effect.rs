//! Reads the effects: what an API durably does, and the call that shows it. It reads nothing off an API.

use indexmap::IndexMap;

use crate::contract::load::names::Names;
use crate::contract::load::notation;
use crate::contract::load::template;
use crate::contract::load::values::{named, place, pointer, request_line};
use crate::contract::{Effect, Operation, Read};
use crate::file::{Node, Reading, json};
use crate::name::{EffectName, OperationName};

/// The effects, by name. A call may use the members of the bodies that have the effect.
pub fn effects(
    tree: &Node,
    operations: &IndexMap<OperationName, Operation>,
    names: &Names<'_>,
    reading: &mut Reading<'_>,
) -> IndexMap<EffectName, Effect> {
    let all_known = uses_are_known(tree, reading);
    let mut effects = IndexMap::new();
    for (name, entry) in named(tree.get("effects")) {
        let node = &entry.value;
        let has_it = |operation: &&Operation| {
            [&operation.effect, &operation.repeats].into_iter().flatten().any(|own| own.as_str() == name)
        };
        let doing: Vec<&Operation> = operations.values().filter(has_it).collect();
        if !doing.is_empty() {
            let known: Vec<&str> = names.of_templates().into_iter().chain(texts_of_bodies(&doing)).collect();
            for field in ["read", "matching"].into_iter().filter_map(|field| node.get(field)) {
                template::check(field, &known, reading);
            }
        } else if all_known {
            reading.wrong(entry.key.span, format!("no operation does `{name}`"), "name it as an operation's `effect:`");
        }
        for field in ["rows", "identity", "matching"] {
            if node.get("count").is_some() && node.get(field).is_some() {
                let message = format!("`{field}` does not go with `count`");
                reading.wrong(place(node, field), message, "a number has no rows that could be told apart");
            }
        }
        let read = Read {
            request: request_line(node.get("read")),
            rows: pointer(node.get("rows")),
            count: pointer(node.get("count")),
            identity: pointer(node.get("identity")),
            matching: node.get("matching").map(json),
        };
        let settles = node.get("settles").and_then(|node| notation::duration(node.text()?).ok()).unwrap_or_default();
        effects.insert(name.into(), Effect { name: name.into(), read, settles });
    }
    effects
}

fn texts_of_bodies<'o>(operations: &[&'o Operation]) -> impl Iterator<Item = &'o str> {
    let bodies = operations.iter().filter_map(|operation| operation.body.as_ref()?.as_object());
    bodies.flatten().filter_map(|(member, value)| value.as_text().and(member.as_str()))
}

/// Whether every operation could be read and names an effect that there is: else a misspelt effect would be unused, too.
fn uses_are_known(tree: &Node, reading: &Reading<'_>) -> bool {
    let declared = tree.get("effects");
    let uses = named(tree.get("operations"))
        .flat_map(|(_, entry)| ["effect", "repeats"].map(|field| entry.value.get(field).and_then(Node::text)))
        .flatten();
    tree.get("operations").is_some_and(|node| reading.is_well(node))
        && uses.into_iter().all(|name| declared.is_some_and(|declared| declared.get(name).is_some()))
}
