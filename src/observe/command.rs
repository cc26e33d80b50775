//! Runs a command of the subject file, for a bounded time and in a group of its own, and reads a number off it. What varies
//! goes to it by variables; nothing is ever pasted into its line.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;
use tokio::time::timeout;

use crate::history::Sight;
use crate::observe::counted;

/// How long a command may take.
const LONGEST: Duration = Duration::from_secs(10);

/// More of what it says is not read.
const MOST_READ: u64 = 64 * 1024;

/// More of it is not told.
const MOST_TOLD: usize = 200;

/// A command, and what it is told.
#[derive(Clone, Debug, Default)]
pub struct ShellCommand {
    /// For the shell.
    pub line: String,
    /// Where it runs; the folder of this process, where none is named.
    pub folder: PathBuf,
    /// Variables besides those of this process.
    pub variables: Vec<(String, String)>,
    /// How long it may take; ten seconds, unless said.
    pub limit: Option<Duration>,
}

impl ShellCommand {
    /// Runs it to its end; what it wrote to standard output. The error says how it failed.
    pub async fn run(&self) -> Result<String, String> {
        let mut command = Command::new("sh");
        command.args(["-c", &self.line]).envs(self.variables.iter().cloned()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).process_group(0).kill_on_drop(true);
        if !self.folder.as_os_str().is_empty() {
            command.current_dir(&self.folder);
        }
        let mut child = command.spawn().map_err(|error| format!("could not be started: {error}"))?;
        // Whatever it leaves behind ends with it, also where nobody waits for it any more.
        let _group = Group(child.id().and_then(|id| i32::try_from(id).ok()));
        let (out, err) = (child.stdout.take(), child.stderr.take());
        let limit = self.limit.unwrap_or(LONGEST);
        let ended = timeout(limit, async { tokio::join!(child.wait(), text(out), text(err)) }).await;
        let Ok((status, out, err)) = ended else {
            return Err(format!("did not end within {:.1} s", limit.as_secs_f64()));
        };
        match status {
            Ok(status) if status.success() => Ok(out),
            Ok(status) => {
                let last = err.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
                let said = if last.is_empty() { String::new() } else { format!("; it said: {}", short(last)) };
                Err(format!("ended with {status}{said}"))
            }
            Err(error) => Err(format!("could not be waited for: {error}")),
        }
    }

    /// Runs it, and takes what it prints for a count.
    pub async fn count(&self) -> Sight {
        match self.run().await {
            Err(why) => Sight::Blind(format!("the command {why}")),
            Ok(said) => match said.trim().parse::<usize>() {
                Ok(count) => Sight::Seen(counted(count)),
                Err(_) if said.trim().is_empty() => Sight::Blind("the command printed nothing".to_owned()),
                Err(_) => Sight::Blind(format!("the command printed `{}`, and no whole number", short(said.trim()))),
            },
        }
    }
}

/// A group of processes that ends with this.
struct Group(Option<i32>);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(id) = self.0 {
            // Usually all of it has ended by itself.
            let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
        }
    }
}

async fn text(stream: Option<impl AsyncRead + Unpin>) -> String {
    let Some(mut stream) = stream else { return String::new() };
    let mut kept = Vec::new();
    // What could not be read was not said.
    let _ = (&mut stream).take(MOST_READ).read_to_end(&mut kept).await;
    // Nobody reads on, and a full pipe must not stop it.
    let _ = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
    String::from_utf8_lossy(&kept).into_owned()
}

fn short(text: &str) -> String {
    text.chars().take(MOST_TOLD).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str) -> ShellCommand {
        ShellCommand {
            line: line.to_owned(),
            variables: vec![("ONCEPROOF_KEY".to_owned(), "a'; echo 7; \"$(echo 8)".to_owned())],
            limit: Some(Duration::from_secs(5)),
            ..ShellCommand::default()
        }
    }

    #[tokio::test]
    async fn a_number_is_so_many_rows() {
        for (line, expected) in [("echo 0", 0), ("printf ' 3\\n'", 3), ("echo noise >&2; echo 2", 2)] {
            let seen = command(line).count().await;
            assert!(matches!(&seen, Sight::Seen(rows) if rows.len() == expected), "{line}: {seen:?}");
        }
    }

    #[tokio::test]
    async fn what_failed_or_is_no_number_is_blindness_and_never_zero() {
        for (line, why) in [
            ("echo 1; exit 3", "exit status: 3"),
            ("echo 1; echo no such table >&2; exit 1", "no such table"),
            ("true", "printed nothing"),
            ("echo one", "printed `one`"),
            ("echo -1", "printed `-1`"),
            ("echo 1.0", "printed `1.0`"),
            ("echo 1; echo 2", "no whole number"),
            ("no-such-program-anywhere", "exit status: 127"),
            ("kill -9 $$", "signal: 9"),
        ] {
            let Sight::Blind(said) = command(line).count().await else { panic!("{line}: it is seen") };
            assert!(said.contains(why), "{line}: {said}");
        }
    }

    #[tokio::test]
    async fn a_key_is_a_variable_and_no_part_of_the_line() {
        let said = command("printf %s \"$ONCEPROOF_KEY\"").run().await.expect("it runs");
        assert_eq!(said, "a'; echo 7; \"$(echo 8)");
    }

    #[tokio::test]
    async fn what_does_not_end_is_ended_and_blindness() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, limit) = (folder.path().join("alive"), Some(Duration::from_millis(300)));
        // Its child would go on for a while, and would hold the pipe open.
        let line = format!("(sleep 2; touch '{}') & sleep 60", file.display());
        let Sight::Blind(said) = (ShellCommand { limit, ..command(&line) }).count().await else { panic!("seen") };
        assert!(said.contains("did not end within 0.3 s"), "{said}");
        tokio::time::sleep(Duration::from_millis(2_500)).await;
        assert!(!file.exists(), "what it started lives on");
        // Endless output does not fill the memory, and does not last.
        let Sight::Blind(said) = (ShellCommand { limit, ..command("yes") }).count().await else { panic!("seen") };
        assert!(said.contains("did not end"), "{said}");
    }
}
