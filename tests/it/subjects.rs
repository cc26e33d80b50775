//! Subject files as their users write them, each against a server that needs what it says: own observers, own words, hooks
//! that do something. The server is the served reference, behind an adapter.

use std::path::Path;
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use onceproof::file::Source;
use onceproof::subject;

use crate::adapter::Adapter;
use crate::files::{SUBJECT, curious, environment};

/// A subject file for an address, with more in it.
fn subject_file(address: impl std::fmt::Display, more: &str) -> String {
    format!(
        "contract: curious\nserver: {{ url: \"http://{address}\" }}\ncredentials:\n  live: {{ organization: acme, \
         environment: live, headers: {{ Authorization: Bearer acme-live-1 }} }}\n{more}"
    )
}

fn onceproof(folder: &Path, subject: &str, arguments: &[&str]) -> (Option<i32>, String) {
    std::fs::write(folder.join("mine.yaml"), subject).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    command.args(arguments).args(["--subject", "mine.yaml"]).env("NO_COLOR", "1");
    told(&command.current_dir(folder).output().expect("the binary runs"))
}

fn told(output: &Output) -> (Option<i32>, String) {
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn run(folder: &Path, subject: &str, scenario: &str) -> (Option<i32>, String) {
    onceproof(folder, subject, &["run", scenario, "--no-report", "--verbose"])
}

#[test]
fn the_example_with_everything_in_it_fits_its_contract() {
    let source = Source::new("subject.yaml", SUBJECT);
    subject::load(&source, &environment, &[]).unwrap_or_else(|problems| panic!("{problems}"));
    subject::against(&source, &curious().0).unwrap_or_else(|problems| panic!("{problems}"));
    assert_eq!(Arc::strong_count(&curious().0), 1);
}

/// A count of a user's decisions, off the read side.
const COUNT: &str = "\
import json, os, sys, urllib.request
url = os.environ['ONCEPROOF_URL'] + '/v1/decisions?user_id=' + os.environ['ONCEPROOF_USER']
asked = urllib.request.Request(url, headers={'Authorization': 'Bearer ' + os.environ['TOKEN']})
print(sum(row['idempotency_key'] == os.environ['ONCEPROOF_KEY'] for row in json.load(urllib.request.urlopen(asked))['decisions']))
";

/// Each way to count the decisions of one user, and whether it can tell one from two.
const OBSERVERS: [&str; 4] = [
    "{ http: \"GET /v1/decisions?user_id={{ user }}\", rows: \"$.decisions[?@.idempotency_key == {key}]\" }",
    "{ http: \"GET /v1/decisions?user_id={{ user }}\", rows: $.decisions }",
    "{ command: TOKEN=acme-live-1 python3 count.py }",
    "\"GET /v1/decisions?user_id={{ user }}\"",
];

#[test]
fn an_observer_of_ones_own_tells_what_was_done_once_from_what_was_done_twice() {
    let (honest, twice) = (Adapter::start(&[]), Adapter::start(&["--sabotage", "never-replays"]));
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("count.py"), COUNT).expect("written");
    for observer in OBSERVERS {
        let more = format!("observe:\n  decision: {observer}\n");
        let (code, text) = run(folder.path(), &subject_file(&honest.behind, &more), "server/replay/lost-answer");
        assert_eq!(code, Some(0), "{observer}: {text}");
        assert!(text.contains("observer of `decision`: sees 1 of 1 write"), "{observer}: {text}");
        let (code, text) = run(folder.path(), &subject_file(&twice.behind, &more), "server/replay/lost-answer");
        assert_eq!(code, Some(1), "{observer}: {text}");
        assert!(text.contains("2 decisions") || text.contains("2 effects"), "{observer}: {text}");
    }
}

#[test]
fn an_observer_that_cannot_read_leaves_its_claims_not_judged_and_says_why() {
    let honest = Adapter::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    for (observer, why) in [
        ("{ command: \"echo many; exit 0\" }", "printed `many`, and no whole number"),
        (
            "{ command: \"echo 1; echo no such table >&2; exit 4\" }",
            "ended with exit status: 4; it said: no such table",
        ),
        ("{ http: \"GET /v1/decisions?user_id={{ user }}\", count: $.total }", "without anything at $.total"),
        ("{ http: \"GET /v1/decisions?user_id={{ user }}\", count: $.decisions }", "where a count was to be"),
        ("{ http: \"GET /v1/nowhere?user_id={{ user }}\", rows: $.decisions }", "answered 404"),
    ] {
        let more = format!("observe:\n  decision: {observer}\n");
        let (code, text) = run(folder.path(), &subject_file(&honest.behind, &more), "server/replay/lost-answer");
        assert_eq!(code, Some(0), "{observer}: {text}");
        assert!(text.contains(why) && text.contains("not judged"), "{observer}: {text}");
        assert!(!text.contains("✗"), "{observer}: {text}");
    }
}

#[test]
fn what_a_command_says_is_told_without_secrets() {
    let honest = Adapter::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let more = "observe:\n  decision: { command: \"echo no entry for acme-live-1 by pass-word-1 >&2; exit 1\" }\n  event: { sql: \
                \"postgres://me:pass-word-1@127.0.0.1:1/none\", count: \"select 1 where {key} = ''\" }\n";
    let (code, text) = run(folder.path(), &subject_file(&honest.behind, more), "server/replay/plain");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("no entry for *** by ***") && !text.contains("pass-word-1"), "{text}");
    assert!(!text.contains("acme-live-1"), "{text}");
}

