//! The bounds of one proxy: with them every exchange ends, whatever either side does. Values only.

use std::time::Duration;

use crate::proxy::wire::Bounds;

/// How much is read and how long anything is awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a head.
    pub head: usize,
    /// Bytes of a body as it is on the wire.
    pub body: usize,
    /// Reading one request from a caller, or giving it one answer. A connection may be idle between two requests for
    /// longer, because closing it then would itself provoke a retry.
    pub caller_wait: Duration,
    /// Connecting to the origin; showing it the request; reading its whole answer. Each anew, and holds do not count.
    pub origin_wait: Duration,
    /// Any hold: at a gate, in a stall, before a late request is released.
    pub hold: Duration,
    /// Between two drops of a drip.
    pub drip: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        let Bounds { head, body } = Bounds::default();
        Self {
            head,
            body,
            caller_wait: Duration::from_secs(30),
            origin_wait: Duration::from_secs(30),
            hold: Duration::from_secs(60),
            drip: Duration::from_millis(2),
        }
    }
}

impl Limits {
    /// The part of them that a parser needs.
    pub(super) fn bounds(&self) -> Bounds {
        Bounds { head: self.head, body: self.body }
    }
}
