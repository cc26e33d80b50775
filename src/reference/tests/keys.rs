//! Keys: what one may be, where it counts, and what leaves it free.

use crate::reference::tests::lab::{LIVE, LIVE_AGAIN, Lab, OTHER, TEST, decide, event, reply};

#[tokio::test]
async fn a_key_is_any_text_of_its_length_in_characters() {
    let lab = Lab::honest().await;
    let keys = ["k", " k ", "\u{e9}", "e\u{301}", "K", "\\u0001\\n", "\u{1f600}", "a/b%2F", &"\u{e9}".repeat(255)];
    let astral = "\u{1f600}".repeat(255);
    for key in keys.into_iter().chain([astral.as_str()]) {
        let fresh = lab.post("/v1/decide", &decide("u1", key)).await;
        assert_eq!((fresh.status, fresh.member("/replayed")), (200, "absent".to_owned()), "{key}");
        assert_eq!(lab.post("/v1/decide", &decide("u1", key)).await.member("/replayed"), "true", "{key}");
    }
    for key in ["", "a\\u0000b", "\\ud800", "x\\udc00", &"x".repeat(256)] {
        assert_eq!(lab.post("/v1/decide", &decide("u2", key)).await.status, 400, "{key}");
    }
    for key in ["7", "{}", "true"] {
        let body = decide("u2", "K").replace("\"K\"", key);
        assert_eq!(lab.post("/v1/decide", &body).await.status, 400, "{key}");
    }
    assert_eq!(lab.decisions("u2").await, 0);
    for _ in 0..2 {
        let without = decide("u3", "K").replace("\"K\"", "null");
        assert_eq!(lab.post("/v1/decide", &without).await.member("/replayed"), "absent");
    }
    assert_eq!(lab.decisions("u3").await, 2);
}

#[tokio::test]
async fn keys_count_for_one_organization_and_environment_and_one_operation() {
    let lab = Lab::honest().await;
    lab.post("/v1/decide", &decide("u1", "k")).await;
    let marked = async |credential| lab.post_as(credential, "/v1/decide", &decide("u1", "k")).await.member("/replayed");
    assert_eq!([marked(LIVE_AGAIN).await, marked(TEST).await, marked(OTHER).await], ["true", "absent", "absent"]);
    assert_eq!(lab.post("/v1/events", &event("u1", "k")).await.text, r#"{"status":"ok"}"#);
    assert_eq!(lab.decisions("u1").await, 1);
    let other = reply(lab.request("GET", "/v1/decisions?user_id=u1").header("Authorization", TEST)).await;
    assert_ne!(other.text, lab.get("/v1/decisions?user_id=u1").await.text);
}

#[tokio::test]
async fn failures_leave_the_key_free_and_nothing_behind() {
    let lab = Lab::honest().await;
    let body = decide("u1", "k");
    let hooks =
        [("answer 403", 403), ("answer 429", 429), ("fail before the commit", 500), ("fail after the effect", 500)];
    for (hook, status) in hooks {
        let failed = lab.post_hooked(hook, "/v1/decide", &body).await;
        assert_eq!(failed.status, status);
        assert_eq!(failed.header("retry-after"), (status == 429).then_some("1"));
        assert_eq!(lab.decisions("u1").await, 0, "{hook}");
    }
    lab.post("/v1/decide", &body.replace("\"u1\"", "7")).await;
    lab.post("/v1/decide", &body.replace("welcome_email_subject", "nothing")).await;
    assert_eq!(lab.post("/v1/decide", &body).await.member("/replayed"), "absent");
    assert_eq!(lab.decisions("u1").await, 1);
    assert_eq!(lab.post_hooked("dance", "/v1/decide", &body).await.status, 400);
}

#[tokio::test]
async fn who_records_later_keeps_the_effect_of_a_handler_that_fails() {
    let saboteur = crate::reference::saboteurs().iter().find(|row| row.name == "effect-without-record").unwrap();
    let lab = Lab::open(saboteur.policy).await;
    let body = decide("u1", "k");
    assert_eq!(lab.post_hooked("fail after the effect", "/v1/decide", &body).await.status, 500);
    assert_eq!(lab.decisions("u1").await, 1);
    assert_eq!(lab.post("/v1/decide", &body).await.member("/replayed"), "absent");
    assert_eq!(lab.decisions("u1").await, 2);
}

#[tokio::test]
async fn a_batch_whose_handler_fails_leaves_nothing() {
    let lab = Lab::honest().await;
    let body = format!(r#"{{"events":[{},{}]}}"#, event("u1", "a"), event("u1", "b"));
    for hook in ["fail before the commit", "fail after the effect"] {
        assert_eq!(lab.post_hooked(hook, "/v1/events/batch", &body).await.status, 500);
        assert_eq!(lab.events("u1").await, 0);
    }
    assert_eq!(lab.post("/v1/events/batch", &body).await.member("/duplicates"), "0");
}

#[tokio::test]
async fn hooks_can_be_turned_off() {
    let service = crate::reference::Service {
        hooks: false,
        ..crate::reference::Service::new(crate::reference::tests::contract::curious())
    };
    let server = crate::reference::start(service, ([127, 0, 0, 1], 0).into()).await.unwrap();
    let request = reqwest::Client::new().post(format!("http://{}/v1/events", server.addr));
    let hooked = request.header("Authorization", LIVE).header(crate::reference::HOOK_HEADER, "answer 429");
    assert_eq!(reply(hooked.body(event("u", "e"))).await.status, 200);
    server.stop().await;
}
