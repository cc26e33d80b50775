//! The binary as its users meet it: exit codes, what it prints, what it writes, and every command of the README.

use std::path::Path;
use std::process::{Command, Output};

fn onceproof(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    command.args(arguments).env("NO_COLOR", "1").current_dir(env!("CARGO_MANIFEST_DIR"));
    command.output().expect("the binary runs")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run_in(folder: &Path, arguments: &[&str]) -> Output {
    let reports = folder.display().to_string();
    let all: Vec<&str> = ["run"].into_iter().chain(arguments.iter().copied()).chain(["--reports", &reports]).collect();
    onceproof(&all)
}

#[test]
fn a_selected_run_writes_every_file_and_judging_its_history_gives_the_same_verdicts() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = run_in(folder.path(), &["server/replay/plain", "--seed", "7731"]);
    assert_eq!(run.status.code(), Some(0), "{}{}", out(&run), err(&run));
    let files: Vec<_> =
        std::fs::read_dir(folder.path()).expect("reports").map(|entry| entry.expect("entry").path()).collect();
    let latest = files.first().expect("a subject's folder").join("latest");
    for file in ["history.ndjson", "verdicts.json", "junit.xml", "report.md"] {
        assert!(latest.join(file).is_file(), "{file} is missing");
    }
    let history = latest.join("history.ndjson");
    let judged = onceproof(&["judge", "--json", &history.display().to_string()]);
    assert_eq!(judged.status.code(), Some(0), "{}", err(&judged));
    let written = std::fs::read_to_string(latest.join("verdicts.json")).expect("verdicts");
    assert_eq!(out(&judged).trim(), written.trim());
    let text = std::fs::read_to_string(&history).expect("history");
    // The first line holds the files, and with them the development keys of the contract; no exchange does.
    let played = text.split_once('\n').expect("a header").1;
    assert!(played.contains("\"***\"") && !played.contains("acme-live"), "a secret reached the history");
}

#[test]
fn a_history_that_was_cut_or_edited_is_said_to_be_so() {
    let folder = tempfile::tempdir().expect("a folder");
    run_in(folder.path(), &["server/replay/plain", "--seed", "3"]);
    let subject = std::fs::read_dir(folder.path()).expect("reports").next().expect("one").expect("entry").path();
    let text = std::fs::read_to_string(subject.join("latest/history.ndjson")).expect("history");
    let file = folder.path().join("changed.ndjson");
    let judged = |text: &str| {
        std::fs::write(&file, text).expect("written");
        let judged = onceproof(&["judge", &file.display().to_string()]);
        assert_eq!(judged.status.code(), Some(2));
        err(&judged)
    };
    assert!(judged(&text[..text.len() / 2]).contains("truncated"));
    assert!(judged(&text.replacen("\"fired\":true", "\"fired\":false", 1)).contains("edited"));
    let without_footer: Vec<&str> = text.lines().collect();
    assert!(judged(&without_footer[..without_footer.len() - 1].join("\n")).contains("truncated"));
}

#[test]
fn the_same_seed_plays_the_same_bytes() {
    let folder = tempfile::tempdir().expect("a folder");
    let bodies = |name: &str| {
        let own = folder.path().join(name);
        let run = run_in(&own, &["server/replay/plain", "--case", &case_of("server/replay/plain"), "--seed", "42"]);
        assert_eq!(run.status.code(), Some(0), "{}{}", out(&run), err(&run));
        let subject = std::fs::read_dir(&own).expect("reports").next().expect("one").expect("entry").path();
        let text = std::fs::read_to_string(subject.join("latest/history.ndjson")).expect("history");
        text.lines()
            .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
            .filter_map(|line| line.pointer("/entry/entry/exchange/request").map(ToString::to_string))
            .collect::<Vec<_>>()
    };
    let first = bodies("a");
    assert!(!first.is_empty());
    assert_eq!(first, bodies("b"));
}

fn case_of(scenario: &str) -> String {
    let list = onceproof(&["list", "--cases", scenario]);
    out(&list).split_whitespace().next().expect("a case").to_owned()
}

#[test]
fn a_saboteur_is_caught_with_evidence_and_exit_code_one() {
    let serve = Served::start(&["--sabotage", "ignores-mismatch"]);
    let folder = tempfile::tempdir().expect("a folder");
    let run = run_in(folder.path(), &["server/conflict/changed", "--url", &serve.url]);
    assert_eq!(run.status.code(), Some(1), "{}{}", out(&run), err(&run));
    let text = out(&run);
    for word in ["✗", "expected", "observed", "curl", "again", "CUR-DEC-09"] {
        assert!(text.contains(word), "no `{word}` in:\n{text}");
    }
}

#[test]
fn a_server_that_is_not_there_is_a_fault_of_the_set_up() {
    let free = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its address");
    let run = onceproof(&["run", "--no-report", "--url", &format!("http://{free}")]);
    assert_eq!(run.status.code(), Some(4), "{}", out(&run));
    assert!(err(&run).contains("start the server"), "{}", err(&run));
    let doctor = onceproof(&["doctor", "--url", &format!("http://{free}")]);
    assert_eq!(doctor.status.code(), Some(4));
}

#[test]
fn a_host_that_was_not_named_is_not_called() {
    let run = onceproof(&["run", "--no-report", "--url", "http://192.0.2.1:80"]);
    assert_eq!(run.status.code(), Some(4));
    assert!(err(&run).contains("--allow-host"), "{}", err(&run));
}

