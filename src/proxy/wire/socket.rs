//! The few socket facts that a fault rests on: a reset, the proof that bytes arrived before it, and a write that hears
//! the other side speak early. Linux only where it asks the kernel; it never waits without a bound.

use std::io;
use std::os::fd::AsRawFd;
use std::time::Duration;

use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::proxy::wire::head::{AnswerHead, Asked};
use crate::proxy::wire::inbox::Inbox;
use crate::proxy::wire::parser::{Bounds, Parser, Progress};

nix::ioctl_read_bad!(unsent, nix::libc::TIOCOUTQ, nix::libc::c_int);

/// Ends a connection with RST. What was written and has not arrived is lost; see [`delivered`].
pub fn reset(stream: TcpStream) {
    // When the option cannot be set the other side has reset already, and there is nothing left to end.
    let _ = stream.set_zero_linger();
    drop(stream);
}

/// Waits until the other side's kernel has every byte that was written; false when it left or the time is over.
pub async fn delivered(stream: &TcpStream, wait: Duration) -> bool {
    let until = Instant::now() + wait;
    for round in 0_u32.. {
        if stream.take_error().is_ok_and(|error| error.is_some()) {
            return false;
        }
        let mut bytes = 0;
        // SAFETY: the descriptor is open for as long as the stream is borrowed, and the kernel writes one c_int.
        if unsafe { unsent(stream.as_raw_fd(), &raw mut bytes) }.is_err() || Instant::now() >= until {
            return false;
        }
        if bytes == 0 {
            return true;
        }
        if round < 8 {
            tokio::task::yield_now().await;
        } else {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    false
}

/// Whether a connection that failed so was reset, rather than broken in another way.
pub fn is_reset(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), ConnectionReset | ConnectionAborted | BrokenPipe)
}

/// Writes all the bytes, and meanwhile takes in what the other side says, so that neither waits for the other. Stops
/// early when it breaks, has answered already, or says what is no answer. The number of bytes that the kernel took.
pub async fn write_hearing(
    stream: &mut TcpStream,
    inbox: &mut Inbox,
    bytes: &[u8],
    until: Instant,
    asked: Asked,
    bounds: Bounds,
) -> usize {
    // Nearly always the kernel takes everything at once.
    let mut written = stream.try_write(bytes).unwrap_or(0);
    if written == bytes.len() {
        return written;
    }
    let mut early = Early { parser: Parser::new(asked, bounds), asked, bounds, from: 0 };
    let (mut reader, mut writer) = stream.split();
    let mut open = true;
    while written < bytes.len() {
        tokio::select! {
            biased;
            wrote = writer.write(&bytes[written..]) => match wrote {
                Ok(0) | Err(_) => break,
                Ok(more) => written += more,
            },
            read = inbox.fill(&mut reader), if open => match read {
                // The other side says no more, which is no reason to stop: it may still read.
                Ok(0) => open = false,
                Err(_) => break,
                Ok(_) if early.is_enough(inbox.bytes()) => break,
                Ok(_) => {}
            },
            () = tokio::time::sleep_until(until) => break,
        }
    }
    written
}

/// What the other side says while a request is still being written.
struct Early {
    parser: Parser<AnswerHead>,
    asked: Asked,
    bounds: Bounds,
    /// Where the answer begins, after the interim ones.
    from: usize,
}

impl Early {
    /// Whether there is no use in writing more.
    fn is_enough(&mut self, said: &[u8]) -> bool {
        loop {
            match self.parser.advance(said.get(self.from..).unwrap_or_default()) {
                Ok(Progress::Whole(length)) if self.parser.head().is_some_and(AnswerHead::is_interim) => {
                    self.from += length;
                    self.parser = Parser::new(self.asked, self.bounds);
                }
                // A storm of interim answers is no answer either.
                Ok(Progress::More) => return self.from > self.bounds.head,
                Ok(Progress::Whole(_)) | Err(_) => return true,
            }
        }
    }
}
