//! Clients and servers that we did not write, judged by a contract: `tests/interop/*.yaml` and `tests/interop/servers/*.yaml`.
//! Their verdicts are pinned under `verdicts/` beside them; each violation there was looked at on the recorded wire. Played
//! where the packages were installed (`tests/interop/install.sh`) and ONCEPROOF_INTEROP is set, because it takes minutes;
//! elsewhere it says aloud that it is skipped. `ONCEPROOF_INTEROP=WORD` plays those with the word in their path, `BLESS=1`
//! writes the verdicts anew.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex};

use serde_json::Value;

/// Which end of the road is theirs.
#[derive(Clone, Copy)]
enum Side {
    Client,
    Server,
}

impl Side {
    fn folder(self) -> PathBuf {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/interop");
        match self {
            Side::Client => folder,
            Side::Server => folder.join("servers"),
        }
    }

    /// How many subjects at the same time: their programs take the processors from each other.
    fn at_once(self) -> usize {
        match self {
            Side::Client => 3,
            Side::Server => 2,
        }
    }

    fn run(self) -> &'static [&'static str] {
        match self {
            Side::Client => &["run", "client"],
            Side::Server => &["run"],
        }
    }

    fn subjects(self) -> Vec<PathBuf> {
        let files = std::fs::read_dir(self.folder()).expect("a folder").map(|entry| entry.expect("an entry").path());
        let mut subjects: Vec<PathBuf> = files.filter(|path| is_subject(path)).collect();
        subjects.sort();
        subjects
    }
}

fn is_subject(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".yaml") && !name.ends_with(".waive.yaml")
}

fn stem(subject: &Path) -> String {
    subject.file_stem().expect("a name").to_string_lossy().into_owned()
}

fn pinned(subject: &Path) -> PathBuf {
    subject.with_file_name("verdicts").join(format!("{}.txt", stem(subject)))
}

#[test]
fn there_are_many_real_subjects_and_each_has_its_verdicts() {
    for (side, at_least) in [(Side::Client, 14), (Side::Server, 9)] {
        let subjects = side.subjects();
        assert!(subjects.len() >= at_least, "{subjects:?}");
        for subject in subjects {
            assert!(pinned(&subject).is_file(), "{} has no verdicts", stem(&subject));
        }
    }
}

#[test]
fn the_readme_names_only_subjects_that_are_judged_here() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("the README");
    let named: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("$ "))
        .flat_map(str::split_whitespace)
        .filter(|word| word.starts_with("tests/interop/") && word.ends_with(".yaml"))
        .collect();
    assert!(!named.is_empty(), "the README lost its showcase");
    let known: Vec<String> = [Side::Client, Side::Server]
        .into_iter()
        .flat_map(Side::subjects)
        .map(|path| path.display().to_string())
        .collect();
    for name in named {
        assert!(known.iter().any(|path| path.ends_with(name)), "{name} is no subject");
    }
}

#[test]
fn real_clients_are_judged_as_they_were() {
    judged_as_they_were(Side::Client);
}

#[test]
fn real_servers_are_judged_as_they_were() {
    judged_as_they_were(Side::Server);
}

