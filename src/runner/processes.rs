//! The processes of one case: those that are ended, started again, stopped and let go on while it is played. Replicas of
//! one service share the folder of the case. It sends nothing to any of them.

use std::net::SocketAddr;
use std::time::Duration;

use crate::fault::Fault;
use crate::history::Gate;
use crate::proxy::Control;
use crate::runner::process::{Process, Starter};

/// How long a process that has a whole request is left to begin with it.
pub const BEGINS_WITHIN: Duration = Duration::from_millis(50);

/// The processes of one case.
#[derive(Debug, Default)]
pub struct Processes {
    running: Vec<Process>,
    stopped: Vec<(usize, Control)>,
    _folder: Option<tempfile::TempDir>,
}

impl Processes {
    /// Starts so many, in one folder of their own.
    pub async fn start(starter: &Starter, replicas: usize) -> Result<Self, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let mut running = Vec::new();
        for _ in 0..replicas {
            running.push(Process::start(starter, folder.path()).await.map_err(|error| error.to_string())?);
        }
        Ok(Self { running, stopped: Vec::new(), _folder: Some(folder) })
    }

    /// Whether there are any.
    pub fn are_own(&self) -> bool {
        !self.running.is_empty()
    }

    /// Where a replica listens.
    pub fn address(&self, replica: usize) -> Option<SocketAddr> {
        self.running.get(replica).map(Process::address)
    }

    /// Ends the first one, killed or asked, and starts it again; where it listens then.
    pub async fn again(&mut self, kill: bool) -> Result<SocketAddr, String> {
        self.go_on();
        let process = self.running.first_mut().ok_or_else(|| "there is no process of ours to end".to_owned())?;
        process.end(kill).await.map_err(|error| error.to_string())?;
        process.again().await.map_err(|error| error.to_string())
    }

    /// Does to a replica what a fault of the process is, once its exchange is where it has to be. Where it listens then, if
    /// that is elsewhere.
    pub async fn strike(
        &mut self,
        fault: &Fault,
        replica: usize,
        control: Control,
    ) -> Result<Option<SocketAddr>, String> {
        let at = match fault {
            Fault::Kill { early: true } => Gate::AllButLast,
            Fault::Pause => Gate::Forwarded,
            _ => Gate::AnswerWhole,
        };
        control.reached(at).await.map_err(|error| error.to_string())?;
        if *fault == Fault::Pause {
            tokio::time::sleep(BEGINS_WITHIN).await;
            let process = self.running.get(replica).ok_or_else(|| "there is no process of ours to stop".to_owned())?;
            process.pause(true);
            self.stopped.push((replica, control));
            return Ok(None);
        }
        let again = self.again(matches!(fault, Fault::Kill { .. })).await;
        control.release();
        again.map(Some)
    }

    /// Lets what is stopped go on once an attempt at this replica has come to the origin. One that came to another replica
    /// is answered first, if it does not wait for the stopped one itself.
    pub async fn go_on_for(&mut self, replica: usize, control: &Control) -> Vec<Control> {
        if self.stopped.is_empty() {
            return Vec::new();
        }
        // Whether it came so far is in its record.
        let _ = control.reached(Gate::Forwarded).await;
        if self.stopped.iter().all(|(stopped, _)| *stopped != replica) {
            let _ = tokio::time::timeout(BEGINS_WITHIN * 2, control.reached(Gate::AnswerWhole)).await;
        }
        self.go_on()
    }

    /// Lets what is stopped go on; the exchanges that it was stopped in.
    pub fn go_on(&mut self) -> Vec<Control> {
        let stopped = std::mem::take(&mut self.stopped);
        for (replica, control) in &stopped {
            // Released first: an answer that was whole before was given before it was stopped.
            control.release();
            if let Some(process) = self.running.get(*replica) {
                process.pause(false);
            }
        }
        stopped.into_iter().map(|(_, control)| control).collect()
    }
}
