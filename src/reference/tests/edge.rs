//! The gateway: what it passes on, and what it says when there is nothing to pass on.

use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::reference::saboteurs;
use crate::reference::tests::contract::curious;
use crate::reference::tests::lab::{LIVE, Lab, Reply, decide, event, reply};
use crate::reference::{Policy, start_edge};

const ANYWHERE: ([u8; 4], u16) = ([127, 0, 0, 1], 0);

async fn ask(edge: SocketAddr, path: &str, body: &str) -> Reply {
    let request = reqwest::Client::new().post(format!("http://{edge}{path}")).header("Authorization", LIVE);
    reply(request.body(body.to_owned())).await
}

/// An origin that reads one request on each connection, says something and closes.
async fn origin(says: &'static str) -> SocketAddr {
    let listener = TcpListener::bind(SocketAddr::from(ANYWHERE)).await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut read = [0; 4096];
            drop(stream.read(&mut read).await);
            drop(stream.write_all(says.as_bytes()).await);
        }
    });
    addr
}

#[tokio::test]
async fn whole_answers_pass_as_they_are() {
    let lab = Lab::honest().await;
    let edge = start_edge(curious(), Policy::HONEST, lab.addr(0), ANYWHERE.into()).await.unwrap();
    let first = ask(edge.addr, "/v1/decide", &decide("u1", "k1")).await;
    assert_eq!((first.status, first.header("content-type")), (200, Some("application/json")));
    assert_eq!(ask(edge.addr, "/v1/decide", &decide("u2", "k1")).await.status, 409);
    assert_eq!(ask(edge.addr, "/v1/decide?dry_run=1", &decide("u2", "k2")).await.text, r#"{"valid":true}"#);
    edge.stop().await;
}

#[tokio::test]
async fn an_origin_that_breaks_off_is_a_502_that_names_the_safe_retry() {
    let gone = TcpListener::bind(SocketAddr::from(ANYWHERE)).await.unwrap().local_addr().unwrap();
    let cut = origin("HTTP/1.1 200 OK\r\nContent-Length: 40\r\n\r\n{\"status\"").await;
    for addr in [origin("").await, cut, gone] {
        let edge = start_edge(curious(), Policy::HONEST, addr, ANYWHERE.into()).await.unwrap();
        for (path, names) in
            [("/v1/decide", "same idempotency_key"), ("/v1/events/batch", "same id"), ("/x", "same request")]
        {
            let said = ask(edge.addr, path, &event("u1", "e1")).await;
            assert_eq!((said.status, said.member("/error").as_str()), (502, "\"bad_gateway\""));
            assert!(said.member("/message").contains(names), "{}", said.text);
        }
        edge.stop().await;
    }
}

#[tokio::test]
async fn a_silent_gateway_names_nothing() {
    let row = saboteurs().iter().find(|row| row.name == "gateway-hides-the-safe-retry").unwrap();
    let edge = start_edge(curious(), row.policy, origin("").await, ANYWHERE.into()).await.unwrap();
    let said = ask(edge.addr, "/v1/decide", &decide("u1", "k1")).await;
    assert_eq!(said.told(), (502, r#"{"error":"bad_gateway","message":"bad gateway"}"#));
}
