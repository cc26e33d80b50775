//! `onceproof run`: judges a server. Preflight first; then every case, side by side; then the reports. Ctrl-C ends it with
//! what is known so far.

use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::cli::session::{Manner, planned, played};
use crate::cli::subject::{Live, WhichSubject};
use crate::cli::{Failure, Library, Wanted, complain, exit, runtime};
use crate::event::{Event, FinishedCase, Listener, Stories, Story, keep_story};
use crate::history::{HistoryWriter, RunHeader, SealedHistory};
use crate::name::CaseId;
use crate::plan::{Case, Seed, Selection};
use crate::report::{Folder, Look, Terminal};
use crate::runner::{Played, preflight};

/// Arguments of `run`.
#[derive(clap::Args, Debug)]
pub struct Run {
    /// Scenarios by path or pattern, or requirements by id; all when none is given.
    selectors: Vec<String>,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    subject: WhichSubject,
    /// Play this case alone; may be given several times.
    #[arg(long = "case", value_name = "ID")]
    cases: Vec<String>,
    /// The seed of the plan: the same seed sends the same bytes.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// A broken should, or a derived requirement, fails; a requirement that could not be judged is exit code 3.
    #[arg(long)]
    strict: bool,
    /// How many cases are played at the same time.
    #[arg(long, value_name = "N", default_value_t = 32)]
    parallel: usize,
    /// Where reports go.
    #[arg(long, value_name = "FOLDER", default_value = "reports")]
    reports: PathBuf,
    /// Write no report files.
    #[arg(long)]
    no_report: bool,
    /// Every requirement in the table, and what the preflight tried.
    #[arg(long, short)]
    verbose: bool,
}

impl Run {
    /// Judges.
    pub fn go(self) -> Result<u8, Failure> {
        let file = self.subject.file()?;
        let contract = file.as_ref().map_or_else(Library::default_contract, |subject| subject.contract.clone());
        let library = Library::load(&self.wanted, &contract).map_err(Failure::input)?;
        runtime()?.block_on(async {
            let stop = stop_on_signal();
            let live = self.subject.up(file, &library).await?;
            self.judged(&library, live, stop).await
        })
    }

    async fn judged(&self, library: &Library, live: Live, stop: CancellationToken) -> Result<u8, Failure> {
        let seed = Seed(self.seed.unwrap_or_else(fresh_seed));
        let mut live = live;
        let ready = preflight(&library.contract, &Arc::new(live.target.clone()), seed).await;
        if !ready.is_ready() {
            complain(&format!("the subject cannot be worked with yet:\n{}", ready.lines().join("\n")));
            return Ok(exit::SET_UP);
        }
        live.target.tempo = ready.tempo;
        let target = Arc::new(live.target.clone());
        let selection = Selection {
            selectors: self.selectors.clone(),
            cases: self.cases.iter().map(|id| CaseId::from(id.as_str())).collect(),
        };
        let cases = planned(library, &target.abilities, seed, &selection, &ready.missing)?;
        let folder = match self.no_report {
            true => None,
            false => Some(Folder::create(&self.reports, &target.name, &run_name(seed)).map_err(Failure::set_up)?),
        };
        let files = folder.as_ref().map(|folder| folder.path().display().to_string());
        let mut terminal = Terminal::standard(Look::of_stdout(self.verbose, files));
        let mut tell = |event: &Event| {
            // A closed pipe is a quiet end of the telling, not of the run.
            let _ = terminal.hear(event);
        };
        tell(&Event::RunStarted {
            contract: library.contract.name.clone(),
            subject: target.name.clone(),
            seed: seed.0,
            cases: cases.len(),
        });
        if self.verbose || ready.findings.iter().any(|finding| finding.remedy.is_some()) {
            tell(&Event::Preflight(ready.lines()));
        }
        let again = Again { url: &self.subject, wanted: &self.wanted, seed };
        let manner = Manner { side_by_side: self.parallel, strict: self.strict, stop: stop.clone() };
        let mut stories = Stories::new();
        let (played, report) = played(library, &target, cases, seed, &manner, |one: &Played| {
            let finished = finished(one, &again);
            keep_story(&mut stories, &finished);
            tell(&Event::CaseFinished(Box::new(finished)));
        })
        .await?;
        if let Some(folder) = &folder {
            let header = RunHeader {
                version: env!("CARGO_PKG_VERSION").to_owned(),
                subject: target.name.clone(),
                contract: library.contract.name.clone(),
                seed: seed.0,
                selection: selection
                    .selectors
                    .iter()
                    .cloned()
                    .chain(self.cases.iter().map(|id| format!("case {id}")))
                    .collect(),
                missing: ready.missing.clone(),
                abilities: serde_json::to_value(&target.abilities).map_err(Failure::set_up)?,
                files: library.files(),
            };
            write_history(folder, header, &played, report.complete, &target).map_err(Failure::set_up)?;
            folder.write(&report, &stories).map_err(Failure::set_up)?;
        }
        let code = report.exit_code();
        tell(&Event::RunEnded(Box::new(report)));
        Ok(if stop.is_cancelled() && code == exit::OK { 3 } else { code })
    }
}

