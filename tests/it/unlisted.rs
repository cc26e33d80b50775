//! What only a client under test meets on the wire: bodies that come slowly, attempts that nobody has listed, answers of
//! somebody on the way in the contract's own words. Seen from raw sockets at both ends.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use onceproof::history::{AttemptNo, CallerEnd, Commit, Gate};
use onceproof::proxy::{Armed, ClosedBy, GateError, Limits};
use tokio::io::AsyncWriteExt;

use crate::support::*;

/// Slow enough that what comes at once and what does not are told apart.
const PACE: Duration = Duration::from_millis(25);

fn armed(text: &str, attempt: u32, caller: Option<SocketAddr>) -> Armed {
    Armed {
        attempt: AttemptNo(attempt),
        caller,
        passage: passage(text),
        hold_at: None,
        origin: None,
        says: None,
        done: None,
    }
}

async fn dripping(answer: &'static [u8]) -> World {
    world_with(Origin::answering(answer).await, Limits { drip: PACE, ..limits() }).await
}

impl World {
    /// One request that meets whatever is armed.
    async fn ask(&self) -> String {
        let mut caller = self.connect().await;
        caller.write_all(POST).await.expect("a written request");
        text(&read_to_end(&mut caller).await.0)
    }
}

#[tokio::test]
async fn a_body_that_drips_has_its_head_at_once() {
    for answer in [LENGTH, CHUNKED] {
        let head = text(answer).find("\r\n\r\n").expect("a head") + 4;
        let world = dripping(answer).await;
        let mut caller = world.connect().await;
        world.arm("drip body", caller.local_addr().ok(), None);
        let began = Instant::now();
        caller.write_all(POST).await.expect("a written request");
        assert_eq!(read_exactly(&mut caller, head).await, answer[..head]);
        let (at_once, then) = (began.elapsed(), Instant::now());
        let (body, end) = read_to_end(&mut caller).await;
        assert_eq!((body.as_slice(), end), (&answer[head..], End::Fin));
        // Ten waits at least lie between its bytes.
        assert!(then.elapsed() > PACE * 8 && at_once < then.elapsed(), "{at_once:?}, then {:?}", then.elapsed());
        let relayed = world.settled().await;
        assert_eq!((relayed.fault.fired, relayed.fault.commit), (true, Commit::Committed));
        assert!(matches!(relayed.caller_end(), CallerEnd::Answered(_)), "{:?}", relayed.caller_end());
    }
}

#[tokio::test]
async fn an_answer_that_drips_has_a_slow_head_too() {
    let world = dripping(LENGTH).await;
    let mut caller = world.connect().await;
    world.arm("drip", caller.local_addr().ok(), None);
    let began = Instant::now();
    caller.write_all(POST).await.expect("a written request");
    read_exactly(&mut caller, 11).await;
    assert!(began.elapsed() > PACE * 8, "{:?}", began.elapsed());
}

#[tokio::test]
async fn an_answer_without_a_body_passes_and_the_fault_did_not_fire() {
    let answer = b"HTTP/1.1 204 No Content\r\n\r\n";
    let world = dripping(answer).await;
    let (bytes, end, relayed) = world.meet("drip body", POST).await;
    assert_eq!((text(&bytes), end), (text(answer), End::Fin));
    assert_eq!((relayed.fault.fired, relayed.fault.commit), (false, Commit::Committed));
    assert!(relayed.fault.why.contains("no body to drip"), "{:?}", relayed.fault);
}

#[tokio::test]
async fn who_leaves_while_a_body_drips_had_its_head_and_the_origin_has_committed() {
    let world = dripping(LENGTH).await;
    let head = text(LENGTH).find("\r\n\r\n").expect("a head") + 4;
    let mut caller = world.connect().await;
    let control = world.arm("drip body", caller.local_addr().ok(), None);
    caller.write_all(POST).await.expect("a written request");
    read_exactly(&mut caller, head + 1).await;
    drop(caller);
    let relayed = world.settled_after(control).await;
    assert_eq!((relayed.fault.fired, relayed.fault.commit), (false, Commit::Committed));
    assert!(relayed.fault.why.contains("the caller had left"), "{:?}", relayed.fault);
    assert_eq!((relayed.caller_got.closed_by, world.origin.log.count()), (ClosedBy::Caller, 1));
}

