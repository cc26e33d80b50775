//! Each fault on the wire, seen from raw sockets at both ends.

use std::sync::Arc;
use std::time::Duration;

use onceproof::driver::{After, Patience, connect};
use onceproof::fault::{Fault, Passage};
use onceproof::history::{AttemptNo, CallerEnd, Commit, Gate, OriginEnd};
use onceproof::proxy::{Armed, ClosedBy, GateError, Limits};
use tokio::io::AsyncWriteExt;
use tokio::sync::Barrier;

use crate::support::*;

const PATIENCE: Patience = Patience { connect: LONG, answer: LONG };

/// Every fault that loses, cuts or repeats, against both framings: bytes, end, what the origin saw, and the record.
#[tokio::test]
async fn each_fault_does_at_both_ends_what_its_name_says() {
    use Commit::{Committed, NotCommitted, Unknown};
    use End::{Fin, Reset};
    for answer in [LENGTH, CHUNKED] {
        let all = answer.len();
        let head = text(answer).find("\r\n\r\n").expect("a head") + 4;
        let last = text(answer).find("0\r\nX-Sum").unwrap_or(all - 1);
        for (fault, given, end, whole, part, commit) in [
            ("clear", all, Fin, 1, None, Committed),
            ("pre-commit drop", 0, Fin, 0, None, NotCommitted),
            ("pre-commit reset", 0, Reset, 0, None, NotCommitted),
            ("post-commit drop", 0, Fin, 1, None, Committed),
            ("post-commit reset", 0, Reset, 1, None, Committed),
            ("mid-request cut 0", 0, Fin, 0, Some(0), NotCommitted),
            ("mid-request cut 10", 0, Fin, 0, Some(10), Unknown),
            ("mid-request cut 80", 0, Fin, 0, Some(80), Unknown),
            ("mid-request cut 0 reset", 0, Reset, 0, Some(0), NotCommitted),
            ("mid-request cut 80 reset", 0, Reset, 0, Some(80), Unknown),
            ("mid-response cut start", 0, Fin, 1, None, Committed),
            ("mid-response cut start reset", 0, Reset, 1, None, Committed),
            ("mid-response cut head", head / 2, Fin, 1, None, Committed),
            ("mid-response cut head reset", head / 2, Reset, 1, None, Committed),
            ("mid-response cut after-head", head, Fin, 1, None, Committed),
            ("mid-response cut after-head reset", head, Reset, 1, None, Committed),
            ("mid-response cut body", head + (all - head) / 2, Fin, 1, None, Committed),
            ("mid-response cut body reset", head + (all - head) / 2, Reset, 1, None, Committed),
            ("mid-response cut last-chunk", last, Fin, 1, None, Committed),
            ("mid-response cut last-chunk reset", last, Reset, 1, None, Committed),
            ("mid-response cut 3", 3, Fin, 1, None, Committed),
            ("mid-response cut 60 reset", 60, Reset, 1, None, Committed),
            ("drip", all, Fin, 1, None, Committed),
            ("drip body", all, Fin, 1, None, Committed),
            ("duplicate", all, Fin, 2, None, Committed),
            ("duplicate at once", all, Fin, 2, None, Committed),
        ] {
            let world = world(Origin::answering(answer).await).await;
            let (bytes, seen, relayed) = world.meet(fault, POST).await;
            assert_eq!((text(&bytes), seen), (text(&answer[..given]), end), "{fault}");
            assert_eq!(relayed.caller_got.bytes, given as u64, "{fault}");
            assert_eq!(relayed.caller_got.closed_by, ClosedBy::Proxy { reset: end == Reset }, "{fault}");
            assert!(relayed.fault.fired, "{fault}: {:?}", relayed.fault);
            assert_eq!((relayed.fault.commit, relayed.attempt), (commit, Some(AttemptNo(7))), "{fault}");
            let requests = world.origin.log.whole.lock().expect("lock").clone();
            assert_eq!(requests, vec![POST.to_vec(); whole], "{fault}");
            if let Some(part) = part {
                assert_eq!(parts(&world.origin).await, [(POST[..part].to_vec(), end)], "{fault}");
                assert_eq!(relayed.origin, OriginEnd::Partial { bytes: part as u64 });
            }
        }
    }
}

