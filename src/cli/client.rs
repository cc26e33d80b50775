//! `onceproof run client` and `onceproof run both`: which program is asked, who answers it, and whether the two can be
//! worked with. The run itself is that of every side.

use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::run::{Again, How, Ready, again, stop_on_signal};
use crate::cli::session::contract_for;
use crate::cli::subject::{Live, WhichSubject, embedded, stood_in};
use crate::cli::{Failure, Library, Wanted, runtime};
use crate::contract::Contract;
use crate::name::{ClientName, OperationName};
use crate::plan::{AbleClient, Seed};
use crate::reference::{ClientPolicy, Policy, client_honest_variants, client_saboteurs};
use crate::runner::{ClientTarget, Command, Metronome, Preflight, Program, preflight, rehearsal};
use crate::subject::{Client, Subject, time_scale};
use crate::time::Clock;

/// All cases of a client at the same time, as far as files can be open: they mostly wait.
const SIDE_BY_SIDE: usize = 1_000;
/// Files that one case has open at most: its listener, both ends of a few connections, the pipes of a program.
const FILES_OF_A_CASE: usize = 20;
/// Files that everything else has open.
const OTHER_FILES: usize = 200;

/// How many cases of clients can be played at the same time. The limit of open files is raised as far as it may be.
pub fn side_by_side() -> usize {
    use nix::sys::resource::{Resource, getrlimit, setrlimit};
    let (soft, hard) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((1_024, 1_024));
    let wanted = hard.min(65_536);
    let limit = match setrlimit(Resource::RLIMIT_NOFILE, wanted.max(soft), hard) {
        Ok(()) => wanted.max(soft),
        Err(_) => soft,
    };
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    (limit.saturating_sub(OTHER_FILES) / FILES_OF_A_CASE).clamp(1, SIDE_BY_SIDE)
}

/// Arguments of `run client`.
#[derive(clap::Args, Debug)]
pub struct RunClient {
    #[command(flatten)]
    wanted: Wanted,
    /// A subject file with a `client:`.
    #[arg(long, value_name = "FILE")]
    subject: Option<PathBuf>,
    /// Judge a saboteur of the reference client, to see what a violation looks like; `selftest` lists them.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["subject", "command"])]
    sabotage: Option<String>,
    #[command(flatten)]
    asked: WhichClient,
    #[command(flatten)]
    how: How,
    /// The program and its arguments; the reference client, when nothing is given.
    #[arg(last = true)]
    command: Vec<String>,
}

/// Arguments of `run both`.
#[derive(clap::Args, Debug)]
pub struct RunBoth {
    #[command(flatten)]
    wanted: Wanted,
    #[command(flatten)]
    subject: WhichSubject,
    #[command(flatten)]
    asked: WhichClient,
    #[command(flatten)]
    how: How,
    /// The program and its arguments; that of the subject file, or the reference client, when nothing is given.
    #[arg(last = true)]
    command: Vec<String>,
}

/// What the client is; a subject file may say the same.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct WhichClient {
    /// Which kind of client it is; the contract's first, unless said.
    #[arg(long = "as", value_name = "KIND")]
    kind: Option<String>,
    /// An operation that it can be asked for; may be given several times. All, unless said.
    #[arg(long = "operation", value_name = "NAME")]
    operations: Vec<String>,
    /// It stays up, and takes one JSON line for each intent.
    #[arg(long)]
    stays_up: bool,
    /// It keeps what it was asked to do, in the folder ONCEPROOF_STATE, over its own end.
    #[arg(long)]
    persists: bool,
    /// Its clock: all its waits are this share of the contract's, as ONCEPROOF_TIME_SCALE tells it.
    #[arg(long, value_name = "SHARE", value_parser = time_scale)]
    time_scale: Option<f64>,
}

impl RunClient {
    /// Judges a client. Whoever answers it is not judged.
    pub fn go(&self) -> Result<u8, Failure> {
        let which = WhichSubject { subject: self.subject.clone(), ..WhichSubject::default() };
        let file = which.file()?;
        let contract = file.as_ref().map_or_else(Library::default_contract, |subject| subject.contract.clone());
        let library = Library::load(&self.wanted, &contract).map_err(Failure::input)?;
        which.against(&library)?;
        let policy = client_policy(self.sabotage.as_deref())?;
        let program = program(file.as_ref(), &self.command, self.asked.stays_up, policy)?;
        let able = self.asked.able(file.as_ref(), &library.contract, false)?;
        let waivers = self.how.waivers(&library)?;
        let mut words = again(&which, &self.wanted, &self.how);
        words.extend(self.sabotage.iter().map(|row| format!("--sabotage {row}")));
        let again = self.asked.again("onceproof run client", words, &self.command);
        let seed = self.how.seed();
        runtime()?.block_on(async {
            let stop = stop_on_signal();
            let live = match able.speaks.is_empty() && library.contract.reference.is_some() {
                true => embedded(&library, Policy::HONEST, None).await?,
                false => stood_in(&library, &able).await?,
            };
            let name = named(file.as_ref(), &program, &library);
            let mut ready = rehearsed(&library, live, name, program, able, again, seed).await?;
            ready.waivers = waivers;
            self.how.judged(&library, ready, seed, stop).await
        })
    }
}

