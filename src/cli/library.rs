//! The files that a command works with: bundled into the binary, or from a folder. They are checked whole before anything
//! is done with them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use include_dir::{Dir, include_dir};
use indexmap::IndexMap;

use crate::contract::{self, Contract};
use crate::file::{self, Node, Problems, Source, nearest};
use crate::plan;
use crate::scenario::{self, Claim, Scenario};

static BUNDLED: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// Which files are wanted.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct Wanted {
    /// The contract: a bundled one's name, or a YAML file.
    #[arg(long, value_name = "NAME|FILE")]
    pub contract: Option<String>,
    /// A folder of scenarios to use in place of the bundled ones.
    #[arg(long, value_name = "FOLDER")]
    pub scenarios: Option<PathBuf>,
}

/// A contract and the scenarios that it is crossed with, checked.
#[derive(Clone, Debug)]
pub struct Library {
    /// The contract.
    pub contract: Arc<Contract>,
    /// Its text.
    pub contract_source: Source,
    /// The scenarios, in order of their paths.
    pub scenarios: Vec<(Arc<Scenario>, Source)>,
}

/// Why the files cannot be worked with.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    /// A file could not be read.
    #[error("{path}: {why}")]
    Unreadable {
        /// Which.
        path: String,
        /// Why.
        why: String,
    },
    /// No such contract.
    #[error("no contract `{name}`{hint} bundled are {known}; or give a YAML file")]
    NoContract {
        /// What was asked for.
        name: String,
        /// The nearest, if one is near.
        hint: String,
        /// What there is.
        known: String,
    },
    /// What is wrong with the files.
    #[error("{}", rendered(.0))]
    Problems(Vec<Problems>),
}

fn rendered(problems: &[Problems]) -> String {
    problems.iter().map(|found| found.render(false)).collect::<Vec<_>>().join("\n")
}

impl Library {
    /// Loads and checks what is wanted; `contract` names the contract where `wanted` does not.
    pub fn load(wanted: &Wanted, contract: &str) -> Result<Self, LibraryError> {
        let contract_source = contract_source(wanted.contract.as_deref().unwrap_or(contract))?;
        let scenarios = match &wanted.scenarios {
            None => Self::bundled_scenarios(),
            Some(folder) => from_folder(folder)?,
        };
        Self::from_sources(contract_source, scenarios)
    }

    /// The bundled scenarios of every side.
    pub fn bundled_scenarios() -> Vec<Source> {
        ["server", "client"].into_iter().flat_map(bundled).collect()
    }

    /// A contract with scenarios that nobody held against it: for finding out what it could prove.
    pub fn unchecked(
        contract: Arc<Contract>,
        contract_source: Source,
        scenarios: &[Source],
    ) -> Result<Self, LibraryError> {
        let loaded = scenarios.iter().map(|source| Ok((Arc::new(scenario::load(source)?), source.clone())));
        let loaded = loaded.collect::<Result<Vec<_>, Problems>>();
        let scenarios = loaded.map_err(|problems| LibraryError::Problems(vec![problems]))?;
        Ok(Self { contract, contract_source, scenarios })
    }

    /// Loads and checks texts; every problem of every file at once.
    pub fn from_sources(contract_source: Source, scenarios: Vec<Source>) -> Result<Self, LibraryError> {
        let mut problems = Vec::new();
        let contract = contract::load(&contract_source, Claim::WORDS).map_err(|found| problems.push(found)).ok();
        let mut loaded = Vec::new();
        for source in scenarios {
            match scenario::load(&source) {
                Ok(scenario) => loaded.push((Arc::new(scenario), source)),
                Err(found) => problems.push(found),
            }
        }
        match (contract, problems.is_empty()) {
            (Some(contract), true) => {
                let contract = Arc::new(contract);
                let found = plan::check(&contract, &contract_source, &loaded);
                if !found.is_empty() {
                    return Err(LibraryError::Problems(found));
                }
                Ok(Self { contract, contract_source, scenarios: loaded })
            }
            (contract, _) => {
                // The scenarios that could be read are held against the contract all the same.
                if let Some(contract) = contract {
                    problems.extend(plan::check_scenarios(&Arc::new(contract), &loaded));
                }
                Err(LibraryError::Problems(problems))
            }
        }
    }

    /// Path and text of every file.
    pub fn files(&self) -> IndexMap<String, String> {
        std::iter::once(&self.contract_source)
            .chain(self.scenarios.iter().map(|(_, source)| source))
            .map(|source| (source.name.clone(), source.text.clone()))
            .collect()
    }

