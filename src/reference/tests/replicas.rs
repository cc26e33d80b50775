//! Several replicas over one store, and what is left after a restart.

use crate::reference::tests::lab::{Lab, decide, event};

#[tokio::test]
async fn keys_and_effects_outlive_a_restart_and_are_known_at_every_replica() {
    let mut lab = Lab::honest().await;
    let first = lab.post("/v1/decide", &decide("u1", "k1")).await;
    lab.post("/v1/events", &event("u1", "e1")).await;
    assert_eq!(lab.post_second("/v1/decide", &decide("u1", "k1")).await.member("/replayed"), "true");
    lab.restart().await;
    let again = lab.post_second("/v1/decide", &decide("u1", "k1")).await;
    assert_eq!(again.member("/decision_id"), first.member("/decision_id"));
    assert_eq!(again.member("/replayed"), "true");
    assert_eq!(lab.post("/v1/events", &event("u1", "e1")).await.member("/duplicate"), "true");
    assert_eq!((lab.decisions("u1").await, lab.events("u1").await), (1, 1));
    assert_eq!(lab.post("/v1/decide", &decide("u1-b", "k1")).await.status, 409);
}

#[tokio::test]
async fn what_was_there_from_the_start_is_not_put_back_by_a_restart() {
    let mut lab = Lab::honest().await;
    lab.post("/v1/conclude", r#"{"element":"checkout_button"}"#).await;
    lab.restart().await;
    assert_eq!(lab.get("/v1/elements/checkout_button").await.member("/state"), "\"concluded\"");
    assert_eq!(lab.count("/v1/decisions?user_id=u1", "/decisions").await, 0);
}
