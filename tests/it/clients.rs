//! Programs under test as they come: good ones in both forms, and every bad one that a user may give by mistake. Each ends
//! in bounded time in a verdict or in a set-up error that says what to change, and nothing of it is left running.

use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

fn run_client(arguments: &[&str], program: &[&str]) -> Output {
    let scale = if arguments.contains(&"--time-scale") { &[][..] } else { &["--time-scale", "0.02"] };
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    command.args(["run", "client", "--no-report"]).args(scale).args(arguments);
    if !program.is_empty() {
        command.arg("--").args(program);
    }
    command.env("NO_COLOR", "1").current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().expect("the binary runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The reference client as a program, for a shell.
fn call() -> String {
    format!("'{}' call", env!("CARGO_BIN_EXE_onceproof"))
}

fn set_up_error(program: &[&str], expected: &[&str]) {
    let output = run_client(&["client/success"], program);
    let told = text(&output);
    assert_eq!(output.status.code(), Some(4), "{told}");
    for words in expected {
        assert!(told.contains(words), "`{words}` is not in: {told}");
    }
}

#[test]
fn a_program_that_cannot_be_started_is_a_set_up_error() {
    set_up_error(&["/no/such/program", "x"], &["could not be started", "/no/such/program x", "-- PROGRAM"]);
}

#[test]
fn a_program_that_never_calls_is_a_set_up_error_with_what_it_wrote() {
    set_up_error(
        &["sh", "-c", "echo nothing to do here; exit 3"],
        &["made no request", "status 3", "nothing to do here", "ONCEPROOF_URL"],
    );
}

#[test]
fn a_program_that_asks_for_something_else_is_a_set_up_error() {
    let script = "exec 3<>/dev/tcp/${ONCEPROOF_URL#http://}; :";
    let script = script.replace("/dev/tcp/${ONCEPROOF_URL#http://}", "/dev/tcp/127.0.0.1/${ONCEPROOF_URL##*:}");
    let script = format!(
        "{script}; printf 'GET /elsewhere HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3 >/dev/null"
    );
    set_up_error(&["bash", "-c", &script], &["GET /elsewhere", "POST /v1/", "speaks"]);
}

#[test]
fn a_program_that_tells_failure_after_a_success_is_a_set_up_error() {
    let script = format!("{} >/dev/null; echo '{{\"outcome\":\"failure\"}}'; exit 1", call());
    set_up_error(&["sh", "-c", &script], &["told failure", "{\"outcome\":\"success\"}"]);
}

#[test]
fn a_program_that_never_ends_is_ended_with_its_children_even_if_it_ignores_being_asked() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pids");
    let script = format!(
        "trap '' TERM; sleep 300 & echo $! >> '{0}'; echo $$ >> '{0}'; {1} >/dev/null; wait; wait; sleep 300",
        file.display(),
        call()
    );
    set_up_error(&["sh", "-c", &script], &["never ended", "stays up"]);
    let pids = std::fs::read_to_string(&file).expect("it ran");
    assert!(pids.lines().count() >= 2, "{pids}");
    for pid in pids.lines() {
        assert!(is_gone(pid), "{pid} is left");
    }
}

/// Whether a process is gone; one that was ended and not yet reaped by its parent is.
fn is_gone(pid: &str) -> bool {
    for _ in 0..300 {
        match std::fs::read_to_string(Path::new("/proc").join(pid).join("stat")) {
            Err(_) => return true,
            Ok(stat) if stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z')) => return true,
            Ok(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    false
}

#[test]
fn a_program_that_writes_megabytes_is_judged_by_its_last_line() {
    let script = format!("yes noise | head -c 20000000; yes noise >&2 | head -c 1000; exec {}", call());
    let script = script.replace("yes noise >&2 | head -c 1000; ", "");
    let output = run_client(&["client/success"], &["sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_program_that_reads_nothing_and_one_that_reads_its_line_are_both_judged() {
    for script in [format!("exec {} </dev/null", call()), format!("cat >/dev/null; exec {}", call())] {
        let output = run_client(&["client/success"], &["sh", "-c", &script]);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    }
}

#[test]
fn a_program_that_stays_up_is_asked_by_lines() {
    let program = env!("CARGO_BIN_EXE_onceproof");
    let output = run_client(&["client/success", "client/identity", "--stays-up"], &[program, "call", "--stays-up"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

/// The last breath of one that stays up counts, also without an end of the line.
#[test]
fn a_program_that_stays_up_and_ends_without_a_newline_has_told() {
    let script = format!("read -r line; printf '%s\\n' \"$line\" | {} --stays-up | tr -d '\\n'", call());
    let selected = ["client/success", "client/stopping", "--operation", "event", "--stays-up"];
    let output = run_client(&selected, &["sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn what_stays_up_is_said_where_the_program_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.yaml");
    let script = "test \"$ONCEPROOF_OWN\" = yes && exec $PROGRAM call";
    let file = file.display().to_string();
    std::fs::write(
        &file,
        format!("contract: curious\nclient: {{ run: '{script}', environment: {{ ONCEPROOF_OWN: yes }} }}\n"),
    )
    .expect("written");
    for arguments in [&["--subject", &file, "--stays-up"][..], &["--stays-up"]] {
        let output = run_client(arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains("--stays-up"), "{}", text(&output));
    }
    // The variables of the file are given to whatever is asked.
    let script = script.replace("$PROGRAM", &format!("'{}'", env!("CARGO_BIN_EXE_onceproof")));
    let output = run_client(&["client/success", "--subject", &file], &["sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn a_program_that_stays_up_may_talk_at_length_before_each_answer() {
    let one = format!("printf '%s\\n' \"$line\" | {} --stays-up", call());
    let script = format!("while read -r line; do yes noise | head -c 300000; {one}; done");
    let selected = ["client/identity/apart", "client/success", "--operation", "event", "--stays-up"];
    let output = run_client(&selected, &["sh", "-c", &script]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}

#[test]
fn the_reference_client_is_judged_when_no_program_is_given_and_a_saboteur_is_caught() {
    let honest = run_client(&["client/stopping"], &[]);
    assert_eq!(honest.status.code(), Some(0), "{}", text(&honest));
    let lying = run_client(&["client/stopping", "--sabotage", "retries-refusals"], &[]);
    assert_eq!(lying.status.code(), Some(1), "{}", text(&lying));
}

#[test]
fn what_is_no_kind_no_operation_and_no_saboteur_is_told_with_the_nearest_word() {
    for (arguments, expected) in [
        (["--as", "sdc"], "known are"),
        (["--operation", "decidee"], "did you mean `decide`?"),
        (["--sabotage", "retries-refusal"], "did you mean `retries-refusals`?"),
        (["--time-scale", "0"], "not a share of the time"),
    ] {
        let output = run_client(&arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(expected), "{}", text(&output));
    }
}
