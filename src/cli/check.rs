//! `onceproof check`: loads every file and says everything that is wrong with them. It sends nothing.

use std::path::PathBuf;

use crate::cli::library::{Library, Wanted, read};
use crate::cli::session::all_planned;
use crate::cli::{Failure, exit, say, waivers};
use crate::plan::Selection;

/// Arguments of `check`.
#[derive(clap::Args, Debug)]
pub struct Check {
    #[command(flatten)]
    wanted: Wanted,
    /// A subject file to check as well.
    #[arg(long, value_name = "FILE")]
    subject: Option<PathBuf>,
    /// A waiver file to check as well, for the contract of the subject file, or of --contract.
    #[arg(long, value_name = "FILE")]
    waive: Option<PathBuf>,
}

impl Check {
    /// Checks and says how much there is.
    pub fn go(self) -> Result<u8, Failure> {
        let names = match &self.wanted.contract {
            Some(name) => vec![name.clone()],
            None => Library::bundled_contracts(),
        };
        for name in names {
            let library = Library::load(&self.wanted, &name).map_err(Failure::input)?;
            let cases = all_planned(&library, &Selection::default())?.len();
            say(&format!(
                "{}: {} scenarios, {} requirements, {cases} cases; nothing is wrong",
                library.contract.name,
                library.scenarios.len(),
                library.contract.requirements.len(),
            ));
        }
        let mut judged_by = self.wanted.contract.clone().unwrap_or_else(Library::default_contract);
        if let Some(path) = &self.subject {
            let source = read(path).map_err(Failure::input)?;
            let subject =
                crate::subject::load(&source, &crate::cli::subject::from_environment, &[]).map_err(Failure::input)?;
            let library = Library::load(&self.wanted, &subject.contract).map_err(Failure::input)?;
            crate::subject::against(&source, &library.contract).map_err(Failure::input)?;
            say(&format!("{}: judged by {}; nothing is wrong", path.display(), subject.contract));
            judged_by = subject.contract;
        }
        if let Some(path) = &self.waive {
            let library = Library::load(&self.wanted, &judged_by).map_err(Failure::input)?;
            let waivers = waivers::load(Some(path), &library)?;
            let entries = match waivers.list.len() {
                1 => "1 waiver".to_owned(),
                number => format!("{number} waivers"),
            };
            say(&format!("{}: {entries} of {}; nothing is wrong", path.display(), library.contract.name));
        }
        Ok(exit::OK)
    }
}
