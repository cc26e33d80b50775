//! A program that does one intent and ends. It is started in a process group of its own and never outlives its question:
//! what is left of the group when the program has ended is ended too.

use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::Child;
use tokio::sync::mpsc::UnboundedSender;

use crate::history::{Exit, Told};
use crate::runner::client::program::Command;
use crate::runner::client::question::{Question, Reply, last_told, told};

/// How much of what a program writes is kept: the end.
const KEPT: usize = 64 * 1024;
/// How long a program may take to end when it is asked to.
const ENDS_WITHIN: Duration = Duration::from_millis(500);
/// How long what a program wrote is awaited once it has ended: what still holds its output has been ended.
const HEARD_WITHIN: Duration = Duration::from_secs(2);

/// Why we end a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// As planned: it is killed to see what it does when it is started again.
    Planned,
    /// It has been at work for too long.
    Impatient,
}

/// Asks a program, and waits until it ends or `end` says to end it.
pub async fn ask(command: &Command, question: &Question, end: impl Future<Output = End>) -> Result<Reply, String> {
    let mut running = Running::start(command, question, &question.variables(), None)?;
    running.tell(&question.line());
    running.child.stdin.take();
    let mut why = None;
    tokio::select! {
        // What it wrote is read meanwhile, however much it is.
        _ = running.child.wait() => {}
        ended = end => why = Some(ended),
    }
    if let Some(why) = why {
        running.end(why == End::Planned).await;
    }
    let exit = match (why, running.child.try_wait()) {
        (Some(End::Planned), _) => Exit::KilledAsPlanned,
        (Some(End::Impatient), _) => Exit::StillAtWork,
        (None, Ok(Some(status))) => exit_of(status),
        (None, Ok(None) | Err(_)) => Exit::StillAtWork,
    };
    running.kill_group();
    let wrote = running.heard().await;
    // What only a killed program had said is no outcome.
    let told = matches!(exit, Exit::Status(_) | Exit::Signal(_)).then(|| last_told(&wrote.out)).flatten();
    Ok(Reply { exit, told, wrote: wrote.text() })
}

/// How a program ended by itself.
pub(super) fn exit_of(status: std::process::ExitStatus) -> Exit {
    use std::os::unix::process::ExitStatusExt;
    match (status.code(), status.signal()) {
        (Some(code), _) => Exit::Status(code),
        (None, Some(signal)) => Exit::Signal(signal),
        (None, None) => Exit::Signal(0),
    }
}

/// A running program with its output.
#[derive(Debug)]
pub(super) struct Running {
    pub child: Child,
    group: Option<Pid>,
    out: Arc<Mutex<Vec<u8>>>,
    err: Arc<Mutex<Vec<u8>>>,
    readers: Vec<tokio::task::JoinHandle<()>>,
}

/// The end of what a program wrote.
pub(super) struct Wrote {
    /// To standard output.
    pub out: String,
    /// To standard error.
    pub err: String,
}

impl Wrote {
    /// Both, the output last, a few lines of each.
    pub fn text(&self) -> String {
        let tail = |text: &str| -> Vec<String> {
            let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
            lines.iter().rev().take(5).rev().map(|line| line.chars().take(500).collect()).collect()
        };
        let mut lines = tail(&self.out);
        lines.extend(tail(&self.err));
        lines.join("\n")
    }
}

