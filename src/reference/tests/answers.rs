//! Every answer of the contract, pinned by hand.

use crate::reference::tests::lab::{LIVE, Lab, decide, event, reply};

fn check(reply: &crate::reference::tests::lab::Reply, status: u16, text: &str) {
    assert_eq!(reply.told(), (status, text));
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

#[tokio::test]
async fn a_decide_is_answered_and_replayed_verbatim_with_its_marker() {
    let lab = Lab::honest().await;
    let first = lab.post("/v1/decide", &decide("u1", "k1")).await;
    let (id, arm, at) = (first.member("/decision_id"), first.member("/arm"), first.member("/decided_at"));
    let members = format!(
        r#""decision_id":{id},"element":"welcome_email_subject","user_id":"u1","arm":{arm},"decided_at":{at},"context":{{"n":1.50,"list":["b","a"]}}"#
    );
    check(&first, 200, &format!("{{{members}}}"));
    assert!(["\"control\"", "\"playful\""].contains(&arm.as_str()));
    assert!(at.len() == "\"2026-01-01T00:00:00.000Z\"".len() && at.ends_with("Z\""), "{at}");
    for _ in 0..2 {
        check(&lab.post("/v1/decide", &decide("u1", "k1")).await, 200, &format!("{{{members},\"replayed\":true}}"));
    }
    assert_eq!(lab.decisions("u1").await, 1);
}

#[tokio::test]
async fn a_second_decide_for_a_user_ends_the_observation_of_the_first() {
    let lab = Lab::honest().await;
    let first = lab.post("/v1/decide", &decide("u2", "k1")).await;
    let second = lab.post("/v1/decide", r#"{"element":"welcome_email_subject","user_id":"u2"}"#).await;
    assert_eq!(second.member("/context"), "absent");
    let row = |reply: &crate::reference::tests::lab::Reply, key: &str, observation: &str| {
        format!(
            r#"{{"decision_id":{},"element":"welcome_email_subject","user_id":"u2","arm":{},"idempotency_key":{key},"observation":"{observation}"}}"#,
            reply.member("/decision_id"),
            reply.member("/arm"),
        )
    };
    let expected = format!(r#"{{"decisions":[{},{}]}}"#, row(&first, r#""k1""#, "ended"), row(&second, "null", "open"));
    check(&lab.get("/v1/decisions?user_id=u2").await, 200, &expected);
    check(&lab.get("/v1/decisions?user_id=nobody").await, 200, r#"{"decisions":[]}"#);
}

#[tokio::test]
async fn another_request_under_a_key_is_a_conflict_and_another_spelling_is_not() {
    let lab = Lab::honest().await;
    let body = |user: &str, context: &str| {
        format!(r#"{{"element":"checkout_button","user_id":"{user}","idempotency_key":"k3","context":{context}}}"#)
    };
    lab.post("/v1/decide", &body("u3", r#"{"a":1,"b":[1,2]}"#)).await;
    let conflict =
        r#"{"error":"idempotency_error","message":"idempotency_key was already used with a different request"}"#;
    check(&lab.post("/v1/decide", &body("u3-b", r#"{"a":1,"b":[1,2]}"#)).await, 409, conflict);
    check(&lab.post("/v1/decide", &body("u3", r#"{"a":1,"b":[2,1]}"#)).await, 409, conflict);
    check(&lab.post("/v1/decide?x=1", &body("u3", r#"{"a":1,"b":[1,2]}"#)).await, 409, conflict);
    let respelled = " {\"context\" : {\"b\":[1,2],\"a\":0,\"\\u0061\":1}, \"idempotency_key\":\"k3\",\n\"user_id\":\"u3\",\"element\":\"checkout_button\"}";
    assert_eq!(lab.post("/v1/decide", respelled).await.member("/replayed"), "true");
}

#[tokio::test]
async fn a_dry_run_only_validates() {
    let lab = Lab::honest().await;
    check(&lab.post("/v1/decide?dry_run=1", &decide("u4", "k4")).await, 200, r#"{"valid":true}"#);
    assert_eq!(lab.decisions("u4").await, 0);
    assert_eq!(lab.post("/v1/decide", &decide("u4", "k4")).await.member("/replayed"), "absent");
}

#[tokio::test]
async fn what_is_refused_is_refused_in_the_words_of_the_contract() {
    let lab = Lab::honest().await;
    let no_such = decide("u5", "k5").replace("welcome_email_subject", "nothing");
    check(
        &lab.post("/v1/decide", &no_such).await,
        404,
        r#"{"error":"not_found","message":"there is no such element"}"#,
    );
    check(&lab.get("/nowhere").await, 404, r#"{"error":"not_found","message":"there is nothing here"}"#);
    let wrong_method = reply(lab.request("PUT", "/v1/decide").header("Authorization", LIVE)).await;
    check(&wrong_method, 405, r#"{"error":"method_not_allowed","message":"this path takes another method"}"#);
    assert_eq!(wrong_method.header("allow"), Some("POST"));
    let stranger = r#"{"error":"unauthorized","message":"a known API key is required"}"#;
    check(&reply(lab.request("POST", "/v1/decide").body(decide("u5", "k5"))).await, 401, stranger);
    check(&lab.post_as("Bearer unknown", "/v1/decide", &decide("u5", "k5")).await, 401, stranger);
    let missing = lab.post("/v1/decide", r#"{"element":"checkout_button"}"#).await;
    check(&missing, 400, r#"{"error":"invalid_request","message":"`user_id` is required"}"#);
    for wrong in [
        r#"{"element":7,"user_id":"u5"}"#,
        r#"{"element":"checkout_button","user_id":"u5","context":[]}"#,
        r#"{"element":"checkout_button","user_id":"u5","context":{"a":"\ud800"}}"#,
        r#"{"element":"checkout_button","user_id":"u5","\ud800":1}"#,
        "{",
        "[]",
        "",
    ] {
        let refused = lab.post("/v1/decide", wrong).await;
        assert_eq!((refused.status, refused.member("/error").as_str()), (400, "\"invalid_request\""), "{wrong}");
    }
    assert_eq!(lab.decisions("u5").await, 0);
}

#[tokio::test]
async fn only_plain_json_is_taken_and_its_type_may_be_left_out() {
    let lab = Lab::honest().await;
    let send = async |headers: &[(&str, &str)]| {
        let mut request = lab.request("POST", "/v1/events").header("Authorization", LIVE).body(event("u6", "e"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        reply(request).await.status
    };
    assert_eq!(send(&[]).await, 200);
    assert_eq!(send(&[("Content-Type", "Application/JSON; charset=utf-8")]).await, 200);
    assert_eq!(send(&[("Content-Type", "text/plain")]).await, 400);
    assert_eq!(send(&[("Content-Encoding", "gzip")]).await, 400);
}

#[tokio::test]
async fn an_event_is_counted_once_and_never_conflicts() {
    let lab = Lab::honest().await;
    check(&lab.post("/v1/events", &event("u7", "e7")).await, 200, r#"{"status":"ok"}"#);
    check(&lab.post("/v1/events", &event("u7", "e7")).await, 200, r#"{"status":"ok","duplicate":true}"#);
    check(&lab.post("/v1/events", &event("u7-b", "e7")).await, 200, r#"{"status":"ok","duplicate":true}"#);
    let rows = r#"{"events":[{"id":"e7","event":"purchase","user_id":"u7"}]}"#;
    check(&lab.get("/v1/events?user_id=u7").await, 200, rows);
    assert_eq!(lab.events("u7-b").await, 0);
    for _ in 0..2 {
        check(&lab.post("/v1/events", r#"{"event":"a","user_id":"u7-c"}"#).await, 200, r#"{"status":"ok"}"#);
    }
    assert_eq!(lab.events("u7-c").await, 2);
    for wrong in [r#""""#, "7", "[]", "true"] {
        let body = format!(r#"{{"id":{wrong},"event":"a","user_id":"u7-d"}}"#);
        assert_eq!(lab.post("/v1/events", &body).await.status, 400, "{wrong}");
    }
}

#[tokio::test]
async fn a_batch_answers_item_by_item_in_the_order_sent() {
    let lab = Lab::honest().await;
    let single = lab.post("/v1/decide", &decide("u8", "k1")).await;
    let items = [
        decide("u8", "k1"),
        decide("u8", "k2"),
        decide("u8", "k2"),
        decide("u8-b", "k1"),
        r#"{"element":"checkout_button"}"#.to_owned(),
        decide("u8", "k3").replace("welcome_email_subject", "nothing"),
        "7".to_owned(),
    ];
    let body = format!(r#"{{"items":[{}]}}"#, items.join(","));
    let batch = lab.post("/v1/decide/batch", &body).await;
    let replayed = single.text.trim_end_matches('}');
    assert_eq!(batch.member("/results/0"), format!(r#"{{"status":"ok",{}}},"replayed":true}}"#, &replayed[1..]));
    assert_eq!(batch.member("/results/1/status"), "\"ok\"");
    assert_eq!(batch.member("/results/1/replayed"), "absent");
    assert_eq!(batch.member("/results/2/decision_id"), batch.member("/results/1/decision_id"));
    assert_eq!(batch.member("/results/2/replayed"), "true");
    let conflict = r#"{"status":"error","error":"idempotency_error","message":"idempotency_key was already used with a different request"}"#;
    assert_eq!(batch.member("/results/3"), conflict);
    let invalid = r#"{"status":"error","error":"invalid_request","message":"`user_id` is required"}"#;
    assert_eq!(batch.member("/results/4"), invalid);
    let nothing = r#"{"status":"error","error":"not_found","message":"there is no such element"}"#;
    assert_eq!(batch.member("/results/5"), nothing);
    assert_eq!(batch.member("/results/6/error"), "\"invalid_request\"");
    assert_eq!((batch.status, batch.member("/replayed")), (200, "2".to_owned()));
    assert_eq!(lab.decisions("u8").await, 2);
    assert_eq!(lab.post("/v1/decide", &decide("u8", "k2")).await.member("/replayed"), "true");
}

#[tokio::test]
async fn a_batch_of_events_counts_its_duplicates() {
    let lab = Lab::honest().await;
    let body = format!(r#"{{"events":[{},{},{{"id":"e3"}}]}}"#, event("u9", "e1"), event("u9", "e1"));
    let refused = r#"{"status":"error","error":"invalid_request","message":"`event` is required"}"#;
    let expected =
        format!(r#"{{"results":[{{"status":"ok"}},{{"status":"ok","duplicate":true}},{refused}],"duplicates":1}}"#);
    check(&lab.post("/v1/events/batch", &body).await, 200, &expected);
    let again = format!(r#"{{"results":[{0},{0},{refused}],"duplicates":2}}"#, r#"{"status":"ok","duplicate":true}"#);
    check(&lab.post("/v1/events/batch", &body).await, 200, &again);
    let fresh = format!(r#"{{"events":[{}]}}"#, event("u9", "e9"));
    check(&lab.post("/v1/events/batch", &fresh).await, 200, r#"{"results":[{"status":"ok"}],"duplicates":0}"#);
    let many = format!(r#"{{"events":[{}]}}"#, vec![event("u9-b", "x"); 101].join(","));
    for wrong in [r#"{"events":[]}"#, r#"{"events":{}}"#, "{}", many.as_str()] {
        assert_eq!(lab.post("/v1/events/batch", wrong).await.status, 400);
    }
    assert_eq!((lab.events("u9").await, lab.events("u9-b").await), (2, 0));
}

#[tokio::test]
async fn a_link_can_be_made_again_but_not_taken_over() {
    let lab = Lab::honest().await;
    let link = |user: &str| format!(r#"{{"anonymous_id":"a 1","user_id":"{user}"}}"#);
    for _ in 0..2 {
        check(&lab.post("/v1/identify", &link("u10")).await, 200, r#"{"status":"ok"}"#);
    }
    let taken = r#"{"error":"link_conflict","message":"this anonymous id is linked to another user"}"#;
    check(&lab.post("/v1/identify", &link("u11")).await, 409, taken);
    let links = r#"{"links":[{"anonymous_id":"a 1","user_id":"u10"}]}"#;
    check(&lab.get("/v1/links?anonymous_id=a%201").await, 200, links);
}

#[tokio::test]
async fn a_declaration_runs_until_it_is_concluded() {
    let lab = Lab::honest().await;
    let declare = |arms: &str| format!(r#"{{"element":"el/1","arms":{arms}}}"#);
    let declared = r#"{"status":"ok","element":"el/1","arms":["b","a"]}"#;
    check(&lab.post("/v1/declare", &declare(r#"["b","a"]"#)).await, 200, declared);
    check(&lab.post("/v1/declare", &declare(r#"["b","a"]"#)).await, 200, declared);
    assert_eq!(lab.post("/v1/declare", &declare(r#"["a","b"]"#)).await.status, 200);
    let running = r#"{"error":"arm_running","message":"conclude the running arms first"}"#;
    check(&lab.post("/v1/declare", &declare(r#"["a","c"]"#)).await, 409, running);
    let shown = r#"{"element":"el/1","arms":["b","a"],"state":"running"}"#;
    check(&lab.get("/v1/elements/el%2F1").await, 200, shown);
    check(&lab.post("/v1/conclude", r#"{"element":"el/1"}"#).await, 200, r#"{"status":"ok"}"#);
    assert_eq!(lab.get("/v1/elements/el%2F1").await.member("/state"), "\"concluded\"");
    for user in ["a", "b", "c", "d"] {
        let decided = lab.post("/v1/decide", &format!(r#"{{"element":"el/1","user_id":"{user}"}}"#)).await;
        assert_eq!((decided.status, decided.member("/arm")), (200, "\"b\"".to_owned()));
    }
    assert_eq!(lab.post("/v1/declare", &declare(r#"["x"]"#)).await.status, 200);
    assert_eq!(lab.get("/v1/elements/el%2F1").await.member("/arms"), r#"["x"]"#);
    assert_eq!(lab.get("/v1/elements/none").await.status, 404);
}

#[tokio::test]
async fn an_answer_may_be_large_and_keeps_its_spelling() {
    let lab = Lab::honest().await;
    let context = format!(r#"{{"n":1.0e2,"text":"{}"}}"#, "x".repeat(300_000));
    let body =
        format!(r#"{{"element":"checkout_button","user_id":"u12","idempotency_key":"k12","context":{context}}}"#);
    let first = lab.post("/v1/decide", &body).await;
    assert_eq!(first.member("/context"), context);
    assert_eq!(lab.post("/v1/decide", &body).await.member("/context"), context);
}
