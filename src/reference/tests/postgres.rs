//! The same promises over PostgreSQL, where one is given: `ONCEPROOF_POSTGRES=postgres://…` names an empty database.

use crate::reference::tests::lab::{Lab, decide, event};
use crate::reference::{Policy, StoreAt, honest_variants};

/// Says aloud when there is nothing to test with.
async fn lab(policy: Policy) -> Option<Lab> {
    let Ok(url) = std::env::var("ONCEPROOF_POSTGRES") else {
        println!("SKIPPED: ONCEPROOF_POSTGRES names no database, so the PostgreSQL store is not tested");
        return None;
    };
    Some(Lab::over(policy, StoreAt::Postgres(url), tempfile::tempdir().unwrap()).await)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn one_effect_of_many_copies_at_two_replicas() {
    let fresh = crate::reference::template::unique("k");
    for row in honest_variants().iter().take(2) {
        let Some(mut lab) = lab(row.policy).await else { return };
        let key = format!("{fresh}-{}", row.name);
        let body = decide(&key, &key);
        let (one, other) =
            tokio::join!(lab.race(16, "/v1/decide", &body), async { lab.post_second("/v1/decide", &body).await });
        assert!(one.iter().chain([&other]).all(|reply| reply.status == 200 || row.kind == "H01"), "{one:?}");
        let raced = lab.race(16, "/v1/events", &event(&key, &key)).await;
        assert_eq!(raced.iter().filter(|reply| reply.member("/duplicate") == "true").count(), 15);
        assert_eq!((lab.decisions(&key).await, lab.events(&key).await), (1, 1));
        let link = format!(r#"{{"anonymous_id":"{key}","user_id":"{key}"}}"#);
        assert!(lab.race(16, "/v1/identify", &link).await.iter().all(|reply| reply.status == 200));
        assert_eq!(lab.count(&format!("/v1/links?anonymous_id={key}"), "/links").await, 1);
        lab.post_hooked("fail after the effect", "/v1/events", &event(&key, &format!("{key}-2"))).await;
        assert_eq!(lab.events(&key).await, 1);
        lab.restart().await;
        assert_eq!(lab.post("/v1/decide", &body).await.member("/replayed"), "true");
        assert_eq!(lab.post("/v1/decide", &decide("another", &key)).await.status, 409);
    }
}
