//! A contract whose duplicates are answered like the first and told apart by the read side alone.

use std::time::Duration;

use crate::reference::tests::contract::scanova;
use crate::reference::tests::lab::reply;
use crate::reference::{Policy, Running, Service, start};

const SHOP: &str = "shop-key-1";
const BLOG: &str = "blog-key-1";

struct Counter {
    running: Running,
    client: reqwest::Client,
}

impl Counter {
    async fn open(policy: Policy) -> Self {
        let service = Service { policy, ..Service::new(scanova()) };
        let running = start(service, ([127, 0, 0, 1], 0).into()).await.unwrap();
        Self { running, client: reqwest::Client::builder().no_proxy().build().unwrap() }
    }

    async fn post(&self, key: &str, body: &str) -> (u16, String) {
        let url = format!("http://{}/server-events", self.running.addr);
        let reply = reply(self.client.post(url).header("X-API-Key", key).body(body.to_owned())).await;
        (reply.status, reply.text)
    }

    async fn get(&self, key: &str, path: &str) -> String {
        let url = format!("http://{}/analytics/{path}", self.running.addr);
        reply(self.client.get(url).header("X-API-Key", key)).await.text
    }

    /// What is counted and what is noted, when it shows.
    async fn settled(&self, id: &str) -> (String, String) {
        tokio::time::sleep(scanova().reference.as_ref().unwrap().shows_after()).await;
        let count = self.get(SHOP, "conversions?site_id=shop-1&event_name=sale").await;
        (count, self.get(SHOP, &format!("events?event_id={id}")).await)
    }
}

fn sale(id: &str) -> String {
    format!(r#"{{"event_id":"{id}","event_name":"sale","site_id":"shop-1"}}"#)
}

fn noted(marks: &[bool]) -> String {
    let rows: Vec<String> = marks.iter().map(|mark| format!(r#"{{"event_id":"e","duplicate":{mark}}}"#)).collect();
    format!(r#"{{"events":[{}]}}"#, rows.join(","))
}

fn accepted() -> (u16, String) {
    (202, r#"{"status":"accepted"}"#.to_owned())
}

#[tokio::test]
async fn a_duplicate_is_answered_like_the_first_noted_and_not_counted() {
    let counter = Counter::open(Policy::HONEST).await;
    for _ in 0..3 {
        assert_eq!(counter.post(SHOP, &sale("e")).await, accepted());
    }
    assert_eq!(counter.settled("e").await, (r#"{"count":1}"#.to_owned(), noted(&[false, true, true])));
}

#[tokio::test]
async fn copies_at_once_are_one_count_and_one_of_them_is_unmarked() {
    let counter = Counter::open(Policy::HONEST).await;
    let body = sale("e");
    let racing = (0..8).map(|_| counter.post(SHOP, &body));
    assert!(futures_util::future::join_all(racing).await.iter().all(|answer| *answer == accepted()));
    let (count, events) = counter.settled("e").await;
    assert_eq!(count, r#"{"count":1}"#);
    assert_eq!((events.matches("true").count(), events.matches("false").count()), (7, 1), "{events}");
}

#[tokio::test]
async fn what_was_done_shows_late_and_within_what_is_promised() {
    let contract = scanova();
    let late = contract.reference.as_ref().unwrap().shows_after();
    assert!(late > Duration::ZERO && contract.effects.values().all(|effect| late <= effect.settles));
    let counter = Counter::open(Policy::HONEST).await;
    counter.post(SHOP, &sale("e")).await;
    let at_once = counter.get(SHOP, "conversions?site_id=shop-1&event_name=sale").await;
    assert_eq!(at_once, r#"{"count":0}"#);
    assert_eq!(counter.settled("e").await.0, r#"{"count":1}"#);
}

#[tokio::test]
async fn an_empty_key_is_none() {
    let counter = Counter::open(Policy::HONEST).await;
    for _ in 0..2 {
        assert_eq!(counter.post(SHOP, &sale("")).await, accepted());
    }
    assert_eq!(counter.settled("").await.0, r#"{"count":2}"#);
}

#[tokio::test]
async fn each_refusal_has_its_status_and_is_not_counted() {
    let counter = Counter::open(Policy::HONEST).await;
    let elsewhere = sale("e").replace("shop-1", "blog-1");
    let nameless = sale("e").replace("event_name", "name");
    let misnamed = sale("e").replace("\"sale\"", "7");
    for (key, body, status) in [
        (SHOP, r#"{"event_id":"#, 400),
        ("nobody", sale("e").as_str(), 401),
        (SHOP, elsewhere.as_str(), 403),
        (BLOG, sale("e").as_str(), 403),
        (SHOP, nameless.as_str(), 422),
        (SHOP, misnamed.as_str(), 422),
    ] {
        assert_eq!(counter.post(key, body).await.0, status, "{body}");
    }
    assert_eq!(counter.settled("e").await, (r#"{"count":0}"#.to_owned(), noted(&[])));
    assert_eq!(counter.post(SHOP, &sale("e")).await, accepted());
    assert_eq!(counter.settled("e").await, (r#"{"count":1}"#.to_owned(), noted(&[false])));
}

#[tokio::test]
async fn a_key_counts_in_its_own_scope() {
    let counter = Counter::open(Policy::HONEST).await;
    counter.post(SHOP, &sale("e")).await;
    assert_eq!(counter.post(BLOG, &sale("e").replace("shop-1", "blog-1")).await, accepted());
    assert_eq!(counter.settled("e").await, (r#"{"count":1}"#.to_owned(), noted(&[false])));
}

/// Whether a repeat is noted by a server of this policy.
pub async fn notes_repeats(policy: Policy) -> bool {
    let counter = Counter::open(policy).await;
    counter.post(SHOP, &sale("e")).await;
    counter.post(SHOP, &sale("e")).await;
    let (count, events) = counter.settled("e").await;
    assert_eq!(count, r#"{"count":1}"#);
    events == noted(&[false, true])
}
