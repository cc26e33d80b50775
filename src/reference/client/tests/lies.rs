//! Every saboteur lies on the wire, or in what it tells.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::history::Told;
use crate::json::Json;
use crate::reference::client::tests::origin::{Origin, Reply, later, ok, says};
use crate::reference::client::tests::shop::{Visit, keys};

const FRESH: &str = r#"{"id":"o1"}"#;

fn failing() -> Vec<Reply> {
    vec![says(500, "{}"), says(500, "{}"), ok(FRESH)]
}

#[tokio::test]
async fn who_mints_again_carries_more_than_one_key() {
    for name in ["new-key-each-time", "derives-keys-from-the-clock"] {
        let (told, seen) = Visit::to("order").by(name).meets(failing()).await;
        let apart: BTreeSet<_> = keys(&seen, "/order_key").into_iter().collect();
        assert_eq!((told, apart.len()), (Told::Success, 3), "{name}: {apart:?}");
    }
}

#[tokio::test]
async fn who_leaves_the_key_out_carries_none() {
    let (_, seen) = Visit::to("order").by("sends-no-key").meets(failing()).await;
    assert_eq!(keys(&seen, "/order_key"), ["none", "none", "none"]);
    let (_, seen) = Visit::to("sip").by("sends-no-key").meets(vec![says(202, "")]).await;
    assert_eq!(seen[0].header("sip-key"), None);
    let (_, seen) = Visit::to("order").by("retries-without-the-key").meets(failing()).await;
    assert_eq!(keys(&seen, "/order_key")[1..], ["none", "none"]);
    let (told, seen) = Visit::to("taste").by("retries-keyless-for-a-fallback").meets(failing()).await;
    assert_eq!(told, Told::Success);
    assert_ne!(keys(&seen, "/taste_key")[0], "none");
    assert_eq!(keys(&seen, "/taste_key")[1..], ["none", "none"]);
}

#[tokio::test]
async fn who_mints_wrongly_carries_another_key_than_it_should() {
    let given = r#"{"tea":"assam","order_key":"mine"}"#;
    let (_, seen) = Visit::to("order").wanting(given).by("mints-over-given-keys").meets(failing()).await;
    assert!(keys(&seen, "/order_key").iter().all(|key| key.starts_with("\"tea:")));
    let mut same = BTreeSet::new();
    for tea in [r#"{"tea":"assam"}"#, r#"{"tea":"oolong"}"#] {
        let (_, seen) = Visit::to("order").wanting(tea).by("one-key-for-everything").meets(vec![ok(FRESH)]).await;
        same.extend(keys(&seen, "/order_key"));
    }
    assert_eq!(same.len(), 1);
    let visit = Visit::to("order").by("keys-of-its-own-form");
    let (_, seen) = visit.meets(failing()).await;
    let form = &visit.rules.mints["order"];
    assert!(seen.iter().all(|seen| !form.fits(seen.at("/order_key").unwrap().as_str().unwrap())));
}

#[tokio::test]
async fn a_transport_that_resends_asks_more_often_than_anybody_counts() {
    let (told, seen) = Visit::to("order").by("transport-resends").meets(vec![Reply::Drops]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 8));
    let visit = Visit::to("taste").through_kiosk().by("transport-resends");
    assert_eq!(visit.meets(vec![Reply::Drops]).await.1.len(), 2, "what must never be asked for twice is");
}

#[tokio::test]
async fn who_loses_the_body_sends_another() {
    for name in ["retries-without-a-body", "cuts-the-body-on-retry", "counts-attempts-in-the-body"] {
        let (_, seen) = Visit::to("order").by(name).meets(failing()).await;
        assert_ne!(seen[0].body, seen[1].body, "{name}");
        match name {
            "retries-without-a-body" => assert_eq!(seen[1].body, ""),
            "cuts-the-body-on-retry" => assert!(seen[0].body.starts_with(&seen[1].body) && !seen[1].body.is_empty()),
            _ => assert_eq!((seen[1].at("/attempt"), seen[2].at("/attempt")), (Some(2.into()), Some(3.into()))),
        }
    }
}

#[tokio::test]
async fn who_takes_refusals_for_passing_asks_again() {
    for (name, status, requests) in [
        ("retries-refusals", 400, 4),
        ("retries-refusals", 404, 4),
        ("retries-above-400", 400, 1),
        ("retries-above-400", 401, 4),
    ] {
        let (told, seen) = Visit::to("order").by(name).meets(vec![says(status, "{}")]).await;
        assert_eq!((told, seen.len()), (Told::Failure, requests), "{name} {status}");
    }
}

#[tokio::test]
async fn who_gives_up_on_what_passes_does_not_ask_again() {
    let busy = says(409, r#"{"error":"busy"}"#);
    for (name, reply) in [
        ("gives-up-on-429", later(429, "1")),
        ("gives-up-on-timeouts", Reply::Stalls(Duration::from_secs(10))),
        ("gives-up-on-timeouts", says(408, "{}")),
        ("gives-up-on-drops", Reply::Drops),
        ("gives-up-in-progress", busy),
    ] {
        let (told, seen) = Visit::to("order").by(name).meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Failure, 1), "{name}");
    }
}