/// Own words for one operation.
const OWN_WORDS: &str = "\
operations:
  decide:
    path: /own/decide
    headers: { X-Tenant: a }
    body:
      packed: true
      element: welcome_email_subject
      user_id: \"{{ user }}\"
      context: { plan: basic, age: 41, trial: true, note: null, seen_at: \"2026-09-20T10:00:00Z\", tags: [alpha, beta], source: { page: pricing } }
";

#[test]
fn an_operation_in_ones_own_words_is_asked_for_and_judged_in_them() {
    let honest = Adapter::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = run(folder.path(), &subject_file(honest.address, OWN_WORDS), "server/replay/lost-answer");
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("decide: POST /own/decide: answered 200"), "{text}");
    for broken in ["    headers: { X-Tenant: a }\n", "      packed: true\n"] {
        let own = OWN_WORDS.replace(broken, "");
        let (code, text) = run(folder.path(), &subject_file(honest.address, &own), "server/replay/lost-answer");
        assert_eq!(code, Some(4), "{text}");
        assert!(text.contains("not packed"), "{text}");
    }
    // The history is judged in the same words.
    let written = ["run", "server/conflict/changed", "--reports", "r"];
    let (code, text) = onceproof(folder.path(), &subject_file(honest.address, OWN_WORDS), &written);
    assert_eq!(code, Some(0), "{text}");
    let history = folder.path().join("r/mine/latest/history.ndjson");
    let judged = Command::new(env!("CARGO_BIN_EXE_onceproof")).arg("judge").arg(history).output().expect("it runs");
    assert_eq!(told(&judged).0, Some(0), "{}", told(&judged).1);
}

fn by_call(undo: &str) -> String {
    let call = "{ request: POST /switch/answer-429, headers: { X-Admin: \"1\" } }";
    format!("hooks:\n  answer 429: {{ call: {call}{undo} }}\n")
}

const UNDONE: &str = ", undo: { request: POST /switch/off, headers: { X-Admin: \"1\" } }";

#[test]
fn a_hook_that_does_something_is_set_before_the_attempt_and_undone_after_it_and_touches_no_other_case() {
    let honest = Adapter::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let command = "hooks:\n  answer 429:\n    command: \"curl -fsS -X POST -H X-Admin:1 $ONCEPROOF_URL/switch/answer-429\"\n    undo: \
                   \"curl -fsS -X POST -H X-Admin:1 $ONCEPROOF_URL/switch/off\"\n"
        .to_owned();
    for hooks in [by_call(UNDONE), command] {
        honest.switches.lock().expect("lock").1.clear();
        honest.meanwhile.store(0, Ordering::SeqCst);
        let subject = subject_file(honest.address, &hooks);
        let all = ["run", "server/failure/rate-limit", "server/replay/**", "server/key/**", "--no-report", "--verbose"];
        let (code, text) = onceproof(folder.path(), &subject, &all);
        assert_eq!(code, Some(0), "{text}");
        assert!(standing(&text, "CUR-RTY-28").contains("pass"), "{text}");
        let (state, past) = honest.switches.lock().expect("lock").clone();
        assert_eq!(state, None, "it was left on");
        assert!(!past.is_empty() && past.chunks(2).all(|pair| pair == ["answer-429", "off"]), "{past:?}");
        let meanwhile = honest.meanwhile.load(Ordering::SeqCst);
        // The attempt, and the reading of its effect where that comes before the undoing; never another case.
        assert_eq!(meanwhile, past.len() / 2, "others were played beside it");
    }
}

/// The row of a requirement.
fn standing<'t>(text: &'t str, id: &str) -> &'t str {
    text.lines().find(|line| line.contains(id)).unwrap_or_default()
}

#[test]
fn a_hook_that_fails_leaves_its_case_not_judged_with_the_reason() {
    let honest = Adapter::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    for (hook, why) in [
        (
            "{ command: \"echo no permission >&2; exit 3\" }",
            "the hook `answer 429` ended with exit status: 3; it said: no permission",
        ),
        ("{ command: sleep 30, within: 300ms }", "the hook `answer 429` did not end within 0.3 s"),
        (
            "{ call: POST /switch/answer-429, undo: \"true\" }",
            "the hook `answer 429` was answered 403 at POST /switch/answer-429",
        ),
        (
            "{ command: \"true\", undo: exit 7 }",
            "the hook `answer 429` could not be undone: its undoing ended with exit status: 7",
        ),
    ] {
        let subject = subject_file(honest.address, &format!("hooks:\n  answer 429: {hook}\n"));
        let (code, text) = run(folder.path(), &subject, "server/failure/rate-limit");
        assert_eq!(code, Some(3), "{hook}: {text}");
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(flat.contains(why), "{hook}: {text}");
        assert!(standing(&text, "CUR-RTY-28").contains("not judged"), "{hook}: {text}");
        honest.switches.lock().expect("lock").0 = None;
    }
}

#[test]
fn after_a_hook_that_could_not_be_undone_no_other_case_of_a_hook_is_believed() {
    let honest = Adapter::start(&[]);
    let folder = tempfile::tempdir().expect("a folder");
    let count = folder.path().join("count");
    let hook = format!("{{ command: echo set >> '{}', undo: exit 7 }}", count.display());
    let subject = subject_file(honest.address, &format!("hooks:\n  answer 429: {hook}\n"));
    let (code, text) = run(folder.path(), &subject, "server/failure/rate-limit");
    assert_eq!(code, Some(3), "{text}");
    assert_eq!(std::fs::read_to_string(&count).expect("it was set").lines().count(), 1, "it was set again");
}
