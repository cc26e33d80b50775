//! `onceproof selftest`: judges saboteurs and honest variants of the reference, and prints the kill matrix. A harness is
//! as good as what it catches, and as what it lets pass.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::matrix::{changes, with_blocks};
use crate::cli::run::stop_on_signal;
use crate::cli::session::{Manner, planned, played};
use crate::cli::subject::embedded;
use crate::cli::{Failure, Library, Wanted, complain, runtime, say};
use crate::judge::RunReport;
use crate::name::RequirementId;
use crate::plan::{Seed, Selection};
use crate::reference::{Saboteur, honest_variants, saboteurs};
use crate::requirement::{Level, Side};
use crate::runner::preflight;
use crate::time::Clock;

/// The seed of every row, so that two matrices can be compared.
const SEED: Seed = Seed(1);

/// Arguments of `selftest`.
#[derive(clap::Args, Debug)]
pub struct Selftest {
    /// Saboteurs or honest variants, by name or kind; all when none is given.
    rows: Vec<String>,
    #[command(flatten)]
    wanted: Wanted,
    /// Write the matrix to this file.
    #[arg(long, value_name = "FILE")]
    write: Option<PathBuf>,
    /// Fail when the matrix shows anything that this version did not record.
    #[arg(long, conflicts_with = "rows")]
    check: bool,
    /// How many cases are played at the same time.
    #[arg(long, value_name = "N", default_value_t = 32)]
    parallel: usize,
}

/// One row of the matrix.
struct Row {
    saboteur: Saboteur,
    /// Requirements that were violated, those that bind first.
    broken: Vec<(RequirementId, Level)>,
    /// Requirements that no case of it could judge. One that some case judged is no gap: on a busy machine a race may not
    /// overlap, and says so.
    gaps: Vec<RequirementId>,
    /// Why it breaks nothing that the contract promises, if it does not.
    allowed: Option<String>,
}

impl Row {
    fn is_honest(&self) -> bool {
        self.saboteur.kind.starts_with('H')
    }

    /// As it should be: a saboteur is caught by something that binds, an honest variant by nothing at all. One that the
    /// contract lets pass may be either.
    fn is_well(&self) -> bool {
        let binding = self.broken.iter().any(|(_, level)| *level >= Level::Should);
        match (self.is_honest(), &self.allowed) {
            (true, _) => self.broken.is_empty(),
            // Caught or not, by chance or by a probe: nothing is promised, so nothing is asked.
            (false, Some(_)) => true,
            (false, None) => binding,
        }
    }
}

impl Selftest {
    /// Judges every row.
    pub fn go(self) -> Result<u8, Failure> {
        let rows = self.chosen()?;
        let libraries = self.libraries()?;
        let mut blocks = Vec::new();
        let mut is_well = true;
        runtime()?.block_on(async {
            let stop = stop_on_signal();
            for library in &libraries {
                let mut matrix = Vec::new();
                for saboteur in &rows {
                    if stop.is_cancelled() {
                        return Err(Failure::SetUp("ended before every row was judged".to_owned()));
                    }
                    complain_quietly(&format!("{}: {} {}", library.contract.name, saboteur.kind, saboteur.name));
                    let report = self.judged(library, saboteur, &stop).await?;
                    matrix.push(row(library, *saboteur, &report));
                }
                is_well &= matrix.iter().all(Row::is_well);
                let block = render(library, &matrix);
                // One contract's block is told before the next contract is judged: there is a minute between them.
                say(&if blocks.is_empty() { block.clone() } else { format!("\n{block}") });
                blocks.push(block);
            }
            Ok(())
        })?;
        let text = blocks.join("\n");
        if let Some(path) = &self.write {
            let known = std::fs::read_to_string(path).unwrap_or_default();
            std::fs::write(path, with_blocks(&known, &text)).map_err(Failure::set_up)?;
        }
        if self.check {
            let changed = changes(&text);
            if !changed.is_empty() {
                return Err(Failure::Input(format!(
                    "the matrix is not the recorded one; if it should be, `onceproof selftest --write \
                     reports/kill-matrix.txt`:\n{}",
                    changed.join("\n")
                )));
            }
        }
        Ok(u8::from(!is_well))
    }

    /// The contracts to judge by: the one that is named, or every bundled one that the reference can serve.
    fn libraries(&self) -> Result<Vec<Library>, Failure> {
        let names = match &self.wanted.contract {
            Some(name) => vec![name.clone()],
            None => Library::served_contracts(),
        };
        let load = |name: String| {
            let library = Library::load(&self.wanted, &name).map_err(Failure::input)?;
            let allowed = library.contract.reference.iter().flat_map(|reference| reference.lets_pass.keys());
            for name in allowed {
                if !saboteurs().iter().any(|row| row.name == name) {
                    return Err(Failure::Input(format!("`lets pass` names `{name}`, which is no saboteur")));
                }
            }
            Ok(library)
        };
        names.into_iter().map(load).collect()
    }

