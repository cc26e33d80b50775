//! `onceproof run`: judges a server, and what every run has in common. Preflight first; then every case, side by side; then the reports. Ctrl-C ends it with
//! what is known so far.

use std::io::BufWriter;
use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::cli::client::{RunBoth, RunClient};
use crate::cli::session::{Manner, contract_for, planned, played};
use crate::cli::subject::{Live, WhichSubject};
use crate::cli::{Failure, Library, Wanted, complain, exit, runtime, waivers};
use crate::event::{Event, FinishedCase, Listener, Stories, Story, keep_story};
use crate::history::{HistoryWriter, RunHeader, SealedHistory};
use crate::name::CaseId;
use crate::plan::{Case, Seed, Selection, Waivers};
use crate::report::{Folder, Look, Terminal};
use crate::runner::{Played, Preflight, preflight};
use crate::time::Clock;

/// Arguments of `run`.
#[derive(clap::Args, Debug)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct Run {
    #[command(subcommand)]
    side: Option<Sides>,
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    subject: WhichSubject,
    #[command(flatten)]
    how: How,
}

/// What else than a server is judged.
#[derive(clap::Subcommand, Debug)]
enum Sides {
    /// Judge a client: a program is asked for one intent after another, and its retries are seen on the wire.
    Client(RunClient),
    /// Judge a client and a server that meet through the same faults, on both sides and on effects.
    Both(RunBoth),
}

/// How a run is done, whoever is judged.
#[derive(clap::Args, Debug, Clone)]
pub struct How {
    /// Scenarios by path or pattern, or requirements by id; all when none is given.
    pub selectors: Vec<String>,
    /// Play this case alone; may be given several times.
    #[arg(long = "case", value_name = "ID")]
    pub cases: Vec<String>,
    /// The seed of the plan: the same seed sends the same bytes.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A broken should, or a derived requirement, fails; a requirement that could not be judged is exit code 3.
    #[arg(long)]
    pub strict: bool,
    /// Known failings of this subject, each with a reason; one that no longer applies is an error.
    #[arg(long, value_name = "FILE")]
    pub waive: Option<PathBuf>,
    /// How many cases are played at the same time; 32, unless said, and all of them for a client.
    #[arg(long, value_name = "N")]
    pub parallel: Option<usize>,
    /// Where reports go.
    #[arg(long, value_name = "FOLDER", default_value = "reports")]
    pub reports: PathBuf,
    /// Write no report files.
    #[arg(long)]
    pub no_report: bool,
    /// Every requirement in the table, and what the preflight tried.
    #[arg(long, short)]
    pub verbose: bool,
}

/// A subject that is ready to be judged.
pub struct Ready {
    /// The subject.
    pub live: Live,
    /// What trying it found.
    pub found: Preflight,
    /// How many cases at a time, unless said.
    pub side_by_side: usize,
    /// The run's clock.
    pub clock: Clock,
    /// Known failings of it.
    pub waivers: Waivers,
    /// The words that judge this subject again, `onceproof run …`, without scenario, case and seed.
    pub again: Again,
}

/// How a case is played again.
#[derive(Clone, Debug, Default)]
pub struct Again {
    /// Before the scenario.
    pub before: Vec<String>,
    /// After the seed.
    pub after: Vec<String>,
}

impl Run {
    /// Judges.
    pub fn go(self) -> Result<u8, Failure> {
        match &self.side {
            Some(Sides::Client(client)) => client.go(),
            Some(Sides::Both(both)) => both.go(),
            None => self.server(),
        }
    }

    fn server(&self) -> Result<u8, Failure> {
        let file = self.subject.file()?;
        let contract = file.as_ref().map_or_else(Library::default_contract, |subject| subject.contract.clone());
        let library = Library::load(&self.wanted, &contract).map_err(Failure::input)?;
        let waivers = self.how.waivers(&library)?;
        let seed = self.how.seed();
        runtime()?.block_on(async {
            let stop = stop_on_signal();
            let clock = Clock::start();
            let mut live = self.subject.up(file, &library).await?;
            let found =
                preflight(&contract_for(&library, &live.target.abilities), &Arc::new(live.target.clone()), seed).await;
            live.target.tempo = found.tempo;
            let after = again(&self.subject, &self.wanted, &self.how);
            let again = Again { before: vec!["onceproof run".to_owned()], after };
            self.how.judged(&library, Ready { live, found, side_by_side: 32, clock, waivers, again }, seed, stop).await
        })
    }
}

