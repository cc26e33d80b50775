//! The port of one case. It stays the same for the life of the proxy: connections can be refused for a while without
//! giving the port away. Nothing here looks at a byte.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::{JoinHandle, JoinSet};
use tokio_util::sync::CancellationToken;

use crate::proxy::armed::{Armament, Armed, Control};
use crate::proxy::connection::{Road, serve};
use crate::proxy::ledger::Ledger;
use crate::proxy::limits::Limits;
use crate::proxy::outcome::Relayed;
use crate::time::Clock;

/// Connections that wait to be accepted; more than a case ever opens at once.
const BACKLOG: u32 = 1024;

/// One listener on loopback, between the callers of one case and its origin. Dropping it ends every connection.
#[derive(Debug)]
pub struct Proxy {
    port: Arc<Port>,
}

/// A proxy that refuses connections; those that stand go on. Dropped, it goes on refusing.
#[derive(Debug)]
#[must_use = "the port refuses until it is reopened"]
pub struct Refusing {
    port: Arc<Port>,
}

#[derive(Debug)]
struct Port {
    road: Arc<Road>,
    addr: SocketAddr,
    /// Bound and never listening: while nobody listens the kernel refuses, and nobody else is given the port.
    _keeper: TcpSocket,
    acceptor: Mutex<Option<Acceptor>>,
    connections: Arc<Mutex<JoinSet<()>>>,
}

#[derive(Debug)]
struct Acceptor {
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Proxy {
    /// Listens on a free port of 127.0.0.1.
    pub async fn open(origin: SocketAddr, clock: Clock, limits: Limits) -> io::Result<Proxy> {
        Self::open_at((Ipv4Addr::LOCALHOST, 0).into(), origin, clock, limits).await
    }

    /// Listens at this address. Where very many proxies are opened one after the other, their callers must be left the
    /// ports that the kernel hands out: a port that was listened at is no caller's for a minute.
    pub async fn open_at(at: SocketAddr, origin: SocketAddr, clock: Clock, limits: Limits) -> io::Result<Proxy> {
        let keeper = socket()?;
        keeper.bind(at)?;
        let addr = keeper.local_addr()?;
        let road = Arc::new(Road::new(Ledger::new(clock), limits, origin));
        let port = Port { road, addr, _keeper: keeper, acceptor: Mutex::default(), connections: Arc::default() };
        port.listen()?;
        Ok(Proxy { port: Arc::new(port) })
    }

    /// The address to send to; the same for the life of the proxy.
    pub fn addr(&self) -> SocketAddr {
        self.port.addr
    }

    /// Declares what the exchange of one attempt meets: that of the caller named, on its next request, or else the next
    /// exchange that no address claims, in order of the first bytes. Exchanges that nobody armed pass clear.
    pub fn arm(&self, armed: Armed) -> Control {
        let (armament, control) = Armament::new(armed, self.port.road.limits.hold);
        self.port.road.ledger.arm(armament);
        control
    }

    /// Declares what every exchange meets that nothing else was armed for, until it is declared anew; none: it passes
    /// clear. The passage must not be one that its owner ends.
    pub fn arm_thereafter(&self, armed: Option<Armed>) {
        self.port.road.ledger.arm_thereafter(armed, self.port.road.limits.hold);
    }

    /// Forgets what was armed and no exchange has taken.
    pub fn disarm(&self) {
        self.port.road.ledger.disarm();
    }

    /// From when this returns, new connections are refused. The port is kept.
    pub async fn refuse(&self) -> io::Result<Refusing> {
        let acceptor = lock(&self.port.acceptor).take();
        if let Some(Acceptor { stop, task }) = acceptor {
            stop.cancel();
            task.await.map_err(io::Error::other)?;
        }
        Ok(Refusing { port: Arc::clone(&self.port) })
    }

    /// Leads exchanges from now on to another origin: after a restart on another port, or to another replica.
    pub async fn set_origin(&self, origin: SocketAddr) {
        self.port.road.lead_to(origin);
    }

    /// Waits until every exchange is finished, not longer than `wait`, and takes all records, in the order in which
    /// the exchanges began. Those that are not finished are recorded as they stand, and go on unrecorded.
    pub async fn settle(&self, wait: Duration) -> Vec<Relayed> {
        self.port.road.ledger.settle(wait).await
    }

    /// Each connection, in order of acceptance, and how many requests began on it.
    pub fn requests_on(&self) -> Vec<(u32, u32)> {
        self.port.road.ledger.requests_on()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        if let Some(acceptor) = lock(&self.port.acceptor).take() {
            acceptor.task.abort();
        }
        lock(&self.port.connections).abort_all();
    }
}

impl Refusing {
    /// Listens again, on the same port.
    pub async fn reopen(self) -> io::Result<()> {
        self.port.listen()
    }
}

impl Port {
    fn listen(&self) -> io::Result<()> {
        let mut acceptor = lock(&self.acceptor);
        if acceptor.is_none() {
            let socket = socket()?;
            socket.bind(self.addr)?;
            let listener = socket.listen(BACKLOG)?;
            let stop = CancellationToken::new();
            let accepting = accept(listener, Arc::clone(&self.road), Arc::clone(&self.connections), stop.clone());
            *acceptor = Some(Acceptor { stop, task: tokio::spawn(accepting) });
        }
        Ok(())
    }
}

/// A socket that can share its port with the keeper, which never listens.
fn socket() -> io::Result<TcpSocket> {
    let socket = TcpSocket::new_v4()?;
    socket.set_reuseaddr(true)?;
    socket.set_reuseport(true)?;
    Ok(socket)
}

/// Accepts until it is stopped, and then what the kernel had accepted before.
async fn accept(listener: TcpListener, road: Arc<Road>, connections: Arc<Mutex<JoinSet<()>>>, stop: CancellationToken) {
    loop {
        tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, address)) => take(&road, &connections, stream, address),
                // The host is out of descriptors, or the caller has gone: either passes.
                Err(_) => tokio::time::sleep(Duration::from_millis(5)).await,
            },
        }
    }
    if let Ok(listener) = listener.into_std() {
        while let Ok((stream, address)) = listener.accept() {
            if stream.set_nonblocking(true).is_ok()
                && let Ok(stream) = TcpStream::from_std(stream)
            {
                take(&road, &connections, stream, address);
            }
        }
    }
}

fn take(road: &Arc<Road>, connections: &Mutex<JoinSet<()>>, stream: TcpStream, address: SocketAddr) {
    // A connection that is over already cannot be set up, and shows that on its first read.
    let _ = stream.set_nodelay(true);
    let accepted = road.ledger.accept();
    let mut connections = lock(connections);
    while connections.try_join_next().is_some() {}
    connections.spawn(serve(Arc::clone(road), stream, address, accepted));
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