/// What came of requests that never became whole. A reset is not waited for by the one who sends it.
async fn parts(origin: &Origin) -> Vec<(Vec<u8>, End)> {
    let noted = async {
        loop {
            let parts = origin.log.parts.lock().expect("lock").clone();
            if !parts.is_empty() {
                return parts;
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    };
    tokio::time::timeout(LONG, noted).await.expect("a part in time")
}

#[tokio::test]
async fn what_is_stopped_answers_nobody_and_its_answer_is_read_when_it_goes_on() {
    let go = Arc::new(tokio::sync::Notify::new());
    let gone = Arc::clone(&go);
    let origin = Origin::playing(move |mut stream, log| {
        let go = Arc::clone(&gone);
        async move {
            read_request(&mut stream, &mut Vec::new(), &log).await;
            go.notified().await;
            let _ = stream.write_all(LENGTH).await;
        }
    });
    let world = world(origin.await).await;
    let mut caller = world.connect().await;
    let control = world.arm("pause", caller.local_addr().ok(), None);
    caller.write_all(POST).await.expect("a written request");
    control.reached(Gate::Forwarded).await.expect("a whole request");
    drop(caller);
    control.release();
    go.notify_one();
    let relayed = world.settled_after(control).await;
    assert_eq!((relayed.fault.fired, relayed.fault.commit), (true, Commit::Committed), "{:?}", relayed.fault);
    assert_eq!((relayed.caller_got.bytes, relayed.caller_got.closed_by), (0, ClosedBy::Caller));
}

#[tokio::test]
async fn what_had_answered_before_it_was_stopped_was_not_stopped_in_time() {
    let world = world(Origin::answering(LENGTH).await).await;
    let (bytes, _, relayed) = world.meet("pause", POST).await;
    assert_eq!(text(&bytes), text(LENGTH));
    assert!(!relayed.fault.fired && relayed.fault.why.contains("before it was stopped"), "{:?}", relayed.fault);
}

#[tokio::test]
async fn an_early_kill_comes_one_byte_before_the_whole_request() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut caller = world.connect().await;
    let control = world.arm("kill early", caller.local_addr().ok(), None);
    caller.write_all(POST).await.expect("a written request");
    control.reached(Gate::AllButLast).await.expect("all but the last byte");
    assert_eq!(world.origin.log.count(), 0);
    control.release();
    assert_eq!(read_to_end(&mut caller).await, (Vec::new(), End::Reset));
    let relayed = world.settled_after(control).await;
    assert_eq!((relayed.fault.fired, relayed.fault.commit), (true, Commit::Unknown), "{:?}", relayed.fault);
    assert_eq!(relayed.origin, OriginEnd::Partial { bytes: POST.len() as u64 - 1 });
    assert_eq!(parts(&world.origin).await[0].0, POST[..POST.len() - 1]);
}

/// A caller that leaves in the middle of a drip is missed at once, and one that only has nothing more to say is not.
#[tokio::test]
async fn whoever_leaves_a_drip_is_seen_to_leave() {
    for body in ["drip", "drip body"] {
        let slow = Limits { drip: LONG, ..limits() };
        let world = world_with(Origin::answering(LENGTH).await, slow).await;
        let mut caller = world.connect().await;
        let control = world.arm(body, caller.local_addr().ok(), None);
        caller.write_all(POST).await.expect("a written request");
        read_exactly(&mut caller, 1).await;
        drop(caller);
        tokio::time::timeout(LONG / 2, control.finished()).await.expect("seen before the next drop is due");
        let relayed = world.settled().await;
        assert_eq!(relayed.caller_got.closed_by, ClosedBy::Caller, "{body}");

        let quick = Limits { drip: Duration::from_millis(1), ..limits() };
        let world = world_with(Origin::answering(LENGTH).await, quick).await;
        let mut caller = world.connect().await;
        world.arm(body, caller.local_addr().ok(), None);
        caller.write_all(POST).await.expect("a written request");
        caller.shutdown().await.expect("an ended direction");
        assert_eq!(read_to_end(&mut caller).await, (LENGTH.to_vec(), End::Fin), "{body}");
        assert!(world.settled().await.fault.fired);
    }
}

/// A connection that ends unread shows the origin nothing, and what is sent on it all the same is on record.
#[tokio::test]
async fn a_new_connection_ends_unread_as_it_is_accepted() {
    for (fault, end) in [("pre-request drop", End::Fin), ("pre-request reset", End::Reset)] {
        for sends in [false, true] {
            let world = world(Origin::answering(LENGTH).await).await;
            let control = world.arm(fault, None, None);
            let mut caller = world.connect().await;
            if end == End::Fin && sends {
                assert_eq!(read_to_end(&mut caller).await, (Vec::new(), end), "{fault}");
                caller.write_all(POST).await.expect("a written request");
            } else {
                assert_eq!(read_to_end(&mut caller).await, (Vec::new(), end), "{fault}");
            }
            drop(caller);
            let relayed = world.settled_after(control).await;
            let request = relayed.request.as_ref().map(|request| request.target.as_str());
            let expected = (end == End::Fin && sends).then_some("/v1/things?a=b");
            assert_eq!((request, relayed.request_on_connection), (expected, u32::from(expected.is_some())), "{fault}");
            assert!(relayed.fault.fired, "{fault}: {:?}", relayed.fault);
            assert_eq!((relayed.fault.commit, relayed.attempt), (Commit::NotCommitted, Some(AttemptNo(7))));
            assert_eq!(relayed.caller_end(), CallerEnd::Cut { after: 0, reset: end == End::Reset }, "{fault}");
            assert_eq!((world.origin.log.count(), *world.origin.log.connections.lock().expect("lock")), (0, 0));
            // Only that one.
            assert_eq!(world.meet("clear", POST).await.0, LENGTH);
        }
    }
}

#[tokio::test]
async fn a_kept_connection_ends_unread_while_it_is_idle_however_late_that_is_armed() {
    const KEPT: &[u8] = b"POST /v1/things HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
    for (fault, end) in [("pre-request drop", End::Fin), ("pre-request reset", End::Reset)] {
        for early in [true, false] {
            let world = world(Origin::answering(LENGTH).await).await;
            let mut caller = world.connect().await;
            world.arm("clear", None, None);
            let before = early.then(|| world.arm(fault, None, None));
            caller.write_all(KEPT).await.expect("a written request");
            assert_eq!(read_exactly(&mut caller, LENGTH.len()).await, LENGTH);
            let control = before.unwrap_or_else(|| world.arm(fault, None, None));
            assert_eq!(read_to_end(&mut caller).await, (Vec::new(), end), "{fault}");
            drop(caller);
            control.finished().await;
            let relayed = world.proxy.settle(LONG).await;
            let numbers: Vec<_> = relayed.iter().map(|one| (one.connection, one.request_on_connection)).collect();
            assert_eq!(numbers, [(1, 1), (1, 0)], "{fault}");
            assert!(relayed[1].fault.fired && relayed[1].passage == passage(fault));
            assert_eq!(world.origin.log.count(), 1, "{fault}");
        }
    }
}

#[tokio::test]
async fn a_substitute_says_nothing_of_the_origin() {
    for (fault, line, header, whole) in [
        ("pre-commit answer 429 retry-after 2s", "HTTP/1.1 429 Too Many Requests\r\n", "Retry-After: 2\r\n", 0),
        (
            "pre-commit answer 503 retry-after \"soon\"",
            "HTTP/1.1 503 Service Unavailable\r\n",
            "Retry-After: soon\r\n",
            0,
        ),
        ("post-commit answer 502", "HTTP/1.1 502 Bad Gateway\r\n", "Content-Length: 23\r\n", 1),
        ("redirect 307", "HTTP/1.1 307 Temporary Redirect\r\n", "Location: /v1/things?a=b\r\n", 0),
    ] {
        let world = world(Origin::answering(LENGTH).await).await;
        let (bytes, end, relayed) = world.meet(fault, POST).await;
        let said = text(&bytes);
        assert!(said.starts_with(line) && said.contains(header), "{fault}: {said}");
        assert!(!said.contains("1234") && !said.contains("X-oDD") && !said.contains("201"), "{fault}: {said}");
        assert_eq!((world.origin.log.count(), end), (whole, End::Fin), "{fault}");
        assert!(relayed.fault.fired);
        let substitute = relayed.caller_got.substitute.clone().expect("a substitute");
        assert_eq!(substitute.wire_length, bytes.len() as u64);
        assert_eq!(relayed.caller_end(), CallerEnd::Answered(substitute));
    }
}

#[tokio::test]
async fn a_fault_that_needs_a_commit_does_not_fire_on_a_refusal() {
    const REFUSAL: &[u8] = b"HTTP/1.1 409 Conflict\r\nContent-Length: 2\r\n\r\n{}";
    for fault in ["post-commit drop", "post-commit answer 502", "post-commit stall", "mid-response cut 3 reset"] {
        let world = world(Origin::answering(REFUSAL).await).await;
        let (bytes, end, relayed) = world.meet(fault, POST).await;
        assert_eq!((text(&bytes), end), (text(REFUSAL), End::Fin), "{fault}");
        assert_eq!((relayed.fault.fired, relayed.fault.commit), (false, Commit::NotCommitted), "{fault}");
        assert!(relayed.fault.why.contains("the origin answered 409"), "{}", relayed.fault.why);
    }
}

#[tokio::test]
async fn a_fault_that_finds_no_place_passes_everything_and_did_not_fire() {
    for (fault, answer) in [
        ("mid-request cut 4096", LENGTH),
        ("mid-response cut 4096", LENGTH),
        ("mid-response cut after-head", b"HTTP/1.1 204 No Content\r\n\r\n"),
        ("refuse", LENGTH),
    ] {
        let world = world(Origin::answering(answer).await).await;
        let (bytes, _, relayed) = world.meet(fault, POST).await;
        assert_eq!((text(&bytes), relayed.fault.fired), (text(answer), false), "{fault}");
        assert_eq!((world.origin.log.count(), relayed.fault.commit), (1, Commit::Committed), "{fault}");
    }
}

#[tokio::test]
async fn a_stall_gives_nothing_and_ends_when_the_caller_leaves() {
    for (fault, whole) in [("pre-commit stall", 0), ("post-commit stall", 1)] {
        let world = world(Origin::answering(LENGTH).await).await;
        let patience = Patience { answer: Duration::from_millis(60), ..PATIENCE };
        let caller = connect(world.proxy.addr(), &patience).await.expect("a connection");
        world.arm(fault, Some(caller.local_addr()), None);
        let sent = caller.send(POST, After::Read, &patience, &world.clock).await;
        assert_eq!(sent.caller, CallerEnd::TimedOut { after: 0 }, "{fault}");
        let relayed = world.settled().await;
        assert_eq!((relayed.fault.fired, relayed.caller_got.closed_by), (true, ClosedBy::Caller), "{fault}");
        assert_eq!(world.origin.log.count(), whole, "{fault}");
    }
}

#[tokio::test]
async fn a_late_request_arrives_after_its_release_though_its_caller_has_left() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut caller = world.connect().await;
    let control = world.arm("late", caller.local_addr().ok(), None);
    caller.write_all(POST).await.expect("a written request");
    control.reached(Gate::RequestWhole).await.expect("a spooled request");
    drop(caller);
    let mut retry = world.connect().await;
    world.arm("clear", retry.local_addr().ok(), None);
    retry.write_all(POST).await.expect("a written retry");
    assert_eq!(read_to_end(&mut retry).await.0, LENGTH);
    assert_eq!(world.origin.log.count(), 1);
    control.release();
    control.finished().await;
    assert_eq!(world.origin.log.count(), 2);
    let relayed = world.proxy.settle(LONG).await;
    assert_eq!(relayed.len(), 2);
    assert!(order(&relayed[0], Gate::Connected) > order(&relayed[1], Gate::AnswerWhole));
    assert!(matches!(&relayed[0].origin, OriginEnd::Answered(answers) if answers.len() == 1));
    assert_eq!((relayed[0].fault.fired, relayed[0].caller_got.closed_by), (true, ClosedBy::Caller));
}

