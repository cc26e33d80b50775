//! `onceproof init`: drafts a subject file, and from an OpenAPI document a contract as well. What it writes was checked as
//! `check` does; it sends nothing, writes over nothing unless told to, and waits for nobody but a person at a terminal.

use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::cli::library::read;
use crate::cli::session::all_planned;
use crate::cli::{Failure, Library, Wanted, exit, say};
use crate::contract::Contract;
use crate::draft::{Caller, Document, Drafted, Found, contract, found, subject};
use crate::file::{Node, Source};
use crate::plan::Selection;
use crate::requirement::Side;
use crate::scenario::Claim;

/// Arguments of `init`.
#[derive(clap::Args, Debug)]
pub struct Init {
    /// The subject file to write.
    #[arg(value_name = "FILE", default_value = "subject.yaml")]
    file: PathBuf,
    /// The URL of the server; several are replicas of one service.
    #[arg(long, value_name = "URL")]
    url: Vec<String>,
    /// The contract that it is judged by: a bundled one's name, or a YAML file; with --openapi, the file to write.
    #[arg(long, value_name = "NAME|FILE")]
    contract: Option<String>,
    /// Draft the contract, too, from this OpenAPI document (3.0 or 3.1, YAML or JSON).
    #[arg(long, value_name = "FILE")]
    openapi: Option<PathBuf>,
    /// A host besides loopback that may be called.
    #[arg(long, value_name = "HOST")]
    allow_host: Vec<String>,
    /// Write over files that are there.
    #[arg(long)]
    force: bool,
}

/// A file that is to be written.
struct Written {
    path: PathBuf,
    text: String,
}

impl Init {
    /// Drafts.
    pub fn go(self) -> Result<u8, Failure> {
        let mut files = Vec::new();
        let (library, name) = match &self.openapi {
            Some(path) => {
                let file = PathBuf::from(self.contract.clone().unwrap_or_else(|| "contract.yaml".to_owned()));
                self.is_free(&file)?;
                let (library, text) = drafted(path, &file)?;
                let name = file.display().to_string();
                files.push(Written { path: file, text });
                (library, name)
            }
            None => {
                let name =
                    self.asked("--contract", self.contract.clone(), &contracts(), Library::default_contract())?;
                (Library::load(&Wanted::default(), &name).map_err(Failure::input)?, name)
            }
        };
        self.is_free(&self.file)?;
        let urls = match self.url.is_empty() {
            false => self.url.clone(),
            true => vec![self.asked("--url", None, "the URL of the server", "http://127.0.0.1:8080".to_owned())?],
        };
        let text = subject(&known(&library.contract, name, urls));
        let source = Source::new(self.file.display().to_string(), text.clone());
        crate::subject::load(&source, &|_| None, &self.allow_host)
            .and_then(|_| crate::subject::against(&source, &library.contract))
            .map_err(Failure::input)?;
        files.push(Written { path: self.file.clone(), text });
        for file in &files {
            write(file, self.force)?;
        }
        let paths: Vec<String> = files.iter().map(|file| file.path.display().to_string()).collect();
        say(&format!(
            "wrote {}; look at every line with DECIDE, then: onceproof doctor --subject {}",
            paths.join(" and "),
            self.file.display()
        ));
        Ok(exit::OK)
    }

    /// What was given, or what a person answers. Where nobody is asked, what is missing is an error.
    fn asked(&self, flag: &str, given: Option<String>, what: &str, usual: String) -> Result<String, Failure> {
        if let Some(given) = given {
            return Ok(given);
        }
        if !std::io::stdin().is_terminal() {
            return Err(Failure::Input(format!("{flag} is missing ({what}), and there is no terminal to ask at")));
        }
        let mut out = std::io::stderr().lock();
        // Somebody who cannot read the question can still answer it.
        let _ = write!(out, "{what} [{usual}]: ").and_then(|()| out.flush());
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map_err(Failure::set_up)?;
        match line.trim() {
            "" => Ok(usual),
            answer => Ok(answer.to_owned()),
        }
    }

    fn is_free(&self, path: &Path) -> Result<(), Failure> {
        match path.exists() && !self.force {
            true => Err(Failure::Input(taken(path))),
            false => Ok(()),
        }
    }
}

