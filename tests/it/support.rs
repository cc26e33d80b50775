//! Raw sockets at both ends of the road. They share no code with the product: what they count is evidence.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use onceproof::fault::Passage;
use onceproof::history::{AttemptNo, Gate};
use onceproof::proxy::{Armed, Control, Limits, Proxy, Relayed};
use onceproof::time::Clock;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// No test waits longer for anything.
pub const LONG: Duration = Duration::from_secs(20);

pub const LENGTH: &[u8] = b"HTTP/1.1 201 Created\r\nX-oDD: Yes\r\nContent-Length: 11\r\n\r\n{\"id\":1234}";
pub const CHUNKED: &[u8] =
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;e=1\r\n{\"id\"\r\n6\r\n:1234}\r\n0\r\nX-Sum: 1\r\n\r\n";
pub const POST: &[u8] =
    b"POST /v1/things?a=b HTTP/1.1\r\nhOST: x\r\nConnection: close\r\nContent-Length: 7\r\n\r\n{\"a\":1}";

/// How a connection ended, as the one who read it saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    Fin,
    Reset,
}

/// What an origin saw.
#[derive(Debug, Default)]
pub struct Log {
    /// Whole requests, in order.
    pub whole: Mutex<Vec<Vec<u8>>>,
    /// What came of requests that never became whole, with the end of the connection.
    pub parts: Mutex<Vec<(Vec<u8>, End)>>,
    /// Connections that were accepted.
    pub connections: Mutex<u32>,
}

impl Log {
    pub fn count(&self) -> usize {
        self.whole.lock().expect("lock").len()
    }
}

/// A raw origin.
pub struct Origin {
    pub addr: SocketAddr,
    pub log: Arc<Log>,
}

/// The length of the first request in these bytes, if it is whole. Naive on purpose.
pub fn whole_request(bytes: &[u8]) -> Option<usize> {
    let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
    let head = text.find("\r\n\r\n")? + 4;
    if text[..head].contains("transfer-encoding: chunked") {
        return bytes.windows(7).position(|seven| seven == b"\r\n0\r\n\r\n").map(|at| at + 7);
    }
    let length = text[..head].split("content-length: ").nth(1).and_then(|rest| rest.lines().next()?.parse().ok());
    let all = head + length.unwrap_or(0);
    (bytes.len() >= all).then_some(all)
}

/// Reads one request; what was read is logged. Bytes after it stay in `kept`.
pub async fn read_request(stream: &mut TcpStream, kept: &mut Vec<u8>, log: &Log) -> Option<Vec<u8>> {
    loop {
        if let Some(length) = whole_request(kept) {
            let rest = kept.split_off(length);
            let request = std::mem::replace(kept, rest);
            log.whole.lock().expect("lock").push(request.clone());
            return Some(request);
        }
        let end = match stream.read_buf(kept).await {
            Ok(0) => End::Fin,
            Ok(_) => continue,
            Err(_) => End::Reset,
        };
        log.parts.lock().expect("lock").push((std::mem::take(kept), end));
        return None;
    }
}

impl Origin {
    /// Plays each connection with this function.
    pub async fn playing<F, P>(play: P) -> Self
    where
        P: Fn(TcpStream, Arc<Log>) -> F + Send + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let addr = listener.local_addr().expect("an address");
        let log = Arc::new(Log::default());
        let shared = Arc::clone(&log);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                *shared.connections.lock().expect("lock") += 1;
                let _ = stream.set_nodelay(true);
                tokio::spawn(play(stream, Arc::clone(&shared)));
            }
        });
        Self { addr, log }
    }

    /// Answers every request with the same bytes, on connections that stay.
    pub async fn answering(answer: &'static [u8]) -> Self {
        Self::playing(move |mut stream, log| async move {
            let mut kept = Vec::new();
            while read_request(&mut stream, &mut kept, &log).await.is_some() {
                let _ = stream.write_all(answer).await;
            }
        })
        .await
    }

    /// Says these bytes after each request and closes.
    pub async fn closing_after(answer: &'static [u8]) -> Self {
        Self::playing(move |mut stream, log| async move {
            let mut kept = Vec::new();
            if read_request(&mut stream, &mut kept, &log).await.is_some() {
                let _ = stream.write_all(answer).await;
            }
        })
        .await
    }
}

/// A caller, an origin and a proxy between them.
pub struct World {
    pub origin: Origin,
    pub proxy: Proxy,
    pub clock: Clock,
}

/// Limits that a test can wait for.
pub fn limits() -> Limits {
    Limits { caller_wait: LONG, origin_wait: LONG, hold: LONG, ..Limits::default() }
}

pub async fn world(origin: Origin) -> World {
    world_with(origin, limits()).await
}

pub async fn world_with(origin: Origin, limits: Limits) -> World {
    let clock = Clock::start();
    let proxy = Proxy::open(origin.addr, clock, limits).await.expect("a proxy");
    World { origin, proxy, clock }
}

pub fn passage(text: &str) -> Passage {
    text.parse().expect("a passage")
}

impl World {
    pub fn arm(&self, text: &str, caller: Option<SocketAddr>, hold_at: Option<Gate>) -> Control {
        self.proxy.arm(Armed {
            attempt: AttemptNo(7),
            caller,
            passage: passage(text),
            hold_at,
            origin: None,
            says: None,
            done: None,
        })
    }

    pub async fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.proxy.addr()).await.expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream
    }

    /// One request that meets a passage; what the caller was left with, and the record.
    pub async fn meet(&self, text: &str, request: &[u8]) -> (Vec<u8>, End, Relayed) {
        let mut caller = self.connect().await;
        self.arm(text, caller.local_addr().ok(), None);
        caller.write_all(request).await.expect("a written request");
        let (bytes, end) = read_to_end(&mut caller).await;
        let mut relayed = self.proxy.settle(LONG).await;
        assert_eq!(relayed.len(), 1, "{text}: {relayed:?}");
        (bytes, end, relayed.remove(0))
    }

    pub async fn settled_after(&self, control: Control) -> Relayed {
        control.finished().await;
        self.settled().await
    }

    pub async fn settled(&self) -> Relayed {
        let mut relayed = self.proxy.settle(LONG).await;
        assert_eq!(relayed.len(), 1, "{relayed:?}");
        relayed.remove(0)
    }
}

/// Reads until the connection ends.
pub async fn read_to_end(stream: &mut TcpStream) -> (Vec<u8>, End) {
    let mut bytes = Vec::new();
    let reading = async {
        loop {
            match stream.read_buf(&mut bytes).await {
                Ok(0) => return End::Fin,
                Ok(_) => {}
                Err(error) => {
                    assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
                    return End::Reset;
                }
            }
        }
    };
    let end = tokio::time::timeout(LONG, reading).await.expect("an end in time");
    (bytes, end)
}

/// Reads exactly so many bytes.
pub async fn read_exactly(stream: &mut TcpStream, length: usize) -> Vec<u8> {
    let mut bytes = vec![0; length];
    tokio::time::timeout(LONG, stream.read_exact(&mut bytes)).await.expect("bytes in time").expect("bytes");
    bytes
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The order of a gate in a record.
pub fn order(relayed: &Relayed, gate: Gate) -> u64 {
    let stamp = relayed.gates.iter().find(|stamp| stamp.gate == gate);
    stamp.unwrap_or_else(|| panic!("{gate:?} in {:?}", relayed.gates)).order
}
