//! Files that must be refused: `tests/malformed/KIND-*.yaml`, each with the exact message beside it in a `*.stderr`. With
//! `BLESS=1` the messages are written instead of compared; they are read by people, so read them before they are kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceproof::contract::{self, Contract, KeyPlace, LengthUnit, Outcome, RowOn, Safety};
use onceproof::file::Source;
use onceproof::plan::{self, Waivers};
use onceproof::scenario::{self, AxisValues, Claim, Scenario};
use onceproof::subject::{self, Deed, Observer, Shown, Subject};

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The only variable that is set.
fn environment(name: &str) -> Option<String> {
    (name == "SECRET").then(|| "hush-hush".to_owned())
}

/// The day on which these files are read.
fn today() -> jiff::civil::Date {
    jiff::civil::date(2026, 12, 1)
}

/// What is said of a file, or nothing when it loads.
fn told(name: &str, text: &str) -> Option<String> {
    let source = Source::new(name, text);
    let problems = match name.split('-').next() {
        Some("contract") => contract::load(&source, Claim::WORDS).err(),
        Some("scenario") => scenario::load(&source).err(),
        Some("subject") => subject::load(&source, &environment, &[]).err(),
        Some("waivers") => Waivers::load(&source, Some(today())).err(),
        // Well by themselves, and wrong for the contract that they are crossed with.
        Some("crossed") if name.contains("subject") => subject::load(&source, &environment, &[])
            .and_then(|_| subject::against(&source, &crate::files::curious().0))
            .err(),
        Some("crossed") if name.contains("waivers") => Waivers::load(&source, Some(today()))
            .and_then(|waivers| waivers.against_contract(&crate::files::curious().0))
            .err(),
        Some("crossed") => scenario::load(&source).map_or_else(Some, |scenario| {
            let scenarios = [(Arc::new(scenario), source.clone())];
            plan::check_scenarios(&crate::files::curious().0, &scenarios).into_iter().next()
        }),
        other => panic!("{other:?} is no kind of file"),
    };
    problems.map(|problems| format!("{problems}\n"))
}

#[test]
fn every_malformed_file_is_refused_with_its_message() {
    let mut files: Vec<PathBuf> = fs::read_dir(folder("tests/malformed"))
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "yaml"))
        .collect();
    files.sort();
    assert!(files.len() >= 25, "only {} malformed files", files.len());
    let mut wrong = Vec::new();
    for path in files {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        let text = fs::read_to_string(&path).expect("a text");
        let Some(told) = told(&name, &text) else {
            wrong.push(format!("{name} is accepted"));
            continue;
        };
        assert!(!told.contains("hush-hush"), "{name}: a secret is told");
        let beside = path.with_extension("stderr");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&beside, &told).expect("written");
        }
        if fs::read_to_string(&beside).unwrap_or_default() != told {
            wrong.push(format!("{name} is told otherwise:\n{told}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_message_lies_beside_no_file() {
    for entry in fs::read_dir(folder("tests/malformed")).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "stderr") {
            assert!(path.with_extension("yaml").is_file(), "{} has no file", path.display());
        }
    }
}

fn loaded_contract(text: &str) -> Contract {
    let source = Source::new("scenarios/contracts/a.yaml", text);
    contract::load(&source, Claim::WORDS).unwrap_or_else(|problems| panic!("{problems}"))
}

fn loaded_scenario(name: &str, text: &str) -> Scenario {
    scenario::load(&Source::new(name, text)).unwrap_or_else(|problems| panic!("{problems}"))
}

fn loaded_subject(text: &str) -> Subject {
    let source = Source::new("subjects/my-api.yaml", text);
    subject::load(&source, &environment, &[]).unwrap_or_else(|problems| panic!("{problems}"))
}

