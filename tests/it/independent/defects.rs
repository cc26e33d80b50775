//! One lie at a time: each is found by what it breaks, and nothing that it leaves alone is blamed. Which requirements
//! those are was written down by hand from the requirements' sentences, before anything was run.

use std::time::Duration;

use super::curious;
use super::judged;
use super::manner::{Defect, Manner};

/// The lie, where to look, every requirement that has to catch it, and some that must not.
type Row = (Defect, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

async fn check(rows: &[Row]) {
    let mut wrong = Vec::new();
    for (defect, selectors, caught_by, spared) in rows {
        let mut manner = Manner::default();
        if *defect == Defect::LocksForever {
            manner.in_progress = Some(Duration::from_millis(100));
        }
        let server = curious::start(manner, Some(*defect)).await;
        let run = judged(&server.uri(), selectors);
        let violated = run.violated();
        println!("{defect:?}: {}", violated.join(" "));
        for id in caught_by.iter().filter(|id| run.of(id).violated == 0) {
            wrong.push(format!("{defect:?} is missed by {id} (held {})", run.of(id).held));
        }
        for id in *spared {
            let one = run.of(id);
            if one.violated > 0 || one.held == 0 {
                wrong.push(format!("{defect:?} is held against {id}: {one:?}"));
            }
        }
        // A stated must that is broken ends the run in failure; a derived one is a warning.
        let fails = run.report.requirements.iter().any(|one| one.standing == onceproof::judge::Standing::Fail);
        if run.code != Some(i32::from(fails)) {
            wrong.push(format!("{defect:?} ends with {:?}", run.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const PLAIN: &[&str] = &["server/replay/plain", "server/replay/nothing-new"];
const CONFLICT: &[&str] =
    &["server/conflict/changed", "server/conflict/changes-nothing", "server/failure/walk", "server/replay/plain"];
const SCOPE: &[&str] = &["server/scope/*", "server/replay/plain"];
const KEYS: &[&str] = &["server/key/*"];
const BATCH: &[&str] = &["server/batch/*"];

#[tokio::test]
async fn lies_about_replays_are_told_apart() {
    use Defect::*;
    check(&[
        (
            DecidesAgain,
            PLAIN,
            &["CUR-DEC-01", "CUR-DEC-04", "CUR-DEC-05", "CUR-DEC-07"],
            &["CUR-DEC-02", "CUR-DEC-06", "CUR-EVT-01", "CUR-EVT-02", "CUR-EVT-03"],
        ),
        (
            ReplaysUnmarked,
            PLAIN,
            &["CUR-DEC-05"],
            &["CUR-DEC-01", "CUR-DEC-02", "CUR-DEC-03", "CUR-DEC-04", "CUR-DEC-06", "CUR-DEC-07", "CUR-EVT-03"],
        ),
        (MarksInText, PLAIN, &["CUR-DEC-05"], &["CUR-DEC-01", "CUR-DEC-02", "CUR-DEC-04", "CUR-DEC-07", "CUR-EVT-03"]),
        (
            ReplaysWithNewId,
            PLAIN,
            &["CUR-DEC-03", "CUR-DEC-04"],
            &["CUR-DEC-02", "CUR-DEC-05", "CUR-DEC-06", "CUR-DEC-07", "CUR-EVT-01"],
        ),
        (
            ReplaysWithNewTime,
            PLAIN,
            &["CUR-DEC-03"],
            &["CUR-DEC-01", "CUR-DEC-02", "CUR-DEC-04", "CUR-DEC-05", "CUR-DEC-07"],
        ),
        (
            ReplayEndsWindow,
            PLAIN,
            &["CUR-DEC-07"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-04", "CUR-DEC-05", "CUR-EVT-01"],
        ),
        (
            ReplaysToday,
            &["server/replay/historical", "server/replay/plain"],
            &["CUR-DEC-40"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-EVT-03"],
        ),
        (
            ForgetsConcluded,
            &["server/replay/historical", "server/replay/plain"],
            &["CUR-DEC-40"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-EVT-03"],
        ),
        (
            MarksFirst,
            PLAIN,
            &["CUR-DEC-06", "CUR-EVT-04"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-DEC-07", "CUR-EVT-01", "CUR-EVT-03"],
        ),
        (ReplaysOnce, PLAIN, &["CUR-DEC-01", "CUR-DEC-05", "CUR-DEC-07"], &["CUR-DEC-02", "CUR-DEC-06", "CUR-EVT-01"]),
        (RepeatsWith201, PLAIN, &["CUR-DEC-02"], &["CUR-DEC-06", "CUR-EVT-01", "CUR-EVT-02"]),
    ])
    .await;
}

#[tokio::test]
async fn lies_about_conflicts_and_failures_are_told_apart() {
    use Defect::*;
    const SAMENESS: &[&str] = &["server/sameness/formatting", "server/sameness/transport", "server/replay/plain"];
    const FAILURE: &[&str] = &["server/failure/*", "server/replay/plain"];
    check(&[
        (
            IgnoresMismatch,
            CONFLICT,
            &["CUR-DEC-09", "CUR-DEC-10", "CUR-DEC-14"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-EVT-03"],
        ),
        (
            IgnoresContext,
            CONFLICT,
            &["CUR-DEC-09", "CUR-DEC-14"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-EVT-03"],
        ),
        (
            ConflictOverwrites,
            CONFLICT,
            // Its second conflict is a replay, so the rows of the conflict itself are broken too.
            &["CUR-DEC-11", "CUR-DEC-42"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-EVT-03"],
        ),
        (
            ConflictFrees,
            CONFLICT,
            &["CUR-DEC-11", "CUR-DEC-42"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-EVT-03"],
        ),
        (WordsConflictOtherwise, CONFLICT, &["CUR-DEC-10"], &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05"]),
        (
            ComparesBytes,
            SAMENESS,
            &["CUR-DEC-12"],
            &["CUR-DEC-01", "CUR-DEC-03", "CUR-DEC-05", "CUR-DEC-13", "CUR-EVT-01"],
        ),
        (
            StoresRefusal,
            FAILURE,
            &["CUR-DEC-33", "CUR-DEC-34"],
            &["CUR-DEC-01", "CUR-DEC-05", "CUR-DEC-42", "CUR-EVT-18"],
        ),
        (
            RefusalClaimsKey,
            FAILURE,
            &["CUR-DEC-33", "CUR-DEC-34"],
            &["CUR-DEC-01", "CUR-DEC-05", "CUR-DEC-42", "CUR-EVT-18"],
        ),
        (RefusedEventClaimsId, FAILURE, &["CUR-EVT-18"], &["CUR-EVT-01", "CUR-EVT-03", "CUR-DEC-33", "CUR-DEC-34"]),
    ])
    .await;
}

#[tokio::test]
async fn lies_about_scopes_are_told_apart() {
    use Defect::*;
    check(&[
        (
            SharesEnvironments,
            SCOPE,
            &["CUR-DEC-24", "CUR-EVT-09"],
            &["CUR-DEC-25", "CUR-DEC-26", "CUR-EVT-10", "CUR-EVT-11", "CUR-EVT-03", "CUR-DEC-05"],
        ),
        (
            SharesOrganizations,
            SCOPE,
            &["CUR-DEC-25", "CUR-EVT-10"],
            &["CUR-DEC-24", "CUR-DEC-26", "CUR-EVT-09", "CUR-EVT-11", "CUR-EVT-03", "CUR-DEC-05"],
        ),
        (
            KeysPerCredential,
            SCOPE,
            &["CUR-DEC-26", "CUR-EVT-11"],
            &["CUR-DEC-24", "CUR-DEC-25", "CUR-EVT-09", "CUR-EVT-10", "CUR-EVT-03", "CUR-DEC-05"],
        ),
        (
            ReplaysToStrangers,
            SCOPE,
            &["CUR-DEC-25"],
            &["CUR-DEC-24", "CUR-DEC-26", "CUR-EVT-10", "CUR-EVT-11", "CUR-DEC-05"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn lies_about_keys_are_told_apart() {
    use Defect::*;
    check(&[
        (
            FailsOnNul,
            KEYS,
            &["CUR-DEC-19"],
            &["CUR-DEC-16", "CUR-DEC-17", "CUR-DEC-18", "CUR-DEC-20", "CUR-DEC-21", "CUR-DEC-22", "CUR-EVT-20"],
        ),
        (
            CutsAtNul,
            KEYS,
            &["CUR-DEC-19"],
            &["CUR-DEC-16", "CUR-DEC-17", "CUR-DEC-18", "CUR-DEC-20", "CUR-DEC-21", "CUR-DEC-22", "CUR-EVT-20"],
        ),
        (
            AcceptsTooLong,
            KEYS,
            &["CUR-DEC-18"],
            &["CUR-DEC-16", "CUR-DEC-17", "CUR-DEC-19", "CUR-DEC-20", "CUR-DEC-21", "CUR-DEC-22"],
        ),
        (
            CutsKeys,
            KEYS,
            &["CUR-DEC-17"],
            &["CUR-DEC-16", "CUR-DEC-18", "CUR-DEC-19", "CUR-DEC-20", "CUR-DEC-21", "CUR-EVT-20"],
        ),
        (
            CountsBytes,
            KEYS,
            &["CUR-DEC-22"],
            &["CUR-DEC-16", "CUR-DEC-17", "CUR-DEC-18", "CUR-DEC-19", "CUR-DEC-20", "CUR-DEC-21"],
        ),
        (
            FoldsCase,
            KEYS,
            &["CUR-DEC-21"],
            &["CUR-DEC-16", "CUR-DEC-18", "CUR-DEC-19", "CUR-DEC-20", "CUR-DEC-22", "CUR-EVT-22"],
        ),
        (
            TrimsKeys,
            KEYS,
            &["CUR-DEC-21"],
            &["CUR-DEC-16", "CUR-DEC-17", "CUR-DEC-18", "CUR-DEC-19", "CUR-DEC-20", "CUR-EVT-22"],
        ),
        (
            ReplacesSurrogates,
            KEYS,
            &["CUR-DEC-20"],
            &["CUR-DEC-16", "CUR-DEC-17", "CUR-DEC-18", "CUR-DEC-19", "CUR-DEC-21", "CUR-DEC-22"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn lies_about_batches_are_told_apart() {
    use Defect::*;
    check(&[
        (
            DoesTwinsBoth,
            BATCH,
            &["CUR-DEC-31", "CUR-EVT-08"],
            &["CUR-DEC-27", "CUR-DEC-28", "CUR-DEC-29", "CUR-EVT-05", "CUR-EVT-06", "CUR-EVT-14"],
        ),
        (
            CountsOneMore,
            BATCH,
            &["CUR-DEC-28", "CUR-EVT-06"],
            &["CUR-DEC-27", "CUR-DEC-29", "CUR-EVT-05", "CUR-EVT-07", "CUR-DEC-30", "CUR-EVT-19"],
        ),
        (
            RefusesWholeBatch,
            BATCH,
            &["CUR-DEC-30", "CUR-EVT-19"],
            &["CUR-DEC-27", "CUR-DEC-28", "CUR-DEC-29", "CUR-DEC-31", "CUR-EVT-06", "CUR-EVT-08"],
        ),
        (
            DropsNewBesideOld,
            BATCH,
            &["CUR-EVT-07"],
            &["CUR-EVT-14", "CUR-DEC-27", "CUR-DEC-28", "CUR-DEC-30", "CUR-DEC-31"],
        ),
        (BatchReplaysAnew, BATCH, &["CUR-DEC-29"], &["CUR-DEC-28", "CUR-EVT-05", "CUR-EVT-06", "CUR-EVT-07"]),
        (
            UnflaggedInBatch,
            BATCH,
            &["CUR-EVT-05"],
            &["CUR-EVT-14", "CUR-DEC-27", "CUR-DEC-28", "CUR-DEC-29", "CUR-DEC-30", "CUR-DEC-31"],
        ),
    ])
    .await;
}

#[tokio::test]
async fn lies_about_events_and_what_needs_no_key_are_told_apart() {
    use Defect::*;
    const EVENTS: &[&str] =
        &["server/replay/plain", "server/sameness/key-only", "server/unkeyed/*", "server/batch/without-keys"];
    const NATURAL: &[&str] = &["server/natural/*", "server/replay/plain"];
    check(&[
        (
            MergesByContent,
            EVENTS,
            &["CUR-EVT-14"],
            &["CUR-EVT-01", "CUR-EVT-02", "CUR-EVT-03", "CUR-EVT-13", "CUR-DEC-41", "CUR-DEC-01"],
        ),
        (
            EventRepeatConflicts,
            EVENTS,
            &["CUR-EVT-02", "CUR-EVT-13"],
            &["CUR-EVT-04", "CUR-EVT-14", "CUR-DEC-01", "CUR-DEC-02", "CUR-DEC-41"],
        ),
        (
            CountsEventsAgain,
            EVENTS,
            &["CUR-EVT-01"],
            &["CUR-EVT-02", "CUR-EVT-03", "CUR-EVT-04", "CUR-EVT-14", "CUR-DEC-01"],
        ),
        (
            EventRepeatUnflagged,
            EVENTS,
            &["CUR-EVT-03"],
            &["CUR-EVT-01", "CUR-EVT-02", "CUR-EVT-04", "CUR-EVT-14", "CUR-DEC-05"],
        ),
        (IdsPerUser, EVENTS, &["CUR-EVT-12"], &["CUR-EVT-01", "CUR-EVT-02", "CUR-EVT-03", "CUR-EVT-14", "CUR-DEC-01"]),
        (IdentifyOnce, NATURAL, &["CUR-RTY-29"], &["CUR-EVT-01", "CUR-EVT-02", "CUR-DEC-01", "CUR-DEC-02"]),
        (DeclareOnce, NATURAL, &["CUR-RTY-29"], &["CUR-EVT-01", "CUR-EVT-02", "CUR-DEC-01", "CUR-DEC-02"]),
    ])
    .await;
}

#[tokio::test]
async fn lies_that_only_a_race_shows_are_told_apart() {
    use Defect::*;
    const RACE: &[&str] = &["server/race/*", "server/replay/plain"];
    check(&[
        (Races, RACE, &["CUR-DEC-37"], &["CUR-DEC-01", "CUR-DEC-02", "CUR-DEC-05", "CUR-EVT-17", "CUR-EVT-01"]),
        (RacesEvents, RACE, &["CUR-EVT-17"], &["CUR-DEC-37", "CUR-DEC-01", "CUR-EVT-01", "CUR-EVT-02", "CUR-EVT-03"]),
        (LocksForever, RACE, &["CUR-DEC-38"], &["CUR-DEC-01", "CUR-DEC-05", "CUR-EVT-17", "CUR-EVT-01"]),
    ])
    .await;
}
