//! A stand-in for an origin: one connection for each request, the next reply of a script for each, and a record of what
//! came.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::json::Json;

/// What a request is answered.
#[derive(Clone, Debug)]
pub enum Reply {
    /// An answer: status, headers, body.
    Says(u16, Vec<(&'static str, String)>, String),
    /// The connection ends without a byte.
    Drops,
    /// The connection ends in the middle of the body.
    Cuts,
    /// Nothing for so long, then a drop.
    Stalls(Duration),
    /// This body, a byte at a time, each after so long.
    Drips(String, Duration),
    /// The reply, but only after so long.
    After(Duration, Box<Reply>),
}

/// A body with status 200.
pub fn ok(body: &str) -> Reply {
    says(200, body)
}

/// A status and a body.
pub fn says(status: u16, body: &str) -> Reply {
    Reply::Says(status, Vec::new(), body.to_owned())
}

/// A status and a `Retry-After`.
pub fn later(status: u16, retry_after: &str) -> Reply {
    Reply::Says(status, vec![("Retry-After", retry_after.to_owned())], "{}".to_owned())
}

/// A request that came.
#[derive(Clone, Debug)]
pub struct Seen {
    /// When it was whole.
    pub came: Instant,
    /// Just before its answer was begun, or the connection ended.
    pub answered: Option<Instant>,
    pub method: String,
    pub target: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
    /// How many others were not yet answered when it came.
    pub beside: usize,
}

impl Seen {
    pub fn json(&self) -> Json {
        self.body.parse().unwrap_or(Json::Null)
    }

    pub fn at(&self, place: &str) -> Option<Json> {
        self.json().at(&place.parse().unwrap()).cloned()
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        crate::message::header(&self.headers, name)
    }
}

/// A running stand-in.
pub struct Origin {
    pub addr: SocketAddr,
    seen: Arc<Mutex<Vec<Seen>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Origin {
    /// The last reply stands for all that follow.
    pub async fn with(replies: Vec<Reply>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let open = Arc::new(AtomicUsize::new(0));
        let record = Arc::clone(&seen);
        let task = tokio::spawn(async move {
            loop {
                let Ok((stream, _)) = listener.accept().await else { return };
                tokio::spawn(serve(stream, replies.clone(), Arc::clone(&record), Arc::clone(&open)));
            }
        });
        Self { addr, seen, task }
    }

    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// Waits until so many requests came.
    pub async fn came(&self, count: usize) {
        while self.seen().len() < count {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }
}

impl Drop for Origin {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: TcpStream, replies: Vec<Reply>, record: Arc<Mutex<Vec<Seen>>>, open: Arc<AtomicUsize>) {
    let Some(seen) = request(&mut stream, open.fetch_add(1, Ordering::SeqCst)).await else { return };
    let number = {
        let mut record = record.lock().unwrap();
        record.push(seen);
        record.len() - 1
    };
    let mut reply = replies.get(number).or(replies.last()).unwrap();
    if let Reply::After(pause, then) = reply {
        tokio::time::sleep(*pause).await;
        reply = then;
    }
    let stamp = || record.lock().unwrap()[number].answered = Some(Instant::now());
    match reply {
        Reply::Says(status, headers, body) => {
            let headers: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
            let length = body.len();
            let answer = format!(
                "HTTP/1.1 {status} Said\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}"
            );
            stamp();
            let _ = stream.write_all(answer.as_bytes()).await;
        }
        Reply::Drops => stamp(),
        Reply::Cuts => {
            stamp();
            let _ = stream.write_all(b"HTTP/1.1 200 Said\r\nContent-Length: 50\r\n\r\n{\"id\":").await;
        }
        Reply::Stalls(pause) => {
            tokio::time::sleep(*pause).await;
            stamp();
        }
        Reply::Drips(body, pause) => {
            stamp();
            let head = format!("HTTP/1.1 200 Said\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            let _ = stream.write_all(head.as_bytes()).await;
            for byte in body.as_bytes() {
                tokio::time::sleep(*pause).await;
                if stream.write_all(&[*byte]).await.is_err() {
                    break;
                }
            }
        }
        Reply::After(..) => unreachable!("one pause is enough"),
    }
    open.fetch_sub(1, Ordering::SeqCst);
    let _ = stream.shutdown().await;
}

async fn request(stream: &mut TcpStream, beside: usize) -> Option<Seen> {
    let mut bytes = Vec::new();
    let (head, mut body) = loop {
        let mut more = [0; 1024];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&more[..count]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            break (head.to_owned(), body.to_owned());
        }
    };
    let mut lines = head.lines();
    let mut first = lines.next()?.split(' ');
    let headers: Vec<(String, String)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
        .collect();
    let length: usize =
        crate::message::header(&headers, "content-length").and_then(|text| text.parse().ok()).unwrap_or(0);
    while body.len() < length {
        let mut more = [0; 1024];
        let count = stream.read(&mut more).await.ok().filter(|count| *count > 0)?;
        body.push_str(&String::from_utf8_lossy(&more[..count]));
    }
    let (method, target) = (first.next()?.to_owned(), first.next()?.to_owned());
    Some(Seen { came: Instant::now(), answered: None, method, target, headers, body, beside })
}
