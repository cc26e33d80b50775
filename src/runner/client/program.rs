//! The program of a client: a command that does one intent, a command that stays up, or the reference client in this
//! process.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::contract::{ClientRules, Contract};
use crate::history::Exit;
use crate::name::OperationName;
use crate::reference::{ClientAsk, ClientMemory, ClientPolicy, perform};
use crate::runner::client::command::{self, End};
use crate::runner::client::question::{Question, Reply};
use crate::runner::client::resident::Resident;

/// What is asked.
#[derive(Clone, Debug)]
pub enum Program {
    /// It does one intent and ends.
    Once(Command),
    /// It stays up and takes lines.
    StaysUp(Command),
    /// The reference client.
    Reference(ClientPolicy),
}

/// A command.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Command {
    /// The program and its arguments.
    pub words: Vec<String>,
    /// Where it is run.
    pub folder: PathBuf,
    /// Variables for it.
    pub environment: BTreeMap<String, String>,
}

impl Command {
    /// A command line, as a shell reads it.
    pub fn shell(line: &str) -> Self {
        Self { words: vec!["sh".to_owned(), "-c".to_owned(), line.to_owned()], ..Self::default() }
    }
}

/// One program, over the intents of one case.
pub struct Asked<'a> {
    /// What is asked.
    pub program: &'a Program,
    /// The contract, for the reference client.
    pub contract: &'a Contract,
    /// The rules, for the reference client.
    pub rules: &'a ClientRules,
    resident: Option<Resident>,
    memory: ClientMemory,
}

impl<'a> Asked<'a> {
    /// Before the first intent.
    pub fn new(program: &'a Program, contract: &'a Contract, rules: &'a ClientRules) -> Self {
        Self { program, contract, rules, resident: None, memory: ClientMemory::default() }
    }

    /// Asks for one intent, and waits until it is over or `end` says to end it.
    pub async fn ask(&mut self, question: &Question, end: impl Future<Output = End>) -> Result<Reply, String> {
        match self.program {
            Program::Once(command) => command::ask(command, question, end).await,
            Program::StaysUp(command) => {
                let mut resident = match self.resident.take() {
                    Some(resident) => resident,
                    None => Resident::start(command, question)?,
                };
                let (reply, is_up) = resident.ask(question, end).await;
                self.resident = is_up.then_some(resident);
                Ok(reply)
            }
            Program::Reference(policy) => {
                let ask = ClientAsk {
                    base: question.url.clone(),
                    operation: OperationName::from(question.operation.as_str()),
                    input: question.input.clone(),
                    key: question.key.as_deref().map(Into::into),
                    unkeyed: question.unkeyed,
                    headers: question.headers.clone(),
                    scale: question.time_scale,
                    bits: question.bits,
                    memory: self.memory.clone(),
                };
                let (exit, told) = tokio::select! {
                    told = perform(self.contract, self.rules, *policy, ask) => (Exit::Status(told.status()), Some(told)),
                    ended = end => match ended {
                        End::Planned => (Exit::KilledAsPlanned, None),
                        End::Impatient => (Exit::StillAtWork, None),
                    },
                };
                Ok(Reply { exit, told, wrote: String::new() })
            }
        }
    }
}
