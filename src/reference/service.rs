//! The reference server on the network: accepts, reads, routes, asks the engine and writes. Every request is worked on
//! by a task of its own, so that a caller who leaves cannot stop what was begun.

use std::net::SocketAddr;
use std::sync::Arc;

use hyper::Request;
use hyper::body::Incoming;
use jiff::Timestamp;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::contract::{Contract, Late, ReadRoute};
use crate::json::{Json, Pointer};
use crate::reference::batch::batch;
use crate::reference::call::{Answer, Call};
use crate::reference::connection::{accept, respond};
use crate::reference::hook::{HOOK_HEADER, Hook};
use crate::reference::perform::{Asked, single};
use crate::reference::policy::Policy;
use crate::reference::route::{Routed, Target};
use crate::reference::rows::without;
use crate::reference::setup::{Caller, CommonError, ServeError, Setup};
use crate::reference::store::{End, StoreAt, StoreError};

/// A reference server to be.
#[derive(Clone)]
pub struct Service {
    /// What it keeps.
    pub contract: Arc<Contract>,
    /// How.
    pub policy: Policy,
    /// Where.
    pub store: StoreAt,
    /// Whether it heeds test hooks.
    pub hooks: bool,
}

impl Service {
    /// An honest server that remembers nothing after it stops and heeds test hooks.
    pub fn new(contract: Arc<Contract>) -> Self {
        Self { contract, policy: Policy::HONEST, store: StoreAt::Memory, hooks: true }
    }
}

/// A server that runs until it is stopped or dropped.
#[derive(Debug)]
pub struct Running {
    /// Where it listens.
    pub addr: SocketAddr,
    /// Stops it.
    pub stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Running {
    pub(in crate::reference) fn new(addr: SocketAddr, stop: CancellationToken, task: JoinHandle<()>) -> Self {
        Self { addr, stop, task }
    }

    /// Stops it and waits until its store is closed.
    pub async fn stop(mut self) {
        self.stop.cancel();
        // It fails only by panicking, and then there is nothing left to wait for.
        drop((&mut self.task).await);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// Serves until told to stop; then lets what was begun end.
pub async fn serve(service: Service, listener: TcpListener, stop: CancellationToken) -> Result<(), ServeError> {
    let setup = open(service, listener.local_addr()?).await?;
    run(setup, listener, stop).await;
    Ok(())
}

/// Serves in a task of its own. When this returns, the store is open and requests are accepted.
pub async fn start(service: Service, addr: SocketAddr) -> Result<Running, ServeError> {
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    let setup = open(service, addr).await?;
    let stop = CancellationToken::new();
    let task = tokio::spawn(run(setup, listener, stop.clone()));
    Ok(Running::new(addr, stop, task))
}

async fn open(service: Service, addr: SocketAddr) -> Result<Arc<Setup>, ServeError> {
    let opening = tokio::task::spawn_blocking(move || {
        Setup::new(service.contract, service.policy, service.hooks, &service.store, addr.to_string())
    });
    let setup = Arc::new(opening.await.map_err(|error| StoreError::Thread(error.to_string()))??);
    let seeding = Arc::clone(&setup);
    setup.store.run(move |tables| seeding.seed(tables)).await?;
    Ok(setup)
}

async fn run(setup: Arc<Setup>, listener: TcpListener, stop: CancellationToken) {
    let serving = Arc::clone(&setup);
    accept(listener, stop, move |request| {
        let setup = Arc::clone(&serving);
        respond(setup.policy.spelling, async move { handle(&setup, request).await })
    })
    .await;
    // Closing waits for the last job, which may be at work.
    drop(tokio::task::spawn_blocking(move || setup.store.close()).await);
}

async fn handle(setup: &Arc<Setup>, request: Request<Incoming>) -> Answer {
    let call = match Call::read(request).await {
        Ok(call) => call,
        Err(problem) => return setup.error(CommonError::Invalid(&problem)),
    };
    // Who calls is asked first: without a credential nobody learns what is there.
    let Some(caller) = setup.caller(&call) else {
        return setup.error(CommonError::Unauthorized);
    };
    match setup.routes.find(&call.method, &call.path) {
        Routed::NoSuchPath => setup.error(CommonError::NoSuchPath),
        Routed::WrongMethod(allowed) => {
            let mut answer = setup.error(CommonError::WrongMethod);
            answer.headers.push(("Allow".to_owned(), allowed.join(", ")));
            answer
        }
        Routed::Found(Target::Read(read), bound) => {
            let bound = call.query.iter().cloned().chain(bound).collect();
            look(setup, &caller, read.clone(), bound).await
        }
        Routed::Found(Target::Operation(name), bound) => {
            let Some(kept) = setup.kept(name) else { return setup.error(CommonError::NoSuchPath) };
            let hook = match call.header(HOOK_HEADER).filter(|_| setup.hooks).map(Hook::parse).transpose() {
                Ok(hook) => hook.unwrap_or_default(),
                Err(problem) => return setup.error(CommonError::Invalid(&problem)),
            };
            let bound = Json::object(bound.into_iter().map(|(name, value)| (name, Json::text(value))));
            let asked = Asked { kept: Arc::clone(kept), caller, call: Arc::new(call), bound, hook };
            match &kept.operation.batch {
                Some(of) => batch(setup, of, asked).await,
                None => single(setup, asked).await,
            }
        }
    }
}

/// Answers a call of the read side.
async fn look(setup: &Arc<Setup>, caller: &Caller, read: ReadRoute, bound: Vec<(String, String)>) -> Answer {
    let value = |name: &String| bound.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
    if let Some(missing) = read.by.values().find(|name| value(name).is_none()) {
        return setup.error(CommonError::Invalid(&format!("the query needs `{missing}`")));
    }
    let by = read.by.iter().filter_map(|(member, name)| Some((member.clone(), value(name)?))).collect();
    let (own, scope, collection) = (Arc::clone(setup), caller.scope(), read.collection.clone());
    let found = setup
        .store
        .run(move |tables| {
            tables.transaction(|tables| Ok((End::Rollback, own.paths.find_loosely(tables, &scope, &collection, &by)?)))
        })
        .await;
    let rows: Vec<Json> = match found {
        Ok(rows) => {
            let shown = rows.iter().filter(|row| read.late.as_ref().is_none_or(|late| is_shown(late, &row.content)));
            shown.map(|row| without(&row.content, &read.hide)).collect()
        }
        Err(error) => return setup.error(CommonError::Failed(&error.to_string())),
    };
    let ok = |body| Answer::new(200, Vec::new(), body, crate::contract::Outcome::Fresh);
    match (&read.count, &read.rows) {
        (Some(place), _) => ok(nested(place, rows.len().to_string().parse().unwrap_or(Json::Null))),
        (None, Some(place)) => ok(nested(place, Json::Array(rows))),
        (None, None) => rows.into_iter().next().map_or_else(|| setup.error(CommonError::NoSuchPath), ok),
    }
}

/// Whether it is late enough to show a row. One that does not say since when is shown.
fn is_shown(late: &Late, row: &Json) -> bool {
    let since = row.get(&late.since).and_then(Json::as_str).and_then(|text| text.parse::<Timestamp>().ok());
    since.is_none_or(|since| since.checked_add(late.by).is_ok_and(|from| Timestamp::now() >= from))
}

/// A value at a place, in the objects that it takes to get there.
fn nested(place: &Pointer, value: Json) -> Json {
    place.tokens().iter().rev().fold(value, |inner, token| Json::Object(vec![(token.clone(), inner)]))
}