#[test]
fn every_part_of_the_example_contract_is_read() {
    let text = fs::read_to_string(folder("scenarios/contracts/curious.yaml")).expect("a text");
    let contract = loaded_contract(&text);
    assert_eq!((contract.operations.len(), contract.effects.len(), contract.retry.len()), (7, 4, 6));
    let decide = &contract.operations["decide"];
    let Safety::ByKey(key) = &decide.safety else { panic!("decide has a key") };
    assert_eq!(key.place, KeyPlace::Body("/idempotency_key".parse().expect("a pointer")));
    assert_eq!((key.length, key.unit), (Some((1, 255)), LengthUnit::Characters));
    let order: Vec<Outcome> = decide.answers.iter().map(|rule| rule.outcome).collect();
    assert_eq!(order[..3], [Outcome::Replayed, Outcome::Fresh, Outcome::Conflict]);
    assert!(matches!(contract.retry[1].on[..], [RowOn::Answer(_, Some(Outcome::InProgress))]));
    let open = |name: &str| decide.open[name].set.values().next().expect("a value").to_string();
    assert_eq!(open("number spelled 41.0"), "41.0");
    assert_eq!(open("number spelled 4.1e1"), "4.1e1");
    assert_eq!(open("null for absent"), "null");
    let note = decide.body.as_ref().and_then(|body| body.at(&"/context/note".parse().expect("a pointer")));
    assert_eq!(note.and_then(|note| note.as_str()), Some("cafe\u{301}"));
    let proofs = &contract.requirements["CUR-DEC-22"].proofs;
    let keys = ["longest, two bytes each".to_owned(), "half the longest, four bytes each".to_owned()];
    assert_eq!(proofs[0].cells, [("key".to_owned(), keys.to_vec())]);
    let reference = contract.reference.expect("a reference");
    assert_eq!((reference.collections.len(), reference.reads.len(), reference.errors.len()), (4, 4, 9));
}

#[test]
fn a_scenario_is_read_as_it_is_written() {
    let scenario = loaded_scenario(
        "scenarios/server/replay/lost-answer.yaml",
        "title: A write survives a lost answer\n\
         because: >\n  The retry must bring the first\n  answer back.\n\
         needs: [stored replay]\n\
         given:\n  wanted: { operation: $operation }\n\
         when:\n  - send: wanted\n    meets: [$loss, clear]\n\
         for each:\n  operation: every keyed operation\n  loss: [post-commit drop, mid-response cut head]\n\
         server must:\n  - apply-exactly-once: wanted\n  - mark-replay: [wanted]\n",
    );
    assert_eq!(scenario.path.as_str(), "server/replay/lost-answer");
    assert_eq!(scenario.because.trim_end(), "The retry must bring the first answer back.");
    assert!(
        matches!(&scenario.axes["operation"].values, AxisValues::Phrase(phrase) if phrase.text == "every keyed operation")
    );
    assert!(matches!(&scenario.axes["loss"].values, AxisValues::Listed(values) if values.len() == 2));
    let claims: Vec<Claim> = scenario.claims.iter().map(|claim| claim.claim).collect();
    assert_eq!(claims, [Claim::ApplyExactlyOnce, Claim::MarkReplay]);
}

#[test]
fn every_bundled_scenario_is_read() {
    fn walk(folder: &Path, count: &mut usize) {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                walk(&path, count);
            } else {
                loaded_scenario(&path.display().to_string(), &fs::read_to_string(&path).expect("a text"));
                *count += 1;
            }
        }
    }
    let mut count = 0;
    walk(&folder("scenarios/server"), &mut count);
    assert!(count > 0, "no scenario");
}