#[tokio::test]
async fn copies_of_a_race_overlap_and_are_released_together() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut callers = Vec::new();
    let mut controls = Vec::new();
    for _ in 0..4 {
        let mut caller = world.connect().await;
        controls.push(world.arm("clear", caller.local_addr().ok(), Some(Gate::AllButLast)));
        caller.write_all(POST).await.expect("a written request");
        callers.push(caller);
    }
    for control in &controls {
        control.reached(Gate::AllButLast).await.expect("a held copy");
    }
    assert_eq!(world.origin.log.count(), 0);
    controls.iter().for_each(onceproof::proxy::Control::release);
    for caller in &mut callers {
        assert_eq!(read_to_end(caller).await.0, LENGTH);
    }
    let relayed = world.proxy.settle(LONG).await;
    let last_held = relayed.iter().map(|one| order(one, Gate::AllButLast)).max();
    let first_on = relayed.iter().map(|one| order(one, Gate::Forwarded)).min();
    assert!(last_held < first_on, "{last_held:?} {first_on:?}");
    for one in &relayed {
        for other in &relayed {
            assert!(one.at_origin.expect("an interval").overlaps(other.at_origin.expect("an interval")));
        }
    }
}

#[tokio::test]
async fn duplicates_come_in_turn_or_overlap() {
    // This origin answers nothing before two requests are there, so copies in turn never get an answer.
    for (fault, seen, answers) in [("duplicate", 1, 0), ("duplicate at once", 2, 2)] {
        let both = Arc::new(Barrier::new(2));
        let origin = Origin::playing(move |mut stream, log| {
            let both = Arc::clone(&both);
            async move {
                let mut kept = Vec::new();
                while read_request(&mut stream, &mut kept, &log).await.is_some() {
                    both.wait().await;
                    let _ = stream.write_all(LENGTH).await;
                }
            }
        })
        .await;
        let origin_wait = if answers == 0 { Duration::from_millis(200) } else { LONG };
        let world = world_with(origin, Limits { origin_wait, ..limits() }).await;
        let (bytes, _, relayed) = world.meet(fault, POST).await;
        let answered = match &relayed.origin {
            OriginEnd::Answered(answers) => answers.len(),
            _ => 0,
        };
        assert_eq!((world.origin.log.count(), answered), (seen, answers), "{fault}: {relayed:?}");
        assert_eq!((relayed.fault.fired, bytes.as_slice()), (answers == 2, if answers == 2 { LENGTH } else { b"" }));
    }
}

