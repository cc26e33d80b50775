//! `onceproof judge`: the verdicts of a history file, from the file alone. It sends nothing and writes nothing.

use std::collections::BTreeMap;
use std::io::BufReader;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::session::{Known, asked, concluded, planned};
use crate::cli::{Failure, Library, say, waivers};
use crate::event::{Stories, Story};
use crate::file::Source;
use crate::history::HistoryReader;
use crate::judge::judge;
use crate::name::CaseId;
use crate::plan::{Abilities, Case, Seed, Selection};
use crate::report::{Look, render_json, render_terminal};

/// Arguments of `judge`.
#[derive(clap::Args, Debug)]
pub struct Judge {
    /// A history.ndjson.
    file: PathBuf,
    /// As for `run`.
    #[arg(long)]
    strict: bool,
    /// Known failings of the subject, in place of the waiver file that the run was given.
    #[arg(long, value_name = "FILE")]
    waive: Option<PathBuf>,
    /// Print the verdicts as JSON.
    #[arg(long)]
    json: bool,
    /// Every requirement in the table.
    #[arg(long, short)]
    verbose: bool,
}

impl Judge {
    /// Judges.
    pub fn go(self) -> Result<u8, Failure> {
        let unreadable = |error: &dyn std::fmt::Display| Failure::Input(format!("{}: {error}", self.file.display()));
        let file = std::fs::File::open(&self.file).map_err(|error| unreadable(&error))?;
        let history = HistoryReader::read(BufReader::new(file)).map_err(|error| unreadable(&error))?;
        let mut sources = history.run.files.iter().map(|(name, text)| Source::new(name.clone(), text.clone()));
        let contract = sources.next().ok_or_else(|| unreadable(&"no contract in its header"))?;
        let library = Library::from_sources(contract, sources.collect()).map_err(|error| unreadable(&error))?;
        let waivers = match &self.waive {
            Some(path) => waivers::load(Some(path), &library)?,
            None => waivers::of_history(history.run.waivers.as_ref())?,
        };
        let abilities: Abilities =
            serde_json::from_value(history.run.abilities.clone()).map_err(|error| unreadable(&error))?;
        let seed = Seed(history.run.seed);
        let (cases, selectors): (Vec<&String>, Vec<&String>) =
            history.run.selection.iter().partition(|selector| selector.starts_with("case "));
        let selection = Selection {
            selectors: selectors.into_iter().cloned().collect(),
            cases: cases.into_iter().filter_map(|text| text.strip_prefix("case ")).map(CaseId::from).collect(),
        };
        let cases: Vec<Arc<Case>> =
            planned(&library, &abilities, seed, &selection, &history.run.missing)?.into_iter().map(Arc::new).collect();
        let by_id: BTreeMap<&str, &Arc<Case>> = cases.iter().map(|case| (case.id.as_str(), case)).collect();
        let mut stories = Stories::new();
        let mut reports = Vec::new();
        for (id, sealed) in &history.cases {
            let Some(case) = by_id.get(id.as_str()) else {
                return Err(unreadable(&format!("case {id} is not in the plan of its header")));
            };
            let report = judge(case, sealed);
            if report.verdicts.iter().any(|verdict| verdict.verdict.rank() > 0) {
                let again = format!("onceproof run {} --case {id} --seed {}", case.scenario.path, seed.0);
                let likely_cause = crate::cli::matrix::likely_cause(&report);
                stories.insert(id.clone(), Story { entries: sealed.entries().to_vec(), again, likely_cause });
            }
            reports.push(report);
        }
        let report = concluded(
            &library,
            &Known { subject: &history.run.subject, abilities: &abilities, waivers: &waivers },
            seed,
            cases.len(),
            reports,
            &asked(&cases),
            self.strict,
        );
        if self.json {
            say(&render_json(&report).map_err(Failure::set_up)?);
        } else {
            say(&render_terminal(&report, &stories, &Look::of_stdout(self.verbose, None)));
        }
        Ok(report.exit_code())
    }
}
