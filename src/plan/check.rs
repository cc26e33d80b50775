//! What only shows when contracts and scenarios are crossed: scenarios that a contract cannot fill, claims that prove
//! nothing, requirements that nothing proves, patterns that match nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::contract::Contract;
use crate::file::{Node, Problem, Problems, Source, Span, nearest, read};
use crate::name::{CaseId, ScopeName};
use crate::plan::case::Case;
use crate::plan::claims::{matches_path, proves};
use crate::plan::credential::{Abilities, AbleClient, AbleCredential};
use crate::plan::expand::{Setting, expand};
use crate::plan::mint::Seed;
use crate::requirement::{Proof, Requirement, Side};
use crate::scenario::Scenario;

/// Every problem, file by file; none when all is well.
pub fn check(contract: &Arc<Contract>, source: &Source, scenarios: &[(Arc<Scenario>, Source)]) -> Vec<Problems> {
    let (cases, mut found) = planned(contract, scenarios);
    // While scenarios cannot be planned, what they would prove is not known.
    if found.is_empty() {
        let unproved = unproved(contract, source, &cases, scenarios);
        if !unproved.is_empty() {
            found.push(Problems::new(source, unproved));
        }
    }
    found
}

/// The problems of these scenarios alone: for when there are others, so that nobody knows what no scenario proves.
pub fn check_scenarios(contract: &Arc<Contract>, scenarios: &[(Arc<Scenario>, Source)]) -> Vec<Problems> {
    planned(contract, scenarios).1
}

fn planned(contract: &Arc<Contract>, scenarios: &[(Arc<Scenario>, Source)]) -> (Vec<Case>, Vec<Problems>) {
    let server = able(contract);
    let clients = contract.clients.keys().map(|kind| Abilities {
        client: Some(AbleClient { both: true, persists: true, ..AbleClient::plain(kind.clone()) }),
        ..able(contract)
    });
    let settings: Vec<Setting> = std::iter::once(server.clone())
        .chain(clients)
        .map(|abilities| Setting { contract: Arc::clone(contract), abilities, seed: Seed(0) })
        .collect();
    let mut planned = Vec::new();
    let mut found = Vec::new();
    let mut ids: BTreeMap<CaseId, String> = BTreeMap::new();
    for ((scenario, text), setting) in
        scenarios.iter().flat_map(|one| settings.iter().map(move |setting| (one, setting)))
    {
        match expand(scenario, setting) {
            Ok(cases) => {
                for case in &cases {
                    if let Some(other) = ids.insert(case.id.clone(), case.label()) {
                        let message = format!("{} and {other} have the same case id {}", case.label(), case.id);
                        let problem = Problem::new(Span::default(), message).label("rename one");
                        found.push(Problems::new(text, vec![problem]));
                    }
                }
                planned.extend(cases);
            }
            Err(problems) => {
                let list = problems
                    .into_iter()
                    .map(|problem| Problem::new(problem.span, problem.message).label(problem.label));
                found.push(Problems::new(text, list.collect()));
            }
        }
    }
    (planned, found)
}

fn unproved(
    contract: &Contract,
    source: &Source,
    cases: &[Case],
    scenarios: &[(Arc<Scenario>, Source)],
) -> Vec<Problem> {
    let tree = read(source).ok();
    let rows = tree.as_ref().and_then(|tree| tree.get("requirements")).map(Node::entries).unwrap_or_default();
    let served =
        contract.requirements.values().filter(|requirement| matches!(requirement.side, Side::Server | Side::Client));
    let mut problems = Vec::new();
    for requirement in served {
        let id = requirement.id.as_str();
        let row = rows.iter().find(|row| row.key.text() == Some(id));
        let place = row.map_or_else(Span::default, |row| row.key.span);
        let useless: Vec<usize> = (0..requirement.proofs.len())
            .filter(|line| !requirement.proofs.get(*line).is_some_and(|proof| is_used(requirement, proof, cases)))
            .collect();
        if requirement.not_judged.is_none() && useless.len() == requirement.proofs.len() {
            problems.push(
                Problem::new(place, format!("nothing proves {id}"))
                    .label("no scenario makes a claim that its `proved by` names")
                    .help("name a claim that is made, or say `not judged:` and why"),
            );
            continue;
        }
        let lines = row.and_then(|row| row.value.get("proved by"));
        for line in useless {
            // One line stands alone, many stand in a list.
            let node = lines.map(|lines| lines.items().get(line).unwrap_or(lines));
            let place = node.map_or(place, |node| node.span);
            let glob = requirement.proofs.get(line).and_then(|proof| proof.scenario.as_deref());
            let unmatched =
                glob.filter(|glob| !scenarios.iter().any(|(scenario, _)| matches_path(glob, scenario.path.as_str())));
            problems.push(match unmatched {
                Some(glob) => {
                    let paths = scenarios.iter().map(|(scenario, _)| scenario.path.as_str());
                    let near = nearest(glob, paths).map(|near| format!("did you mean `{near}`?"));
                    Problem::new(place, format!("`in {glob}` matches no scenario")).label(near.unwrap_or_default())
                }
                None => Problem::new(place, format!("this line proves nothing of {id}"))
                    .label("no case makes this claim on this operation here")
                    .help("`onceproof explain SCENARIO` shows its axes and claims"),
            });
        }
    }
    problems
}

/// Whether a line is what some claim of some case proves. The same claim may be made for requirements of others alone: of
/// another side, or of another kind of client.
fn is_used(requirement: &Requirement, proof: &Proof, cases: &[Case]) -> bool {
    cases.iter().any(|case| {
        case.claims.iter().filter(|claim| claim.requirements.contains(&requirement.id)).any(|claim| {
            let judged = claim.on.last().and_then(|name| case.intents.get(name));
            let operation = judged.and_then(|intent| case.contract.operations.get(&intent.operation));
            operation
                .is_some_and(|operation| proves(proof, claim.claim, operation, case.scenario.path.as_str(), &case.cell))
        })
    })
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
    Abilities {
        host: "127.0.0.1".to_owned(),
        credentials,
        replicas: 2,
        restarts: true,
        edge: true,
        hooks: contract.hooks().into_iter().map(str::to_owned).collect(),
        operations: BTreeMap::new(),
        client: None,
    }
}
