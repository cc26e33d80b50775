//! Plays many cases side by side, in the plan's order, and judges each as soon as it is sealed. Stopped from outside, it
//! gives what is known so far.

use std::sync::Arc;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::history::{Recorder, SealedHistory};
use crate::judge::{CaseReport, judge};
use crate::plan::Case;
use crate::runner::client;
use crate::runner::hook::is_alone;
use crate::runner::play::play;
use crate::runner::target::Target;
use crate::time::Clock;

/// A case that was played and judged.
#[derive(Debug)]
pub struct Played {
    /// Its place in the plan.
    pub index: usize,
    /// The case.
    pub case: Arc<Case>,
    /// What was.
    pub history: SealedHistory,
    /// What was found.
    pub report: CaseReport,
}

/// Plays cases, so many at a time; `heard` is told of each as it ends. What comes back is in the plan's order.
pub async fn run(
    cases: Vec<Arc<Case>>,
    target: &Arc<Target>,
    side_by_side: usize,
    clock: Clock,
    stop: &CancellationToken,
    mut heard: impl FnMut(&Played),
) -> Result<Vec<Played>, String> {
    let client = crate::observe::client(target.tempo.answer).map_err(|error| error.to_string())?;
    // What changes the subject for everybody comes last, one after the other.
    let (alone, together): (Vec<_>, Vec<_>) =
        cases.into_iter().enumerate().partition(|(_, case)| is_alone(case, target));
    let mut waiting = together.into_iter();
    let mut playing: JoinSet<Played> = JoinSet::new();
    let mut played = Vec::new();
    loop {
        while playing.len() < side_by_side.max(1) && !stop.is_cancelled() {
            let Some((index, case)) = waiting.next() else { break };
            let (target, client) = (Arc::clone(target), client.clone());
            playing.spawn(async move { one(index, case, &target, &client, clock).await });
        }
        let next = tokio::select! {
            next = playing.join_next() => next,
            () = stop.cancelled() => {
                // What is not over is not known; its listeners and processes end with it.
                playing.shutdown().await;
                None
            }
        };
        match next {
            None => break,
            Some(Ok(one)) => {
                heard(&one);
                played.push(one);
            }
            Some(Err(error)) if error.is_cancelled() => {}
            Some(Err(error)) => return Err(format!("a case could not be played: {error}")),
        }
    }
    for (index, case) in alone {
        if stop.is_cancelled() {
            break;
        }
        // Not broken off by the end of the run: what its hook did has to be undone.
        let one = one(index, case, target, &client, clock).await;
        heard(&one);
        played.push(one);
    }
    played.sort_by_key(|one| one.index);
    Ok(played)
}

async fn one(index: usize, case: Arc<Case>, target: &Arc<Target>, client: &reqwest::Client, clock: Clock) -> Played {
    let history = match &target.client {
        _ if target.spoilt.get().is_some() => Recorder::new().seal(target.spoilt.get().cloned()),
        _ if !case.lacks.is_empty() => Recorder::new().seal(None),
        Some(program) if case.client.is_some() => client::play(&case, target, program, client, clock).await,
        Some(_) | None => play(&case, target, client, clock).await,
    };
    let report = judge(&case, &history);
    Played { index, case, history, report }
}
