//! The fault proxy: the only road between a driver and an origin. It reads whole messages, passes them on byte by byte
//! as they were, does one fault at one point of one exchange, and records both ends. It never judges, never retries,
//! never pools or shares a connection to the origin, and never adds a header to what it passes.
//!
//! - `listener`: the port of one case, which can refuse and come back; `connection`: one caller's connection.
//! - `armed`: what an exchange is to meet, and the hold on its gates; `spring`: the last byte of a held request; `gates`: passing, stamping and waiting at them.
//! - `exchange`: request in, origin's answer in; `meet`: what each passage does with them; `copies`: `duplicate`;
//!   `early`: `Expect: 100-continue`.
//! - `caller`, `upstream`: the two legs; `cut`, `substitute`: which bytes the caller is given.
//! - `tls`: the way on to an origin that speaks TLS.
//! - `ledger`: the record of all exchanges and the one order of all their gates; `outcome`: how one of them ended.
//! - [`wire`]: the HTTP/1.1 codec, which the driver shares.

mod armed;
mod caller;
mod connection;
mod copies;
mod cut;
mod early;
mod exchange;
mod gates;
mod ledger;
mod limits;
mod listener;
mod meet;
mod outcome;
mod spring;
mod substitute;
mod tls;
mod upstream;
pub mod wire;

pub use armed::{Armed, Control, GateError};
pub use limits::Limits;
pub use listener::{Proxy, Refusing};
pub use outcome::{CallerGot, ClosedBy, Relayed};
pub use tls::{Tls, TlsError, Tunnel};