/// The words that name a server and the files it is judged by.
pub fn again(subject: &WhichSubject, wanted: &Wanted, how: &How) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(file) = &subject.subject {
        words.push(format!("--subject {}", file.display()));
    }
    words.extend(subject.sabotage.iter().map(|row| format!("--sabotage {row}")));
    words.extend(subject.url.iter().map(|url| format!("--url {url}")));
    words.extend(subject.ca.iter().map(|file| format!("--ca {}", file.display())));
    if let Some(contract) = &wanted.contract {
        words.push(format!("--contract {contract}"));
    }
    if let Some(folder) = &wanted.scenarios {
        words.push(format!("--scenarios {}", folder.display()));
    }
    words.extend(how.waive.iter().map(|file| format!("--waive {}", file.display())));
    words
}

impl Again {
    fn command(&self, case: &Case, seed: Seed) -> String {
        let own = [case.scenario.path.to_string(), format!("--case {}", case.id), format!("--seed {}", seed.0)];
        self.before.iter().chain(&own).chain(&self.after).cloned().collect::<Vec<_>>().join(" ")
    }
}

impl How {
    /// The seed that was asked for, or one that no other run has had.
    pub fn seed(&self) -> Seed {
        Seed(self.seed.unwrap_or_else(fresh_seed))
    }

    /// The waiver file that was given, held against the contract.
    pub fn waivers(&self, library: &Library) -> Result<Waivers, Failure> {
        waivers::load(self.waive.as_deref(), library)
    }

    /// Plans, plays, judges and reports.
    pub async fn judged(
        &self,
        library: &Library,
        ready: Ready,
        seed: Seed,
        stop: CancellationToken,
    ) -> Result<u8, Failure> {
        let Ready { live, found, side_by_side, clock, waivers, again } = ready;
        if !found.is_ready() {
            complain(&format!("the subject cannot be worked with yet:\n{}", found.lines().join("\n")));
            return Ok(exit::SET_UP);
        }
        let target = Arc::new(live.target.clone());
        let selection = Selection {
            selectors: self.selectors.clone(),
            cases: self.cases.iter().map(|id| CaseId::from(id.as_str())).collect(),
        };
        if !waivers.list.is_empty() {
            let whole = planned(library, &target.abilities, seed, &Selection::default(), &found.missing)?;
            let client = target.abilities.client.as_ref();
            waivers.against_plan(&library.contract, &whole, client).map_err(Failure::input)?;
        }
        let cases = planned(library, &target.abilities, seed, &selection, &found.missing)?;
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
        if self.verbose || found.findings.iter().any(|finding| finding.remedy.is_some()) {
            tell(&Event::Preflight(found.lines()));
        }
        let side_by_side = self.parallel.unwrap_or(side_by_side);
        let kept = waivers.source.as_ref().map(|source| (source.name.clone(), source.text.clone()));
        let manner = Manner { side_by_side, strict: self.strict, clock, stop: stop.clone(), waivers };
        let mut stories = Stories::new();
        let (played, report) = played(library, &target, cases, seed, &manner, |one: &Played| {
            let finished = finished(one, &again, seed);
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
                missing: found.missing.clone(),
                abilities: serde_json::to_value(&target.abilities).map_err(Failure::set_up)?,
                files: library.files(),
                waivers: kept,
            };
            write_history(folder, header, &played, report.complete, &target).map_err(Failure::set_up)?;
            folder.write(&report, &stories).map_err(Failure::set_up)?;
        }
        let code = report.exit_code();
        tell(&Event::RunEnded(Box::new(report)));
        Ok(if stop.is_cancelled() && code == exit::OK { 3 } else { code })
    }
}

fn finished(one: &Played, again: &Again, seed: Seed) -> FinishedCase {
    let well = one.report.verdicts.iter().all(|verdict| verdict.verdict.rank() == 0);
    let story = (!well).then(|| Story {
        entries: one.history.entries().to_vec(),
        again: again.command(&one.case, seed),
        likely_cause: crate::cli::matrix::likely_cause(&one.report),
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
