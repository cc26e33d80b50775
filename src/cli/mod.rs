//! The command line: one file for each subcommand. It wires the parts together and turns their results into exit codes:
//! 0 conformant, 1 violated, 2 usage or a file is wrong, 3 nothing was judged, 4 the harness or the subject could not be
//! worked with.

mod block;
mod call;
mod check;
mod client;
mod doctor;
mod explain;
mod init;
mod judge;
mod library;
mod list;
mod matrix;
mod run;
mod schema;
mod selftest;
mod serve;
mod session;
mod subject;
mod waivers;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

pub use library::{Library, LibraryError, Wanted};

/// Proves, by injecting faults, that an HTTP API does each thing exactly once.
#[derive(Parser, Debug)]
#[command(name = "onceproof", version, about, max_term_width = 100)]
struct Command {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Judge a server: drive it through injected faults and report each requirement's verdict.
    Run(Box<run::Run>),
    /// Try everything that a run needs, once, and say what to change.
    Doctor(doctor::Doctor),
    /// Draft a subject file, and from an OpenAPI document a contract as well.
    Init(init::Init),
    /// Load every file and say everything that is wrong with them; nothing is sent.
    Check(check::Check),
    /// Say what there is: scenarios, requirements, contracts.
    List(list::List),
    /// Say what a requirement, a scenario or a claim means, what is sent and what is checked.
    Explain(explain::Explain),
    /// Judge a history file again; nothing is sent.
    Judge(judge::Judge),
    /// Serve a contract honestly, for people who develop against it.
    Serve(serve::Serve),
    /// Be the reference client, asked as a client under test is asked: by variables, or by lines.
    Call(call::Call),
    /// Judge saboteurs and honest variants of the reference: the kill matrix.
    Selftest(selftest::Selftest),
    /// Print the JSON Schema of a kind of file, for editors.
    Schema(schema::Schema),
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The usage or a file is wrong.
    #[error("{0}")]
    Input(String),
    /// The subject, or the harness, could not be worked with.
    #[error("{0}")]
    SetUp(String),
}

impl Failure {
    /// A fault of the set-up.
    fn set_up(error: impl std::fmt::Display) -> Self {
        Failure::SetUp(error.to_string())
    }

    /// A fault of what was given.
    fn input(error: impl std::fmt::Display) -> Self {
        Failure::Input(error.to_string())
    }
}

/// Exit codes by their meaning.
pub mod exit {
    /// Conformant, or done.
    pub const OK: u8 = 0;
    /// The usage or a file is wrong.
    pub const INPUT: u8 = 2;
    /// The harness or the subject could not be worked with.
    pub const SET_UP: u8 = 4;
}

/// Parses the arguments and does what they say.
pub fn main() -> ExitCode {
    let command = match Command::try_parse() {
        Ok(command) => command,
        Err(error) => {
            // Help and version are not errors; a closed pipe is a quiet end.
            let _ = error.print();
            return ExitCode::from(if error.use_stderr() { exit::INPUT } else { exit::OK });
        }
    };
    let done = match command.what {
        What::Run(run) => run.go(),
        What::Doctor(doctor) => doctor.go(),
        What::Init(init) => init.go(),
        What::Check(check) => check.go(),
        What::List(list) => list.go(),
        What::Explain(explain) => explain.go(),
        What::Judge(judge) => judge.go(),
        What::Serve(serve) => serve.go(),
        What::Call(call) => call.go(),
        What::Selftest(selftest) => selftest.go(),
        What::Schema(schema) => schema.go(),
    };
    let code = done.unwrap_or_else(|failure| {
        complain(&failure.to_string());
        match failure {
            Failure::Input(_) => exit::INPUT,
            Failure::SetUp(_) => exit::SET_UP,
        }
    });
    ExitCode::from(code)
}

/// Writes to standard output; a closed pipe is a quiet end.
fn say(text: &str) {
    use std::io::Write;
    let mut out = anstream::AutoStream::auto(std::io::stdout()).lock();
    let written =
        out.write_all(text.as_bytes()).and_then(|()| if text.ends_with('\n') { Ok(()) } else { out.write_all(b"\n") });
    // Nobody reads any more: there is nobody to tell.
    let _ = written.and_then(|()| out.flush());
}

/// Writes to standard error.
fn complain(text: &str) {
    use std::io::Write;
    let mut out = anstream::AutoStream::auto(std::io::stderr()).lock();
    let prefix = if text.starts_with("error") { "" } else { "error: " };
    // As above.
    let _ = out.write_all(format!("{prefix}{}\n", text.trim_end()).as_bytes());
}

/// A runtime for one command.
fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().map_err(Failure::set_up)
}
