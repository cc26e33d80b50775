//! One judged run, as `run` and `selftest` share it: plan, play, roll up. It prints nothing and writes nothing.

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::cli::subject::abilities_of_reference;
use crate::cli::{Failure, Library};
use crate::contract::Contract;
use crate::file::{Problem, Source};
use crate::judge::{CaseReport, RunReport, roll_up, unused, waive};
use crate::name::{OperationName, RequirementId};
use crate::plan::{Abilities, AbleClient, Case, Seed, Selection, Setting, Waivers, expand, is_of};
use crate::requirement::Side;
use crate::runner::{Played, Target, run};
use crate::time::Clock;

/// The cases of a library for a subject, selected.
pub fn planned(
    library: &Library,
    abilities: &Abilities,
    seed: Seed,
    selection: &Selection,
    missing: &[OperationName],
) -> Result<Vec<Case>, Failure> {
    let mut cases = expanded(library, abilities, seed)?;
    for case in &mut cases {
        let absent: BTreeSet<&OperationName> =
            case.intents.values().map(|intent| &intent.operation).filter(|name| missing.contains(name)).collect();
        let lacks: Vec<String> = absent.into_iter().map(|name| format!("operation `{name}`")).collect();
        case.lacks.extend(lacks);
    }
    selected(library, selection, cases)
}

/// The cases of a library for every side and every kind of client, selected: for saying what there is.
pub fn all_planned(library: &Library, selection: &Selection) -> Result<Vec<Case>, Failure> {
    let server = abilities_of_reference(&library.contract);
    let clients = library.contract.clients.keys().map(|kind| Abilities {
        client: Some(AbleClient { persists: true, ..AbleClient::plain(kind.clone()) }),
        ..server.clone()
    });
    let mut cases = Vec::new();
    for abilities in std::iter::once(server.clone()).chain(clients) {
        cases.extend(expanded(library, &abilities, Seed(0))?);
    }
    selected(library, selection, cases)
}

fn expanded(library: &Library, abilities: &Abilities, seed: Seed) -> Result<Vec<Case>, Failure> {
    let contract = contract_for(library, abilities);
    let setting = Setting { contract, abilities: abilities.clone(), seed };
    let mut cases = Vec::new();
    for (scenario, source) in &library.scenarios {
        let expanded = expand(scenario, &setting).map_err(|problems| {
            // What a contract cannot fill was found when the files were checked; a subject cannot make it worse.
            let told: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
            Failure::Input(format!("{}: {}", source.name, told.join("; ")))
        })?;
        cases.extend(expanded);
    }
    Ok(cases)
}

fn selected(library: &Library, selection: &Selection, cases: Vec<Case>) -> Result<Vec<Case>, Failure> {
    selection.apply(cases).map_err(|errors| {
        let told = errors.iter().map(|error| {
            let of = library.scenarios.iter().find(|(scenario, _)| is_of(&error.selector, scenario.path.as_str()));
            match of.map(|(scenario, _)| scenario.side) {
                Some(side @ Side::Client) => {
                    format!("`{}` is about a {side}: `onceproof run client {0}`", error.selector)
                }
                Some(side) => format!("`{}` is about a {side}, or does not apply here", error.selector),
                None => error.to_string(),
            }
        });
        Failure::Input(told.collect::<Vec<_>>().join("\n"))
    })
}

/// The contract, in the words of whoever is under test where they have words of their own.
pub fn contract_for(library: &Library, abilities: &Abilities) -> Arc<Contract> {
    let own = match abilities.operations.is_empty() {
        true => Arc::clone(&library.contract),
        false => Arc::new(library.contract.worded(&abilities.operations)),
    };
    match &abilities.client {
        Some(client) if !client.speaks.is_empty() => Arc::new(own.spoken(&client.speaks)),
        Some(_) | None => own,
    }
}

/// How a run is done.
pub struct Manner {
    /// How many cases at a time.
    pub side_by_side: usize,
    /// Whether a broken should, or a derived requirement, fails, and a gap counts.
    pub strict: bool,
    /// The run's clock.
    pub clock: Clock,
    /// Ends the run.
    pub stop: CancellationToken,
    /// Known failings of the subject.
    pub waivers: Waivers,
}

/// Plays and concludes; `heard` is told of each case as it ends.
pub async fn played(
    library: &Library,
    target: &Arc<Target>,
    cases: Vec<Case>,
    seed: Seed,
    manner: &Manner,
    heard: impl FnMut(&Played),
) -> Result<(Vec<Played>, RunReport), Failure> {
    let cases: Vec<Arc<Case>> = cases.into_iter().map(Arc::new).collect();
    let asked = asked(&cases);
    let planned = cases.len();
    let played =
        run(cases, target, manner.side_by_side, manner.clock, &manner.stop, heard).await.map_err(Failure::SetUp)?;
    let reports: Vec<CaseReport> = played.iter().map(|one| one.report.clone()).collect();
    let known = Known { subject: &target.name, abilities: &target.abilities, waivers: &manner.waivers };
    let report = concluded(library, &known, seed, planned, reports, &asked, manner.strict);
    Ok((played, report))
}

/// The requirements that some case could prove.
pub fn asked(cases: &[Arc<Case>]) -> Vec<RequirementId> {
    let all = cases.iter().flat_map(|case| &case.claims).flat_map(|claim| &claim.requirements);
    all.cloned().collect::<BTreeSet<_>>().into_iter().collect()
}

/// What is known of a subject.
pub struct Known<'a> {
    /// What people call it.
    pub subject: &'a str,
    /// What it can do.
    pub abilities: &'a Abilities,
    /// What it is known to fail.
    pub waivers: &'a Waivers,
}

/// From the verdicts of cases to the report of a run.
pub fn concluded(
    library: &Library,
    known: &Known<'_>,
    seed: Seed,
    planned: usize,
    mut cases: Vec<CaseReport>,
    asked: &[RequirementId],
    strict: bool,
) -> RunReport {
    let Known { subject, abilities, waivers } = known;
    waive(waivers, &mut cases);
    // A run that was ended early says nothing of what it did not come to.
    let unused = if cases.len() == planned { unused(waivers, &cases) } else { Vec::new() };
    let told = |problem: &Problem| {
        let source = waivers.source.as_ref();
        let before = |source: &Source| source.text.get(..problem.span.start).unwrap_or_default().matches('\n').count();
        let place = source.map(|source| format!("{}:{}", source.name, before(source) + 1));
        let parts =
            place.into_iter().chain([problem.message.clone(), problem.label.clone()]).chain(problem.help.clone());
        parts.collect::<Vec<_>>().join(": ")
    };
    RunReport {
        contract: library.contract.name.clone(),
        subject: (*subject).to_owned(),
        seed: seed.0,
        complete: cases.len() == planned,
        planned,
        strict,
        kill_score: crate::cli::matrix::recorded_score(),
        requirements: roll_up(&library.contract, &cases, asked, abilities.client.as_ref(), strict),
        cases,
        unused_waivers: unused.iter().map(told).collect(),
    }
}
