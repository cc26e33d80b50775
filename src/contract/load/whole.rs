//! Reads a contract as a whole: the names first, then every part that uses them, then what only shows when all parts are
//! there.

use indexmap::IndexMap;

use crate::contract::load::names::Names;
use crate::contract::load::shape::SHAPE;
use crate::contract::load::values::{many, named, text};
use crate::contract::load::{client, effect, operation, reference, requirement, retry};
use crate::contract::{Contract, Operation};
use crate::file::{Node, Problems, Reading, Shape, Source};
use crate::name::{OperationName, RequirementId};

/// Reads a contract. `known_claims` are the claims that its requirements may name.
pub fn load(source: &Source, known_claims: &[&str]) -> Result<Contract, Problems> {
    let (tree, mut reading) = Reading::open(source, &Shape::Record(&SHAPE))?;
    let names = Names::of(&tree, known_claims, &mut reading);
    let contract = contract(&tree, &names, &mut reading);
    reading.close(contract)
}

fn contract(tree: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> Contract {
    let operations: IndexMap<OperationName, Operation> = named(tree.get("operations"))
        .map(|(name, entry)| (name.into(), operation::operation(entry, names, reading)))
        .collect();
    batches_of_batches(tree, reading);
    Contract {
        name: text(tree, "contract").unwrap_or_default(),
        title: text(tree, "title").unwrap_or_default(),
        scopes: names.scopes.iter().map(|name| (*name).into()).collect(),
        effects: effect::effects(tree, &operations, names, reading),
        retry: many(tree.get("retry")).into_iter().map(|row| retry::row(row, names, reading)).collect(),
        clients: named(tree.get("clients"))
            .map(|(name, entry)| (name.into(), client::rules(name, &entry.value, names, reading)))
            .collect(),
        requirements: named(tree.get("requirements"))
            .map(|(id, entry)| {
                let id = RequirementId::from(id);
                (id.clone(), requirement::requirement(id, entry, names, reading))
            })
            .collect(),
        reference: tree.get("reference").map(|node| reference::reference(node, &operations, names, reading)),
        operations,
    }
}

/// The items of a batch are requests, not batches.
fn batches_of_batches(tree: &Node, reading: &mut Reading<'_>) {
    let operations = tree.get("operations");
    for (_, entry) in named(operations) {
        let Some(of) = entry.value.get("batch").and_then(|batch| batch.get("of")) else { continue };
        let inner = of.text().and_then(|name| operations?.get(name));
        if inner.is_some_and(|inner| inner.get("batch").is_some()) {
            let message = format!("`{}` is a batch itself", of.text().unwrap_or_default());
            reading.wrong(of.span, message, "name the operation of one item");
        }
    }
}
