//! Processes of a subject: started, killed, asked to end, started again.

use std::collections::BTreeMap;

use onceproof::runner::{Process, Starter};
use tokio::net::TcpStream;

fn starter() -> Starter {
    let command = format!("'{}' serve curious --listen 127.0.0.1:{{port}}", env!("CARGO_BIN_EXE_onceproof"));
    Starter { command, within: "".into(), environment: BTreeMap::new(), ready: None }
}

#[tokio::test]
async fn a_process_that_was_ended_refuses_and_comes_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut process = Process::start(&starter(), folder.path()).await.expect("starts");
    for kill in [true, false] {
        let before = process.address();
        process.end(kill).await.expect("ends");
        assert!(TcpStream::connect(before).await.is_err(), "it still listens");
        let after = process.again().await.expect("starts again");
        assert!(TcpStream::connect(after).await.is_ok());
    }
}

#[tokio::test]
async fn a_dropped_process_takes_its_group_with_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let process = Process::start(&starter(), folder.path()).await.expect("starts");
    let address = process.address();
    drop(process);
    for _ in 0..500 {
        if TcpStream::connect(address).await.is_err() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("it still listens");
}

#[tokio::test]
async fn two_processes_at_once_are_given_two_ports() {
    let folder = tempfile::tempdir().expect("a folder");
    let starter = starter();
    let (one, other) = tokio::join!(Process::start(&starter, folder.path()), Process::start(&starter, folder.path()));
    assert_ne!(one.expect("starts").address(), other.expect("starts").address());
}
