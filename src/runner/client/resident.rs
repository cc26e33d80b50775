//! A program that stays up: one JSON line for each intent in, one JSON line with its outcome out. One is started for each
//! case, so that what it remembers is the case's own; it is ended with the case.

use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;

use crate::history::{Exit, Told};
use crate::runner::client::command::{End, Running};
use crate::runner::client::program::Command;
use crate::runner::client::question::{Question, Reply, told};

/// Between two looks at what a program has written.
const LOOKS: Duration = Duration::from_millis(5);

/// A running program that takes lines.
#[derive(Debug)]
pub struct Resident {
    running: Running,
    input: Option<ChildStdin>,
    heard: usize,
}

impl Resident {
    /// Starts one; it is told where to send with every question.
    pub fn start(command: &Command, question: &Question) -> Result<Self, String> {
        let mut running = Running::start(command, question, &question.variables())?;
        let input = running.child.stdin.take();
        Ok(Self { running, input, heard: 0 })
    }

    /// Asks, and waits for its line, its end, or until `end` says to end it. Whether it is still up.
    pub async fn ask(&mut self, question: &Question, end: impl Future<Output = End>) -> (Reply, bool) {
        if let Some(input) = &mut self.input {
            // One that has gone is seen below.
            let _ = input.write_all(format!("{}\n", question.line()).as_bytes()).await;
            let _ = input.flush().await;
        }
        tokio::pin!(end);
        let mut why = None;
        let told = loop {
            if let Some(told) = self.line() {
                return (Reply { exit: Exit::StaysUp, told: Some(told), wrote: self.running.wrote().text() }, true);
            }
            tokio::select! {
                () = tokio::time::sleep(LOOKS) => {}
                _ = self.running.child.wait() => break self.after_end().await,
                ended = &mut end => {
                    why = Some(ended);
                    break None;
                }
            }
        };
        let exit = match why {
            Some(why) => {
                self.running.end(why == End::Planned).await;
                if why == End::Planned { Exit::KilledAsPlanned } else { Exit::StillAtWork }
            }
            None => match self.running.child.try_wait() {
                Ok(Some(status)) => status.code().map_or(Exit::Signal(0), Exit::Status),
                Ok(None) | Err(_) => Exit::StillAtWork,
            },
        };
        self.running.kill_group();
        (Reply { exit, told, wrote: self.running.wrote().text() }, false)
    }

    /// What it said with its last breath.
    async fn after_end(&mut self) -> Option<Told> {
        self.running.heard().await;
        self.line()
    }

    /// The next line that tells an outcome.
    fn line(&mut self) -> Option<Told> {
        let out = self.running.wrote().out;
        let lines: Vec<&str> = out.split_inclusive('\n').filter(|line| line.ends_with('\n')).collect();
        // What fell off the beginning of what is kept was no answer to this question.
        let from = self.heard.min(lines.len());
        let found = lines[from..].iter().position(|line| told(line).is_some())?;
        self.heard = from + found + 1;
        told(lines[from + found])
    }
}
