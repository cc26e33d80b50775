//! What passes untouched: bytes, framing, connections, interim answers.

use onceproof::history::{Commit, Gate, OriginEnd};
use onceproof::message::Framing;
use onceproof::proxy::ClosedBy;
use tokio::io::AsyncWriteExt;

use crate::support::*;

fn keep_alive(request: &[u8]) -> Vec<u8> {
    text(request).replace("Connection: close\r\n", "").into_bytes()
}

#[tokio::test]
async fn bytes_pass_as_they_were_spelled() {
    let request = b"POST /a%2Fb?c=%20 HTTP/1.1\r\nhOsT:x\r\nX-ODD:   a\xe9\r\nx-odd: 2\r\nCONNECTION: close\r\n\
        Transfer-Encoding: chunked\r\n\r\n3;ext=\"1\"\r\n{\"a\r\n4\r\n\":1}\r\n0\r\nTrailer-X: t\r\n\r\n";
    let answer = b"HTTP/1.1 200 Fine By Me\r\nx-A:1\r\nX-a:  2\r\nTransfer-Encoding: chunked\r\n\r\n2;q\r\n{}\r\n0\r\nT: 1\r\n\r\n";
    let origin = Origin::playing(move |mut stream, log| async move {
        // The terminator that the naive reader knows has no trailers.
        let got = read_exactly(&mut stream, request.len()).await;
        log.whole.lock().expect("lock").push(got);
        let _ = stream.write_all(answer).await;
    })
    .await;
    let world = world(origin).await;
    let (bytes, _, relayed) = world.meet("clear", request).await;
    assert_eq!(text(&bytes), text(answer));
    assert_eq!(world.origin.log.whole.lock().expect("lock").as_slice(), [request.to_vec()]);
    let read = relayed.request.as_ref().expect("a request");
    assert_eq!((read.method.as_str(), read.target.as_str(), read.framing), ("POST", "/a%2Fb?c=%20", Framing::Chunked));
    assert_eq!(text(&read.body.0), "{\"a\":1}");
    assert!(relayed.raw_head.0.starts_with(b"POST /a%2Fb?c=%20 HTTP/1.1\r\nhOsT:x\r\nX-ODD:   a\xe9\r\n"));
    assert!(relayed.raw_head.0.ends_with(b"\r\n\r\n"));
    let OriginEnd::Answered(answers) = &relayed.origin else { panic!("{relayed:?}") };
    assert_eq!((answers[0].wire_length, text(&answers[0].body.0)), (answer.len() as u64, "{}".to_owned()));
}

#[tokio::test]
async fn three_requests_on_one_connection_are_counted_and_have_one_connection_to_the_origin() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut caller = world.connect().await;
    for _ in 0..3 {
        caller.write_all(&keep_alive(POST)).await.expect("a written request");
        assert_eq!(read_exactly(&mut caller, LENGTH.len()).await, LENGTH);
    }
    let relayed = world.proxy.settle(LONG).await;
    let numbers: Vec<_> = relayed.iter().map(|one| (one.connection, one.request_on_connection)).collect();
    assert_eq!(numbers, [(1, 1), (1, 2), (1, 3)]);
    assert_eq!(world.proxy.requests_on(), [(1, 3)]);
    assert_eq!(*world.origin.log.connections.lock().expect("lock"), 1);
    assert!(relayed.iter().all(|one| one.caller_got.closed_by == ClosedBy::Nobody));
    let orders: Vec<u64> = relayed.iter().flat_map(|one| one.gates.iter().map(|stamp| stamp.order)).collect();
    assert!(orders.is_sorted_by(|earlier, later| earlier < later), "{orders:?}");
    assert!(relayed.iter().all(|one| one.gates.len() == 12), "{relayed:?}");
}

