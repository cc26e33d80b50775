//! The command line's entry: it parses, runs and exits. Everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    onceproof::cli::main()
}
