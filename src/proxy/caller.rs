//! The caller's leg: giving it bytes, seeing it leave, and ending its connection in order or by reset. It gives exactly
//! what it is told to give, and never reads a request.

use std::net::SocketAddr;
use std::task::Poll;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, MissedTickBehavior};

use crate::proxy::outcome::ClosedBy;
use crate::proxy::wire::{Inbox, reset};

/// How long the other side of a connection that ended in order may take to end its own direction.
pub(super) const FAREWELL: Duration = Duration::from_secs(2);

/// How many drops of a drip there are at most: a large answer comes in larger drops.
const DROPS: usize = 600;

/// One caller's connection.
#[derive(Debug)]
pub(super) struct Caller {
    /// The connection.
    pub stream: TcpStream,
    /// What it sent that no exchange has taken.
    pub inbox: Inbox,
    /// Its address.
    pub address: SocketAddr,
}

/// What a caller took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Given {
    /// So many bytes.
    pub bytes: usize,
    /// It left before it took all, or took no more for too long.
    pub left: bool,
}

impl Caller {
    /// Gives it these bytes, in one call as far as the kernel takes them.
    pub async fn give(&mut self, bytes: &[u8], wait: Duration) -> Given {
        let mut given = self.stream.try_write(bytes).unwrap_or(0);
        if given < bytes.len() {
            // When the time is over, what was given stays given.
            let _ = tokio::time::timeout(wait, async {
                while given < bytes.len() {
                    match self.stream.write(&bytes[given..]).await {
                        Ok(0) | Err(_) => break,
                        Ok(more) => given += more,
                    }
                }
            })
            .await;
        }
        let broken = self.has_stirred().await && self.stream.take_error().map_or(true, |error| error.is_some());
        Given { bytes: if broken { 0 } else { given }, left: broken || given < bytes.len() }
    }

    /// Whether something came from it since the last read: more bytes, or its end. A caller that has closed resets at
    /// the first byte that it is given, which on one host has happened when the write returns; but that costs a call to
    /// find out, and one that has closed has stirred.
    async fn has_stirred(&self) -> bool {
        std::future::poll_fn(|context| Poll::Ready(self.stream.poll_read_ready(context).is_ready())).await
    }

    /// Gives it these bytes slowly, one by one unless there are very many. When it ends its direction meanwhile, the next
    /// drop comes at once: who has left resets at it, and who only has nothing more to say takes the others in their time.
    /// What it sends meanwhile is kept, up to `keep` bytes.
    pub async fn drip(&mut self, bytes: &[u8], pace: Duration, wait: Duration, keep: usize) -> Given {
        let mut pace = tokio::time::interval(pace);
        pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let mut given = 0;
        let mut speaks = true;
        for drop in bytes.chunks(bytes.len().div_ceil(DROPS).max(1)) {
            speaks = tokio::select! {
                biased;
                _ = pace.tick() => speaks,
                () = self.said(keep), if speaks => false,
            };
            let Given { bytes, left } = self.give(drop, wait).await;
            given += bytes;
            if left {
                return Given { bytes: given, left };
            }
        }
        Given { bytes: given, left: false }
    }

    /// Waits until it ends its direction. One that says more than is kept is not listened to any longer.
    async fn said(&mut self, keep: usize) {
        while self.inbox.bytes().len() < keep {
            if !matches!(self.inbox.fill(&mut self.stream).await, Ok(1..)) {
                return;
            }
        }
        std::future::pending().await
    }

    /// Waits until it leaves; false when it is still there after `wait`. A caller that only ends its own direction
    /// cannot be told from one that left. What it sends meanwhile is kept, up to `keep` bytes, and dropped after that.
    pub async fn leaves(&mut self, wait: Duration, keep: usize) -> bool {
        let until = Instant::now() + wait;
        while self.inbox.bytes().len() < keep {
            match tokio::time::timeout_at(until, self.inbox.fill(&mut self.stream)).await {
                Ok(Ok(0) | Err(_)) => return true,
                Ok(Ok(_)) => {}
                Err(_) => return false,
            }
        }
        let left = until.saturating_duration_since(Instant::now());
        tokio::time::timeout(left, drain(&mut self.stream)).await.is_ok()
    }

    /// Ends its connection. The end has happened when this returns; a goodbye that is owed is to be awaited then.
    pub async fn close(self, by: ClosedBy) -> Option<Goodbye> {
        let mut stream = self.stream;
        match by {
            ClosedBy::Proxy { reset: true } => {
                reset(stream);
                None
            }
            ClosedBy::Proxy { reset: false } => {
                // An error means that the caller was faster.
                let _ = stream.shutdown().await;
                Some(Goodbye(stream))
            }
            ClosedBy::Caller | ClosedBy::Nobody => None,
        }
    }
}

/// A connection that we ended in order and the other side has not.
#[derive(Debug)]
pub(super) struct Goodbye(pub TcpStream);

impl Goodbye {
    /// Reads what still comes, because closing over unread bytes would turn FIN into RST.
    pub async fn said(mut self) {
        // Who has not gone by then is left.
        let _ = tokio::time::timeout(FAREWELL, drain(&mut self.0)).await;
    }
}

/// Reads and drops whatever comes until the other side ends.
async fn drain(stream: &mut TcpStream) {
    let mut dropped = [0; 2048];
    while matches!(stream.read(&mut dropped).await, Ok(1..)) {}
}
