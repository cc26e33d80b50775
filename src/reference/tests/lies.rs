//! Every saboteur lies in the way that its row says, and the honest server does not: one probe for each row.

use std::time::Duration;

use crate::reference::tests::contract::{required, windowed};
use crate::reference::tests::lab::{LIVE, LIVE_AGAIN, Lab, OTHER, Reply, TEST, decide, event, reply};
use crate::reference::{Policy, saboteurs, start_edge};

const DECIDE: &str = "/v1/decide";
const EVENTS: &str = "/v1/events/batch";

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_saboteur_lies_as_its_row_says() {
    for row in saboteurs() {
        assert!(shows(row.name, &mut Lab::open(row.policy).await).await, "{} {} keeps its promise", row.kind, row.name);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn the_honest_server_shows_none_of_the_lies() {
    for row in saboteurs() {
        assert!(!shows(row.name, &mut Lab::honest().await).await, "{} {}", row.kind, row.name);
    }
}

#[tokio::test]
async fn a_key_that_nobody_raced_for_is_replayed_by_who_stays_locked() {
    let lab = Lab::open(policy("stays-locked")).await;
    assert_eq!(replay(&lab).await.1.member("/replayed"), "true");
    let body = decide("u2", "k2");
    let other = decide("u3", "k2");
    tokio::join!(lab.post_hooked("work 150ms", DECIDE, &body), later(&lab, &other));
    assert_eq!(lab.post(DECIDE, &body).await.member("/replayed"), "true");
}

#[tokio::test]
async fn todays_answer_is_the_first_one_while_nothing_changed() {
    let lab = Lab::open(policy("replays-todays-answer")).await;
    let (first, replay) = replay(&lab).await;
    let mut replay = replay.json();
    replay.remove(&"/replayed".parse().unwrap());
    assert_eq!(replay.to_string(), first.text);
    assert_eq!(events(&lab, &["e", "e"]).await.member("/duplicates"), "1");
}

#[tokio::test]
async fn surrogates_are_replaced_in_names_too_and_only_there_where_they_are_broken() {
    let lab = Lab::open(policy("replaces-lone-surrogates")).await;
    let body = decide("u", "k").replace("\"n\"", "\"n\\udc00\"").replace("\"b\"", "\"\\ud83d\\ude00\\ud83d\"");
    let context = lab.post(DECIDE, &body).await.member("/context");
    assert_eq!(context, "{\"n\u{fffd}\":1.50,\"list\":[\"\u{1f600}\u{fffd}\",\"a\"]}");
}

fn policy(name: &str) -> Policy {
    saboteurs().iter().find(|row| row.name == name).unwrap().policy
}

/// A message of so many seconds ago.
fn aged(seconds: i64) -> String {
    (jiff::Timestamp::now() - jiff::SignedDuration::from_secs(seconds)).to_string()
}

/// What the window makes of a message with this time.
async fn told_at(lab: &Lab, timestamp: &str) -> Reply {
    let lab = Lab::of(windowed(), lab.policy).await;
    let message = format!(r#"{{"messageId":"m","timestamp":"{timestamp}","visitorId":"v","event":"e"}}"#);
    lab.post_as("Bearer source-1", "/ingest", &message).await
}

/// Whether a lie shows.
async fn shows(name: &str, lab: &mut Lab) -> bool {
    match name {
        "looks-then-acts" => {
            lab.race(8, DECIDE, &decide("u", "k")).await;
            lab.decisions("u").await > 1
        }
        "loser-crashes" => lab.race(8, DECIDE, &decide("u", "k")).await.iter().any(|reply| reply.status == 500),
        "wedges-failed-keys" => {
            lab.post_hooked("fail after the effect", DECIDE, &decide("u", "k")).await;
            again(lab).await.member("/code") == "\"lock_timeout\""
        }
        "short-lease" => {
            let body = decide("u", "k");
            tokio::join!(lab.post_hooked("work 150ms", DECIDE, &body), later(lab, &body));
            lab.decisions("u").await == 2
        }
        "in-progress-before-conflict" => {
            let (body, other) = (decide("u", "k"), decide("u2", "k"));
            tokio::join!(lab.post_hooked("work 150ms", DECIDE, &body), later(lab, &other)).1.member("/code") != "absent"
        }
        "stores-refusals" => {
            lab.post_hooked("answer 403", DECIDE, &decide("u", "k")).await;
            again(lab).await.status == 403
        }
        "stores-outages" => {
            lab.post_hooked("fail before the commit", DECIDE, &decide("u", "k")).await;
            again(lab).await.status == 500
        }
        "effect-without-record" => {
            lab.post_hooked("fail after the effect", DECIDE, &decide("u", "k")).await;
            again(lab).await;
            lab.decisions("u").await == 2
        }
        "refusals-burn-keys" => {
            lab.post(DECIDE, &decide("u", "k").replace("\"u\"", "7")).await;
            again(lab).await.status == 409
        }
        "ignores-mismatch" => second(lab, decide("u2", "k")).await.status == 200,
        "heeds-no-constraint" => {
            lab.post(DECIDE, &decide("u", "k").replace("welcome_email_subject", "nothing")).await.status != 404
        }
        "hides-repeats" => !crate::reference::tests::repeats::notes_repeats(lab.policy).await,
        "compares-bytes" => second(lab, format!(" {}", decide("u", "k"))).await.status == 409,
        "ignores-query" => {
            again(lab).await;
            lab.post("/v1/decide?x=1", &decide("u", "k")).await.status == 200
        }
        "shares-keys-between-operations" => {
            again(lab).await;
            lab.post("/v1/events", &event("u", "k")).await.text != r#"{"status":"ok"}"#
        }
        "forgets-last-scope" => as_whom(lab, TEST).await.member("/replayed") == "true",
        "forgets-first-scope" => as_whom(lab, OTHER).await.member("/replayed") == "true",
        "binds-keys-to-credentials" => as_whom(lab, LIVE_AGAIN).await.member("/replayed") != "true",
        "counts-the-other-unit" => lab.post(DECIDE, &decide("u", &"\u{e9}".repeat(255))).await.status == 400,
        "crashes-on-forbidden" => lab.post(DECIDE, &decide("u", "a\\u0000")).await.status == 500,
        "replaces-lone-surrogates" => {
            lab.post(DECIDE, &decide("u", "a\\ud800")).await;
            lab.post(DECIDE, &decide("u", "a\\udc00")).await.member("/replayed") == "true"
        }
        "crashes-on-other-types" => lab.post(DECIDE, &decide("u", "k").replace("\"k\"", "7")).await.status == 500,
        "refuses-duplicates" => {
            let item = events(lab, &["e", "e"]).await.member("/results/1/error");
            let single = lab.post("/v1/events", &event("u", "e")).await;
            let conflict = "\"idempotency_error\"";
            item == conflict && (single.status, single.member("/error").as_str()) == (409, conflict)
        }
        "replays-todays-answer" => {
            let first = again(lab).await;
            lab.post("/v1/conclude", r#"{"element":"welcome_email_subject"}"#).await;
            lab.post("/v1/declare", r#"{"element":"welcome_email_subject","arms":["new"]}"#).await;
            let replay = again(lab).await;
            let kept = ["/decision_id", "/decided_at", "/user_id", "/context"];
            replay.member("/arm") == "\"new\"" && kept.iter().all(|place| first.member(place) == replay.member(place))
        }
        "requires-keys" => lab.post(DECIDE, r#"{"element":"welcome_email_subject","user_id":"u"}"#).await.status == 400,
        "stays-locked" => {
            let body = decide("u", "k");
            tokio::join!(lab.post_hooked("work 150ms", DECIDE, &body), later(lab, &body));
            again(lab).await.member("/code") == "\"lock_timeout\""
        }
        "truncates-keys" => twins(lab, &format!("{}a", "x".repeat(64)), &format!("{}b", "x".repeat(64))).await,
        "takes-long-keys" => lab.post(DECIDE, &decide("u", &"x".repeat(256))).await.status == 200,
        "folds-case" => twins(lab, "k", "K").await,
        "trims-keys" => twins(lab, "k", "k ").await,
        "folds-accents" => twins(lab, "\u{e9}", "e\u{301}").await,
        "replays-as-208" => replay(lab).await.1.status == 208,
        "replays-as-201" => replay(lab).await.1.status == 201,
        "replays-with-fresh-timestamp" => differs(lab, "/decided_at").await,
        "reverses-lists-on-replay" => differs(lab, "/context/list").await,
        "respells-numbers-on-replay" => differs(lab, "/context/n").await,
        "loses-a-member-on-replay" => differs(lab, "/context").await,
        "loses-content-type-on-replay" => replay(lab).await.1.header("content-type").is_none(),
        "never-marks" => replay(lab).await.1.member("/replayed") == "absent",
        "always-marks" => replay(lab).await.0.member("/replayed") == "true",
        "marks-with-text" => replay(lab).await.1.member("/replayed") == "\"true\"",
        "bakes-the-marker-in" => {
            replay(lab).await;
            again(lab).await.text.matches("replayed").count() == 2
        }
        "counts-one-too-few" => events(lab, &["e", "e"]).await.member("/duplicates") == "0",
        "counts-every-success" => events(lab, &["e", "f"]).await.member("/duplicates") == "2",
        "never-replays" => replay(lab).await.1.member("/replayed") == "absent",
        "each-replica-remembers-alone" => {
            again(lab).await;
            lab.post_second(DECIDE, &decide("u", "k")).await.member("/replayed") == "absent"
        }
        "forgets-at-restart" => {
            again(lab).await;
            lab.restart().await;
            again(lab).await.member("/replayed") == "absent" && lab.decisions("u").await == 2
        }
        "repeats-within-a-batch" => {
            events(lab, &["e", "e"]).await;
            lab.events("u").await == 2
        }
        "fails-the-whole-batch" => events(lab, &["e", ""]).await.status == 400,
        "reverses-results" => events(lab, &["e", ""]).await.member("/results/0/status") == "\"error\"",
        "poisoned-by-a-duplicate" => events(lab, &["e", "e", "f"]).await.member("/results/2/status") == "\"error\"",
        "merges-equal-content" => twins(lab, "k", "other").await,
        "merges-keyless-twins" => {
            for _ in 0..2 {
                lab.post("/v1/events", r#"{"event":"a","user_id":"u"}"#).await;
            }
            lab.events("u").await == 1
        }
        "ignores-keys-in-batches" => {
            events(lab, &["e"]).await;
            events(lab, &["e"]).await.member("/duplicates") == "0"
        }
        "ignores-keys-outside-batches" => replay(lab).await.1.member("/replayed") == "absent",
        "ignores-keys-in-chunks" => {
            again(lab).await;
            in_chunks(lab, decide("u", "k")).await == "absent"
        }
        "refuses-natural-repeats" => natural(lab).await.status == 409,
        "repeats-natural-rows" => {
            natural(lab).await;
            lab.count("/v1/links?anonymous_id=a", "/links").await == 2
        }
        "throttles-without-a-date" => {
            lab.post_hooked("answer 429", DECIDE, &decide("u", "k")).await.header("retry-after").is_none()
        }
        "goes-without-required-keys" => {
            let lab = Lab::of(required(), lab.policy).await;
            let charge = r#"{"amount":1,"currency":"usd","reference":"u"}"#;
            lab.post_as("Bearer caller-1", "/charges", charge).await.status == 201
        }
        "clock-runs-ahead" => told_at(lab, &aged(290)).await.status == 422,
        "trusts-its-input" => told_at(lab, "yesterday").await.status == 500,
        "gateway-hides-the-safe-retry" => hides_the_safe_retry(lab.policy).await,
        other => panic!("{other} has no probe"),
    }
}

/// The same request, under the same key, as ever.
async fn again(lab: &Lab) -> Reply {
    lab.post(DECIDE, &decide("u", "k")).await
}

async fn replay(lab: &Lab) -> (Reply, Reply) {
    let first = again(lab).await;
    tokio::time::sleep(Duration::from_millis(3)).await;
    (first, again(lab).await)
}

async fn differs(lab: &Lab, place: &str) -> bool {
    let (first, again) = replay(lab).await;
    first.member(place) != again.member(place)
}

async fn second(lab: &Lab, body: String) -> Reply {
    again(lab).await;
    lab.post(DECIDE, &body).await
}

async fn later(lab: &Lab, body: &str) -> Reply {
    tokio::time::sleep(Duration::from_millis(60)).await;
    lab.post(DECIDE, body).await
}

async fn as_whom(lab: &Lab, credential: &str) -> Reply {
    again(lab).await;
    lab.post_as(credential, DECIDE, &decide("u", "k")).await
}

/// Whether two keys are taken for one.
async fn twins(lab: &Lab, key: &str, twin: &str) -> bool {
    lab.post(DECIDE, &decide("u", key)).await;
    lab.post(DECIDE, &decide("u", twin)).await.member("/replayed") == "true"
}

async fn events(lab: &Lab, ids: &[&str]) -> Reply {
    let events: Vec<String> = ids.iter().map(|id| event("u", id)).collect();
    lab.post(EVENTS, &format!(r#"{{"events":[{}]}}"#, events.join(","))).await
}

async fn natural(lab: &Lab) -> Reply {
    let link = r#"{"anonymous_id":"a","user_id":"u"}"#;
    lab.post("/v1/identify", link).await;
    lab.post("/v1/identify", link).await
}

async fn in_chunks(lab: &Lab, body: String) -> String {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    let mut stream = tokio::net::TcpStream::connect(lab.addr(0)).await.unwrap();
    let head = "POST /v1/decide HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n";
    let request = format!("{head}Authorization: {LIVE}\r\n\r\n{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let text = answer.split_once("\r\n\r\n").unwrap().1.to_owned();
    Reply { status: 200, headers: Vec::new(), text }.member("/replayed")
}

async fn hides_the_safe_retry(policy: Policy) -> bool {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let contract = crate::reference::tests::contract::curious();
    let edge = start_edge(contract, policy, gone, ([127, 0, 0, 1], 0).into()).await.unwrap();
    let request = reqwest::Client::new().post(format!("http://{}{DECIDE}", edge.addr)).body(decide("u", "k"));
    !reply(request).await.text.contains("idempotency_key")
}
