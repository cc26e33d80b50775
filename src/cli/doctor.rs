//! `onceproof doctor`: tries everything that a run needs, once, and says what to change. It judges nothing.

use std::sync::Arc;

use crate::cli::run::fresh_seed;
use crate::cli::session::contract_for;
use crate::cli::subject::WhichSubject;
use crate::cli::{Failure, Library, Wanted, exit, runtime, say};
use crate::plan::Seed;
use crate::runner::preflight;

/// Arguments of `doctor`.
#[derive(clap::Args, Debug)]
pub struct Doctor {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    subject: WhichSubject,
    /// The seed of what is sent.
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

impl Doctor {
    /// Tries.
    pub fn go(self) -> Result<u8, Failure> {
        let file = self.subject.file()?;
        let contract = file.as_ref().map_or_else(Library::default_contract, |subject| subject.contract.clone());
        let library = Library::load(&self.wanted, &contract).map_err(Failure::input)?;
        runtime()?.block_on(async {
            let live = self.subject.up(file, &library).await?;
            let seed = Seed(self.seed.unwrap_or_else(fresh_seed));
            let found =
                preflight(&contract_for(&library, &live.target.abilities), &Arc::new(live.target.clone()), seed).await;
            say(&found.lines().join("\n"));
            let conclusion = match (found.is_ready(), found.findings.iter().any(|finding| finding.remedy.is_some())) {
                (true, false) => "ready: everything that a run needs was met",
                (true, true) => "ready, but what is marked ! will not be judged",
                (false, _) => "not ready: change what is marked ✗ first",
            };
            say(conclusion);
            Ok(if found.is_ready() { exit::OK } else { exit::SET_UP })
        })
    }
}