#[test]
fn a_subject_is_read_with_its_variables_filled() {
    let text = "contract: curious\n\
        server:\n  url: http://127.0.0.1:8080/\n  urls: ['http://[::1]:8081', http://api.example.test:80]\n  \
        start: ./api --port {port}\n  environment: { K: '$${v}' }\n  ready: GET /healthz\n  \
        edge: ./gateway --port {port} --origin {origin}\n\
        credentials:\n  live: { organization: a, environment: live, headers: { authorization: 'Bearer ${SECRET}' } }\n\
        observe:\n  decision: { sql: '${SECRET}.db', count: 'select count(*) from d where k = {key}' }\n  \
        event: GET /events?user={{ user }}\n\
        hooks:\n  answer 429: { headers: { X-Fail: rate } }\n  \
        answer 500: { call: { request: POST /fail, body: { n: 1 } }, undo: './fail ${SECRET}', within: 3s }\n\
        operations:\n  decide: { path: '/${SECRET}/decide', body: { a: '${SECRET}' }, headers: { X: '${SECRET}' } }\n\
        settles: 2s\n\
        allow hosts: api.example.test\n";
    let subject = loaded_subject(text);
    assert_eq!(subject.name, "my-api");
    let urls = ["http://127.0.0.1:8080", "http://[::1]:8081", "http://api.example.test:80"];
    assert_eq!(subject.server.urls, urls);
    assert_eq!(subject.server.environment["K"], "${v}");
    let live = &subject.credentials["live"];
    assert_eq!(live.headers, [("authorization".to_owned(), "Bearer hush-hush".to_owned())]);
    assert_eq!(live.scope.len(), 2);
    assert!(matches!(&subject.observe["decision"], Observer::Sql { database, .. } if database == "hush-hush.db"));
    assert!(
        matches!(&subject.observe["event"], Observer::Http(call, Shown::ByContract) if call.target == "/events?user={{ user }}")
    );
    assert_eq!(subject.hooks["answer 429"].headers, [("X-Fail".to_owned(), "rate".to_owned())]);
    let fail = &subject.hooks["answer 500"];
    assert!(matches!(&fail.before, Some(Deed::Call { body: Some(body), .. }) if body.to_string() == r#"{"n":1}"#));
    assert_eq!(fail.undo, Some(Deed::Command("./fail hush-hush".to_owned())));
    assert_eq!((fail.within, fail.is_shared()), (Some(std::time::Duration::from_secs(3)), true));
    // What is written into histories holds no variable.
    let decide = &subject.operations["decide"];
    assert_eq!(decide.path.as_deref(), Some("/hush-hush/decide"));
    assert_eq!(decide.body.as_ref().map(ToString::to_string).as_deref(), Some(r#"{"a":"${SECRET}"}"#));
    assert_eq!(decide.headers, [("X".to_owned(), "${SECRET}".to_owned())]);
    assert_eq!(subject.settles, Some(std::time::Duration::from_secs(2)));
}

#[test]
fn a_host_may_be_allowed_from_outside_the_file() {
    let text = "contract: c\nserver: { url: http://api.example.test:80 }\ncredentials: { live: { headers: {} } }\n";
    let source = Source::new("a.yaml", text);
    assert!(subject::load(&source, &environment, &[]).is_err());
    let subject = subject::load(&source, &environment, &["API.example.test".to_owned()]).expect("an allowed host");
    assert_eq!(subject.allow_hosts, ["API.example.test"]);
}

#[test]
fn no_damage_to_a_file_makes_its_loader_panic() {
    let contract = fs::read_to_string(folder("scenarios/contracts/curious.yaml")).expect("a text");
    let scenario = fs::read_to_string(folder("scenarios/server/replay/lost-answer.yaml")).expect("a text");
    let damaged = |text: &str, line: usize, damage: &dyn Fn(&str) -> String| -> String {
        let lines = text.lines().enumerate();
        lines.map(|(at, one)| if at == line { damage(one) } else { one.to_owned() } + "\n").collect()
    };
    let damages: [&dyn Fn(&str) -> String; 4] = [
        &|_| String::new(),
        &|line| line.split_once(':').map_or_else(String::new, |(key, _)| format!("{key}: [é, {{ü: \"{{{{ x\"}}]")),
        &|line| line.split_once(':').map_or_else(String::new, |(key, _)| format!("{key}: \"é {{{{ }} $${{ | , = \"")),
        &|line| line.replacen(": ", ": x", 1),
    ];
    for (number, damage) in damages.iter().enumerate() {
        for line in (number..contract.lines().count()).step_by(29) {
            told("contract-damaged.yaml", &damaged(&contract, line, damage));
        }
        for line in 0..scenario.lines().count() {
            told("scenario-damaged.yaml", &damaged(&scenario, line, damage));
        }
    }
}
