//! A gateway for one case, put in front of the case's proxy, so that the fault happens between the gateway and its
//! origin. It passes everything else on.

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::contract::Contract;
use crate::runner::process::{Process, Starter};
use crate::runner::target::EdgeKind;

/// A running gateway; it ends when it is dropped.
pub struct Edge {
    address: SocketAddr,
    stop: CancellationToken,
    _process: Option<Process>,
    _folder: Option<tempfile::TempDir>,
}

impl Edge {
    /// Starts one in front of `origin`.
    pub async fn start(kind: &EdgeKind, contract: &Arc<Contract>, origin: SocketAddr) -> Result<Self, String> {
        let stop = CancellationToken::new();
        match kind {
            EdgeKind::Embedded(policy) => {
                let listener = TcpListener::bind(("127.0.0.1", 0)).await.map_err(|error| error.to_string())?;
                let address = listener.local_addr().map_err(|error| error.to_string())?;
                tokio::spawn(crate::reference::edge(Arc::clone(contract), *policy, origin, listener, stop.clone()));
                Ok(Self { address, stop, _process: None, _folder: None })
            }
            EdgeKind::Command(starter) => {
                let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
                let command = starter.command.replace("{origin}", &origin.to_string());
                let starter = Starter { command, ..starter.clone() };
                let process = Process::start(&starter, folder.path()).await.map_err(|error| error.to_string())?;
                Ok(Self { address: process.address(), stop, _process: Some(process), _folder: Some(folder) })
            }
        }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Edge {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}
