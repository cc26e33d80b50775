//! Holds the import table of the design against the `crate::` paths in `src/`: who may know whom.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

const VOCABULARY: &[&str] = &["name", "time", "message", "json", "fault", "requirement", "file"];

/// What a module may import besides the vocabulary; none for modules that may import everything.
const TABLE: &[(&str, &[&str])] = &[
    ("name", &[]),
    ("time", &[]),
    ("message", &[]),
    ("json", &[]),
    ("fault", &[]),
    ("requirement", &[]),
    ("file", &[]),
    ("contract", &[]),
    ("scenario", &[]),
    ("subject", &["contract"]),
    ("draft", &[]),
    ("plan", &["contract", "scenario", "subject"]),
    ("history", &[]),
    ("proxy", &["history", "contract"]),
    ("driver", &["history", "contract", "proxy"]),
    ("observe", &["history", "contract"]),
    ("reference", &["history", "contract"]),
    ("judge", &["contract", "scenario", "plan", "history"]),
    ("event", &["judge", "history"]),
    ("report", &["event", "judge", "plan", "history"]),
    (
        "runner",
        &["contract", "scenario", "subject", "plan", "history", "proxy", "driver", "observe", "reference", "judge"],
    ),
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
}

fn all() -> Vec<(String, PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &mut paths);
    paths
        .into_iter()
        .map(|path| {
            let below = path.strip_prefix(&root).expect("below src");
            let module = below.iter().next().expect("a name").to_string_lossy().trim_end_matches(".rs").to_owned();
            let text = std::fs::read_to_string(&path).expect("a source");
            (module, path, text)
        })
        .collect()
}

/// The part of a file that is not its tests: tests may know whom they like.
fn product(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

#[test]
fn every_module_imports_only_what_the_table_allows() {
    let mut wrong = Vec::new();
    for (module, path, text) in all() {
        let Some((_, allowed)) = TABLE.iter().find(|(name, _)| *name == module) else { continue };
        if path.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs" | "testing.rs")))
        {
            continue;
        }
        for (at, _) in product(&text).match_indices("crate::") {
            let rest = &text[at + "crate::".len()..];
            let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
            let fits = name.is_empty()
                || name == module
                || VOCABULARY.contains(&name.as_str())
                || allowed.contains(&name.as_str());
            if !fits {
                wrong.push(format!("{}: {module} imports {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_speaks_of_every_module() {
    let modules: BTreeSet<String> = all().into_iter().map(|(module, ..)| module).collect();
    for module in modules {
        let known = ["lib", "main", "cli"].contains(&module.as_str()) || TABLE.iter().any(|(name, _)| *name == module);
        assert!(known, "`{module}` is not in the table");
    }
}

#[test]
fn the_judge_has_no_clock_no_io_and_nothing_async() {
    for (module, path, text) in all() {
        if module == "judge" {
            for word in ["async ", ".await", "std::fs", "std::net", "std::io", "tokio", "Instant", "SystemTime"] {
                assert!(!product(&text).contains(word), "{} has `{word}`", path.display());
            }
        }
    }
}

#[test]
fn no_source_names_an_api_or_one_of_its_members() {
    // What stands in the contracts and nowhere in src: paths, keys and markers of APIs.
    let words = ["curious", "scanova", "2mee", "idempotency_key", "decision_id", "lock_timeout", "/v1/", "replayed\":"];
    for (_, path, text) in all() {
        if path
            .components()
            .any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "testing.rs" | "example.rs")))
        {
            continue;
        }
        let lower = product(&text).to_lowercase();
        for word in words {
            assert!(!lower.contains(word), "{} names `{word}`", path.display());
        }
    }
}

#[test]
fn every_source_opens_with_what_it_is() {
    for (_, path, text) in all() {
        assert!(text.starts_with("//!"), "{} does not say what it is", path.display());
    }
}

#[test]
fn no_file_is_longer_than_one_idea() {
    for (_, path, text) in all() {
        let lines = text.lines().count();
        assert!(lines <= 500, "{} has {lines} lines", path.display());
    }
}
