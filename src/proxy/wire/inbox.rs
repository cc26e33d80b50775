//! What came on a connection and was not yet taken: one buffer, used again for each message. It never looks inside.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

/// Room for this much is made before each read.
const ROOM: usize = 8 * 1024;

/// A buffer that grew over this is not kept for the next message.
const KEPT: usize = 128 * 1024;

/// Bytes that came and were not yet taken.
#[derive(Debug, Default)]
pub struct Inbox {
    bytes: Vec<u8>,
}

impl Inbox {
    /// All that is there.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reads once; 0 when the other side has closed. Nothing is lost when the future is dropped.
    pub async fn fill<R: AsyncRead + Unpin>(&mut self, from: &mut R) -> io::Result<usize> {
        self.bytes.reserve(ROOM);
        from.read_buf(&mut self.bytes).await
    }

    /// Takes the first `length` bytes out; without a copy when they are all that is there.
    pub fn take(&mut self, length: usize) -> Vec<u8> {
        if length >= self.bytes.len() {
            return std::mem::take(&mut self.bytes);
        }
        let rest = self.bytes.split_off(length);
        std::mem::replace(&mut self.bytes, rest)
    }

    /// Gives a taken buffer back, to be used again.
    pub fn recycle(&mut self, mut bytes: Vec<u8>) {
        if self.bytes.is_empty() && self.bytes.capacity() < bytes.capacity() && bytes.capacity() <= KEPT {
            bytes.clear();
            self.bytes = bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_is_not_taken_stays_for_the_next_message() {
        let mut inbox = Inbox::default();
        assert_eq!(inbox.fill(&mut b"onetwo".as_slice()).await.ok(), Some(6));
        assert_eq!(inbox.take(3), b"one");
        assert_eq!(inbox.bytes(), b"two");
        let taken = inbox.take(3);
        inbox.recycle(taken);
        assert!(inbox.bytes().is_empty() && inbox.bytes.capacity() > 0);
    }
}