#[tokio::test]
async fn what_is_armed_for_thereafter_is_met_by_every_exchange_that_nothing_else_is_armed_for() {
    let world = world(Origin::answering(LENGTH).await).await;
    world.proxy.arm_thereafter(Some(armed("pre-commit answer 503", 9, None)));
    world.proxy.arm(armed("pre-commit drop", 0, None));
    let mut known = world.connect().await;
    world.proxy.arm(armed("clear", 1, known.local_addr().ok()));
    assert_eq!(world.ask().await, "");
    for _ in 0..3 {
        assert!(world.ask().await.starts_with("HTTP/1.1 503 "));
    }
    known.write_all(POST).await.expect("a written request");
    assert_eq!(read_to_end(&mut known).await.0, LENGTH);
    world.proxy.arm_thereafter(Some(armed("pre-commit drop", 10, None)));
    assert_eq!(world.ask().await, "");
    world.proxy.arm_thereafter(None);
    assert_eq!(world.ask().await, text(LENGTH));
    let attempts: Vec<_> =
        world.proxy.settle(LONG).await.iter().map(|one| (one.attempt.map(|no| no.0), one.fault.fired)).collect();
    let expected = [Some(0), Some(9), Some(9), Some(9), Some(1), Some(10), None];
    assert_eq!(attempts, expected.map(|attempt| (attempt, true)));
    assert_eq!(world.origin.log.count(), 2);
}

#[tokio::test]
async fn what_is_disarmed_is_met_by_nobody_and_what_is_under_way_goes_on() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut held = world.connect().await;
    let control = world.arm("clear", held.local_addr().ok(), Some(Gate::RequestWhole));
    held.write_all(POST).await.expect("a written request");
    control.reached(Gate::RequestWhole).await.expect("a held request");
    let mut known = world.connect().await;
    let of_known = world.proxy.arm(armed("pre-commit drop", 1, known.local_addr().ok()));
    let of_next = world.proxy.arm(armed("pre-commit drop", 2, None));
    world.proxy.arm_thereafter(Some(armed("pre-commit drop", 3, None)));
    world.proxy.disarm();
    for control in [of_known, of_next] {
        assert_eq!(control.reached(Gate::RequestHead).await, Err(GateError::Ended(Gate::RequestHead)));
    }
    known.write_all(POST).await.expect("a written request");
    assert_eq!(read_to_end(&mut known).await.0, LENGTH);
    assert_eq!(world.ask().await, text(LENGTH));
    control.release();
    assert_eq!(read_to_end(&mut held).await.0, LENGTH);
    let mut attempts: Vec<_> = world.proxy.settle(LONG).await.iter().map(|one| one.attempt).collect();
    attempts.sort();
    assert_eq!(attempts, [None, None, Some(AttemptNo(7))]);
}

#[tokio::test]
async fn a_substitute_says_what_it_is_given_to_say() {
    const SAYS: &str = r#"{"code":"busy","näher":"später"}"#;
    for (fault, line, whole) in [
        ("pre-commit answer 409 retry-after 1s", "HTTP/1.1 409 Conflict\r\n", 0),
        ("pre-commit answer 200", "HTTP/1.1 200 OK\r\n", 0),
        ("post-commit answer 503", "HTTP/1.1 503 Service Unavailable\r\n", 1),
    ] {
        let world = world(Origin::answering(LENGTH).await).await;
        let armed = Armed { says: Some(SAYS.to_owned()), ..armed(fault, 7, None) };
        world.proxy.arm_thereafter(Some(armed));
        for _ in 0..2 {
            let said = world.ask().await;
            let (head, body) = said.split_once("\r\n\r\n").expect("a head");
            assert_eq!(body, SAYS, "{fault}");
            assert!(said.starts_with(line), "{fault}: {said}");
            assert!(head.contains(&format!("Content-Length: {}", SAYS.len())), "{fault}: {head}");
            assert_eq!(head.contains("Retry-After: 1"), fault.contains("retry-after"), "{fault}: {head}");
        }
        for relayed in world.proxy.settle(LONG).await {
            assert!(relayed.fault.fired, "{fault}");
            let CallerEnd::Answered(answer) = relayed.caller_end() else { panic!("no answer: {relayed:?}") };
            assert_eq!(answer.body.0, SAYS.as_bytes(), "{fault}");
        }
        assert_eq!(world.origin.log.count(), whole * 2, "{fault}");
    }
}