#[tokio::test]
async fn a_refusing_port_comes_back_as_the_same_port() {
    let world = world(Origin::answering(LENGTH).await).await;
    for _ in 0..3 {
        let refusing = world.proxy.refuse().await.expect("a port that refuses");
        for _ in 0..3 {
            let refused = connect(world.proxy.addr(), &PATIENCE).await.map(|_| ());
            assert_eq!(refused, Err(CallerEnd::Refused));
        }
        refusing.reopen().await.expect("a port that listens");
        let (bytes, ..) = world.meet("clear", POST).await;
        assert_eq!(bytes, LENGTH);
    }
    assert_eq!(world.origin.log.count(), 3);
}

#[tokio::test]
async fn who_hangs_up_after_sending_has_committed_at_the_origin() {
    let world = world(Origin::answering(LENGTH).await).await;
    let caller = connect(world.proxy.addr(), &PATIENCE).await.expect("a connection");
    world.arm("hang-up", Some(caller.local_addr()), None);
    let sent = caller.send(POST, After::HangUp, &PATIENCE, &world.clock).await;
    assert_eq!(sent.caller, CallerEnd::HungUp);
    let relayed = world.settled().await;
    assert_eq!(world.origin.log.count(), 1);
    assert_eq!((relayed.fault.fired, relayed.fault.commit), (true, Commit::Committed));
    assert_eq!((relayed.caller_got.bytes, relayed.caller_got.closed_by), (0, ClosedBy::Caller));
}

