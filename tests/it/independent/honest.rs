//! Honest servers of many manners: nothing is held against any of them, and what nobody can say is known by name.

use std::collections::BTreeSet;
use std::time::Duration;

use onceproof::judge::Verdict;

use super::curious;
use super::judged;
use super::manner::Manner;

/// What cannot be judged on a server that is nothing but a URL, and why.
const BEYOND_A_URL: [(&str, &str); 11] = [
    ("server/at-work/other-content", "the subject has no hook `slow`"),
    ("server/at-work/same-content", "the subject has no hook `slow`"),
    ("server/at-work/stopped", "the subject has no hook `slow`, no process that we can end: give its start command"),
    (
        "server/replica/stopped",
        "the subject has no hook `slow`, no process that we can end: give its start command, no second replica",
    ),
    ("server/edge/*", "the subject has no gateway that we can put in front of it"),
    ("server/failure/*", "the subject has no hook `answer 403`"),
    ("server/failure/*", "the subject has no hook `answer 429`"),
    ("server/failure/*", "the subject has no hook `fail before the commit`"),
    ("server/failure/*", "the subject has no hook `fail after the effect`"),
    ("server/restart/*", "the subject has no process that we can end: give its start command"),
    ("server/replica/*", "the subject has no second replica"),
];

/// A server may let a copy wait; then none is told to come back.
const WAITS: (&str, &str) = ("server/race/after-lock", "never exercised: no copy was told to come back");

/// A server may refuse long ids: the contract gives no form of them.
const SHORT_IDS: (&str, &str) =
    ("server/key/last-character", "never exercised: each was refused, and no form of a key is given");

async fn check(manner: Manner, selectors: &[&str], beyond: &[(&str, &str)]) {
    let server = curious::start(manner.clone(), None).await;
    let run = judged(&server.uri(), selectors);
    let mut wrong = Vec::new();
    let mut unknown = BTreeSet::new();
    for case in &run.report.cases {
        for verdict in &case.verdicts {
            match &verdict.verdict {
                Verdict::Holds(_) => {}
                Verdict::Violated(violation) => {
                    wrong.push(format!("{} {:?} {}: {violation:?}", case.scenario, case.cell, verdict.claim));
                }
                Verdict::Unknown(doubt) => {
                    let doubt = doubt.to_string();
                    let known = beyond.iter().find(|(path, why)| {
                        let folder = path.trim_end_matches('*');
                        case.scenario.to_string().starts_with(folder) && doubt == *why
                    });
                    match known {
                        Some(known) => {
                            unknown.insert(*known);
                        }
                        None => wrong.push(format!("{} {:?} {}: {doubt}", case.scenario, case.cell, verdict.claim)),
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{manner:?}: {} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(unknown, beyond.iter().copied().collect(), "each gap is there, and no other");
    assert_eq!(run.code, Some(0), "{}", run.said);
    assert!(run.report.cases.len() > 500 || !selectors.is_empty());
}

#[tokio::test]
async fn a_plain_server_of_few_words_has_nothing_to_answer_for() {
    let beyond = [&BEYOND_A_URL[..], &[WAITS]].concat();
    check(Manner::default(), &[], &beyond).await;
}

#[tokio::test]
async fn a_slow_and_talkative_server_has_nothing_to_answer_for() {
    let manner = Manner {
        says_no: true,
        extras: true,
        closes: true,
        slow: Some(Duration::from_millis(20)),
        media: "application/json; charset=utf-8",
        allows: false,
        auth_first: false,
        event_status: 202,
        lenient_ids: true,
        pretty: true,
        ..Manner::default()
    };
    let beyond = [&BEYOND_A_URL[..], &[WAITS]].concat();
    check(manner, &[], &beyond).await;
}

#[tokio::test]
async fn a_server_that_tells_copies_to_come_back_has_nothing_to_answer_for() {
    let manner = Manner {
        chunked: true,
        in_progress: Some(Duration::from_millis(30)),
        element_first: true,
        reads_numbers: true,
        one_call: true,
        utf16: true,
        media: "application/json;charset=UTF-8",
        ..Manner::default()
    };
    let beyond = BEYOND_A_URL;
    check(manner, &[], &beyond).await;
}

#[tokio::test]
async fn a_server_of_odd_habits_has_nothing_to_answer_for() {
    let manner = Manner {
        bare: true,
        numbers: true,
        locks_first: true,
        in_progress: Some(Duration::from_millis(250)),
        last_wins: true,
        longest_id: 60,
        reorders: true,
        jitter: Some(Duration::from_millis(40)),
        ..Manner::default()
    };
    let beyond = [&BEYOND_A_URL[..], &[SHORT_IDS]].concat();
    check(manner, &[], &beyond).await;
}

#[tokio::test]
async fn a_server_that_merges_decisions_without_a_key_is_not_blamed() {
    check(Manner { merges_unkeyed: true, ..Manner::default() }, &["server/unkeyed/*"], &[]).await;
}

#[tokio::test]
async fn rows_that_tell_their_age_are_still_the_same_rows_where_they_are_counted() {
    // `nothing-new` is left out: whether a row that tells its age is the same row is not said.
    let manner = Manner { ages: true, extras: true, ..Manner::default() };
    let selectors = ["plain", "lost-answer", "historical"].map(|name| format!("server/replay/{name}"));
    let selectors: Vec<&str> =
        selectors.iter().map(String::as_str).chain(["server/natural/*", "server/scope/*"]).collect();
    check(manner, &selectors, &[]).await;
}
