//! Reads a contract file. Every problem that can be known at once is told at once; a file with any is refused.

mod operation;
mod places;
mod reference;
mod requirement;
mod retry;
mod shape;

use indexmap::IndexMap;

use crate::contract::{Contract, Effect, Operation, Read};
use crate::file::{Node, Problem, Problems, Source, read_as};
use crate::name::{EffectName, OperationName, RequirementId};

pub use places::duration;
pub use shape::SHAPE;

use operation::operation;
use places::Places;

/// Reads a contract. `claims` are the claims that requirements may name.
pub fn load(source: &Source, claims: &[&str]) -> Result<Contract, Problems> {
    let tree = read_as(source, &crate::file::Shape::Record(&SHAPE))?;
    let mut places = Places::default();
    let contract = contract(&tree, &mut places, claims);
    if places.problems.is_empty() { Ok(contract) } else { Err(Problems::new(source, places.problems)) }
}

fn contract(tree: &Node, places: &mut Places, claims: &[&str]) -> Contract {
    let declared = tree.get("operations").map(Node::entries).unwrap_or_default();
    places.operations = declared.iter().filter_map(|entry| Some(entry.key.text()?.to_owned())).collect();
    places.effects = tree
        .get("effects")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| Some(entry.key.text()?.to_owned()))
        .collect();
    places.scopes = tree
        .get("scopes")
        .map(Node::items)
        .unwrap_or_default()
        .iter()
        .filter_map(|item| Some(item.text()?.to_owned()))
        .collect();
    let mut operations: IndexMap<OperationName, Operation> = IndexMap::new();
    for entry in declared {
        let Some(name) = entry.key.text() else { continue };
        operations.insert(name.into(), operation(name, &entry.value, places));
    }
    check_batches(tree, &operations, places);
    Contract {
        name: tree.get("contract").and_then(Node::text).unwrap_or_default().to_owned(),
        title: tree.get("title").and_then(Node::text).unwrap_or_default().to_owned(),
        scopes: places.scopes.iter().map(|name| name.as_str().into()).collect(),
        effects: effects(tree, places),
        retry: tree
            .get("retry")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .map(|row| retry::row(row, places))
            .collect(),
        requirements: tree
            .get("requirements")
            .map(Node::entries)
            .unwrap_or_default()
            .iter()
            .filter_map(|entry| {
                let id = RequirementId::from(entry.key.text()?);
                Some((id.clone(), requirement::requirement(id, entry, places, claims)))
            })
            .collect(),
        reference: tree.get("reference").map(|node| reference::reference(node, places)),
        operations,
    }
}

fn effects(tree: &Node, places: &mut Places) -> IndexMap<EffectName, Effect> {
    let mut effects = IndexMap::new();
    for entry in tree.get("effects").map(Node::entries).unwrap_or_default() {
        let Some(name) = entry.key.text() else { continue };
        let node = &entry.value;
        let read = Read {
            request: places.request_line(node.get("read")),
            rows: node.get("rows").and_then(|node| places.pointer(node)),
            identity: node.get("identity").and_then(|node| places.pointer(node)),
            matching: node.get("matching").map(crate::file::json),
        };
        let settles = node.get("settles").map(|node| places.duration(node)).unwrap_or_default();
        effects.insert(name.into(), Effect { name: name.into(), read, settles });
    }
    effects
}

/// What only shows when all operations are known.
fn check_batches(tree: &Node, operations: &IndexMap<OperationName, Operation>, places: &mut Places) {
    for entry in tree.get("operations").map(Node::entries).unwrap_or_default() {
        let Some(of) = entry.value.get("batch").and_then(|batch| batch.get("of")) else { continue };
        let inner = of.text().and_then(|name| operations.get(name));
        if inner.is_some_and(|inner| inner.batch.is_some()) {
            let problem = Problem::new(of.head(), "a batch of batches").label("name the operation of one item");
            places.problems.push(problem);
        }
    }
}
