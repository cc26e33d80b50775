//! Every bundled scenario is played on the honest reference, server and client: each has cases, nothing is violated, and
//! what is not judged is known and few.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use onceproof::judge::{RunReport, Verdict};
use onceproof::report::read_json;

/// Claims that the honest reference need not exercise: where, which, and why.
const SERVER_IDLE: &[(&str, &str, &str)] =
    &[("server/", "replay-after-lock", "the reference lets a loser wait, so no copy is told to come back")];
const CLIENT_IDLE: &[(&str, &str, &str)] = &[
    ("client/fallback/or-same-key", "reuse-key", "the reference serves the fallback, so nothing has its key twice"),
    ("client/fallback/or-same-key", "reuse-body", "the reference serves the fallback, so nothing is asked for twice"),
];

#[test]
fn every_scenario_holds_on_the_honest_reference() {
    // The least cases of each, so that an axis that is filled with nothing shows.
    let runs: [(&[&str], usize); 4] = [
        (&["--contract", "curious"], 600),
        (&["--contract", "scanova"], 150),
        (&["--contract", "2mee-ingest"], 150),
        (&["--contract", "ietf-idempotency-key"], 150),
    ];
    every_one_is_played("server", &runs, SERVER_IDLE);
}

#[test]
fn every_scenario_of_a_client_holds_on_the_honest_reference_client() {
    // The matrix of each kind of client of each contract, on a clock that a test can wait for.
    let runs: [(&[&str], usize); 3] = [
        (&["client", "--contract", "curious", "--as", "caller", "--time-scale", "0.05", "--persists"], 180),
        (&["client", "--contract", "curious", "--as", "sdk", "--time-scale", "0.05", "--persists"], 160),
        (&["client", "--contract", "scanova", "--as", "sender", "--time-scale", "0.05", "--persists"], 80),
    ];
    every_one_is_played("client", &runs, CLIENT_IDLE);
}

#[test]
fn every_kind_of_client_of_every_bundled_contract_is_played() {
    let mut kinds = BTreeSet::new();
    for path in crate::files::yaml_below("scenarios/contracts") {
        let source = crate::files::source(&path, "contract.yaml");
        let contract = onceproof::contract::load(&source, onceproof::scenario::Claim::WORDS).expect("a contract");
        kinds.extend(contract.clients.keys().map(|kind| format!("{} {kind}", contract.name)));
    }
    let played = ["curious caller", "curious sdk", "scanova sender"].map(str::to_owned);
    assert_eq!(kinds, BTreeSet::from(played), "add what is new to the runs above");
}

/// Plays these runs: each scenario of this side has a case in one of them, and each reason to be idle is needed.
fn every_one_is_played(side: &str, runs: &[(&[&str], usize)], idle: &[(&str, &str, &str)]) {
    let mut played = BTreeSet::new();
    let mut needed = BTreeSet::new();
    for (arguments, least) in runs {
        let report = played_with(arguments, &[]);
        assert!(report.complete && report.cases.len() > *least, "{arguments:?}: {} cases", report.cases.len());
        played.extend(report.cases.iter().map(|case| case.scenario.to_string()));
        let open = not_judged(&report, idle, &mut needed);
        if !open.is_empty() {
            // On a machine that is busy the fast clock of a client leaves some open; those are played again, with nothing
            // beside them.
            assert!(side == "client" && open.len() < 12, "{arguments:?}: too many are not judged:\n{}", told(&open));
            let again = played_with(arguments, &open.into_keys().collect::<Vec<_>>());
            let open = not_judged(&again, idle, &mut needed);
            assert!(open.is_empty(), "{}", told(&open));
        }
    }
    let mut files = Vec::new();
    paths(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios").join(side), &mut files);
    assert!(!files.is_empty());
    for file in files {
        let name = file.split_once("scenarios/").expect("below scenarios").1.trim_end_matches(".yaml").to_owned();
        assert!(played.contains(&name), "{name} has no case");
    }
    for (at, (scenario, claim, why)) in idle.iter().enumerate() {
        assert!(needed.contains(&at), "`{claim}` of {scenario} is judged, though {why}");
    }
}

/// The report of a run that ends well: of all cases, or of these.
fn played_with(arguments: &[&str], cases: &[String]) -> RunReport {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Command::new(env!("CARGO_BIN_EXE_onceproof"))
        .arg("run")
        .args(arguments)
        .args(cases.iter().flat_map(|case| ["--case", case]))
        .args(["--seed", "5", "--reports", &folder.path().display().to_string()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    let told = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{told}");
    let subject = std::fs::read_dir(folder.path()).expect("reports").next().expect("one").expect("entry").path();
    let text = std::fs::read_to_string(subject.join("latest/verdicts.json")).expect("verdicts");
    read_json(&text).expect("verdicts of this version")
}

/// The cases with a claim that is not judged for no known reason, and which; no claim is broken. Notes the reasons that are
/// needed.
fn not_judged(
    report: &RunReport,
    idle: &[(&str, &str, &str)],
    needed: &mut BTreeSet<usize>,
) -> BTreeMap<String, Vec<String>> {
    let mut open: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in &report.cases {
        for verdict in &case.verdicts {
            let reason = idle.iter().position(|(scenario, claim, _)| {
                case.scenario.as_str().starts_with(scenario) && *claim == verdict.claim.word()
            });
            let words = || format!("{} {:?} {}: {:?}", case.scenario, case.cell, verdict.claim, verdict.verdict);
            match (&verdict.verdict, reason) {
                (Verdict::Holds(_), _) => {}
                (Verdict::Unknown(_), Some(reason)) => {
                    needed.insert(reason);
                }
                (Verdict::Unknown(_), None) => open.entry(case.id.to_string()).or_default().push(words()),
                (Verdict::Violated(_), _) => panic!("{}", words()),
            }
        }
    }
    open
}

fn told(open: &BTreeMap<String, Vec<String>>) -> String {
    open.values().flatten().cloned().collect::<Vec<_>>().join("\n")
}

fn paths(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("scenarios") {
        let path = entry.expect("entry").path();
        if path.is_dir() { paths(&path, found) } else { found.push(path.display().to_string()) }
    }
}