/// How a case is played again.
struct Again<'a> {
    url: &'a WhichSubject,
    wanted: &'a Wanted,
    seed: Seed,
}

impl Again<'_> {
    fn command(&self, case: &Case) -> String {
        let mut words = vec!["onceproof run".to_owned(), case.scenario.path.to_string(), format!("--case {}", case.id)];
        words.push(format!("--seed {}", self.seed.0));
        if let Some(file) = &self.url.subject {
            words.push(format!("--subject {}", file.display()));
        }
        words.extend(self.url.sabotage.iter().map(|row| format!("--sabotage {row}")));
        words.extend(self.url.url.iter().map(|url| format!("--url {url}")));
        if let Some(contract) = &self.wanted.contract {
            words.push(format!("--contract {contract}"));
        }
        if let Some(folder) = &self.wanted.scenarios {
            words.push(format!("--scenarios {}", folder.display()));
        }
        words.join(" ")
    }
}

fn finished(one: &Played, again: &Again<'_>) -> FinishedCase {
    let well = one.report.verdicts.iter().all(|verdict| verdict.verdict.rank() == 0);
    let story = (!well).then(|| Story {
        entries: one.history.entries().to_vec(),
        again: again.command(&one.case),
        likely_cause: crate::cli::selftest::likely_cause(&one.report),
    });
    FinishedCase { report: one.report.clone(), story }
}

fn write_history(
    folder: &Folder,
    header: RunHeader,
    played: &[Played],
    complete: bool,
    target: &crate::runner::Target,
) -> Result<(), crate::history::FileError> {
    let file = std::fs::File::create(folder.history())?;
    let mut writer = HistoryWriter::begin(BufWriter::new(file), header)?;
    for one in played {
        writer.add(&one.case.id, &without_secrets(&one.history, target))?;
    }
    writer.end(complete)?;
    Ok(())
}

/// A server may echo a secret in an answer: it does not reach a file.
fn without_secrets(history: &SealedHistory, target: &crate::runner::Target) -> SealedHistory {
    history.map_bodies(|bytes| target.blanked(bytes))
}

/// A token that the first Ctrl-C cancels; the second one ends the program at once.
pub fn stop_on_signal() -> CancellationToken {
    let stop = CancellationToken::new();
    let told = stop.clone();
    tokio::spawn(async move {
        if tokio::signal::ctrl_c().await.is_ok() {
            told.cancel();
            if tokio::signal::ctrl_c().await.is_ok() {
                std::process::exit(130);
            }
        }
    });
    stop
}

/// A seed that no other run has had: the time and the process, mixed.
pub fn fresh_seed() -> u64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let mixed = u64::from(now.subsec_nanos()) ^ (now.as_secs() << 30) ^ (u64::from(std::process::id()) << 44);
    // Short enough to be typed again.
    mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32
}

fn run_name(seed: Seed) -> String {
    let now = jiff::Timestamp::now();
    format!("{}-{}", now.strftime("%Y-%m-%dT%H-%M-%SZ"), seed.0)
}