fn taken(path: &Path) -> String {
    format!("{} is there already: give another name, or --force to write over it", path.display())
}

fn write(file: &Written, force: bool) -> Result<(), Failure> {
    let mut options = std::fs::OpenOptions::new();
    match force {
        true => options.write(true).create(true).truncate(true),
        // It may have come to be there meanwhile.
        false => options.write(true).create_new(true),
    };
    let told = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::Input(taken(&file.path)),
        _ => Failure::Input(format!("{} cannot be written: {error}", file.path.display())),
    };
    options.open(&file.path).and_then(|mut open| open.write_all(file.text.as_bytes())).map_err(told)
}

fn contracts() -> String {
    format!("the contract: {}, or a YAML file", Library::bundled_contracts().join(", "))
}

/// A contract that is drafted from a document, and loads.
fn drafted(document: &Path, file: &Path) -> Result<(Library, String), Failure> {
    let source = read(document).map_err(Failure::input)?;
    let document = Document::read(&source).map_err(Failure::input)?;
    let operations: Vec<Found> = found(&document);
    if operations.is_empty() {
        return Err(Failure::Input(format!(
            "{}: no operation has an idempotency key: looked for headers and top members of JSON bodies that are called \
             like `Idempotency-Key`, `client_token` or `X-Request-Id`; write the contract by hand, after \
             scenarios/README.md",
            source.name
        )));
    }
    let info = document.tree().get("info");
    let title = info.and_then(|info| info.get("title")).and_then(Node::text).unwrap_or("An API").to_owned();
    let words: Vec<String> = title
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let called = if words.is_empty() { "an-api".to_owned() } else { words.join("-") };
    let claims: Vec<Claim> = Claim::ALL.iter().copied().filter(|claim| claim.side() == Side::Server).collect();
    let text = |claims: &[Claim]| {
        let claims: Vec<(&str, &str)> = claims.iter().map(|claim| (claim.word(), claim.says())).collect();
        contract(&called, &title, &source.name, &operations, &claims)
    };
    // Which claims say anything of these operations is for the plan to say: first all of them, then those that do.
    let name = file.display().to_string();
    let whole =
        crate::contract::load(&Source::new(name.clone(), text(&claims)), Claim::WORDS).map_err(Failure::input)?;
    let scenarios = Library::bundled_scenarios();
    let loose = Library::unchecked(Arc::new(whole), Source::new(name.clone(), text(&claims)), &scenarios)
        .map_err(Failure::input)?;
    let cases = all_planned(&loose, &Selection::default())?;
    let used: BTreeSet<Claim> = cases.iter().flat_map(|case| &case.claims).map(|claim| claim.claim).collect();
    let claims: Vec<Claim> = claims.into_iter().filter(|claim| used.contains(claim)).collect();
    let text = text(&claims);
    let library = Library::from_sources(Source::new(name, text.clone()), scenarios).map_err(Failure::input)?;
    Ok((library, text))
}

fn known(contract: &Contract, name: String, urls: Vec<String>) -> Drafted {
    let of_reference = contract.reference.iter().flat_map(|reference| &reference.credentials);
    let mut callers: Vec<Caller> = of_reference
        .map(|(name, known)| Caller {
            name: name.to_string(),
            scopes: known.scope.iter().map(|(scope, value)| (scope.to_string(), value.clone())).collect(),
            headers: known.headers.clone(),
        })
        .collect();
    if callers.is_empty() {
        let scopes = contract.scopes.iter().map(|scope| (scope.to_string(), "mine".to_owned())).collect();
        callers.push(Caller { name: "mine".to_owned(), scopes, headers: Vec::new() });
    }
    let defects = contract.operations.values().flat_map(|operation| operation.defects.values());
    let hooks: BTreeSet<String> = defects.filter_map(|edit| edit.hook.clone()).collect();
    Drafted {
        contract: name,
        urls,
        callers,
        effects: contract.effects.keys().map(ToString::to_string).collect(),
        hooks: hooks.into_iter().collect(),
        operations: contract.operations.keys().map(ToString::to_string).collect(),
    }
}
