//! Waivers as their users meet them: what is known stays shown, is no pass, and fails nothing; what is not known any more
//! is an error. Each test gives a saboteur, or the honest reference, a file.

use std::path::Path;
use std::process::{Command, Output};

const MARKS: &str = "known failing:\n  - { requirement: CUR-DEC-05, reason: \"ticket 41 <b>\" }\n";

fn onceproof(folder: &Path, waivers: &str, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("waivers.yaml"), waivers).expect("written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    command.args(arguments).args(["--waive", "waivers.yaml"]).env("NO_COLOR", "1").current_dir(folder);
    command.output().expect("the binary runs")
}

/// A run of one scenario in which nothing that is replayed is marked.
fn unmarked(folder: &Path, waivers: &str, others: &[&str]) -> Output {
    let run = ["run", "server/replay/plain", "--sabotage", "never-marks", "--seed", "7731"];
    let all: Vec<&str> = run.into_iter().chain(others.iter().copied()).collect();
    onceproof(folder, waivers, &all)
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[track_caller]
fn check(waivers: &str, expected: i32, says: &[&str]) {
    let folder = tempfile::tempdir().expect("a folder");
    let run = unmarked(folder.path(), waivers, &["--no-report"]);
    let text = text(&run);
    assert_eq!(run.status.code(), Some(expected), "{text}");
    for word in says {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

/// Everything that this saboteur breaks.
fn everything(kind: &str) -> String {
    ["CUR-DEC-05", "CUR-EVT-03"]
        .iter()
        .fold(format!("{kind}:\n"), |text, id| text + &format!("  - {{ requirement: {id}, reason: ticket 41 }}\n"))
}

#[test]
fn what_is_waived_fails_nothing_and_is_shown_with_its_reason_in_every_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let waivers = everything("known failing").replace("ticket 41", "\"ticket 41 <b>\"");
    let run = unmarked(folder.path(), &waivers, &[]);
    let told = text(&run);
    assert_eq!(run.status.code(), Some(0), "{told}");
    assert!(told.contains("conformant but for 2 requirements waived"), "{told}");
    assert!(
        told.contains("~ server/replay/plain [decide, 2]")
            && told.contains("waived: CUR-DEC-05, known failing: ticket 41")
    );
    let subject = folder.path().join("reports/curious-reference/latest");
    let file = |name: &str| std::fs::read_to_string(subject.join(name)).expect("a report");
    assert!(file("report.md").contains("## Waived\n\n- **CUR-EVT-03**"), "{}", file("report.md"));
    assert!(file("report.md").contains("ticket 41 &lt;b&gt;"));
    let junit = file("junit.xml");
    assert!(junit.contains("<skipped message=\"CUR-DEC-05 waived, known failing: ticket 41 &lt;b&gt;\""), "{junit}");
    assert!(!junit.contains("<failure"), "{junit}");
    let verdicts: serde_json::Value = serde_json::from_str(&file("verdicts.json")).expect("JSON");
    let row = |id: &str| {
        let rows = verdicts["requirements"].as_array().expect("rows");
        rows.iter().find(|row| row["id"] == id).expect("the row").clone()
    };
    assert_eq!((&row("CUR-DEC-05")["standing"], &row("CUR-DEC-05")["held"]), (&"waived".into(), &0.into()));
    assert_eq!(row("CUR-DEC-05")["waived"], row("CUR-DEC-05")["violated"]);
    // The history is judged by the waivers of its run, and by none when there are others.
    let history = subject.join("history.ndjson").display().to_string();
    let judge = |others: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
        command.args(["judge", "--json", &history]).args(others).current_dir(folder.path()).output().expect("judges")
    };
    assert_eq!(String::from_utf8_lossy(&judge(&[]).stdout).trim(), file("verdicts.json").trim());
    std::fs::write(folder.path().join("none.yaml"), "known flaky: []\n").expect("written");
    assert_eq!(judge(&["--waive", "none.yaml"]).status.code(), Some(1));
}

#[test]
fn what_is_not_waived_still_fails() {
    check(MARKS, 1, &["CUR-EVT-03", "not conformant: 1 requirement is broken", "waived: CUR-DEC-05, known failing"]);
    let elsewhere = everything("known failing").replace("reason", "in: server/replay/lost-answer, reason");
    check(&elsewhere, 1, &["not conformant: 2 requirements are broken"]);
    let by_claim = everything("known failing").replace("reason", "claim: mark-replay, reason");
    check(&by_claim, 0, &["conformant but for 2 requirements waived"]);
}

#[test]
fn a_known_failing_that_does_not_fail_any_more_is_an_error_and_a_known_flaky_is_not() {
    let honest = |waivers: &str| {
        let folder = tempfile::tempdir().expect("a folder");
        let run = ["run", "server/replay/plain", "--seed", "7731", "--no-report"];
        let run = onceproof(folder.path(), waivers, &run);
        (run.status.code(), text(&run))
    };
    let (code, told) = honest(&everything("known failing"));
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("no conclusion: 2 waivers no longer apply"), "{told}");
    assert!(told.contains("! waivers.yaml:2: the waiver of `CUR-DEC-05` no longer applies"), "{told}");
    assert!(told.contains("nothing that it names was violated"), "{told}");
    let (code, told) = honest(&everything("known flaky"));
    assert_eq!(code, Some(0), "{told}");
    // One of a part that is not played is nobody's business.
    let (code, told) = honest("known failing: [{ requirement: CUR-DEC-09, reason: conflicts }]\n");
    assert_eq!(code, Some(0), "{told}");
}