#[tokio::test]
async fn pipelined_requests_are_served_one_after_the_other() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut caller = world.connect().await;
    world.arm("clear", caller.local_addr().ok(), None);
    world.arm("pre-commit answer 429", caller.local_addr().ok(), None);
    caller.write_all(&[&keep_alive(POST)[..], &keep_alive(POST), POST].concat()).await.expect("three requests");
    let (bytes, end) = read_to_end(&mut caller).await;
    let said = text(&bytes);
    assert!(said.starts_with(&text(LENGTH)) && said.ends_with(&text(LENGTH)) && said.contains(" 429 "), "{said}");
    assert_eq!((end, world.origin.log.count()), (End::Fin, 2));
    assert_eq!(world.proxy.settle(LONG).await.len(), 3);
}

#[tokio::test]
async fn a_caller_that_ends_its_own_direction_gets_its_answer() {
    let world = world(Origin::answering(LENGTH).await).await;
    let mut caller = world.connect().await;
    caller.write_all(&keep_alive(POST)).await.expect("a written request");
    caller.shutdown().await.expect("half a close");
    assert_eq!(read_to_end(&mut caller).await, (LENGTH.to_vec(), End::Fin));
    assert_eq!(world.settled().await.fault.commit, Commit::Committed);
}

#[tokio::test]
async fn interim_answers_pass_and_are_not_the_answer() {
    const TWO: &[u8] = b"HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n\
        HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";
    let world = world(Origin::answering(TWO).await).await;
    let (bytes, _, relayed) = world.meet("clear", POST).await;
    assert_eq!(text(&bytes), text(TWO));
    let OriginEnd::Answered(answers) = &relayed.origin else { panic!("{relayed:?}") };
    assert_eq!((answers.len(), answers[0].status), (1, 201));
    let (bytes, ..) = world.meet("post-commit drop", POST).await;
    assert_eq!(text(&bytes), "", "not even an interim answer leaks");
    let (bytes, ..) = world.meet("mid-response cut 12", POST).await;
    assert_eq!(text(&bytes), "HTTP/1.1 201");
}

#[tokio::test]
async fn an_answer_without_a_body_is_whole_after_its_head() {
    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n";
    const NONE: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
    const SAME: &[u8] = b"HTTP/1.1 304 Not Modified\r\nContent-Length: 999\r\n\r\n";
    for (method, answer) in [("HEAD", HEAD), ("POST", NONE), ("GET", SAME)] {
        let world = world(Origin::answering(answer).await).await;
        let mut caller = world.connect().await;
        for _ in 0..2 {
            caller.write_all(format!("{method} / HTTP/1.1\r\nHost: x\r\n\r\n").as_bytes()).await.expect("a request");
            assert_eq!(read_exactly(&mut caller, answer.len()).await, answer, "{method}");
        }
        assert_eq!(world.proxy.settle(LONG).await.len(), 2);
    }
}

#[tokio::test]
async fn an_answer_until_the_close_is_whole_at_the_close() {
    const UNTIL: &[u8] = b"HTTP/1.1 200 OK\r\n\r\nsome words";
    let world = world(Origin::closing_after(UNTIL).await).await;
    let (bytes, end, relayed) = world.meet("clear", &keep_alive(POST)).await;
    assert_eq!((text(&bytes), end), (text(UNTIL), End::Fin));
    let OriginEnd::Answered(answers) = &relayed.origin else { panic!("{relayed:?}") };
    assert_eq!((answers[0].framing, text(&answers[0].body.0)), (Framing::UntilClose, "some words".to_owned()));
}

const EXPECTING: &[u8] = b"POST / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 7\r\n\r\n";
const CONTINUE: &[u8] = b"HTTP/1.1 100 Continue\r\n\r\n";

/// Says `first` after the head alone; if that was an interim answer, takes the body and says `LENGTH`.
async fn expecting_origin(first: &'static [u8]) -> Origin {
    Origin::playing(move |mut stream, log| async move {
        let head = read_exactly(&mut stream, EXPECTING.len()).await;
        let _ = stream.write_all(first).await;
        if first == CONTINUE {
            let body = read_exactly(&mut stream, 7).await;
            log.whole.lock().expect("lock").push([head, body].concat());
            let _ = stream.write_all(LENGTH).await;
        } else {
            read_to_end(&mut stream).await;
        }
    })
    .await
}