#[tokio::test]
async fn who_hammers_asks_over_and_over() {
    let busy = says(409, r#"{"error":"busy"}"#);
    let (told, seen) = Visit::to("order").by("hammers-in-progress").meets(vec![busy]).await;
    assert_eq!((told, seen.len()), (Told::Failure, 4));
}

#[tokio::test]
async fn who_miscounts_asks_too_often_or_too_seldom() {
    for (name, requests) in [("one-attempt-too-many", 5), ("one-attempt-too-few", 3)] {
        assert_eq!(Visit::to("order").by(name).meets(vec![says(500, "{}")]).await.1.len(), requests, "{name}");
    }
    let origin = Origin::with(vec![says(500, "{}")]).await;
    tokio::select! {
        told = async { Visit::to("order").by("never-gives-up").at(&origin).await } => panic!("{told:?}"),
        () = origin.came(7) => {}
    }
}

#[tokio::test]
async fn who_tells_another_end_than_it_came_to() {
    for (name, operation, reply, told) in [
        ("exhaustion-is-success", "order", says(500, "{}"), Told::Success),
        ("swallows-refusals", "order", says(400, "{}"), Told::Success),
        ("takes-duplicates-for-failures", "sip", says(409, r#"{"known":true}"#), Told::Failure),
        ("takes-duplicates-for-failures", "order", ok(r#"{"id":"o1","again":true}"#), Told::Failure),
        ("tells-fallbacks-as-success", "taste", says(500, "{}"), Told::Success),
        ("serves-no-fallback", "taste", says(429, "{}"), Told::Failure),
        ("takes-redirects-for-success", "order", says(307, ""), Told::Success),
    ] {
        assert_eq!(Visit::to(operation).by(name).meets(vec![reply]).await.0, told, "{name}");
    }
}

#[tokio::test]
async fn who_retries_before_the_fallback_serves_it_late() {
    let (told, seen) = Visit::to("taste").by("retries-before-the-fallback").meets(vec![says(429, "{}")]).await;
    assert_eq!((told, seen.len()), (Told::Fallback, 4));
}

#[tokio::test]
async fn who_misreads_a_batch_asks_for_too_much_or_too_little() {
    let partly = || ok(r#"{"results":[{"id":"o1"},{"error":"later"},{"id":"o3"}]}"#);
    let all = ok(r#"{"results":[{"id":"o1"},{"id":"o2"},{"id":"o3"}]}"#);
    let (told, seen) = Visit::to_tray().by("resends-whole-batches").meets(vec![partly(), all]).await;
    assert_eq!((told, seen.len()), (Told::Success, 2));
    assert_eq!(seen[0].body, seen[1].body);
    let (told, seen) = Visit::to_tray().by("drops-what-is-left").meets(vec![partly()]).await;
    assert_eq!((told, seen.len()), (Told::Success, 1));
    let (told, seen) = Visit::to_tray().by("new-key-each-time").meets(vec![says(500, "{}")]).await;
    let apart: BTreeSet<_> = keys(&seen, "/orders/2/order_key").into_iter().collect();
    assert_eq!((told, apart.len()), (Told::Failure, 4));
}

#[tokio::test]
async fn a_second_hand_sends_the_same_again() {
    let slow = Reply::After(Duration::from_millis(300), Box::new(ok(FRESH)));
    let (told, seen) =
        Visit::to("order").by("flushes-with-the-retry").meets(vec![says(500, "{}"), slow.clone(), slow]).await;
    assert_eq!((told, seen.len()), (Told::Success, 3));
    assert!(seen.iter().any(|seen| seen.beside > 0), "both were on their way");
    assert!(seen.iter().all(|other| other.body == seen[0].body));
    let (told, seen) = Visit::to("order").by("flushes-during-the-wait").meets(failing()).await;
    assert_eq!((told, seen.len()), (Told::Success, 3));
}

#[tokio::test]
async fn a_redirected_request_becomes_one_without_a_body() {
    for status in [301, 302, 303] {
        let moved = Reply::Says(status, vec![("Location", "/elsewhere".to_owned())], String::new());
        let (told, seen) = Visit::to("order").by("redirect-becomes-get").meets(vec![moved, ok("welcome")]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2));
        assert_eq!((seen[1].method.as_str(), seen[1].target.as_str()), ("GET", "/elsewhere"));
        assert_eq!(seen[1].json(), Json::Null);
    }
}

#[tokio::test]
async fn an_attempt_without_a_bound_is_waited_for() {
    // Longer than an attempt may take as a whole, and never that long between two bytes.
    let drip = Reply::Drips(FRESH.to_owned(), Duration::from_millis(80));
    let late = Reply::After(Duration::from_millis(900), Box::new(ok(FRESH)));
    for (name, reply, requests) in [
        ("bounds-reads-only", drip.clone(), 1),
        ("bounds-nothing", drip.clone(), 1),
        ("bounds-nothing", late.clone(), 1),
        ("bounds-reads-only", late, 2),
        ("honest-client", drip, 2),
    ] {
        let (told, seen) = Visit::to("order").by(name).meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, requests), "{name}");
    }
}
