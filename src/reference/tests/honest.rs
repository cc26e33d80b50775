//! The honest variants: each keeps the contract, and does otherwise what it says that it does otherwise.

use crate::json::Json;
use crate::reference::honest_variants;
use crate::reference::tests::lab::{Lab, decide, event};

async fn lab(name: &str) -> Lab {
    Lab::open(honest_variants().iter().find(|row| row.name == name).unwrap().policy).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_variant_replays_refuses_and_does_once() {
    for row in honest_variants() {
        let mut lab = Lab::open(row.policy).await;
        let first = lab.post("/v1/decide", &decide("u1", "k1")).await;
        let again = lab.post_second("/v1/decide", &decide("u1", "k1")).await;
        let marker = "/replayed".parse().unwrap();
        let (mut one, mut other) = (first.json(), again.json());
        assert_ne!(one.remove(&marker), Some(Json::Bool(true)), "{}", row.name);
        assert_eq!(other.remove(&marker), Some(Json::Bool(true)), "{}", row.name);
        assert!(one.same_content(&other), "{}", row.name);
        assert_eq!(lab.post("/v1/decide", &decide("u2", "k1")).await.status, 409, "{}", row.name);
        let raced = lab.race(8, "/v1/decide", &decide("u3", "k3")).await;
        let allowed = |status, code: &str| status == 200 || (status == 409 && code == "\"lock_timeout\"");
        assert!(raced.iter().all(|reply| allowed(reply.status, &reply.member("/code"))), "{} {raced:?}", row.name);
        let raced = lab.race(8, "/v1/events", &event("u3", "e3")).await;
        assert!(raced.iter().all(|reply| reply.status == 200), "{} {raced:?}", row.name);
        assert_eq!((lab.decisions("u3").await, lab.events("u3").await), (1, 1), "{}", row.name);
        for hook in ["fail before the commit", "fail after the effect"] {
            assert_eq!(lab.post_hooked(hook, "/v1/decide", &decide("u4", "k4")).await.status, 500);
        }
        assert_ne!(lab.post("/v1/decide", &decide("u4", "k4")).await.member("/replayed"), "true", "{}", row.name);
        lab.restart().await;
        assert_eq!(lab.post("/v1/decide", &decide("u4", "k4")).await.member("/replayed"), "true", "{}", row.name);
        assert_eq!(lab.decisions("u4").await, 1, "{}", row.name);
    }
}

#[tokio::test]
async fn a_second_copy_is_told_that_the_first_is_in_progress() {
    let lab = lab("tells-in-progress").await;
    let body = decide("u1", "k1");
    let later = async |body: &str| {
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        lab.post_second("/v1/decide", body).await
    };
    let (other, batch) = (decide("u2", "k1"), format!(r#"{{"items":[{}]}}"#, decide("u1", "k1")));
    let in_batch = async {
        tokio::time::sleep(std::time::Duration::from_millis(60)).await;
        lab.post("/v1/decide/batch", &batch).await
    };
    let first = lab.post_hooked("work 250ms", "/v1/decide", &body);
    let (first, copy, other, batch) = tokio::join!(first, later(&body), later(&other), in_batch);
    assert_eq!(first.status, 200);
    let told = r#"{"error":"conflict","code":"lock_timeout","message":"the same key is being decided"}"#;
    assert_eq!(copy.told(), (409, told));
    assert_eq!(batch.member("/results/0"), format!("{{\"status\":\"error\",{}", reordered(told)));
    assert_eq!(other.member("/error"), "\"idempotency_error\"");
    assert_eq!(lab.post("/v1/decide", &body).await.member("/replayed"), "true");
}

/// The contract's test for an item in progress names the code, so that it comes first in the item.
fn reordered(told: &str) -> String {
    let code = r#""code":"lock_timeout","#;
    format!("{code}{}", told.trim_start_matches('{').replace(code, ""))
}

#[tokio::test]
async fn a_first_answer_may_say_that_it_is_no_replay() {
    let lab = lab("marks-first-answers-false").await;
    assert_eq!(lab.post("/v1/decide", &decide("u1", "k1")).await.member("/replayed"), "false");
    assert_eq!(lab.post("/v1/events", &event("u1", "e1")).await.text, r#"{"status":"ok","duplicate":false}"#);
}

#[tokio::test]
async fn a_counter_of_nothing_may_be_left_out() {
    let lab = lab("leaves-zero-counters-out").await;
    let batch = format!(r#"{{"events":[{}]}}"#, event("u1", "e1"));
    assert_eq!(lab.post("/v1/events/batch", &batch).await.text, r#"{"results":[{"status":"ok"}]}"#);
    assert_eq!(lab.post("/v1/events/batch", &batch).await.member("/duplicates"), "1");
}

#[tokio::test]
async fn answers_may_be_spelled_otherwise_and_say_more() {
    let spelled = lab("indents-answers").await.post("/v1/events", &event("u1", "e1")).await;
    assert_eq!(spelled.text, "{\n  \"status\": \"ok\"\n}");
    let reversed = lab("reverses-members").await.post("/v1/decide", "{}").await;
    assert!(reversed.text.starts_with(r#"{"message":"#), "{}", reversed.text);
    let more = lab("adds-members").await.post("/v1/events", &event("u1", "e1")).await;
    assert_eq!(more.member("/x_number"), "1.50e2");
}
