//! `onceproof selftest`: judges saboteurs and honest variants of the reference server and of the reference client, and
//! prints the kill matrix. A harness is as good as what it catches, and as what it lets pass.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt, TryStreamExt};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::cli::block::{Row, render};
use crate::cli::client::side_by_side;
use crate::cli::matrix::{changes, with_blocks};
use crate::cli::run::stop_on_signal;
use crate::cli::session::{Manner, planned, played};
use crate::cli::subject::embedded;
use crate::cli::{Failure, Library, Wanted, complain, runtime, say};
use crate::plan::{AbleClient, Seed, Selection};
use crate::reference::{ClientSaboteur, Policy, client_honest_variants, client_saboteurs, honest_variants, saboteurs};
use crate::requirement::Side;
use crate::runner::{ClientTarget, Metronome, Program, preflight};
use crate::time::Clock;

/// The seed of every row, so that two matrices can be compared.
const SEED: Seed = Seed(1);

/// The clock of clients: small enough not to wait for long, and large enough to tell a wait from the machine's own.
const CLIENT_SCALE: f64 = 0.05;

/// How many clients begin at the same time.
const CLIENTS_BEGINNING: usize = 4;

/// How many rows of clients are judged at a time.
const CLIENTS_AT_ONCE: usize = 18;

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

impl Selftest {
    /// Judges every row.
    pub fn go(self) -> Result<u8, Failure> {
        self.known()?;
        let libraries = self.libraries()?;
        let mut blocks = Vec::new();
        let mut is_well = true;
        runtime()?.block_on(async {
            let stop = stop_on_signal();
            for library in &libraries {
                let servers = self.servers(library, &stop).await?;
                let clients = self.clients(library, &stop).await?;
                for (side, matrix, whole) in
                    [(Side::Server, servers, self.rows.is_empty()), (Side::Client, clients, self.rows.is_empty())]
                {
                    if matrix.is_empty() {
                        continue;
                    }
                    is_well &= matrix.iter().all(Row::is_well);
                    let block = render(library, side, &matrix, whole);
                    // One block is told before the next is judged: there is a minute between them.
                    say(&if blocks.is_empty() { block.clone() } else { format!("\n{block}") });
                    blocks.push(block);
                }
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
                let is_known = saboteurs().iter().any(|row| row.name == name)
                    || client_saboteurs().iter().any(|row| row.name == name);
                if !is_known {
                    return Err(Failure::Input(format!("`lets pass` names `{name}`, which is no saboteur")));
                }
            }
            Ok(library)
        };
        names.into_iter().map(load).collect()
    }

    /// Whether every word names a row.
    fn known(&self) -> Result<(), Failure> {
        let servers = saboteurs().iter().chain(honest_variants()).map(|row| (row.kind, row.name));
        let clients = client_saboteurs().iter().chain(client_honest_variants()).map(|row| (row.kind, row.name));
        let all: Vec<(&str, &str)> = servers.chain(clients).collect();
        for word in &self.rows {
            if !all.iter().any(|(kind, name)| kind == word || name == word) {
                let near = crate::file::nearest(word, all.iter().map(|(_, name)| *name));
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(Failure::Input(format!("no saboteur or honest variant `{word}`{hint}")));
            }
        }
        Ok(())
    }

    fn wants(&self, kind: &str, name: &str) -> bool {
        self.rows.is_empty() || self.rows.iter().any(|word| word == kind || word == name)
    }

    /// The rows of servers, one after the other: each is driven as fast as it goes.
    async fn servers(&self, library: &Library, stop: &CancellationToken) -> Result<Vec<Row>, Failure> {
        let mut matrix = Vec::new();
        for row in saboteurs().iter().chain(honest_variants()).filter(|row| self.wants(row.kind, row.name)) {
            ended(stop)?;
            complain_quietly(&format!("{}: {} {}", library.contract.name, row.kind, row.name));
            let mut live = embedded(library, row.policy, Some(row.name)).await?;
            let ready = preflight(&library.contract, &Arc::new(live.target.clone()), SEED).await;
            live.target.tempo = ready.tempo;
            let target = Arc::new(live.target.clone());
            let cases = planned(library, &target.abilities, SEED, &Selection::default(), &ready.missing)?;
            let clock = Clock::start();
            let manner = Manner {
                side_by_side: self.parallel,
                strict: false,
                clock,
                stop: stop.clone(),
                waivers: Default::default(),
            };
            let (_, report) = played(library, &target, cases, SEED, &manner, |_| {}).await?;
            matrix.push(Row::new(library, row.kind, row.name, &[report]));
        }
        Ok(matrix)
    }

    /// The rows of clients, several at a time, each as every kind of client that the contract has rules for, against one
    /// honest server: they mostly wait.
    async fn clients(&self, library: &Library, stop: &CancellationToken) -> Result<Vec<Row>, Failure> {
        let rows = client_saboteurs().iter().chain(client_honest_variants());
        let rows: Vec<&'static ClientSaboteur> = rows.filter(|row| self.wants(row.kind, row.name)).collect();
        if library.contract.clients.is_empty() || rows.is_empty() {
            return Ok(Vec::new());
        }
        ended(stop)?;
        complain_quietly(&format!("{}: clients", library.contract.name));
        let clock = Clock::start();
        let metronome = Arc::new(Metronome::start(clock));
        // All of them begin in turn: what is at work alone is not slowed down by those that begin.
        let starting = Arc::new(Semaphore::new(CLIENTS_BEGINNING));
        let kinds = library.contract.clients.len();
        let side_by_side = (side_by_side() / (CLIENTS_AT_ONCE * kinds)).max(1);
        let judged = futures_util::stream::iter(rows).map(|row| {
            let (metronome, starting) = (&metronome, &starting);
            async move {
                ended(stop)?;
                // A server of its own: to one server this machine has only so many ways at a time.
                let live = embedded(library, Policy::HONEST, None).await?;
                let live = &live;
                let as_each = library.contract.clients.keys().map(|kind| async move {
                    let mut target = live.target.clone();
                    target.abilities.client = Some(AbleClient {
                        persists: true,
                        time_scale: CLIENT_SCALE,
                        ..AbleClient::plain(kind.clone())
                    });
                    let client = ClientTarget::new(Program::Reference(row.policy), Arc::clone(metronome));
                    target.client = Some(Arc::new(client.in_turn(Duration::from_millis(10), Arc::clone(starting))));
                    let target = Arc::new(target);
                    let cases = planned(library, &target.abilities, SEED, &Selection::default(), &[])?;
                    let manner =
                        Manner { side_by_side, strict: false, clock, stop: stop.clone(), waivers: Default::default() };
                    let (_, report) = played(library, &target, cases, SEED, &manner, |_| {}).await?;
                    Ok::<_, Failure>(report)
                });
                let reports = futures_util::future::try_join_all(as_each).await?;
                Ok(Row::new(library, row.kind, row.name, &reports))
            }
        });
        judged.buffered(CLIENTS_AT_ONCE).try_collect().await
    }
}

fn ended(stop: &CancellationToken) -> Result<(), Failure> {
    match stop.is_cancelled() {
        true => Err(Failure::SetUp("ended before every row was judged".to_owned())),
        false => Ok(()),
    }
}

/// Progress, for people who wait; not part of the matrix.
fn complain_quietly(text: &str) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        complain(text);
    }
}
