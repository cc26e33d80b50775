//! The whole suite as a user runs it: every case of the bundled contract against the embedded reference, by the binary
//! itself, timed from outside. It never writes a report, and never fails for a missed aim; it does fail when the run
//! does, because a run that broke off early is not a fast one.
//!
//! CPU is that of all its processes, those that it starts and kills included. Memory is the peak of the largest one: the
//! run itself, which holds the reference, the proxies and all histories.

mod aims;

use std::process::Command;
use std::time::{Duration, Instant};

use aims::{Asked, Figure, show};
use nix::sys::resource::{Usage, UsageWho, getrusage};

const RUNS: usize = 3;

fn main() {
    match Asked::of_process() {
        Asked::List => {}
        Asked::Sign => drop(run(&["server/replay/plain"])),
        Asked::Figures => figures(),
    }
}

fn figures() {
    let mut runs: Vec<Run> = (0..RUNS).map(|_| run(&[])).collect();
    runs.sort_by_key(|run| run.wall);
    let [fastest, middle, slowest] = runs.as_slice() else { unreachable!("there are three") };
    let seconds =
        |what: &str, time: Duration, aim| Figure { what: what.to_owned(), value: time.as_secs_f64(), unit: "s", aim };
    show(
        &format!("suite, {RUNS} runs"),
        &[
            seconds("wall, fastest", fastest.wall, None),
            seconds("wall, middle", middle.wall, Some(0.0..10.0)),
            seconds("wall, slowest", slowest.wall, None),
            seconds("CPU of the middle one, all processes", middle.cpu, None),
            Figure {
                what: "peak memory, largest process of any run".to_owned(),
                value: peak_mib(&of_children()),
                unit: "MiB",
                aim: Some(0.0..150.0),
            },
        ],
    );
    println!("{}", middle.last_words);
}

/// One run of the binary.
struct Run {
    wall: Duration,
    cpu: Duration,
    /// The last lines that it told: how many cases there were.
    last_words: String,
}

fn run(selectors: &[&str]) -> Run {
    let before = cpu(&of_children());
    let began = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_onceproof"))
        .args(["run", "--no-report", "--seed", "5"])
        .args(selectors)
        .output()
        .expect("the binary runs");
    let wall = began.elapsed();
    let told = String::from_utf8_lossy(&output.stdout);
    let complained = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "the run ended with {}\n{told}{complained}", output.status);
    let lines: Vec<&str> = told.trim_end().lines().collect();
    let last_words = lines[lines.len().saturating_sub(3)..].join("\n");
    Run { wall, cpu: cpu(&of_children()) - before, last_words }
}

fn of_children() -> Usage {
    getrusage(UsageWho::RUSAGE_CHILDREN).expect("the kernel keeps count")
}

fn cpu(usage: &Usage) -> Duration {
    let spent = usage.user_time() + usage.system_time();
    Duration::new(spent.tv_sec().unsigned_abs(), u32::try_from(spent.tv_usec() * 1000).expect("less than a second"))
}

fn peak_mib(usage: &Usage) -> f64 {
    // Kibibytes, but for macOS, which counts bytes.
    let unit = if cfg!(target_os = "macos") { 1.0 } else { 1024.0 };
    usage.max_rss() as f64 * unit / (1024.0 * 1024.0)
}