impl RunBoth {
    /// Judges a client and the server that it meets.
    pub fn go(&self) -> Result<u8, Failure> {
        let file = self.subject.file()?;
        let contract = file.as_ref().map_or_else(Library::default_contract, |subject| subject.contract.clone());
        let library = Library::load(&self.wanted, &contract).map_err(Failure::input)?;
        self.subject.against(&library)?;
        let program = program(file.as_ref(), &self.command, self.asked.stays_up, ClientPolicy::HONEST)?;
        let able = self.asked.able(file.as_ref(), &library.contract, true)?;
        let waivers = self.how.waivers(&library)?;
        let words = again(&self.subject, &self.wanted, &self.how);
        let again = self.asked.again("onceproof run both", words, &self.command);
        let seed = self.how.seed();
        let server = file.as_ref().is_none_or(|subject| subject.server != Default::default());
        if !server {
            return Err(Failure::Input("the subject file has no `server:`: both sides are judged here".to_owned()));
        }
        runtime()?.block_on(async {
            let stop = stop_on_signal();
            let mut live = self.subject.up(file.clone(), &library).await?;
            let found =
                preflight(&contract_for(&library, &live.target.abilities), &Arc::new(live.target.clone()), seed).await;
            live.target.tempo = found.tempo;
            // A subject file names both; else each has a name of its own.
            let name = match &file {
                Some(file) if self.command.is_empty() => file.name.clone(),
                Some(_) | None => format!("{} with {}", named(None, &program, &library), live.target.name),
            };
            let mut ready = rehearsed(&library, live, name, program, able, again, seed).await?;
            ready.waivers = waivers;
            ready.found = Preflight {
                findings: found.findings.into_iter().chain(ready.found.findings).collect(),
                missing: found.missing.into_iter().chain(ready.found.missing).collect(),
                tempo: found.tempo,
            };
            self.how.judged(&library, ready, seed, stop).await
        })
    }
}

impl WhichClient {
    /// What the plan may count on.
    fn able(&self, file: Option<&Subject>, contract: &Contract, both: bool) -> Result<AbleClient, Failure> {
        let own = file.and_then(|file| file.client.as_ref());
        let kind = self.kind.clone().or(own.and_then(|own| own.kind.as_ref()).map(ToString::to_string));
        let Some(rules) = contract.client(kind.as_deref()) else {
            let known: Vec<&str> = contract.clients.keys().map(ClientName::as_str).collect();
            return Err(Failure::Input(match (kind, known.is_empty()) {
                (_, true) => format!("{} has no rules for clients: add `clients:` to the contract", contract.name),
                (kind, false) => format!(
                    "{} has no rules for a client of the kind `{}`; known are {}",
                    contract.name,
                    kind.unwrap_or_default(),
                    known.join(", ")
                ),
            }));
        };
        let operations: Vec<OperationName> = match self.operations.is_empty() {
            true => own.map(|own| own.operations.clone()).unwrap_or_default(),
            false => self.operations.iter().map(|name| name.as_str().into()).collect(),
        };
        if let Some(unknown) = operations.iter().find(|name| !contract.operations.contains_key(name.as_str())) {
            let near = crate::file::nearest(unknown.as_str(), contract.operations.keys().map(OperationName::as_str));
            let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            return Err(Failure::Input(format!("no operation `{unknown}` in {}{hint}", contract.name)));
        }
        Ok(AbleClient {
            kind: rules.name.clone(),
            both,
            persists: self.persists || own.is_some_and(|own| own.persists),
            operations,
            time_scale: self.time_scale.or(own.and_then(|own| own.time_scale)).unwrap_or(1.0),
            speaks: own.map(|own| own.speaks.clone()).unwrap_or_default(),
        })
    }

    /// The words that judge this client again.
    fn again(&self, command: &str, mut words: Vec<String>, program: &[String]) -> Again {
        words.extend(self.kind.iter().map(|kind| format!("--as {kind}")));
        words.extend(self.operations.iter().map(|name| format!("--operation {name}")));
        words.extend(self.stays_up.then(|| "--stays-up".to_owned()));
        words.extend(self.persists.then(|| "--persists".to_owned()));
        words.extend(self.time_scale.map(|scale| format!("--time-scale {scale}")));
        if !program.is_empty() {
            words.push("--".to_owned());
            words.extend(program.iter().cloned());
        }
        Again { before: vec![command.to_owned()], after: words }
    }
}

