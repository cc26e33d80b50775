//! Honest servers of many manners: nothing is held against any of them, and what nobody can say is known by name.

use std::collections::BTreeMap;
use std::time::Duration;

use onceproof::judge::Verdict;

use super::curious;
use super::judged;
use super::manner::Manner;

async fn check(manner: Manner, arguments: &[&str]) {
    let server = curious::start(manner.clone(), None).await;
    let run = judged(&server.uri(), arguments);
    let mut wrong = Vec::new();
    let mut unknown: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for case in &run.report.cases {
        for verdict in &case.verdicts {
            match &verdict.verdict {
                Verdict::Holds(_) => {}
                Verdict::Violated(violation) => {
                    wrong.push(format!("{} {:?} {}: {violation:?}", case.scenario, case.cell, verdict.claim));
                }
                Verdict::Unknown(doubt) => {
                    let claims = unknown.entry(format!("{doubt:?}")).or_default();
                    let claim = format!("{} {:?} {}", case.scenario, case.cell, verdict.claim);
                    claims.push(claim);
                }
            }
        }
    }
    for (doubt, claims) in &unknown {
        println!("{} {doubt}\n    {}", claims.len(), claims[0]);
    }
    assert!(wrong.is_empty(), "{manner:?}: {} wrong\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(run.code, Some(0), "{}", run.said);
    assert!(run.report.cases.len() > 500 || !arguments.is_empty());
}

#[tokio::test]
async fn plain() {
    check(Manner::default(), &[]).await;
}

#[tokio::test]
async fn talkative() {
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
    check(manner, &[]).await;
}

#[tokio::test]
async fn terse() {
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
    check(manner, &[]).await;
}

#[tokio::test]
async fn odd() {
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
    check(manner, &[]).await;
}

#[tokio::test]
async fn merging() {
    check(Manner { merges_unkeyed: true, ..Manner::default() }, &["server/unkeyed/*"]).await;
}

#[tokio::test]
async fn aged() {
    // `nothing-new` is left out: whether a row that tells its age is the same row is not said.
    let manner = Manner { ages: true, extras: true, ..Manner::default() };
    check(manner, &["server/replay/plain", "server/replay/l*", "server/race/*", "server/natural/*", "server/scope/*"])
        .await;
}
