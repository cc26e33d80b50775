//! Connections: accepting them, serving HTTP/1.1 on them and ending them in peace. It neither reads nor makes a message.

use std::convert::Infallible;
use std::future::Future;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::reference::call::Answer;
use crate::reference::policy::Spelled;

/// How long a connection may take to end once the server was told to stop.
const FAREWELL: Duration = Duration::from_secs(5);

/// What goes out.
pub type Outgoing = Response<Full<Bytes>>;

/// Accepts connections and serves them until told to stop; then waits until what was begun has ended.
pub async fn accept<H, F>(listener: TcpListener, stop: CancellationToken, handler: H)
where
    H: Fn(Request<Incoming>) -> F + Clone + Send + 'static,
    F: Future<Output = Outgoing> + Send + 'static,
{
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(converse(stream, stop.clone(), handler.clone()));
                }
                // Out of sockets, or the caller left at once: neither is a reason to stop.
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            },
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    drop(tokio::time::timeout(FAREWELL, ended).await);
}

/// Runs the work for one request to its end, even if the caller leaves, and spells its answer.
pub async fn respond(spelled: Spelled, work: impl Future<Output = Answer> + Send + 'static) -> Outgoing {
    match tokio::spawn(work).await {
        Ok(answer) => answer.into_response(spelled),
        Err(_) => {
            let mut broken = Response::new(Full::new(Bytes::new()));
            *broken.status_mut() = StatusCode::INTERNAL_SERVER_ERROR;
            broken
        }
    }
}

async fn converse<H, F>(stream: TcpStream, stop: CancellationToken, handler: H)
where
    H: Fn(Request<Incoming>) -> F + Send + 'static,
    F: Future<Output = Outgoing> + Send + 'static,
{
    // It only delays small answers; a socket that refuses it still works.
    drop(stream.set_nodelay(true));
    let service = service_fn(move |request| {
        let answer = handler(request);
        async move { Ok::<_, Infallible>(answer.await) }
    });
    // No timer: a harness may hold a request for as long as it likes.
    let mut builder = http1::Builder::new();
    builder.header_read_timeout(None).half_close(true);
    let connection = builder.serve_connection(TokioIo::new(stream), service);
    let mut connection = std::pin::pin!(connection);
    tokio::select! {
        // A caller that breaks off is no failure of ours.
        ended = connection.as_mut() => drop(ended),
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            drop(connection.await);
        }
    }
}