    fn chosen(&self) -> Result<Vec<Saboteur>, Failure> {
        let all: Vec<Saboteur> = saboteurs().iter().chain(honest_variants()).copied().collect();
        let fits = |row: &Saboteur, word: &str| row.name == word || row.kind == word;
        for word in &self.rows {
            if !all.iter().any(|row| fits(row, word)) {
                let near = crate::file::nearest(word, all.iter().map(|row| row.name));
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(Failure::Input(format!("no saboteur or honest variant `{word}`{hint}")));
            }
        }
        Ok(all.into_iter().filter(|row| self.rows.is_empty() || self.rows.iter().any(|word| fits(row, word))).collect())
    }

    async fn judged(
        &self,
        library: &Library,
        row: &Saboteur,
        stop: &tokio_util::sync::CancellationToken,
    ) -> Result<RunReport, Failure> {
        let mut live = embedded(library, row.policy, Some(row.name)).await?;
        let ready = preflight(&library.contract, &Arc::new(live.target.clone()), SEED).await;
        live.target.tempo = ready.tempo;
        let target = Arc::new(live.target.clone());
        let cases = planned(library, &target.abilities, SEED, &Selection::default(), &ready.missing)?;
        let manner = Manner { side_by_side: self.parallel, strict: false, clock: Clock::start(), stop: stop.clone() };
        let (_, report) = played(library, &target, cases, SEED, &manner, |_| {}).await?;
        Ok(report)
    }
}

/// Progress, for people who wait; not part of the matrix.
fn complain_quietly(text: &str) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        complain(text);
    }
}

fn row(library: &Library, saboteur: Saboteur, report: &RunReport) -> Row {
    let mut broken: Vec<(RequirementId, Level)> =
        report.requirements.iter().filter(|row| row.violated > 0).map(|row| (row.id.clone(), row.level)).collect();
    broken.sort_by(|(a, first), (b, second)| (second, a).cmp(&(first, b)));
    let unjudged = report.requirements.iter().filter(|row| row.unknown > 0 && row.held + row.violated == 0);
    let gaps = unjudged.map(|row| row.id.clone()).collect();
    let reasons = library.contract.reference.as_ref().map(|reference| &reference.lets_pass);
    let allowed = reasons.and_then(|reasons| reasons.get(saboteur.name)).cloned();
    Row { saboteur, broken, gaps, allowed }
}

fn render(library: &Library, matrix: &[Row]) -> String {
    let count = |honest: bool| matrix.iter().filter(move |row| row.is_honest() == honest && row.allowed.is_none());
    let caught = count(false).filter(|row| row.is_well()).count();
    let passed = count(true).filter(|row| row.is_well()).count();
    let mut lines = vec![format!(
        "{}: {caught} of {} saboteurs caught, {passed} of {} honest variants pass",
        library.contract.name,
        count(false).count(),
        count(true).count()
    )];
    lines.push(String::new());
    for row in matrix {
        if let (Some(why), true) = (&row.allowed, row.is_well()) {
            lines.push(format!("{:<4} {:<32} let pass: {why}", row.saboteur.kind, row.saboteur.name));
            continue;
        }
        let verdict = match (row.is_honest() || row.allowed.is_some(), row.is_well()) {
            (true, true) => "passes",
            (true, false) => "FALSE ALARM",
            (false, true) => "caught by",
            (false, false) => "NOT CAUGHT",
        };
        let ids: Vec<String> = row.broken.iter().map(|(id, level)| mark(id, *level)).collect();
        lines.push(
            format!("{:<4} {:<32} {verdict} {}", row.saboteur.kind, row.saboteur.name, ids.join(" "))
                .trim_end()
                .to_owned(),
        );
    }
    let idle: Vec<&str> = library
        .contract
        .requirements
        .values()
        .filter(|requirement| requirement.side == Side::Server && requirement.not_judged.is_none())
        .filter(|requirement| !matrix.iter().any(|row| row.broken.iter().any(|(id, _)| *id == requirement.id)))
        .map(|requirement| requirement.id.as_str())
        .collect();
    lines.push(String::new());
    // A part of the table says nothing about what the whole catches.
    if matrix.len() == saboteurs().len() + honest_variants().len() {
        lines.push(match idle.is_empty() {
            true => "every requirement that is judged caught someone".to_owned(),
            false => format!("caught nobody: {}", idle.join(" ")),
        });
    }
    let honest: Vec<&Row> = matrix.iter().filter(|row| row.is_honest()).collect();
    let gaps: BTreeSet<&str> = honest
        .iter()
        .flat_map(|row| row.gaps.iter().map(RequirementId::as_str))
        .filter(|id| honest.iter().all(|row| row.gaps.iter().any(|gap| gap.as_str() == *id)))
        .collect();
    if !honest.is_empty() {
        lines.push(match gaps.is_empty() {
            true => "every requirement is judged on some honest variant".to_owned(),
            false => format!("judged on no honest variant: {}", gaps.into_iter().collect::<Vec<_>>().join(" ")),
        });
    }
    lines.join("\n") + "\n"
}

/// A probe only reports: it is told from what binds.
fn mark(id: &RequirementId, level: Level) -> String {
    if level >= Level::Should { id.to_string() } else { format!("({id})") }
}