#[tokio::test]
async fn a_kill_holds_the_whole_answer_until_it_is_done_and_then_resets() {
    for fault in [Fault::Kill { early: false }, Fault::Restart] {
        let world = world(Origin::answering(LENGTH).await).await;
        let mut caller = world.connect().await;
        let control = world.arm(&fault.to_string(), caller.local_addr().ok(), None);
        caller.write_all(POST).await.expect("a written request");
        control.reached(Gate::AnswerWhole).await.expect("a held answer");
        control.release();
        assert_eq!(read_to_end(&mut caller).await, (Vec::new(), End::Reset));
        assert_eq!(control.reached(Gate::HeadToCaller).await, Err(GateError::Ended(Gate::HeadToCaller)));
        let relayed = world.settled().await;
        assert_eq!(relayed.passage, Passage::Faulted(fault));
        assert_eq!((relayed.fault.fired, relayed.fault.commit), (true, Commit::Committed));
    }
}

#[tokio::test]
async fn what_is_armed_without_an_address_meets_the_exchanges_in_their_order() {
    let world = world(Origin::answering(LENGTH).await).await;
    for (attempt, fault) in [(0, "pre-commit drop"), (1, "clear")] {
        let attempt = AttemptNo(attempt);
        world.proxy.arm(Armed {
            attempt,
            caller: None,
            passage: passage(fault),
            hold_at: None,
            origin: None,
            says: None,
            done: None,
        });
    }
    for expected in [&b""[..], LENGTH, LENGTH] {
        let mut caller = world.connect().await;
        caller.write_all(POST).await.expect("a written request");
        assert_eq!(read_to_end(&mut caller).await.0, expected);
    }
    let attempts: Vec<_> = world.proxy.settle(LONG).await.iter().map(|one| one.attempt).collect();
    assert_eq!(attempts, [Some(AttemptNo(0)), Some(AttemptNo(1)), None]);
}