#[test]
fn a_known_failing_that_nobody_could_judge_is_an_error_that_tells_why() {
    let folder = tempfile::tempdir().expect("a folder");
    let adapter = crate::adapter::Adapter::start(&[]);
    let subject = format!(
        "contract: curious\nserver: {{ url: \"http://{}\" }}\ncredentials:\n  live: {{ organization: acme, environment: live, \
         headers: {{ Authorization: Bearer acme-live-1 }} }}\n",
        adapter.behind
    );
    std::fs::write(folder.path().join("mine.yaml"), subject).expect("written");
    // Without a hook nobody is told to come back.
    for kind in ["failing", "flaky"] {
        let waivers = format!("known {kind}: [{{ requirement: CUR-RTY-28, reason: known }}]\n");
        let run = ["run", "server/failure/rate-limit", "CUR-DEC-05", "--subject", "mine.yaml", "--no-report"];
        let run = onceproof(folder.path(), &waivers, &run);
        assert_eq!(run.status.code(), Some(2), "{}", text(&run));
        assert!(text(&run).contains("nothing that it names was judged: not judged: "), "{}", text(&run));
        assert!(text(&run).contains("hook `answer 429`"), "{}", text(&run));
    }
}

#[test]
fn a_waiver_that_can_never_apply_is_told_before_anything_is_sent() {
    let known = "known failing: [{ requirement: CUR-DEC-05, reason: known, more }]\n";
    let with = |more: &str| known.replace("more", more);
    check(&known.replace("-05", "-5").replace(", more", ""), 2, &["did you mean `CUR-DEC-05`?", "waivers.yaml:1:32"]);
    check(&with("until: 2026-01-01"), 2, &["this waiver expired: its last day was 2026-01-01"]);
    check(&with("in: server/replay/plian"), 2, &["is no case that could show", "did you mean `server/replay/plain`?"]);
    check(&with("in: 0000000"), 2, &["`0000000` is no case that could show `CUR-DEC-05`"]);
    check(&with("claim: accept"), 2, &["the claim `accept` proves nothing of `CUR-DEC-05`"]);
    check(&with("until: 2999-12-31"), 1, &["known failing, until 2999-12-31: known"]);
    check("known failing: [\n", 2, &["waivers.yaml"]);
}

#[test]
fn a_client_is_waived_as_a_server_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let waivers = "known failing:\n  - { requirement: SCA-CLI-13, in: client/pacing/**, reason: ticket 7 }\n";
    let arguments =
        ["--contract", "scanova", "--time-scale", "0.05", "--sabotage", "ignores-retry-after", "--no-report"];
    let run: Vec<&str> = ["run", "client", "client/pacing/retry-after"].into_iter().chain(arguments).collect();
    let run = onceproof(folder.path(), waivers, &run);
    assert_eq!(run.status.code(), Some(0), "{}", text(&run));
    assert!(text(&run).contains("waived: SCA-CLI-13, known failing: ticket 7"), "{}", text(&run));
}

#[test]
fn a_check_says_whether_a_waiver_file_is_well() {
    let folder = tempfile::tempdir().expect("a folder");
    let check = onceproof(folder.path(), MARKS, &["check", "--contract", "curious"]);
    assert_eq!(check.status.code(), Some(0), "{}", text(&check));
    assert!(text(&check).contains("waivers.yaml: 1 waiver of curious; nothing is wrong"), "{}", text(&check));
    let check = onceproof(folder.path(), &MARKS.replace("DEC", "DOC"), &["check", "--contract", "curious"]);
    assert_eq!(check.status.code(), Some(2), "{}", text(&check));
}
