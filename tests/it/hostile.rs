//! Origins and callers that mean no good: each ends in a bounded time, with a record.

use std::time::Duration;

use onceproof::history::{CallerEnd, Commit, OriginEnd};
use onceproof::proxy::{ClosedBy, Limits};
use tokio::io::AsyncWriteExt;

use crate::support::*;

/// Limits that come soon.
fn soon() -> Limits {
    let wait = Duration::from_millis(250);
    Limits { head: 4096, body: 65_536, caller_wait: wait, origin_wait: wait, hold: wait, ..Limits::default() }
}

/// One exchange with an origin that says `first` and then `more` for ever, with a pause between.
async fn check(first: &'static [u8], more: &'static [u8], pause: Duration) -> OriginEnd {
    let origin = Origin::playing(move |mut stream, log| async move {
        let mut kept = Vec::new();
        if read_request(&mut stream, &mut kept, &log).await.is_some() {
            let mut writing = stream.write_all(first).await;
            while writing.is_ok() {
                tokio::time::sleep(pause).await;
                writing = stream.write_all(more).await;
            }
        }
    })
    .await;
    let world = world_with(origin, soon()).await;
    let (_, _, relayed) = world.meet("post-commit drop", POST).await;
    assert_eq!((relayed.fault.fired, relayed.fault.commit), (false, Commit::Unknown));
    relayed.origin
}

