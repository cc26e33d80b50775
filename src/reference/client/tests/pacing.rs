//! When a client comes back: what it was told, what it does when it cannot read that, and who comes back wrongly.

use std::time::{Duration, Instant, SystemTime};

use crate::contract::Waits;
use crate::history::Told;
use crate::reference::client::tests::origin::{Origin, Reply, later, ok, says};
use crate::reference::client::tests::shop::{Visit, gaps, seconds};

const FRESH: &str = r#"{"id":"o1"}"#;
const DATE: &str = "Thu, 01 Jan 2026 00:00:00 GMT";

/// An answer that asks for a wait until a date, counted against its own.
fn dated(status: u16, until: &str) -> Reply {
    Reply::Says(status, vec![("Date", DATE.to_owned()), ("Retry-After", until.to_owned())], "{}".to_owned())
}

#[tokio::test]
async fn a_client_that_is_told_when_comes_back_then_and_not_before() {
    let date = "Thu, 01 Jan 2026 00:00:06 GMT";
    for (reply, wait) in [
        (later(429, "6"), 6),
        (dated(429, date), 6),
        (says(429, "{}"), 3),
        (later(429, "soon"), 1),
        (later(429, "-5"), 1),
        (dated(429, "Wed, 31 Dec 2025 00:00:00 GMT"), 1),
        (later(503, "6"), 6),
        (dated(503, date), 6),
    ] {
        let case = format!("{reply:?}");
        let (told, seen) = Visit::to("order").meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2), "{case}");
        assert!(gaps(&seen)[0] >= seconds(wait), "{case}: {:?}", gaps(&seen));
    }
}

#[tokio::test]
async fn a_date_without_another_counts_against_the_time_of_day() {
    let until = httpdate::fmt_http_date(SystemTime::now() + Duration::from_secs(60));
    let (told, seen) = Visit::to("order").meets(vec![later(429, &until), ok(FRESH)]).await;
    assert_eq!(told, Told::Success);
    assert!(gaps(&seen)[0] >= seconds(20), "{:?}", gaps(&seen));
}

#[tokio::test]
async fn a_client_may_heed_more_than_it_has_to() {
    let busy = Reply::Says(409, vec![("Retry-After", "6".to_owned())], r#"{"error":"busy"}"#.to_owned());
    for (reply, wait) in [(busy, 6), (later(429, "0"), 1)] {
        let (told, seen) = Visit::to("order").by("honors-every-retry-after").meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2));
        assert!(gaps(&seen)[0] >= seconds(wait), "{:?}", gaps(&seen));
    }
}

#[tokio::test]
async fn a_wait_beyond_its_patience_is_a_failure() {
    for endless in ["99999999999".to_owned(), "9".repeat(400)] {
        for status in [429, 503] {
            let (told, seen) = Visit::to("order").meets(vec![later(status, &endless), ok(FRESH)]).await;
            assert_eq!((told, seen.len()), (Told::Failure, 1));
            let visit = Visit::to("order").under(|rules| rules.patience = None);
            assert_eq!(visit.meets(vec![later(status, &endless), ok(FRESH)]).await.0, Told::Failure);
        }
    }
}

#[tokio::test]
async fn growing_waits_double_up_to_the_cap() {
    let (_, seen) = Visit::to("order").through_kiosk().meets(vec![says(500, "{}")]).await;
    let waits = [200, 400, 800, 1_000, 1_000].map(|millis| Duration::from_millis(millis) / 100);
    for (gap, wait) in gaps(&seen).into_iter().zip(waits) {
        assert!(gap >= wait, "{gap:?} {wait:?}");
    }
}

/// Each of these is asked to wait for more than a minute of its own clock, and none does.
#[tokio::test]
async fn who_misreads_retry_after_is_back_too_early() {
    let minute = "7000";
    let date = || dated(429, "Thu, 01 Jan 2026 01:56:40 GMT");
    for (name, reply) in [
        ("takes-dates-for-now", date()),
        ("overflows-on-long-waits", later(429, "99999999999")),
        ("ignores-retry-after", later(429, minute)),
        ("ignores-retry-after", later(503, minute)),
        ("reads-retry-after-on-429-only", later(503, minute)),
        ("reads-only-seconds", date()),
    ] {
        let (told, seen) = Visit::to("order").by(name).meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2), "{name}");
    }
    // The client's own wait is a minute, and a negative number does not shorten it.
    let slow = || Visit::to("order").under(|rules| (rules.waits, rules.cap) = (Waits::Schedule(vec![MINUTE]), None));
    for reply in [later(429, "-5"), later(503, "-5")] {
        let (told, seen) = slow().by("takes-negatives-for-now").meets(vec![reply, ok(FRESH)]).await;
        assert_eq!((told, seen.len()), (Told::Success, 2));
    }
}

/// More than a minute of the client's own clock.
const MINUTE: Duration = Duration::from_secs(7_000);

#[tokio::test]
async fn who_does_not_wait_or_does_not_wait_longer_each_time_is_back_too_early() {
    let slow = |waits: Vec<Duration>| {
        Visit::to("order").under(|rules| (rules.waits, rules.cap) = (Waits::Schedule(waits), None))
    };
    let replies = || vec![says(500, "{}"), says(500, "{}"), ok(FRESH)];
    let (told, seen) = slow(vec![MINUTE]).by("retries-at-once").meets(replies()).await;
    assert_eq!((told, seen.len()), (Told::Success, 3));
    let (told, seen) = slow(vec![Duration::from_secs(1), MINUTE]).by("waits-never-grow").meets(replies()).await;
    assert_eq!((told, seen.len()), (Told::Success, 3));
}

#[tokio::test]
async fn who_waits_too_long_or_without_a_cap_is_late() {
    let (_, seen) = Visit::to("order").by("waits-too-long").meets(vec![says(500, "{}"), ok(FRESH)]).await;
    assert!(gaps(&seen)[0] >= seconds(3));
    let (_, seen) = Visit::to("order").by("waits-have-no-cap").meets(vec![says(500, "{}")]).await;
    assert!(gaps(&seen)[2] >= seconds(16), "{:?}", gaps(&seen));
}

/// How long it takes from the last answer to the end.
async fn end(visit: Visit, reply: Reply) -> (Told, Duration) {
    let origin = Origin::with(vec![reply]).await;
    let told = visit.at(&origin).await;
    let end = Instant::now();
    (told, end.saturating_duration_since(origin.seen().last().unwrap().answered.unwrap()))
}

#[tokio::test]
async fn who_sleeps_before_the_end_is_late() {
    let (told, slept) = end(Visit::to("order").by("sleeps-after-the-last"), says(500, "{}")).await;
    assert!(told == Told::Failure && slept >= seconds(2), "{told:?} {slept:?}");
    let (told, slept) = end(Visit::to("taste").by("waits-before-the-fallback"), later(429, "6")).await;
    assert!(told == Told::Fallback && slept >= seconds(6), "{told:?} {slept:?}");
}
