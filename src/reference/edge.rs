//! The gateway in front of a server: passes requests on, each over a connection of its own, and answers as the contract
//! says when the origin breaks off. It never retries and never follows.

use std::net::SocketAddr;
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONNECTION, CONTENT_LENGTH, HOST, HeaderMap, TRANSFER_ENCODING};
use hyper::{Request, Response};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::contract::{CannedAnswer, Contract, Outcome};
use crate::json::Json;
use crate::reference::call::{Answer, Call};
use crate::reference::connection::{Outgoing, accept};
use crate::reference::policy::{GatewayUse, Policy, Spelled};
use crate::reference::route::{Routed, Routes, Target};
use crate::reference::service::Running;
use crate::reference::setup::ServeError;

/// A gateway to be.
struct Gateway {
    contract: Arc<Contract>,
    policy: Policy,
    routes: Routes,
    origin: SocketAddr,
    client: reqwest::Client,
}

/// Serves as a gateway until told to stop.
pub async fn edge(
    contract: Arc<Contract>,
    policy: Policy,
    origin: SocketAddr,
    listener: TcpListener,
    stop: CancellationToken,
) -> Result<(), ServeError> {
    // One connection for each request, and no second try: what is passed on twice is done twice.
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(0)
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_proxy()
        .http1_only()
        .build()
        .map_err(|error| ServeError::Network(std::io::Error::other(error)))?;
    let routes = Routes::of(&contract);
    let gateway = Arc::new(Gateway { contract, policy, routes, origin, client });
    accept(listener, stop, move |request| {
        let gateway = Arc::clone(&gateway);
        async move {
            // A task of its own: a caller that leaves does not take the request back from the origin.
            let passing = tokio::spawn(async move { gateway.pass(request).await });
            passing.await.unwrap_or_else(|_| bare().into_response(Spelled::Compact))
        }
    })
    .await;
    Ok(())
}

/// Serves as a gateway in a task of its own.
pub async fn start_edge(
    contract: Arc<Contract>,
    policy: Policy,
    origin: SocketAddr,
    addr: SocketAddr,
) -> Result<Running, ServeError> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    let stop = CancellationToken::new();
    let serving = edge(contract, policy, origin, listener, stop.clone());
    let task = tokio::spawn(async move { drop(serving.await) });
    Ok(Running::new(addr, stop, task))
}

impl Gateway {
    async fn pass(&self, request: Request<Incoming>) -> Outgoing {
        let headers = request.headers().clone();
        let target = request.uri().path_and_query().map_or_else(|| "/".to_owned(), ToString::to_string);
        let call = match Call::read(request).await {
            Ok(call) => call,
            Err(problem) => {
                let body = Json::object([("error", Json::text(problem))]);
                return Answer::new(400, Vec::new(), body, Outcome::Refused).into_response(Spelled::Compact);
            }
        };
        match self.ask(&call, headers, &target).await {
            Some(answer) => answer,
            None => self.broken(&call).into_response(Spelled::Compact),
        }
    }

    /// The origin's whole answer; none when it broke off, was not there, or spoke no HTTP.
    async fn ask(&self, call: &Call, headers: HeaderMap, target: &str) -> Option<Outgoing> {
        let method = call.method.parse::<reqwest::Method>().ok()?;
        let url = format!("http://{}{target}", self.origin);
        let asking = self.client.request(method, url).headers(passed_on(headers)).body(call.body.clone());
        let answer = asking.send().await.ok()?;
        let (status, headers) = (answer.status(), passed_on(answer.headers().clone()));
        let body = answer.bytes().await.ok()?;
        let mut outgoing = Response::new(Full::new(body));
        *outgoing.status_mut() = status;
        *outgoing.headers_mut() = headers;
        Some(outgoing)
    }

    fn broken(&self, call: &Call) -> Answer {
        let operation = match self.routes.find(&call.method, &call.path) {
            Routed::Found(Target::Operation(name), _) => self.contract.operations.get(name),
            Routed::Found(Target::Read(_), _) | Routed::WrongMethod(_) | Routed::NoSuchPath => None,
        };
        let answers = self.contract.reference.as_ref().and_then(|reference| reference.edge.as_ref());
        let canned = answers.and_then(|edge| {
            operation.and_then(|operation| edge.broken.get(operation.name.as_str())).or_else(|| edge.broken.get("any"))
        });
        let Some(CannedAnswer { status, headers, body }) = canned else { return bare() };
        let body = match (self.policy.gateway, operation.and_then(|operation| operation.safe_retry.as_deref())) {
            (GatewayUse::Silent, Some(safe_retry)) => unsaid(body, safe_retry),
            (GatewayUse::Silent, None) | (GatewayUse::NamesTheSafeRetry, _) => body.clone(),
        };
        Answer::new(*status, headers.clone(), body, Outcome::Unknown)
    }
}

fn bare() -> Answer {
    Answer::new(502, Vec::new(), Json::object([("error", Json::from("bad gateway"))]), Outcome::Unknown)
}

/// Without what belongs to one connection; the length is counted anew.
fn passed_on(mut headers: HeaderMap) -> HeaderMap {
    for own in [CONNECTION, CONTENT_LENGTH, HOST, TRANSFER_ENCODING] {
        headers.remove(own);
    }
    headers
}

/// The body without the texts that name the safe retry.
fn unsaid(body: &Json, safe_retry: &str) -> Json {
    match body {
        Json::String(text) if text.as_str().is_some_and(|text| text.contains(safe_retry)) => Json::from("bad gateway"),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), unsaid(value, safe_retry))).collect())
        }
        Json::Array(items) => Json::Array(items.iter().map(|item| unsaid(item, safe_retry)).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => body.clone(),
    }
}
