//! A client that was ended in the middle and is asked again.

use std::time::Duration;

use crate::history::Told;
use crate::reference::client::tests::origin::{Origin, Reply, ok};
use crate::reference::client::tests::shop::{Visit, keys};

/// Asks, is ended while its first request is held, and is asked again: the keys on the wire.
async fn resumed(visit: Visit, place: &str) -> Vec<String> {
    let held = Reply::Stalls(Duration::from_secs(30));
    let origin = Origin::with(vec![held, ok(r#"{"id":"o1","results":[{"id":"o1"},{"id":"o2"},{"id":"o3"}]}"#)]).await;
    tokio::select! {
        told = visit.at(&origin) => panic!("{told:?} while its request was held"),
        () = origin.came(1) => {}
    }
    assert_eq!(visit.at(&origin).await, Told::Success);
    let seen = origin.seen();
    assert_eq!(seen.len(), 2);
    keys(&seen, place)
}

#[tokio::test]
async fn it_goes_on_under_the_same_key() {
    for (visit, place) in [(Visit::to("order"), "/order_key"), (Visit::to_tray(), "/orders/2/order_key")] {
        let keys = resumed(visit, place).await;
        assert_eq!(keys[0], keys[1]);
    }
}

#[tokio::test]
async fn one_that_forgets_mints_another() {
    let keys = resumed(Visit::to("order").by("forgets-at-its-end"), "/order_key").await;
    assert_ne!(keys[0], keys[1]);
}

#[tokio::test]
async fn two_wishes_carry_two_keys_and_a_failed_one_keeps_its_own() {
    let visit = Visit::to("order");
    let origin = Origin::with(vec![ok(r#"{"id":"o1"}"#)]).await;
    visit.at(&origin).await;
    visit.at(&origin).await;
    let apart = keys(&origin.seen(), "/order_key");
    assert_ne!(apart[0], apart[1], "the first was done, so this is another");

    let visit = Visit::to("order");
    let origin = Origin::with(vec![Reply::Drops, Reply::Drops, Reply::Drops, Reply::Drops, ok(r#"{"id":"o1"}"#)]).await;
    assert_eq!(visit.at(&origin).await, Told::Failure);
    assert_eq!(visit.at(&origin).await, Told::Success);
    let same = keys(&origin.seen(), "/order_key");
    assert!(same.iter().all(|key| *key == same[0]), "any of them may have done it: {same:?}");
}

#[tokio::test]
async fn the_same_seed_mints_the_same_keys_and_another_mints_others() {
    let mut minted = Vec::new();
    for bits in [7, 7, 8] {
        let mut visit = Visit::to("order");
        visit.ask.bits = bits;
        minted.extend(keys(&visit.meets(vec![ok(r#"{"id":"o1"}"#)]).await.1, "/order_key"));
    }
    assert_eq!(minted[0], minted[1]);
    assert_ne!(minted[0], minted[2]);
}
