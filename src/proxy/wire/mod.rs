//! HTTP/1.1 on the wire, for both ends of the road: heads, body framing, and the few socket facts that a fault needs.
//! It finds where a message ends and what it says; it never changes, adds or drops a byte, and never decides what to do.

mod body;
mod head;
mod inbox;
mod parser;
mod socket;

pub use body::{BodyRule, Framer};
pub use head::{AnswerHead, Asked, Headers, RequestHead};
pub use inbox::Inbox;
pub use parser::{BadMessage, Bounds, Head, Parser, Progress, request_in, response_in};
pub use socket::{delivered, is_reset, reset, write_hearing};
