//! A run's history as a file: one JSON value a line; a header, then each case with its entries and its seal, then a
//! footer. It says when it was cut short or edited, and never judges.

use std::io::{self, BufRead, Write};

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::history::exchange::Entry;
use crate::history::recorder::SealedHistory;
use crate::name::CaseId;

/// The format's name and version.
const FORMAT: &str = "onceproof-history/1";

/// Everything that is needed to judge a run again: what was asked, in full.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunHeader {
    /// What wrote it.
    pub version: String,
    /// What people call the subject.
    pub subject: String,
    /// The contract's name.
    pub contract: String,
    /// The seed of the plan.
    pub seed: u64,
    /// How cases were selected.
    pub selection: Vec<String>,
    /// Operations that the subject did not offer.
    #[serde(default)]
    pub missing: Vec<crate::name::OperationName>,
    /// What the subject can do, as far as the plan depends on it; no secrets.
    pub abilities: serde_json::Value,
    /// The contract and the scenarios, as they were: path and text.
    pub files: IndexMap<String, String>,
    /// The waiver file that it was judged by, if it was by one: path and text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waivers: Option<(String, String)>,
}

/// The end of one case in the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seal {
    /// The case.
    pub case: CaseId,
    /// How many entries stand before it.
    pub entries: u64,
    /// Why the case was not played to its end, if it was not.
    pub unfinished: Option<String>,
    /// SHA-256 over the lines of its entries.
    pub digest: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Line {
    Onceproof { format: String, run: Box<RunHeader> },
    Entry { case: CaseId, entry: Box<Entry> },
    Seal(Seal),
    Footer { cases: u64, complete: bool, digest: String },
}

/// Why a history file cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It could not be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// A line is not what it should be.
    #[error("line {line}: {why}; the file was edited or is not a history of this version")]
    BadLine {
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The end is missing.
    #[error("the file ends after line {line} without its footer: it was truncated{}", lost(*cases))]
    Truncated {
        /// The last line.
        line: usize,
        /// How many whole cases stand before the break.
        cases: usize,
    },
    /// A digest does not fit.
    #[error("line {line}: the digest of {what} does not fit what stands before it: the file was edited")]
    Edited {
        /// From 1.
        line: usize,
        /// Of what.
        what: String,
    },
}

fn lost(cases: usize) -> String {
    format!(" ({cases} whole cases stand before the break)")
}

/// Writes a history file, case by case.
pub struct HistoryWriter<W: Write> {
    to: W,
    whole: Sha256,
    cases: u64,
}

impl<W: Write> HistoryWriter<W> {
    /// Begins a file with its header.
    pub fn begin(to: W, run: RunHeader) -> Result<Self, FileError> {
        let mut writer = Self { to, whole: Sha256::new(), cases: 0 };
        writer.line(&Line::Onceproof { format: FORMAT.to_owned(), run: Box::new(run) })?;
        Ok(writer)
    }

    /// Adds a case.
    pub fn add(&mut self, case: &CaseId, history: &SealedHistory) -> Result<(), FileError> {
        let mut digest = Sha256::new();
        for entry in history.entries() {
            let line = self.line(&Line::Entry { case: case.clone(), entry: Box::new(entry.clone()) })?;
            digest.update(line.as_bytes());
        }
        self.cases += 1;
        self.line(&Line::Seal(Seal {
            case: case.clone(),
            entries: history.entries().len() as u64,
            unfinished: history.unfinished().map(str::to_owned),
            digest: hex(digest),
        }))?;
        Ok(())
    }

    /// Ends the file with its footer and gives the target back. `complete`: every planned case is in it.
    pub fn end(mut self, complete: bool) -> Result<W, FileError> {
        let footer = Line::Footer { cases: self.cases, complete, digest: ended(self.whole.clone(), complete) };
        self.line(&footer)?;
        self.to.flush()?;
        Ok(self.to)
    }

    fn line(&mut self, line: &Line) -> Result<String, FileError> {
        let mut text = serde_json::to_string(line).map_err(io::Error::other)?;
        text.push('\n');
        self.whole.update(text.as_bytes());
        self.to.write_all(text.as_bytes())?;
        Ok(text)
    }
}

/// A whole history file, checked.
#[derive(Clone, Debug, PartialEq)]
pub struct HistoryReader {
    /// The header.
    pub run: RunHeader,
    /// The cases, in the order played.
    pub cases: Vec<(CaseId, SealedHistory)>,
    /// Whether every planned case is in it.
    pub complete: bool,
}

impl HistoryReader {
    /// Reads a file and checks every seal and the footer.
    pub fn read(from: impl BufRead) -> Result<Self, FileError> {
        let mut whole = Sha256::new();
        let mut case_digest = Sha256::new();
        let mut run = None;
        let mut open: Vec<Entry> = Vec::new();
        let mut cases: Vec<(CaseId, SealedHistory)> = Vec::new();
        let mut last = 0;
        for (index, text) in from.lines().enumerate() {
            let line = index + 1;
            last = line;
            let text = text?;
            let bad = |why: String| FileError::BadLine { line, why };
            let parsed = match serde_json::from_str::<Line>(&text) {
                Ok(parsed) => parsed,
                // A last line that stops in its middle is a truncation, not an edit.
                Err(error) if error.is_eof() => return Err(FileError::Truncated { line, cases: cases.len() }),
                Err(error) => return Err(bad(error.to_string())),
            };
            let text = text + "\n";
            let before = whole.clone();
            whole.update(text.as_bytes());
            match parsed {
                Line::Onceproof { format, run: header } if run.is_none() && format == FORMAT => run = Some(*header),
                Line::Onceproof { format, .. } => return Err(bad(format!("a header of format {format}"))),
                Line::Entry { entry, .. } => {
                    case_digest.update(text.as_bytes());
                    open.push(*entry);
                }
                Line::Seal(seal) => {
                    let digest = hex(std::mem::replace(&mut case_digest, Sha256::new()));
                    if digest != seal.digest || seal.entries != open.len() as u64 {
                        return Err(FileError::Edited { line, what: format!("case {}", seal.case) });
                    }
                    cases.push((seal.case, SealedHistory::from_sealed(std::mem::take(&mut open), seal.unfinished)));
                }
                Line::Footer { cases: count, complete, digest } => {
                    if digest != ended(before, complete) || count != cases.len() as u64 {
                        return Err(FileError::Edited { line, what: "the file".to_owned() });
                    }
                    let run = run.ok_or_else(|| bad("a footer without a header".to_owned()))?;
                    return Ok(Self { run, cases, complete });
                }
            }
        }
        Err(FileError::Truncated { line: last, cases: cases.len() })
    }
}

/// The digest of a file that ends so: its last line is part of what it vouches for.
fn ended(mut whole: Sha256, complete: bool) -> String {
    whole.update([u8::from(complete)]);
    hex(whole)
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}