#[tokio::test]
async fn an_endless_body_is_unreadable() {
    let until_close = check(b"HTTP/1.1 200 OK\r\n\r\n", &[b'x'; 8192], Duration::ZERO).await;
    let OriginEnd::Unreadable { said, why } = until_close else { panic!("{until_close:?}") };
    assert!(why.contains("body") && said.0.len() <= 4096, "{why}");
    let chunked = check(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"1\r\nx\r\n", Duration::ZERO).await;
    assert!(matches!(&chunked, OriginEnd::Unreadable { .. } | OriginEnd::Silent { .. }), "{chunked:?}");
    let declared = check(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999\r\n\r\n", b"x", Duration::ZERO).await;
    assert!(matches!(declared, OriginEnd::Unreadable { .. }));
}

#[tokio::test]
async fn an_endless_head_is_unreadable() {
    let end = check(b"HTTP/1.1 200 OK\r\n", &[b'x'; 512], Duration::ZERO).await;
    let OriginEnd::Unreadable { why, .. } = end else { panic!("{end:?}") };
    assert!(why.contains("head"), "{why}");
}

#[tokio::test]
async fn interim_answers_without_end_are_silence() {
    let end = check(b"", b"HTTP/1.1 100 Continue\r\n\r\n", Duration::from_millis(1)).await;
    assert!(matches!(&end, OriginEnd::Silent { why, .. } if why.contains("wait")), "{end:?}");
}

#[tokio::test]
async fn an_origin_that_trickles_is_silent_and_what_it_said_is_kept() {
    let end = check(b"HTTP/1.1 2", b"0", Duration::from_millis(100)).await;
    // A status of more than three digits is no status.
    assert!(matches!(&end, OriginEnd::Silent { .. } | OriginEnd::Unreadable { .. }), "{end:?}");
    let end = check(b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n", b"x", Duration::from_millis(100)).await;
    let OriginEnd::Silent { said, why } = end else { panic!("{end:?}") };
    assert!(said.0.starts_with(b"HTTP/1.1 200 OK") && why.contains("wait"), "{why}");
}

#[tokio::test]
async fn an_origin_that_never_answers_is_silent() {
    let end = check(b"", b"", Duration::from_secs(3600)).await;
    assert!(matches!(&end, OriginEnd::Silent { said, .. } if said.0.is_empty()), "{end:?}");
}

#[tokio::test]
async fn garbage_is_unreadable_and_passes_on_a_clear_passage() {
    let end = check(b"\x16\x03\x01 no http at all\r\n\r\n", b"", Duration::from_secs(3600)).await;
    assert!(matches!(end, OriginEnd::Unreadable { .. }), "{end:?}");
    const GARBAGE: &[u8] = b"SSH-2.0-OpenSSH\r\n";
    let world = world_with(Origin::closing_after(GARBAGE).await, soon()).await;
    let (bytes, end, relayed) = world.meet("clear", POST).await;
    assert_eq!((bytes.as_slice(), end), (GARBAGE, End::Fin));
    assert_eq!(relayed.caller_end(), CallerEnd::Cut { after: GARBAGE.len() as u64, reset: false });
}

#[tokio::test]
async fn an_origin_that_closes_early_leaves_the_caller_what_it_left() {
    const PART: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxyz";
    for answer in [&b""[..], PART] {
        let world = world_with(Origin::closing_after(answer).await, soon()).await;
        let (bytes, end, relayed) = world.meet("clear", POST).await;
        assert_eq!((bytes.as_slice(), end), (answer, End::Fin));
        assert!(matches!(&relayed.origin, OriginEnd::Silent { why, .. } if why.contains("closed")), "{relayed:?}");
        assert_eq!(relayed.fault.commit, Commit::Unknown);
    }
}

#[tokio::test]
async fn an_origin_that_resets_resets_the_caller() {
    const PART: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nxyz";
    let origin = Origin::playing(|mut stream, log| async move {
        let mut kept = Vec::new();
        read_request(&mut stream, &mut kept, &log).await;
        let _ = stream.write_all(PART).await;
        // The bytes have to arrive before the reset, or it would take them along.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let _ = stream.set_zero_linger();
    })
    .await;
    let world = world(origin).await;
    let (bytes, end, relayed) = world.meet("clear", POST).await;
    assert_eq!((bytes.as_slice(), end), (PART, End::Reset));
    assert_eq!(relayed.caller_got.closed_by, ClosedBy::Proxy { reset: true });
}

#[tokio::test]
async fn an_origin_that_is_not_there_is_unreachable_and_nothing_was_committed() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    let world = world_with(Origin::answering(LENGTH).await, soon()).await;
    world.proxy.set_origin(gone).await;
    for fault in ["clear", "post-commit drop", "duplicate", "duplicate at once", "mid-request cut 5", "hang-up", "drip"]
    {
        let (bytes, _, relayed) = world.meet(fault, POST).await;
        assert!(bytes.is_empty(), "{fault}");
        assert!(matches!(relayed.origin, OriginEnd::Unreachable(_)), "{fault}: {relayed:?}");
        assert_eq!((relayed.fault.commit, relayed.fault.fired), (Commit::NotCommitted, fault == "clear"), "{fault}");
    }
}

#[tokio::test]
async fn an_origin_that_answers_without_reading_is_heard() {
    const NO: &[u8] = b"HTTP/1.1 413 Content Too Large\r\nContent-Length: 0\r\n\r\n";
    let origin = Origin::playing(|mut stream, _| async move {
        let _ = stream.write_all(NO).await;
        tokio::time::sleep(LONG).await;
    })
    .await;
    let world = world(origin).await;
    let request = [b"POST / HTTP/1.1\r\nContent-Length: 12000000\r\n\r\n".as_slice(), &[b'x'; 12_000_000]].concat();
    let (bytes, _, relayed) = world.meet("clear", &request).await;
    assert_eq!(bytes, NO);
    assert_eq!(relayed.fault.commit, Commit::NotCommitted);
}

#[tokio::test]
async fn hostile_requests_never_reach_the_origin() {
    let endless = [b"GET / HTTP/1.1\r\nX: ".as_slice(), &[b'x'; 5000]].concat();
    for (request, why) in [
        (endless.as_slice(), "a head of more than 4096 bytes"),
        (b"POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\n", "a body of more than 65536 bytes"),
        (b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nab", "was not whole within"),
        (b"POST / HT", "was not whole within"),
        (b"\x00\x01\x02", "not an HTTP/1.x head"),
        (b"POST / HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef", "two content-lengths"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n", "last coding is not chunked"),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "chunk size"),
    ] {
        let world = world_with(Origin::answering(LENGTH).await, soon()).await;
        let (bytes, _, relayed) = world.meet("post-commit drop", request).await;
        assert!(bytes.is_empty() && relayed.request.is_none(), "{why}");
        assert!(relayed.fault.why.contains(why), "{why}: {}", relayed.fault.why);
        assert!(request.starts_with(&relayed.raw_head.0) && relayed.raw_head.0.len() <= 4096);
        assert_eq!((relayed.origin, relayed.fault.fired), (OriginEnd::Untouched, false), "{why}");
        assert_eq!(*world.origin.log.connections.lock().expect("lock"), 0, "{why}");
    }
}

#[tokio::test]
async fn a_caller_that_never_sends_or_leaves_is_recorded() {
    let world = world_with(Origin::answering(LENGTH).await, soon()).await;
    let mut silent = world.connect().await;
    assert_eq!(read_to_end(&mut silent).await, (Vec::new(), End::Fin));
    let relayed = world.settled().await;
    assert_eq!((relayed.request, relayed.attempt, relayed.request_on_connection), (None, None, 0));
    let left = world.connect().await;
    let control = world.arm("clear", left.local_addr().ok(), None);
    drop(left);
    control.finished().await;
    let relayed = world.settled().await;
    assert_eq!((relayed.origin, relayed.caller_got.closed_by), (OriginEnd::Untouched, ClosedBy::Caller));
    let control = world.arm("clear", None, None);
    let mut half = world.connect().await;
    half.write_all(&POST[..30]).await.expect("half a request");
    drop(half);
    let relayed = world.settled_after(control).await;
    assert_eq!((relayed.origin, relayed.raw_head.0.as_slice()), (OriginEnd::Untouched, &POST[..30]));
    assert_eq!(world.proxy.requests_on(), [(1, 0), (2, 0), (3, 1)]);
}
