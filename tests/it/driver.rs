//! Our client against raw servers: what it sends, and what it says it was left with.

use std::time::Duration;

use onceproof::driver::{After, Patience, Sent, connect};
use onceproof::history::CallerEnd;
use onceproof::message::Framing;
use onceproof::time::Clock;
use tokio::io::AsyncWriteExt;

use crate::support::*;

const PATIENCE: Patience = Patience { connect: LONG, answer: LONG };

async fn send(origin: &Origin, request: &[u8], after: After, patience: &Patience) -> Sent {
    let clock = Clock::start();
    let connected = connect(origin.addr, patience).await.expect("a connection");
    let sent = connected.send(request, after, patience, &clock).await;
    assert!(sent.during.from <= sent.during.to);
    sent
}

async fn check(answer: &'static [u8], request: &[u8]) -> CallerEnd {
    let origin = Origin::closing_after(answer).await;
    let sent = send(&origin, request, After::Read, &PATIENCE).await;
    assert_eq!(origin.log.whole.lock().expect("lock").as_slice(), [request.to_vec()]);
    sent.caller
}

#[tokio::test]
async fn exactly_the_planned_bytes_are_sent_and_a_whole_answer_is_an_answer() {
    for (answer, framing, body) in [
        (LENGTH, Framing::Length, "{\"id\":1234}"),
        (CHUNKED, Framing::Chunked, "{\"id\":1234}"),
        (b"HTTP/1.1 200 OK\r\n\r\nwords", Framing::UntilClose, "words"),
        (b"HTTP/1.1 100 C\r\n\r\nHTTP/1.1 103 E\r\n\r\nHTTP/1.1 204 N\r\n\r\n", Framing::None, ""),
    ] {
        let CallerEnd::Answered(response) = check(answer, POST).await else { panic!("{}", text(answer)) };
        assert_eq!((response.framing, text(&response.body.0).as_str()), (framing, body));
    }
    let head = check(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", b"HEAD / HTTP/1.1\r\n\r\n").await;
    assert!(matches!(head, CallerEnd::Answered(response) if response.framing == Framing::None));
}

#[tokio::test]
async fn the_beginning_of_an_answer_is_never_an_answer() {
    for answer in [LENGTH, CHUNKED] {
        for end in 0..answer.len() {
            assert_eq!(check(&answer[..end], POST).await, CallerEnd::Cut { after: end as u64, reset: false });
        }
    }
}

#[tokio::test]
async fn interim_answers_are_not_counted_as_bytes_of_the_answer() {
    let cut = check(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 2", POST).await;
    assert_eq!(cut, CallerEnd::Cut { after: 10, reset: false });
}

#[tokio::test]
async fn what_is_not_http_is_unreadable() {
    let garbage = check(b"SSH-2.0-OpenSSH\r\n", POST).await;
    assert!(matches!(garbage, CallerEnd::Unreadable { said, .. } if said.0 == b"SSH-2.0-OpenSSH\r\n"));
}

#[tokio::test]
async fn a_reset_is_told_from_a_close() {
    let origin = Origin::playing(|mut stream, log| async move {
        read_request(&mut stream, &mut Vec::new(), &log).await;
        let _ = stream.write_all(b"HTTP/1.1 200").await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let _ = stream.set_zero_linger();
    })
    .await;
    let sent = send(&origin, POST, After::Read, &PATIENCE).await;
    assert_eq!(sent.caller, CallerEnd::Cut { after: 12, reset: true });
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_nothing_follows() {
    const MOVED: &[u8] = b"HTTP/1.1 307 Temporary Redirect\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n";
    let origin = Origin::answering(MOVED).await;
    let sent = send(&origin, POST, After::Read, &PATIENCE).await;
    assert!(matches!(sent.caller, CallerEnd::Answered(response) if response.status == 307));
    assert_eq!((origin.log.count(), *origin.log.connections.lock().expect("lock")), (1, 1));
}

/// Says the beginning of an answer and then nothing.
async fn stuck() -> Origin {
    Origin::playing(|mut stream, log| async move {
        read_request(&mut stream, &mut Vec::new(), &log).await;
        let _ = stream.write_all(b"HTTP/1.1 200").await;
        read_to_end(&mut stream).await;
    })
    .await
}

#[tokio::test]
async fn patience_ends_and_says_how_much_had_come() {
    let patience = Patience { answer: Duration::from_millis(150), ..PATIENCE };
    let sent = send(&stuck().await, POST, After::Read, &patience).await;
    assert_eq!(sent.caller, CallerEnd::TimedOut { after: 12 });
    assert!(sent.during.to.since(sent.during.from) >= patience.answer);
}

#[tokio::test]
async fn once_told_it_waits_only_so_much_longer() {
    let (tell, told) = tokio::sync::oneshot::channel();
    let wait = Duration::from_millis(120);
    tokio::spawn(async move {
        tokio::time::sleep(wait).await;
        tell.send(wait)
    });
    let sent = send(&stuck().await, POST, After::ReadUntil(told), &PATIENCE).await;
    assert_eq!(sent.caller, CallerEnd::TimedOut { after: 12 });
    assert!(sent.during.to.since(sent.during.from) >= wait);
    // A teller that is gone changes nothing.
    let (tell, told) = tokio::sync::oneshot::channel();
    drop(tell);
    let sent = send(&Origin::answering(LENGTH).await, POST, After::ReadUntil(told), &PATIENCE).await;
    assert!(matches!(sent.caller, CallerEnd::Answered(_)));
}

#[tokio::test]
async fn who_hangs_up_leaves_by_fin_after_the_last_byte() {
    let origin = Origin::playing(|mut stream, log| async move {
        let (bytes, end) = read_to_end(&mut stream).await;
        log.parts.lock().expect("lock").push((bytes, end));
    })
    .await;
    let sent = send(&origin, POST, After::HangUp, &PATIENCE).await;
    assert_eq!(sent.caller, CallerEnd::HungUp);
    for _ in 0..2000 {
        if !origin.log.parts.lock().expect("lock").is_empty() {
            break;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!(origin.log.parts.lock().expect("lock").as_slice(), [(POST.to_vec(), End::Fin)]);
}

#[tokio::test]
async fn a_port_where_nobody_listens_refuses() {
    let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port").local_addr().expect("an address");
    assert_eq!(connect(gone, &PATIENCE).await.map(|_| ()), Err(CallerEnd::Refused));
}

#[tokio::test]
async fn an_endless_answer_is_unreadable_in_bounds() {
    let origin = Origin::playing(|mut stream, log| async move {
        read_request(&mut stream, &mut Vec::new(), &log).await;
        let mut writing = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
        while writing.is_ok() {
            writing = stream.write_all(&[b'x'; 65_536]).await;
        }
    })
    .await;
    let sent = send(&origin, POST, After::Read, &PATIENCE).await;
    assert!(matches!(sent.caller, CallerEnd::Unreadable { why, .. } if why.contains("body")));
}