impl Running {
    /// Starts a program; `tells` hears every outcome that it tells on the way.
    pub fn start(
        command: &Command,
        question: &Question,
        variables: &[(&'static str, String)],
        tells: Option<UnboundedSender<Told>>,
    ) -> Result<Self, String> {
        let Some((program, words)) = command.words.split_first() else { return Err("no command was given".to_owned()) };
        std::fs::create_dir_all(&question.state).map_err(|error| format!("its folder: {error}"))?;
        let folder = if command.folder.as_os_str().is_empty() { std::path::Path::new(".") } else { &command.folder };
        let mut child = tokio::process::Command::new(program)
            .args(words)
            .current_dir(folder)
            .envs(&command.environment)
            .envs(variables.iter().map(|(name, value)| (*name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| format!("`{}` could not be started: {error}", command.words.join(" ")))?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let (out, err) = (Arc::default(), Arc::default());
        let mut readers = Vec::new();
        if let Some(stream) = child.stdout.take() {
            readers.push(tokio::spawn(read(stream, Arc::clone(&out), tells)));
        }
        if let Some(stream) = child.stderr.take() {
            readers.push(tokio::spawn(read(stream, Arc::clone(&err), None)));
        }
        Ok(Self { child, group, out, err, readers })
    }

    /// Writes a line to its input, in a task: a program that reads nothing must not hold us.
    pub fn tell(&mut self, line: &str) {
        let Some(mut input) = self.child.stdin.take() else { return };
        let line = format!("{line}\n");
        tokio::spawn(async move {
            // A program that reads nothing has its variables.
            let _ = input.write_all(line.as_bytes()).await;
        });
    }

    /// Ends it: killed, or asked first.
    pub async fn end(&mut self, kill: bool) {
        if !kill {
            self.signal(Signal::SIGTERM);
            if tokio::time::timeout(ENDS_WITHIN, self.child.wait()).await.is_ok() {
                return;
            }
        }
        self.signal(Signal::SIGKILL);
        // A killed process ends.
        let _ = tokio::time::timeout(HEARD_WITHIN, self.child.wait()).await;
    }

    /// Ends what is left of its group.
    pub fn kill_group(&self) {
        self.signal(Signal::SIGKILL);
    }

    /// The end of what it wrote, once it has ended.
    pub async fn heard(&mut self) -> Wrote {
        let readers = std::mem::take(&mut self.readers);
        // What is not heard by then is not waited for.
        let _ = tokio::time::timeout(HEARD_WITHIN, futures_util::future::join_all(readers)).await;
        self.wrote()
    }

    /// The end of what it has written so far.
    pub fn wrote(&self) -> Wrote {
        let text = |kept: &Mutex<Vec<u8>>| {
            String::from_utf8_lossy(&kept.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
        };
        Wrote { out: text(&self.out), err: text(&self.err) }
    }

    fn signal(&self, signal: Signal) {
        if let Some(group) = self.group {
            // The group may be gone already.
            let _ = killpg(group, signal);
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill_group();
        self.readers.iter().for_each(tokio::task::JoinHandle::abort);
    }
}

/// Reads whatever comes, keeps the end of it, and passes on every whole line that tells an outcome.
async fn read(mut stream: impl AsyncRead + Unpin, kept: Arc<Mutex<Vec<u8>>>, tells: Option<UnboundedSender<Told>>) {
    let mut buffer = vec![0; 16 * 1024];
    let mut line: Vec<u8> = Vec::new();
    while let Ok(count @ 1..) = stream.read(&mut buffer).await {
        if let Some(tells) = &tells {
            for piece in buffer[..count].split_inclusive(|byte| *byte == b'\n') {
                // A line longer than what is kept tells nothing.
                line.extend_from_slice(&piece[..piece.len().min(KEPT.saturating_sub(line.len()))]);
                if piece.ends_with(b"\n") {
                    let whole = std::mem::take(&mut line);
                    // Nobody listens any more when the case is over.
                    let _ = told(&String::from_utf8_lossy(&whole)).map(|told| tells.send(told));
                }
            }
        }
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.extend_from_slice(&buffer[..count]);
        let beyond = kept.len().saturating_sub(KEPT);
        if beyond > 0 {
            kept.drain(..beyond);
        }
    }
    if let Some(tells) = &tells {
        // The last line may have no end.
        let _ = told(&String::from_utf8_lossy(&line)).map(|told| tells.send(told));
    }
}
