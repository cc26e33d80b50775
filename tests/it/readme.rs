//! Every command of the README is run, in order, in a folder of its own; `echo $?` says what the one before has to end
//! with.

use std::io::BufRead;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A command in the background; it ends with the test.
struct Background(Child);

impl Drop for Background {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn blocks<'a>(text: &'a str, language: &str) -> Vec<&'a str> {
    let fence = format!("```{language}\n");
    text.split(fence.as_str()).skip(1).filter_map(|rest| rest.split("```").next()).collect()
}

fn shell(command: &str, folder: &Path) -> Command {
    let binary = env!("CARGO_BIN_EXE_onceproof");
    let line = command.replace("cargo run --", &format!("exec '{binary}'"));
    // Variables before the command stand before `exec` as well.
    let line = match line.split_once("exec ") {
        Some((variables, rest)) if !variables.is_empty() => format!("export {variables}; exec {rest}"),
        _ => line,
    };
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder).env("NO_COLOR", "1").stdin(Stdio::null());
    shell
}

/// The commands of a text, each with the exit code that it has to end with.
fn commands(text: &str) -> Vec<(String, i32)> {
    let mut commands: Vec<(String, i32)> = Vec::new();
    for line in blocks(text, "console").iter().flat_map(|block| block.lines()) {
        match line.strip_prefix("$ ") {
            Some("echo $?") => {}
            Some(command) => commands.push((command.to_owned(), 0)),
            None => commands.last_mut().expect("a command before its output").1 = line.parse().expect("an exit code"),
        }
    }
    commands
}

#[test]
fn every_command_of_the_guide_to_contracts_does_what_it_says() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/README.md");
    let commands = commands(&std::fs::read_to_string(file).expect("the guide"));
    assert!(commands.len() >= 4, "the guide lost its commands");
    let folder = tempfile::tempdir().expect("a folder");
    for (command, expected) in commands {
        let done = shell(&command, folder.path()).output().expect("runs");
        let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(expected), "{command}\n{told}");
    }
}

#[test]
fn every_command_of_the_readme_does_what_it_says() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).expect("the README");
    let folder = tempfile::tempdir().expect("a folder");
    let mut background: Vec<Background> = Vec::new();
    let mut served = String::from("127.0.0.1:8080");
    let commands = commands(&text);
    assert!(commands.len() > 12, "the README lost its commands");
    let write_subject = |served: &str| {
        let named = |block: &&str| block.starts_with("# my-api.yaml");
        assert!(blocks(&text, "yaml").iter().any(named), "no subject file");
        for block in blocks(&text, "yaml") {
            // A file says its name in its first line.
            let name = block.lines().next().and_then(|line| line.strip_prefix("# ")).expect("a file's name");
            std::fs::write(folder.path().join(name), block.replace("127.0.0.1:8080", served)).expect("written");
        }
    };
    for (command, expected) in commands {
        // The second needs packages that are not ours: `interop` runs it, and holds that it names a subject.
        if command == "cargo test" || command.contains("tests/interop") {
            continue;
        }
        if let Some(command) = command.strip_suffix(" &") {
            // A port of its own: the one in the text may be taken.
            let mut child = shell(&command.replace("127.0.0.1:8080", "127.0.0.1:0"), folder.path())
                .stdout(Stdio::piped())
                .spawn()
                .expect("starts");
            let mut line = String::new();
            std::io::BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
            let address = line.split("http://").nth(1).and_then(|rest| rest.split(';').next()).expect("its address");
            served = address.to_owned();
            write_subject(&served);
            background.push(Background(child));
            continue;
        }
        let command = command.replace("127.0.0.1:8080", &served);
        // `check --subject` needs the variables that the file names.
        let mut shell = shell(&command, folder.path());
        shell.env("API_LIVE_KEY", "acme-live-1").env("API_TEST_KEY", "acme-test-1");
        let done = shell.output().expect("runs");
        let told = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
        assert_eq!(done.status.code(), Some(expected), "{command}\n{told}");
        assert!(!done.stdout.is_empty(), "{command} says nothing");
    }
}
