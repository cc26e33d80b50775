//! What an honest client sends, and what it tells.

use std::time::Duration;

use crate::contract::KeyForm;
use crate::history::Told;
use crate::json::Json;
use crate::reference::client::tests::origin::{Reply, later, ok, says};
use crate::reference::client::tests::shop::{Visit, gaps, keys, seconds};

const FRESH: &str = r#"{"id":"o1"}"#;

#[tokio::test]
async fn a_success_is_told_and_not_asked_for_again() {
    let (told, seen) = Visit::to("order").meets(vec![ok(FRESH)]).await;
    assert_eq!((told, seen.len()), (Told::Success, 1));
    let first = &seen[0];
    assert_eq!((first.method.as_str(), first.target.as_str()), ("POST", "/orders?table=4"));
    assert_eq!(first.header("content-type"), Some("application/json"));
    assert_eq!(first.header("authorization"), Some("Bearer guest"));
    let key = first.at("/order_key").unwrap();
    assert!(KeyForm { text: "tea:<uuid>".to_owned() }.fits(key.as_str().unwrap()), "{key}");
}

#[tokio::test]
async fn a_passing_failure_is_tried_again_under_the_same_key_with_the_same_body_after_the_waits() {
    let replies = vec![says(500, "{}"), Reply::Drops, Reply::Cuts, ok(FRESH)];
    let (told, seen) = Visit::to("order").meets(replies).await;
    assert_eq!((told, seen.len()), (Told::Success, 4));
    assert!(seen.iter().all(|other| other.body == seen[0].body && other.beside == 0), "{seen:?}");
    for (gap, wait) in gaps(&seen).into_iter().zip([1, 2, 2]) {
        assert!(gap >= seconds(wait), "{gap:?}");
    }
}

#[tokio::test]
async fn what_never_succeeds_is_asked_for_as_often_as_the_contract_says() {
    let (told, seen) = Visit::to("order").meets(vec![says(503, "{}")]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 4));
    let (told, seen) = Visit::to("order").through_kiosk().meets(vec![Reply::Drops]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 6));
    let visit = Visit::to("order").through_kiosk().by("as-few-attempts-as-allowed");
    assert_eq!(visit.meets(vec![Reply::Drops]).await.1.len(), 2);
    let (told, seen) = Visit::to("order").under(|rules| rules.attempts = None).meets(vec![Reply::Drops]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 5));
}

#[tokio::test]
async fn what_is_refused_is_not_asked_for_again() {
    for reply in [says(400, "{}"), says(401, "{}"), says(409, r#"{"error":"taken"}"#), says(418, "{}"), says(302, "")] {
        let (told, seen) = Visit::to("order").meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Failure, 1));
    }
}

#[tokio::test]
async fn an_attempt_that_takes_too_long_is_given_up_and_tried_again() {
    let stall = Reply::Stalls(Duration::from_secs(10));
    let drip = Reply::Drips(FRESH.repeat(100), Duration::from_millis(20));
    for slow in [stall, drip] {
        let (told, seen) = Visit::to("order").meets(vec![slow, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2));
        assert_eq!(seen[0].body, seen[1].body);
    }
}

#[tokio::test]
async fn nobody_there_is_a_failure_in_the_end() {
    let mut visit = Visit::to("order");
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    visit.ask.base = format!("http://{free}");
    let told = crate::reference::client::perform(&visit.contract, &visit.rules, visit.policy, visit.ask).await;
    assert_eq!(told, Told::Failure);
}

#[tokio::test]
async fn an_answer_in_progress_allows_one_more_request_and_no_second() {
    let busy = || says(409, r#"{"error":"busy"}"#);
    let (told, seen) = Visit::to("order").meets(vec![busy(), ok(FRESH)]).await;
    assert_eq!((told, seen.len()), (Told::Success, 2));
    assert!(gaps(&seen)[0] >= seconds(1));
    let (told, seen) = Visit::to("order").meets(vec![busy(), busy(), ok(FRESH)]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 2));
    let (told, seen) = Visit::to("order").meets(vec![busy(), says(500, "{}"), ok(FRESH)]).await;
    assert_eq!((told, seen.len()), (Told::Success, 3), "what comes then is answered as ever");
}

