//! A stand-in for a server that nobody has described: it answers every operation of a contract with the contract's own
//! example of a success, whatever it is sent, and everything else with 404. It keeps nothing, so nothing about a server can
//! be concluded from it; a client has somebody to talk to.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::contract::{Contract, Outcome};
use crate::json::Json;
use crate::reference::call::{Answer, Call};
use crate::reference::connection::{accept, respond};
use crate::reference::policy::Spelled;
use crate::reference::route::{Routed, Routes, Target};
use crate::reference::service::Running;
use crate::reference::setup::ServeError;

/// Stands in for a server, in a task of its own.
pub async fn stand_in(contract: Arc<Contract>, addr: SocketAddr) -> Result<Running, ServeError> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    let stop = CancellationToken::new();
    let routes = Arc::new(Routes::of(&contract));
    let serving = accept(listener, stop.clone(), move |request| {
        let (contract, routes) = (Arc::clone(&contract), Arc::clone(&routes));
        respond(Spelled::Compact, async move {
            match Call::read(request).await {
                Ok(call) => answer(&contract, &routes, &call),
                Err(problem) => refused(400, &problem),
            }
        })
    });
    let task = tokio::spawn(serving);
    Ok(Running::new(addr, stop, task))
}

fn answer(contract: &Contract, routes: &Routes, call: &Call) -> Answer {
    match routes.find(&call.method, &call.path) {
        Routed::Found(Target::Operation(name), _) => {
            let operation = contract.operations.get(name);
            match operation.and_then(|operation| operation.example(Outcome::Fresh, None)) {
                Some((status, body)) => Answer::new(status, Vec::new(), body, Outcome::Fresh),
                None => refused(501, "the contract names no success of this operation"),
            }
        }
        Routed::Found(Target::Read(_), _) | Routed::NoSuchPath => refused(404, "there is nothing here"),
        Routed::WrongMethod(_) => refused(405, "this path takes another method"),
    }
}

fn refused(status: u16, message: &str) -> Answer {
    Answer::new(status, Vec::new(), Json::object([("error", Json::text(message))]), Outcome::Refused)
}