#[test]
fn a_selector_that_matches_nothing_is_an_error_with_the_nearest_word() {
    let run = onceproof(&["run", "--no-report", "server/replay/plian"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(err(&run).contains("did you mean `server/replay/plain`?"), "{}", err(&run));
}

#[test]
fn list_and_explain_say_what_there_is() {
    assert!(out(&onceproof(&["list"])).contains("server/replay/lost-answer"));
    assert!(out(&onceproof(&["list", "--requirements"])).contains("CUR-DEC-05"));
    let requirement = out(&onceproof(&["explain", "CUR-DEC-05"]));
    assert!(requirement.contains("source") && requirement.contains("mark-replay"), "{requirement}");
    let scenario = out(&onceproof(&["explain", "server/replay/lost-answer"]));
    assert!(scenario.contains("sent") && scenario.contains("checked") && scenario.contains("POST"), "{scenario}");
    let unknown = onceproof(&["explain", "CUR-DEC-5"]);
    assert_eq!(unknown.status.code(), Some(2));
    assert!(err(&unknown).contains("did you mean"), "{}", err(&unknown));
}

#[test]
fn the_doctor_finds_the_reference_ready() {
    let doctor = onceproof(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(0), "{}{}", out(&doctor), err(&doctor));
    assert!(out(&doctor).contains("ready: everything that a run needs was met"), "{}", out(&doctor));
}

#[test]
fn help_and_usage_have_their_exit_codes() {
    assert_eq!(onceproof(&["--help"]).status.code(), Some(0));
    assert_eq!(onceproof(&["--version"]).status.code(), Some(0));
    assert_eq!(onceproof(&["rum"]).status.code(), Some(2));
    assert_eq!(onceproof(&["serve", "curious", "--listen", "0.0.0.0:0"]).status.code(), Some(2));
}

/// A served reference; it ends with the test.
struct Served {
    child: std::process::Child,
    url: String,
}

impl Served {
    fn start(arguments: &[&str]) -> Self {
        use std::io::BufRead;
        let mut child = Command::new(env!("CARGO_BIN_EXE_onceproof"))
            .args(["serve", "curious", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("the reference starts");
        let mut line = String::new();
        std::io::BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("its address");
        Self { child, url: url.trim_end_matches(';').to_owned() }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What a hostile server does with a connection.
type Hostile = fn(std::net::TcpStream);

/// A server that answers every connection in its own bad way, until the test ends.
fn hostile(answer: Hostile) -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || answer(stream));
        }
    });
    format!("http://{address}")
}

/// Reads what comes first, so that an answer is an answer.
fn heard(stream: &mut std::net::TcpStream) {
    use std::io::Read;
    let mut some = [0; 4096];
    let _ = stream.read(&mut some);
}

fn pour(stream: &mut std::net::TcpStream, first: &str, again: &[u8], pause: std::time::Duration) {
    use std::io::Write;
    let mut open = stream.write_all(first.as_bytes()).is_ok();
    while open {
        open = stream.write_all(again).is_ok();
        std::thread::sleep(pause);
    }
}

#[test]
fn hostile_servers_end_in_a_fault_of_the_set_up() {
    let servers: [(&str, Hostile); 6] = [
        ("an endless body", |mut stream| {
            heard(&mut stream);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n";
            pour(&mut stream, head, &[b' '; 65_536], std::time::Duration::ZERO);
        }),
        ("an endless head", |mut stream| {
            heard(&mut stream);
            pour(&mut stream, "HTTP/1.1 200 OK\r\n", b"X-More: and more\r\n", std::time::Duration::ZERO);
        }),
        ("one byte a second", |mut stream| {
            heard(&mut stream);
            pour(&mut stream, "", b"H", std::time::Duration::from_secs(1));
        }),
        ("garbage", |mut stream| {
            use std::io::Write;
            heard(&mut stream);
            let _ = stream.write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 not http\r\n\r\n");
        }),
        ("a closed door", drop),
        ("silence", |mut stream| {
            heard(&mut stream);
            std::thread::sleep(std::time::Duration::from_secs(120));
        }),
    ];
    let runs: Vec<_> = servers
        .into_iter()
        .map(|(name, answer)| {
            let url = hostile(answer);
            std::thread::spawn(move || (name, onceproof(&["run", "--no-report", "--url", &url])))
        })
        .collect();
    for run in runs {
        let (name, run) = run.join().expect("a run");
        assert_eq!(run.status.code(), Some(4), "{name}: {}{}", out(&run), err(&run));
        assert!(err(&run).contains("is this an HTTP/1.1 server"), "{name}: {}", err(&run));
        assert!(!err(&run).contains("panicked"), "{name}: {}", err(&run));
    }
}

/// The reference up to a point, then something else: what an origin does after the preflight ends in a verdict.
#[test]
fn a_server_that_breaks_in_the_middle_of_a_run_ends_in_verdicts() {
    let served = Served::start(&[]);
    let url = served.url.clone();
    let killer = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(1_500));
        drop(served);
    });
    let run = onceproof(&["run", "--no-report", "--url", &url]);
    killer.join().expect("the end of the server");
    let text = out(&run) + &err(&run);
    assert!(!text.contains("panicked"), "{text}");
    // Nothing of it is taken for a violation: a server that is gone did nothing wrong.
    assert!(matches!(run.status.code(), Some(0 | 3 | 4)), "{:?}\n{text}", run.status.code());
}
