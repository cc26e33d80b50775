//! Copies at the same time: one effect, whatever they are and wherever they come in.

use std::time::Duration;

use crate::reference::tests::lab::{Lab, decide, event};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_copies_at_once_one_is_fresh_and_the_others_replay_it() {
    let lab = Lab::honest().await;
    let replies = lab.race(32, "/v1/decide", &decide("u1", "k1")).await;
    assert!(replies.iter().all(|reply| reply.status == 200), "{replies:?}");
    assert_eq!(replies.iter().filter(|reply| reply.member("/replayed") == "absent").count(), 1);
    assert!(replies.iter().all(|reply| reply.member("/decision_id") == replies[0].member("/decision_id")));
    assert_eq!(lab.decisions("u1").await, 1);
    let replies = lab.race(32, "/v1/events", &event("u1", "e1")).await;
    assert_eq!(replies.iter().filter(|reply| reply.member("/duplicate") == "true").count(), 31);
    assert_eq!(lab.events("u1").await, 1);
}

#[tokio::test]
async fn a_copy_at_the_other_replica_waits_for_the_first() {
    let lab = Lab::honest().await;
    let body = decide("u1", "k1");
    let first = lab.post_hooked("work 120ms", "/v1/decide", &body);
    let second = async {
        tokio::time::sleep(Duration::from_millis(40)).await;
        lab.post_second("/v1/decide", &body).await
    };
    let (first, second) = tokio::join!(first, second);
    assert_eq!(first.member("/replayed"), "absent");
    assert_eq!(second.member("/replayed"), "true");
    assert_eq!(first.member("/decision_id"), second.member("/decision_id"));
}

#[tokio::test]
async fn a_caller_that_leaves_does_not_stop_what_was_begun() {
    let lab = Lab::honest().await;
    let body = decide("u1", "k1");
    let leaving = lab.post_hooked("work 80ms", "/v1/decide", &body);
    assert!(tokio::time::timeout(Duration::from_millis(30), leaving).await.is_err());
    assert_eq!(lab.post("/v1/decide", &body).await.member("/replayed"), "true");
    assert_eq!(lab.decisions("u1").await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn batches_in_opposite_orders_do_not_lock_each_other_out() {
    let lab = Lab::honest().await;
    let (forth, back) = (
        format!(r#"{{"items":[{},{}]}}"#, decide("u1", "a"), decide("u1", "b")),
        format!(r#"{{"items":[{},{}]}}"#, decide("u1", "b"), decide("u1", "a")),
    );
    for _ in 0..10 {
        let (one, other) =
            tokio::join!(lab.post("/v1/decide/batch", &forth), lab.post_second("/v1/decide/batch", &back));
        assert_eq!((one.status, other.status), (200, 200));
    }
    assert_eq!(lab.decisions("u1").await, 2);
}
