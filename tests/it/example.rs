//! The report that is kept as documentation is made again and compared, so that it cannot rot. `UPDATE=1` writes it anew.

use std::path::Path;
use std::process::Command;

/// What differs between two runs and means nothing: times, and names that the server mints.
fn normal(text: &str) -> String {
    let mut normal = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        // Markdown escapes the line below.
        if let Some(tail) = rest.strip_prefix("dec_").or(rest.strip_prefix("dec\\_")) {
            normal.push_str("dec_#");
            rest = tail.trim_start_matches(|letter: char| letter.is_ascii_hexdigit());
        } else if letter.is_ascii_digit() {
            let end =
                rest.find(|letter: char| !letter.is_ascii_digit() && !".:-TZ".contains(letter)).unwrap_or(rest.len());
            let (number, tail) = rest.split_at(end);
            let is_time = number.contains('T') || tail.starts_with("ms");
            normal.push_str(if is_time { "#" } else { number });
            rest = tail;
        } else {
            // A time may be wider or narrower: what is aligned by spaces is aligned by one.
            if !(letter == ' ' && normal.ends_with(' ')) {
                normal.push(letter);
            }
            rest = &rest[letter.len_utf8()..];
        }
    }
    normal
}

#[test]
fn the_example_is_what_a_run_writes() {
    let folder = tempfile::tempdir().expect("a folder");
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let run = Command::new(env!("CARGO_BIN_EXE_onceproof"))
        .args(["run", "server/replay/lost-answer", "--sabotage", "never-replays", "--seed", "7731", "--reports"])
        .arg(folder.path())
        .current_dir(root)
        .output()
        .expect("the binary runs");
    assert_eq!(run.status.code(), Some(1));
    let subject = std::fs::read_dir(folder.path()).expect("reports").next().expect("one").expect("entry").path();
    for file in ["report.md", "junit.xml", "verdicts.json"] {
        let made = std::fs::read_to_string(subject.join("latest").join(file)).expect("a report");
        let kept = root.join("reports/example").join(file);
        if std::env::var_os("UPDATE").is_some_and(|wanted| !wanted.is_empty()) {
            std::fs::create_dir_all(root.join("reports/example")).expect("a folder");
            std::fs::write(&kept, &made).expect("written");
        }
        let known = std::fs::read_to_string(&kept).unwrap_or_default();
        let (made, known) = (normal(&made), normal(&known));
        let first = made.lines().zip(known.lines()).find(|(a, b)| a != b);
        assert!(
            made == known,
            "reports/example/{file} is old: run this test with UPDATE=1; first difference: {first:?}"
        );
    }
}
