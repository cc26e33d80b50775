//! Processes that we start, each in a group of its own, and end by that group alone. It never signals anything that it
//! did not start.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt;
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::{Instant, sleep, timeout};

/// How long a process may take until it listens.
const STARTS_WITHIN: Duration = Duration::from_secs(60);

/// How long it may take to end when asked.
const ENDS_WITHIN: Duration = Duration::from_secs(5);

/// How a subject's process is started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Starter {
    /// A shell command with `{port}` in it; `{folder}` is a folder of the case's own.
    pub command: String,
    /// Where it is run; here, where that is empty.
    pub within: std::path::PathBuf,
    /// Variables for it.
    pub environment: BTreeMap<String, String>,
    /// A path that answers 2xx when it is ready; else a connection is enough.
    pub ready: Option<String>,
}

/// Why a process could not be worked with.
#[derive(Debug, thiserror::Error)]
pub enum ProcessError {
    /// It could not be started.
    #[error("`{command}` could not be started: {why}")]
    Start {
        /// The command.
        command: String,
        /// What went wrong.
        why: String,
    },
    /// It ended, or never listened.
    #[error("`{command}` was started but is not ready: {why}{}", said(stderr))]
    NotReady {
        /// The command.
        command: String,
        /// What went wrong.
        why: String,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// It goes on after it was killed.
    #[error("the process still accepts connections on {0} after it was ended")]
    StillThere(SocketAddr),
}

fn said(stderr: &str) -> String {
    if stderr.is_empty() { String::new() } else { format!("; it said: {stderr}") }
}

/// A running process of the subject.
#[derive(Debug)]
pub struct Process {
    starter: Starter,
    folder: std::path::PathBuf,
    child: Child,
    address: SocketAddr,
}

impl Process {
    /// Starts one and waits until it is ready.
    pub async fn start(starter: &Starter, folder: &std::path::Path) -> Result<Self, ProcessError> {
        let (child, address) = spawn(starter, folder).await?;
        Ok(Self { starter: starter.clone(), folder: folder.to_owned(), child, address })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it, killed or asked, and waits until its port refuses.
    pub async fn end(&mut self, kill: bool) -> Result<(), ProcessError> {
        if !kill {
            self.signal(Signal::SIGTERM);
            if timeout(ENDS_WITHIN, self.child.wait()).await.is_ok() {
                // Children of a shell may outlive it.
                self.signal(Signal::SIGKILL);
                return self.gone().await;
            }
        }
        self.signal(Signal::SIGKILL);
        // The exit status of a killed process says nothing.
        let _ = self.child.wait().await;
        self.gone().await
    }

    /// Starts it again, in the same folder, on a port of its own.
    pub async fn again(&mut self) -> Result<SocketAddr, ProcessError> {
        let (child, address) = spawn(&self.starter, &self.folder).await?;
        self.child = child;
        self.address = address;
        Ok(address)
    }

    /// Stops or continues it without ending it.
    pub fn pause(&self, paused: bool) {
        self.signal(if paused { Signal::SIGSTOP } else { Signal::SIGCONT });
    }

    fn signal(&self, signal: Signal) {
        // `process_group(0)` made the child's own id the id of its group. Once it was waited for it has no id any more.
        if let Some(id) = self.child.id().and_then(|id| i32::try_from(id).ok()) {
            // It may have ended by itself.
            let _ = killpg(Pid::from_raw(id), signal);
        }
    }

    async fn gone(&self) -> Result<(), ProcessError> {
        let until = Instant::now() + ENDS_WITHIN;
        while Instant::now() < until {
            if TcpStream::connect(self.address).await.is_err() {
                return Ok(());
            }
            sleep(Duration::from_millis(5)).await;
        }
        Err(ProcessError::StillThere(self.address))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.signal(Signal::SIGKILL);
    }
}

async fn spawn(starter: &Starter, folder: &std::path::Path) -> Result<(Child, SocketAddr), ProcessError> {
    let mut last = None;
    // Should a stranger take the port between our choice and its use, another one is chosen.
    for _ in 0..3 {
        match spawn_once(starter, folder).await {
            Ok(started) => return Ok(started),
            Err(error) => last = Some(error),
        }
    }
    Err(last.unwrap_or_else(|| ProcessError::Start { command: starter.command.clone(), why: "never tried".to_owned() }))
}

async fn spawn_once(starter: &Starter, folder: &std::path::Path) -> Result<(Child, SocketAddr), ProcessError> {
    let start = |why: String| ProcessError::Start { command: starter.command.clone(), why };
    let address = free_address().await.map_err(|error| start(error.to_string()))?;
    let command = starter
        .command
        .replace("{port}", &address.port().to_string())
        .replace("{folder}", &folder.display().to_string());
    let within = if starter.within.as_os_str().is_empty() { std::path::Path::new(".") } else { &starter.within };
    let mut child = Command::new("sh")
        .arg("-c")
        .arg(format!("exec {command}"))
        .envs(&starter.environment)
        .current_dir(within)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| start(error.to_string()))?;
    let stderr = child.stderr.take();
    let until = Instant::now() + STARTS_WITHIN;
    let why = loop {
        if let Ok(Some(status)) = child.try_wait() {
            break format!("it ended with {status}");
        }
        if is_ready(address, starter.ready.as_deref()).await {
            // Nobody reads on: a full pipe must not stop it.
            if let Some(mut stderr) = stderr {
                tokio::spawn(async move { tokio::io::copy(&mut stderr, &mut tokio::io::sink()).await });
            }
            return Ok((child, address));
        }
        if Instant::now() > until {
            break format!("it did not listen on {address} within {} s", STARTS_WITHIN.as_secs());
        }
        sleep(Duration::from_millis(10)).await;
    };
    if let Some(id) = child.id().and_then(|id| i32::try_from(id).ok()) {
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
    Err(ProcessError::NotReady { command, why, stderr: tail(stderr).await })
}

async fn tail(stderr: Option<tokio::process::ChildStderr>) -> String {
    let mut text = Vec::new();
    if let Some(stderr) = stderr {
        let mut bounded = stderr.take(64 * 1024);
        // What it said is only told; that it could not be read changes nothing.
        let _ = timeout(Duration::from_millis(200), bounded.read_to_end(&mut text)).await;
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().rev().take(3).collect();
    lines.into_iter().rev().collect::<Vec<_>>().join(" / ")
}

/// An address on loopback for a process that has to be told its port. It lies below the ports that the kernel hands out,
/// so that no listener or caller of ours can be given it meanwhile, and no two processes of ours are given the same.
pub async fn free_address() -> std::io::Result<SocketAddr> {
    free_address_if(|address| std::net::TcpListener::bind(address).is_ok())
}

/// The same, for a listener that takes a port which was listened at a moment ago.
pub fn free_again() -> std::io::Result<SocketAddr> {
    free_address_if(|address| {
        let socket = tokio::net::TcpSocket::new_v4();
        socket.is_ok_and(|socket| socket.set_reuseaddr(true).is_ok() && socket.bind(address).is_ok())
    })
}

fn free_address_if(is_free: impl Fn(SocketAddr) -> bool) -> std::io::Result<SocketAddr> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    const LOWEST: u32 = 15_000;
    let range = std::fs::read_to_string("/proc/sys/net/ipv4/ip_local_port_range").unwrap_or_default();
    let handed_out = range.split_whitespace().next().and_then(|low| low.parse::<u32>().ok()).unwrap_or(32_768);
    let span = handed_out.saturating_sub(LOWEST).max(1_000);
    // Another run on this machine begins elsewhere.
    let begin = std::process::id().wrapping_mul(7_919);
    for _ in 0..span {
        let port = LOWEST + begin.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % span;
        let Ok(port) = u16::try_from(port) else { continue };
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        if is_free(address) {
            return Ok(address);
        }
    }
    Err(std::io::Error::other("no port is free"))
}

async fn is_ready(address: SocketAddr, path: Option<&str>) -> bool {
    match path {
        None => TcpStream::connect(address).await.is_ok(),
        Some(path) => match crate::observe::client(Duration::from_secs(2)) {
            Ok(client) => {
                let answer = client.get(format!("http://{address}{path}")).send().await;
                answer.is_ok_and(|answer| answer.status().is_success())
            }
            Err(_) => false,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starter(command: &str) -> Starter {
        Starter { command: command.to_owned(), within: "".into(), environment: BTreeMap::new(), ready: None }
    }

    #[tokio::test]
    async fn a_command_that_ends_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        let error = Process::start(&starter("sh -c 'echo no such store >&2; exit 3'"), folder.path())
            .await
            .expect_err("it ended");
        let text = error.to_string();
        assert!(text.contains("exit status: 3") && text.contains("no such store"), "{text}");
    }

    #[tokio::test]
    async fn a_command_is_run_where_its_subject_file_is_and_told_where_it_may_keep_things() {
        let (within, own) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        std::fs::write(within.path().join("word"), "found beside the file").expect("written");
        let command = "sh -c 'cat word {folder}/kept >&2; exit 3'";
        std::fs::write(own.path().join("kept"), ", and kept").expect("written");
        let starter = Starter { within: within.path().to_owned(), ..starter(command) };
        let error = Process::start(&starter, own.path()).await.expect_err("it ended");
        assert!(error.to_string().contains("found beside the file, and kept"), "{error}");
    }
}
