//! A program that stays up: one JSON line for each intent in, one JSON line with its outcome out. One is started for each
//! case, so that what it remembers is the case's own; it is ended with the case.

use tokio::io::AsyncWriteExt;
use tokio::process::ChildStdin;
use tokio::sync::mpsc::UnboundedReceiver;

use crate::history::{Exit, Told};
use crate::runner::client::command::{End, Running, exit_of};
use crate::runner::client::program::Command;
use crate::runner::client::question::{Question, Reply};

/// A running program that takes lines.
#[derive(Debug)]
pub struct Resident {
    running: Running,
    input: Option<ChildStdin>,
    told: UnboundedReceiver<Told>,
}

impl Resident {
    /// Starts one; it is told where to send with every question.
    pub fn start(command: &Command, question: &Question) -> Result<Self, String> {
        let (tells, told) = tokio::sync::mpsc::unbounded_channel();
        let mut running = Running::start(command, question, &question.variables(), Some(tells))?;
        let input = running.child.stdin.take();
        Ok(Self { running, input, told })
    }

    /// Asks, and waits for its line, its end, or until `end` says to end it. Whether it is still up.
    pub async fn ask(&mut self, question: &Question, end: impl Future<Output = End>) -> (Reply, bool) {
        // What it told after its last answer answers nothing that it was asked.
        while self.told.try_recv().is_ok() {}
        if let Some(input) = &mut self.input {
            // One that has gone is seen below.
            let _ = input.write_all(format!("{}\n", question.line()).as_bytes()).await;
            let _ = input.flush().await;
        }
        let exit = tokio::select! {
            biased;
            Some(told) = self.told.recv() => {
                return (Reply { exit: Exit::StaysUp, told: Some(told), wrote: self.running.wrote().text() }, true);
            }
            ended = self.running.child.wait() => ended.map_or(Exit::StillAtWork, exit_of),
            why = end => {
                self.running.end(why == End::Planned).await;
                if why == End::Planned { Exit::KilledAsPlanned } else { Exit::StillAtWork }
            }
        };
        self.running.kill_group();
        let wrote = self.running.heard().await.text();
        // What it said with its last breath, unless it was we who took that.
        let told = match exit {
            Exit::Status(_) | Exit::Signal(_) => self.told.try_recv().ok(),
            Exit::StaysUp | Exit::KilledAsPlanned | Exit::StillAtWork => None,
        };
        (Reply { exit, told, wrote }, false)
    }
}