fn judged_as_they_were(side: Side) {
    let Ok(only) = std::env::var("ONCEPROOF_INTEROP") else {
        println!("skipped: real subjects are judged with ONCEPROOF_INTEROP=1, after tests/interop/install.sh");
        return;
    };
    assert!(Side::Client.folder().join("node_modules").is_dir(), "run tests/interop/install.sh first");
    // Both sides at the same time would be too many at once.
    static ONE_SIDE: Mutex<()> = Mutex::new(());
    let _turn = ONE_SIDE.lock();
    let chosen = side.subjects().into_iter().filter(|path| only == "1" || path.to_string_lossy().contains(&only));
    let waiting: Arc<Mutex<Vec<PathBuf>>> = Arc::new(Mutex::new(chosen.collect()));
    let wrong: Arc<Mutex<Vec<(PathBuf, String)>>> = Arc::default();
    std::thread::scope(|scope| {
        for _ in 0..side.at_once() {
            let (waiting, wrong) = (Arc::clone(&waiting), Arc::clone(&wrong));
            scope.spawn(move || {
                loop {
                    let Some(subject) = waiting.lock().expect("a list").pop() else { break };
                    if let Err(why) = judged(side, &subject) {
                        wrong.lock().expect("a list").push((subject, why));
                    }
                }
            });
        }
    });
    // Beside each other they may be late by no doing of theirs: whoever was judged otherwise is judged once more, alone.
    let wrong = wrong.lock().expect("a list");
    let still = |(subject, first): &(PathBuf, String)| {
        println!("judged once more, alone: {first}");
        judged(side, subject).err()
    };
    let wrong: Vec<String> = wrong.iter().filter_map(still).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

fn judged(side: Side, subject: &Path) -> Result<(), String> {
    let stem = stem(subject);
    let reports = tempfile::tempdir().expect("a folder");
    let mut run = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    run.args(side.run()).args(["--seed", "7", "--subject"]).arg(subject).arg("--reports").arg(reports.path());
    let output = run.env("NO_COLOR", "1").output().expect("the binary runs");
    let told = || String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if !matches!(output.status.code(), Some(0 | 1)) {
        return Err(format!("{stem}: exit {:?}\n{}", output.status.code(), told()));
    }
    let own = std::fs::read_dir(reports.path()).expect("reports").next().expect("a subject").expect("an entry").path();
    let verdicts = std::fs::read_to_string(own.join("latest/verdicts.json")).expect("verdicts");
    let found = summary(&serde_json::from_str(&verdicts).expect("JSON"));
    let file = pinned(subject);
    let known = std::fs::read_to_string(&file).unwrap_or_default();
    // `~ ID REASON`: this one changes from run to run, by a race that is the subject's own.
    let races: Vec<&str> = known.lines().filter(|line| line.starts_with("~ ")).collect();
    let is_race =
        |line: &str| races.iter().any(|race| race.split_whitespace().nth(1) == line.split_whitespace().next());
    let lines = |text: &str| -> BTreeSet<String> {
        text.lines().filter(|line| !line.starts_with("~ ") && !is_race(line)).map(str::to_owned).collect()
    };
    if std::env::var_os("BLESS").is_some() {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        let settled = found.lines().filter(|line| !is_race(line));
        let all: Vec<&str> = races.iter().copied().chain(settled).collect();
        std::fs::write(&file, all.join("\n") + "\n").expect("written");
        return Ok(());
    }
    let (found, known) = (lines(&found), lines(&known));
    let less: Vec<&String> = known.difference(&found).collect();
    let more: Vec<&String> = found.difference(&known).collect();
    if less.is_empty() && more.is_empty() {
        return Ok(());
    }
    let shown = |sign: &str, lines: Vec<&String>| -> Vec<String> {
        lines.into_iter().map(|line| format!("{sign} {line}")).collect()
    };
    Err(format!("{stem}:\n{}", [shown("-", less), shown("+", more)].concat().join("\n")))
}

/// A line for each requirement: whether it was broken, and by what, or held by some case.
fn summary(report: &Value) -> String {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for case in report["cases"].as_array().into_iter().flatten() {
        for verdict in case["verdicts"].as_array().into_iter().flatten() {
            let Some(violated) = verdict["verdict"].get("violated") else { continue };
            let firsts = std::iter::once(&violated["first"]).chain(violated["others"].as_array().into_iter().flatten());
            for finding in firsts {
                let anomaly = match &finding["anomaly"] {
                    Value::String(word) => word.clone(),
                    Value::Object(map) => map.keys().next().cloned().unwrap_or_default(),
                    other => other.to_string(),
                };
                let words = format!("{}: {}", verdict["claim"].as_str().unwrap_or_default(), anomaly.replace('-', " "));
                for id in verdict["requirements"].as_array().into_iter().flatten().filter_map(Value::as_str) {
                    found.entry(id.to_owned()).or_default().insert(words.clone());
                }
            }
        }
    }
    let mut lines = Vec::new();
    for row in report["requirements"].as_array().into_iter().flatten() {
        let text = |name: &str| row[name].as_str().unwrap_or_default().to_owned();
        let broken: Vec<String> = found.remove(&text("id")).into_iter().flatten().collect();
        // Whether some case was left open may change from run to run: what is broken, and what was held at all, may not.
        let standing = match (text("standing").as_str(), row["held"].as_u64()) {
            (broken @ ("fail" | "warn" | "reported"), _) => broken.to_owned(),
            (_, Some(1..)) => "held".to_owned(),
            (_, Some(0) | None) => "not held".to_owned(),
        };
        let line = format!("{:<11} {:<7} {standing:<9} {}", text("id"), text("level"), broken.join(", "));
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n") + "\n"
}