#[tokio::test]
async fn one_exchange_goes_to_another_replica_and_a_moved_origin_gets_all_after_it() {
    let world = world(Origin::answering(LENGTH).await).await;
    let replica = Origin::answering(CHUNKED).await;
    let mut caller = world.connect().await;
    let armed = Armed {
        attempt: AttemptNo(0),
        caller: caller.local_addr().ok(),
        passage: Passage::Clear,
        hold_at: None,
        origin: Some(replica.addr),
        says: None,
        done: None,
    };
    world.proxy.arm(armed);
    caller.write_all(POST).await.expect("a written request");
    assert_eq!(read_to_end(&mut caller).await.0, CHUNKED);
    world.proxy.settle(LONG).await;
    assert_eq!(world.meet("clear", POST).await.0, LENGTH);
    world.proxy.set_origin(replica.addr).await;
    assert_eq!(world.meet("clear", POST).await.0, CHUNKED);
    assert_eq!((world.origin.log.count(), replica.log.count()), (1, 2));
}

#[tokio::test]
async fn a_hold_that_nobody_releases_ends_at_its_limit_and_says_so() {
    let held = Limits { hold: Duration::from_millis(80), ..limits() };
    for (gate, shown) in [(Gate::Accepted, 0), (Gate::RequestWhole, 0), (Gate::AllButLast, 0), (Gate::AnswerWhole, 1)] {
        let world = world_with(Origin::answering(LENGTH).await, held).await;
        let mut caller = world.connect().await;
        let control = world.arm("clear", caller.local_addr().ok(), Some(gate));
        caller.write_all(POST).await.expect("a written request");
        assert!(read_to_end(&mut caller).await.0.is_empty(), "{gate:?}");
        control.finished().await;
        let relayed = world.settled().await;
        assert!(relayed.fault.why.contains("never released"), "{gate:?}: {:?}", relayed.fault);
        assert_eq!(world.origin.log.count(), shown, "{gate:?}");
    }
}

#[tokio::test]
async fn a_settlement_takes_what_is_not_finished_as_it_stands() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut caller = world.connect().await;
    let control = world.arm("post-commit stall", caller.local_addr().ok(), None);
    caller.write_all(POST).await.expect("a written request");
    control.reached(Gate::AnswerWhole).await.expect("a whole answer");
    let mut unfinished = world.proxy.settle(Duration::from_millis(150)).await;
    let relayed = unfinished.pop().expect("a record");
    assert!(relayed.fault.fired && relayed.fault.why.starts_with("not finished"), "{:?}", relayed.fault);
    assert_eq!((relayed.fault.commit, relayed.caller_got.closed_by), (Commit::Committed, ClosedBy::Nobody));
    drop(caller);
    control.finished().await;
    assert!(world.proxy.settle(LONG).await.is_empty());
}