#[tokio::test]
async fn a_fallback_is_served_at_once_or_after_retries_under_the_key() {
    for reply in [says(429, "{}"), says(500, "{}"), Reply::Drops] {
        let (told, seen) = Visit::to("taste").meets(vec![reply, ok("{}")]).await;
        assert_eq!((told, seen.len()), (Told::Fallback, 1));
    }
    let patient = || Visit::to("taste").by("retries-under-the-key");
    let (told, seen) = patient().meets(vec![says(500, "{}"), ok("{}")]).await;
    assert_eq!((told, seen.len()), (Told::Success, 2));
    assert_eq!(seen[0].at("/taste_key"), seen[1].at("/taste_key"));
    let (told, seen) = patient().meets(vec![says(500, "{}")]).await;
    assert_eq!((told, seen.len()), (Told::Fallback, 4));
    let (told, seen) = patient().through_kiosk().meets(vec![says(500, "{}")]).await;
    assert_eq!((told, seen.len()), (Told::Fallback, 1), "a kiosk never retries it");
}

#[tokio::test]
async fn the_key_that_the_caller_gave_is_kept_and_no_key_is_no_key() {
    let (_, seen) = Visit::to("order").wanting(r#"{"tea":"assam","order_key":"mine"}"#).meets(vec![ok(FRESH)]).await;
    assert_eq!(keys(&seen, "/order_key"), ["\"mine\""]);
    for none in [r#"{"order_key":null}"#, r#"{"order_key":""}"#] {
        let (_, seen) = Visit::to("order").wanting(none).meets(vec![ok(FRESH)]).await;
        assert!(keys(&seen, "/order_key")[0].starts_with("\"tea:"), "{seen:?}");
    }
    let mut visit = Visit::to("sip");
    visit.ask.key = Some(Json::from("mine"));
    let (_, seen) = visit.meets(vec![says(202, "")]).await;
    assert_eq!((seen[0].header("sip-key"), seen[0].header("shop-version")), (Some("mine"), Some("2")));
}

#[tokio::test]
async fn a_key_in_a_header_is_the_same_each_time_and_a_duplicate_is_a_success() {
    let (told, seen) = Visit::to("sip").meets(vec![Reply::Drops, says(409, r#"{"known":true}"#)]).await;
    assert_eq!((told, seen.len()), (Told::Success, 2));
    assert!(seen[0].header("sip-key").is_some_and(|key| key.starts_with("sip:")));
    assert_eq!(seen[0].header("sip-key"), seen[1].header("sip-key"));
    assert_eq!(seen[0].at("/order_key"), None);
}

#[tokio::test]
async fn only_what_is_not_done_of_a_batch_is_asked_for_again() {
    let partly = ok(r#"{"results":[{"id":"o1"},{"error":"later"},{"error":"later"}]}"#);
    let nearly = ok(r#"{"results":[{"id":"o2"},{"error":"later"}]}"#);
    let rest = ok(r#"{"results":[{"id":"o3","again":true}]}"#);
    let (told, seen) = Visit::to_tray().meets(vec![partly, says(500, "{}"), nearly, rest]).await;
    assert_eq!((told, seen.len()), (Told::Success, 4));
    let teas = |at: usize| -> Vec<String> {
        let orders = seen[at].at("/orders").unwrap();
        orders.as_array().unwrap().iter().map(|order| order.get("tea").unwrap().to_string()).collect()
    };
    assert_eq!(teas(0), ["\"assam\"", "\"oolong\"", "\"sencha\""]);
    assert_eq!((teas(1), teas(2)), (teas(0)[1..].to_vec(), teas(0)[1..].to_vec()));
    assert_eq!(teas(3), ["\"sencha\""]);
    assert_eq!(seen[0].at("/orders/1/order_key"), Some(Json::from("mine")));
    assert_ne!(seen[0].at("/orders/0/order_key"), seen[0].at("/orders/2/order_key"));
    assert_eq!(seen[0].at("/orders/2/order_key"), seen[3].at("/orders/0/order_key"));
    assert!(seen.iter().all(|seen| seen.at("/table") == Some(Json::from(4))));
    assert!(gaps(&seen)[0] >= seconds(1));
}

#[tokio::test]
async fn a_batch_that_is_never_done_is_a_failure_in_the_end() {
    let (told, seen) = Visit::to_tray().meets(vec![ok(r#"{"results":[{"error":"later"}]}"#)]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 4));
}

#[tokio::test]
async fn honest_variants_do_the_same_things() {
    for row in crate::reference::client::client_honest_variants() {
        let (told, seen) = Visit::to("order").by(row.name).meets(vec![says(500, "{}"), ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2), "{}", row.name);
        assert_eq!(seen[0].body, seen[1].body, "{}", row.name);
        assert!(gaps(&seen)[0] >= seconds(1), "{}", row.name);
        let (told, seen) = Visit::to("order").by(row.name).meets(vec![later(429, "4"), ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2), "{}", row.name);
        assert!(gaps(&seen)[0] >= seconds(4), "{}", row.name);
    }
}
