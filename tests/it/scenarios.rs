//! Every bundled scenario is played on the honest reference: each has cases, nothing is violated, and what is not judged
//! is known and few.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Claims that an honest subject need not exercise, and why.
const MAY_BE_IDLE: &[(&str, &str)] =
    &[("replay-after-lock", "the reference lets a loser wait, so no copy is told to come back")];

#[test]
fn every_scenario_holds_on_the_honest_reference() {
    let mut played = BTreeSet::new();
    // The least cases of each, so that an axis that is filled with nothing shows.
    for (contract, least) in [("curious", 600), ("scanova", 150)] {
        played.extend(played_on(contract, least));
    }
    let mut files = Vec::new();
    paths(&Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/server"), &mut files);
    assert!(!files.is_empty());
    for file in files {
        let name = file.split_once("scenarios/").expect("below scenarios").1.trim_end_matches(".yaml").to_owned();
        assert!(played.contains(&name), "{name} has no case");
    }
}

/// The scenarios that have a case for a contract; every claim of every one of them holds.
fn played_on(contract: &str, least: usize) -> BTreeSet<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Command::new(env!("CARGO_BIN_EXE_onceproof"))
        .args(["run", "--contract", contract, "--seed", "5", "--reports", &folder.path().display().to_string()])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    let told = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    assert_eq!(run.status.code(), Some(0), "{told}");
    let subject = std::fs::read_dir(folder.path()).expect("reports").next().expect("one").expect("entry").path();
    let text = std::fs::read_to_string(subject.join("latest/verdicts.json")).expect("verdicts");
    let report = onceproof::report::read_json(&text).expect("verdicts of this version");
    assert!(report.complete && report.cases.len() > least, "{contract}: {} cases", report.cases.len());
    let mut wrong = Vec::new();
    for case in &report.cases {
        for verdict in &case.verdicts {
            let idle = MAY_BE_IDLE.iter().any(|(claim, _)| *claim == verdict.claim.word());
            match &verdict.verdict {
                onceproof::judge::Verdict::Holds(_) => {}
                onceproof::judge::Verdict::Unknown(_) if idle => {}
                other => wrong.push(format!("{} {:?} {}: {other:?}", case.scenario, case.cell, verdict.claim)),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    report.cases.iter().map(|case| case.scenario.to_string()).collect()
}

fn paths(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).expect("scenarios") {
        let path = entry.expect("entry").path();
        if path.is_dir() { paths(&path, found) } else { found.push(path.display().to_string()) }
    }
}