/// The program that is asked.
fn program(
    file: Option<&Subject>,
    command: &[String],
    stays_up: bool,
    policy: ClientPolicy,
) -> Result<Program, Failure> {
    if !command.is_empty() {
        let environment = file.and_then(|file| file.client.as_ref()).map(|own| own.environment.clone());
        let command =
            Command { words: command.to_vec(), environment: environment.unwrap_or_default(), ..Command::default() };
        return Ok(if stays_up { Program::StaysUp(command) } else { Program::Once(command) });
    }
    let own = match file {
        Some(Subject { client: Some(own), .. }) => own,
        Some(_) => {
            let why = "the subject file has no `client:`, and no program was given after `--`";
            return Err(Failure::Input(why.to_owned()));
        }
        None if stays_up => {
            let why = "`--stays-up` without a program: give one after `--`";
            return Err(Failure::Input(why.to_owned()));
        }
        None => return Ok(Program::Reference(policy)),
    };
    let of = |line: &str, own: &Client| Command {
        folder: own.folder.clone(),
        environment: own.environment.clone(),
        ..Command::shell(line)
    };
    match (&own.run, &own.stays_up) {
        (Some(_), _) if stays_up => {
            let why = "`--stays-up`, and the subject file's `client:` says `run:`, a program that ends; write `stays up:` there";
            Err(Failure::Input(why.to_owned()))
        }
        (Some(line), _) => Ok(Program::Once(of(line, own))),
        (None, Some(line)) => Ok(Program::StaysUp(of(line, own))),
        (None, None) => Err(Failure::Input("the subject file's `client:` names no program".to_owned())),
    }
}

/// What people call it.
fn named(file: Option<&Subject>, program: &Program, library: &Library) -> String {
    match (file, program) {
        (Some(file), _) => file.name.clone(),
        (None, Program::Reference(_)) => format!("{}-reference-client", library.contract.name),
        (None, Program::Once(command) | Program::StaysUp(command)) => {
            let last = |word: &String| word.rsplit('/').next().unwrap_or(word).to_owned();
            // The script says more than what runs it; an option is none, and neither is a line for a shell.
            let is_script = |word: &&String| !word.starts_with('-') && !word.contains(char::is_whitespace);
            let script = command.words.iter().skip(1).filter(is_script).map(last).find(|name| name.contains('.'));
            script.or_else(|| command.words.first().map(last)).unwrap_or_else(|| "client".to_owned())
        }
    }
}

/// Tries the program, once for each operation.
async fn rehearsed(
    library: &Library,
    mut live: Live,
    name: String,
    program: Program,
    able: AbleClient,
    again: Again,
    seed: Seed,
) -> Result<Ready, Failure> {
    let clock = Clock::start();
    let mut client = ClientTarget::new(program, Arc::new(Metronome::start(clock)));
    live.target.name = name;
    live.target.abilities.client = Some(able);
    let contract = contract_for(library, &live.target.abilities);
    let found = rehearsal(&contract, &Arc::new(live.target.clone()), &mut client, seed, clock).await;
    live.target.client = Some(Arc::new(client));
    Ok(Ready { live, found, side_by_side: side_by_side(), clock, waivers: Default::default(), again })
}

/// The policy of a saboteur, or an honest variant, of the reference client.
pub fn client_policy(name: Option<&str>) -> Result<ClientPolicy, Failure> {
    let Some(name) = name else { return Ok(ClientPolicy::HONEST) };
    let known = || client_saboteurs().iter().chain(client_honest_variants());
    match known().find(|row| row.name == name) {
        Some(row) => Ok(row.policy),
        None => {
            let hint = crate::file::nearest(name, known().map(|row| row.name));
            let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(Failure::Input(format!("no saboteur `{name}` of a client{hint}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::cli::client::named;
    use crate::cli::{Library, Wanted};
    use crate::file::Source;
    use crate::reference::ClientPolicy;
    use crate::runner::{Command, Program};
    use crate::subject;

    #[track_caller]
    fn check(words: &[&str], expected: &str) {
        let library = Library::load(&Wanted::default(), Library::default_contract().as_str()).expect("bundled files");
        let command = Command { words: words.iter().map(|word| (*word).to_owned()).collect(), ..Command::default() };
        for program in [Program::Once(command.clone()), Program::StaysUp(command)] {
            assert_eq!(named(None, &program, &library), expected);
        }
    }

    #[test]
    fn a_program_is_called_by_its_script_or_else_by_its_file() {
        check(&["./target/client"], "client");
        check(&["python3", "tests/client.py", "--fast"], "client.py");
        check(&["node", "--import=./hooks.mjs", "app/send.mjs"], "send.mjs");
        check(&["java", "-jar", "client.jar"], "client.jar");
        check(&["/bin/sh", "-c", "curl -d @body.json $ONCEPROOF_URL/v1.x"], "sh");
        check(&[], "client");
    }

    #[test]
    fn a_subject_file_and_the_reference_have_names_of_their_own() {
        let library = Library::load(&Wanted::default(), Library::default_contract().as_str()).expect("bundled files");
        let reference = Program::Reference(ClientPolicy::HONEST);
        assert_eq!(named(None, &reference, &library), format!("{}-reference-client", library.contract.name));
        let source = Source::new("work/shop.yaml", "contract: shop\nclient: { run: ./client }\n");
        let file = subject::load(&source, &|_| None, &[]).expect("a subject");
        assert_eq!(named(Some(&file), &reference, &library), "shop");
    }
}