#[tokio::test]
async fn the_origin_itself_says_that_a_body_may_come() {
    let world = world(expecting_origin(CONTINUE).await).await;
    let mut caller = world.connect().await;
    caller.write_all(EXPECTING).await.expect("a head");
    assert_eq!(read_exactly(&mut caller, CONTINUE.len()).await, CONTINUE);
    caller.write_all(b"{\"a\":1}").await.expect("a body");
    assert_eq!(read_exactly(&mut caller, LENGTH.len()).await, LENGTH);
    let relayed = world.settled().await;
    assert_eq!(relayed.request.as_ref().map(|request| text(&request.body.0)), Some("{\"a\":1}".to_owned()));
    assert!(order(&relayed, Gate::Connected) < order(&relayed, Gate::RequestWhole));
    assert_eq!((world.origin.log.count(), relayed.fault.commit), (1, Commit::Committed));
}

#[tokio::test]
async fn an_origin_that_wants_no_body_is_heard_and_the_connection_ends() {
    const NO: &[u8] = b"HTTP/1.1 417 Expectation Failed\r\nContent-Length: 0\r\n\r\n";
    let world = world(expecting_origin(NO).await).await;
    let mut caller = world.connect().await;
    caller.write_all(EXPECTING).await.expect("a head");
    assert_eq!(read_to_end(&mut caller).await, (NO.to_vec(), End::Fin));
    let relayed = world.settled().await;
    assert_eq!(relayed.fault.commit, Commit::NotCommitted);
    assert!(relayed.request.is_some_and(|request| request.body.0.is_empty()));
}

#[tokio::test]
async fn a_fault_that_needs_the_body_asks_for_it() {
    for (fault, given) in [("pre-commit drop", &b""[..]), ("post-commit drop", b"")] {
        let world = world(Origin::answering(LENGTH).await).await;
        let mut caller = world.connect().await;
        world.arm(fault, caller.local_addr().ok(), None);
        caller.write_all(EXPECTING).await.expect("a head");
        assert_eq!(read_exactly(&mut caller, CONTINUE.len()).await, CONTINUE, "{fault}");
        caller.write_all(b"{\"a\":1}").await.expect("a body");
        assert_eq!(read_to_end(&mut caller).await, (given.to_vec(), End::Fin), "{fault}");
        assert!(world.settled().await.fault.fired);
    }
}

#[tokio::test]
async fn an_origin_that_ends_an_idle_connection_ends_the_callers_too() {
    let world = world(Origin::closing_after(LENGTH).await).await;
    let mut caller = world.connect().await;
    caller.write_all(&keep_alive(POST)).await.expect("a written request");
    assert_eq!(read_to_end(&mut caller).await, (LENGTH.to_vec(), End::Fin));
    assert_eq!(world.settled().await.fault.commit, Commit::Committed);
}

#[tokio::test]
async fn a_large_request_and_a_large_answer_pass_whole() {
    let body = "x".repeat(5_000_000);
    let request = format!("POST / HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let answer: &'static [u8] =
        format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes().leak();
    let world = world(Origin::answering(answer).await).await;
    for fault in ["clear", "mid-response cut 4000000 reset", "drip"] {
        let mut caller = world.connect().await;
        world.arm(fault, caller.local_addr().ok(), None);
        let (mut reader, mut writer) = caller.split();
        let sending = writer.write_all(request.as_bytes());
        let mut bytes = Vec::new();
        let reading = tokio::io::AsyncReadExt::read_to_end(&mut reader, &mut bytes);
        let (sent, _) = tokio::join!(sending, reading);
        sent.expect("a written request");
        let expected = if fault.contains("reset") { 4_000_000 } else { answer.len() };
        assert!(bytes == answer[..expected], "{fault}: {} bytes", bytes.len());
        let relayed = world.settled().await;
        assert_eq!((relayed.fault.fired, relayed.caller_got.bytes), (true, expected as u64), "{fault}");
    }
}