    /// The contract that is meant where nobody names one: the bundled one that says `default: true`.
    pub fn default_contract() -> String {
        let names = Self::bundled_contracts();
        let said = names.iter().find(|name| says(name, "default", |node| node.text() == Some("true")));
        said.or(names.first()).cloned().unwrap_or_default()
    }

    /// The names of the bundled contracts that the reference can serve, the default first.
    pub fn served_contracts() -> Vec<String> {
        let default = Self::default_contract();
        let mut names = Self::bundled_contracts();
        names.retain(|name| says(name, "reference", |_| true));
        names.sort_by_key(|name| *name != default);
        names
    }

    /// The names of the bundled contracts.
    pub fn bundled_contracts() -> Vec<String> {
        let folder = BUNDLED.get_dir("contracts");
        let files = folder.iter().flat_map(|folder| folder.files());
        let mut names: Vec<String> =
            files.filter_map(|file| Some(file.path().file_stem()?.to_str()?.to_owned())).collect();
        names.sort();
        names
    }
}

/// Whether a bundled contract has such a field.
fn says(name: &str, field: &str, test: impl Fn(&Node) -> bool) -> bool {
    let tree = contract_source(name).ok().and_then(|source| file::read(&source).ok());
    tree.as_ref().and_then(|tree| tree.get(field)).is_some_and(test)
}

fn contract_source(name: &str) -> Result<Source, LibraryError> {
    if let Some(file) = BUNDLED.get_file(format!("contracts/{name}.yaml")) {
        let text = file.contents_utf8().unwrap_or_default();
        return Ok(Source::new(format!("scenarios/contracts/{name}.yaml"), text));
    }
    if Path::new(name).is_file() {
        return read(Path::new(name));
    }
    let known = Library::bundled_contracts();
    let near = nearest(name, known.iter().map(String::as_str));
    let hint = near.map_or_else(|| ":".to_owned(), |near| format!("; did you mean `{near}`?"));
    Err(LibraryError::NoContract { name: name.to_owned(), hint, known: known.join(", ") })
}

fn bundled(folder: &str) -> Vec<Source> {
    fn walk(dir: &Dir<'static>, sources: &mut Vec<Source>) {
        for file in dir.files().filter(|file| file.path().extension().is_some_and(|ending| ending == "yaml")) {
            sources.push(Source::new(
                format!("scenarios/{}", file.path().display()),
                file.contents_utf8().unwrap_or_default(),
            ));
        }
        for inner in dir.dirs() {
            walk(inner, sources);
        }
    }
    let mut sources = Vec::new();
    if let Some(dir) = BUNDLED.get_dir(folder) {
        walk(dir, &mut sources);
    }
    sources.sort_by(|a, b| a.name.cmp(&b.name));
    sources
}

fn from_folder(folder: &Path) -> Result<Vec<Source>, LibraryError> {
    fn walk(folder: &Path, paths: &mut Vec<PathBuf>) -> std::io::Result<()> {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                // Contracts stand beside scenarios, and are no scenarios.
                if path.file_name().is_none_or(|name| name != "contracts") {
                    walk(&path, paths)?;
                }
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                paths.push(path);
            }
        }
        Ok(())
    }
    let mut paths = Vec::new();
    walk(folder, &mut paths)
        .map_err(|error| LibraryError::Unreadable { path: folder.display().to_string(), why: error.to_string() })?;
    paths.sort();
    if paths.is_empty() {
        let why = "there is no .yaml file in it".to_owned();
        return Err(LibraryError::Unreadable { path: folder.display().to_string(), why });
    }
    paths.iter().map(|path| read(path)).collect()
}

/// Reads one file.
pub fn read(path: &Path) -> Result<Source, LibraryError> {
    match std::fs::read_to_string(path) {
        Ok(text) => Ok(Source::new(path.display().to_string(), text)),
        Err(error) => Err(LibraryError::Unreadable { path: path.display().to_string(), why: error.to_string() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bundled_contract_is_the_default_and_can_be_served() {
        let said = |name: &&String| says(name, "default", |node| node.text() == Some("true"));
        let names = Library::bundled_contracts();
        assert_eq!(names.iter().filter(said).count(), 1);
        assert_eq!(Library::served_contracts().first(), Some(&Library::default_contract()));
        assert!(Library::served_contracts().len() > 1);
    }
}
