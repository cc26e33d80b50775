//! What only shows when contracts and scenarios are crossed: scenarios that a contract cannot fill, claims that prove
//! nothing, requirements that nothing proves, patterns that match nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::Contract;
use crate::file::{Node, Problem, Problems, Source, Span, read};
use crate::name::ScopeName;
use crate::plan::claims::matches_path;
use crate::plan::credential::{Abilities, AbleCredential};
use crate::plan::expand::{Setting, expand};
use crate::plan::mint::Seed;
use crate::requirement::Side;
use crate::scenario::Scenario;

/// Every problem, file by file; none when all is well.
pub fn check(contract: &Arc<Contract>, source: &Source, scenarios: &[(Arc<Scenario>, Source)]) -> Vec<Problems> {
    let setting = Setting { contract: Arc::clone(contract), abilities: able(contract), seed: Seed(0) };
    let mut found = Vec::new();
    let mut proved: Vec<String> = Vec::new();
    let mut ids: BTreeMap<String, String> = BTreeMap::new();
    for (scenario, text) in scenarios {
        match expand(scenario, &setting) {
            Ok(cases) => {
                for case in cases {
                    proved.extend(case.claims.iter().flat_map(|claim| &claim.requirements).map(ToString::to_string));
                    if let Some(other) = ids.insert(case.id.to_string(), case.label()) {
                        let message = format!("{} and {other} have the same case id {}", case.label(), case.id);
                        found.push(Problems::new(
                            text,
                            vec![Problem::new(Span::default(), message).label("rename one")],
                        ));
                    }
                }
            }
            Err(problems) => {
                let list = problems
                    .into_iter()
                    .map(|problem| Problem::new(problem.span, problem.message).label(problem.label));
                found.push(Problems::new(text, list.collect()));
            }
        }
    }
    // While scenarios cannot be planned, what they would prove is not known.
    if found.is_empty() {
        let unproved = unproved(contract, source, &proved, scenarios);
        if !unproved.is_empty() {
            found.push(Problems::new(source, unproved));
        }
    }
    found
}

fn unproved(
    contract: &Contract,
    source: &Source,
    proved: &[String],
    scenarios: &[(Arc<Scenario>, Source)],
) -> Vec<Problem> {
    let tree = read(source).ok();
    let place = |id: &str| {
        let rows = tree.as_ref().and_then(|tree| tree.get("requirements")).map(Node::entries).unwrap_or_default();
        rows.iter().find(|row| row.key.text() == Some(id)).map_or_else(Span::default, |row| row.key.span)
    };
    let served = contract.requirements.values().filter(|requirement| requirement.side == Side::Server);
    let mut problems = Vec::new();
    for requirement in served {
        let id = requirement.id.as_str();
        if requirement.not_judged.is_none() && !proved.iter().any(|known| known == id) {
            problems.push(
                Problem::new(place(id), format!("nothing proves {id}"))
                    .label("no scenario makes a claim that its `proved by` names")
                    .help("name a claim that is made, or say `not judged:` and why"),
            );
            continue;
        }
        for glob in requirement.proofs.iter().filter_map(|proof| proof.scenario.as_deref()) {
            if !scenarios.iter().any(|(scenario, _)| matches_path(glob, scenario.path.as_str())) {
                problems.push(
                    Problem::new(place(id), format!("`in {glob}` matches no scenario")).label("in its `proved by`"),
                );
            }
        }
    }
    problems
}

/// A subject that can do everything: what only it could play is planned too.
fn able(contract: &Contract) -> Abilities {
    let scope = |other: Option<&ScopeName>| -> BTreeMap<ScopeName, String> {
        let value = |name: &ScopeName| if other == Some(name) { "b" } else { "a" };
        contract.scopes.iter().map(|name| (name.clone(), value(name).to_owned())).collect()
    };
    let named = |name: String, scope| AbleCredential { name: name.as_str().into(), scope };
    let mut credentials = vec![named("first".to_owned(), scope(None)), named("second".to_owned(), scope(None))];
    credentials.extend(contract.scopes.iter().map(|name| named(format!("other {name}"), scope(Some(name)))));
    let defects = contract.operations.values().flat_map(|operation| operation.defects.values());
    Abilities {
        host: "127.0.0.1".to_owned(),
        credentials,
        replicas: 2,
        restarts: true,
        edge: true,
        hooks: defects.filter_map(|edit| edit.hook.clone()).collect(),
        paths: BTreeMap::new(),
    }
}
