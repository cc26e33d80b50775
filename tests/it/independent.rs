//! Verdicts on a server that shares no code with us: written from the contract's shapes alone, on wiremock. Whatever an
//! honest server may do is not held against it; whatever is a lie is found, and by what it breaks.

mod content;
mod curious;
mod decide;
mod defects;
mod events;
mod honest;
mod manner;
mod wire;

use std::process::Command;

use onceproof::judge::{RequirementReport, RunReport};

/// The arguments that tell the harness of the four keys; the first is the default.
fn credentials() -> Vec<String> {
    let each = curious::KEYS.iter().map(|(secret, organization, environment)| {
        format!("organization={organization},environment={environment};Authorization: Bearer {secret}")
    });
    each.flat_map(|credential| ["--credential".to_owned(), credential]).collect()
}

/// One run of the binary: its exit code, what it said, what it wrote.
struct Judged {
    code: Option<i32>,
    said: String,
    report: RunReport,
}

fn judged(url: &str, arguments: &[&str]) -> Judged {
    let folder = tempfile::tempdir().expect("a folder");
    let run = Command::new(env!("CARGO_BIN_EXE_onceproof"))
        .args(["run", "--url", url, "--reports", &folder.path().display().to_string()])
        .args(credentials())
        .args(arguments)
        .env("NO_COLOR", "1")
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the binary runs");
    let said = String::from_utf8_lossy(&run.stdout).into_owned() + &String::from_utf8_lossy(&run.stderr);
    let subject = std::fs::read_dir(folder.path()).expect("reports").next();
    let Some(subject) = subject else { panic!("nothing was judged: {said}") };
    let file = subject.expect("an entry").path().join("latest/verdicts.json");
    let text = std::fs::read_to_string(file).expect("verdicts");
    let report = onceproof::report::read_json(&text).expect("verdicts of this version");
    assert!(report.complete, "{said}");
    Judged { code: run.status.code(), said, report }
}

impl Judged {
    fn of(&self, requirement: &str) -> &RequirementReport {
        let mut all = self.report.requirements.iter();
        all.find(|one| one.id.to_string() == requirement).unwrap_or_else(|| panic!("no requirement {requirement}"))
    }

    /// The requirements that something violates, whatever their level.
    fn violated(&self) -> Vec<String> {
        let broken = self.report.requirements.iter().filter(|one| one.violated > 0);
        broken.map(|one| one.id.to_string()).collect()
    }
}
