//! `onceproof serve`: a contract served honestly, on loopback, until it is stopped. It is the reference that runs judge
//! when no server is named.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::library::Wanted;
use crate::cli::subject::policy_of;
use crate::cli::{Failure, Library, exit, runtime, say};
use crate::reference::{Policy, Service, StoreAt, start};

/// Arguments of `serve`.
#[derive(clap::Args, Debug)]
pub struct Serve {
    /// The contract: a bundled one's name, or a YAML file.
    contract: String,
    /// Where to listen; only loopback.
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// Where to keep what is done: a SQLite file, or a postgres:// URL. Without it everything is forgotten at the end.
    #[arg(long, value_name = "FILE|URL")]
    store: Option<String>,
    /// Serve a saboteur, or an honest variant, by name: see `selftest`.
    #[arg(long, value_name = "NAME")]
    sabotage: Option<String>,
}

impl Serve {
    /// Serves until it is stopped.
    pub fn go(self) -> Result<u8, Failure> {
        if !self.listen.ip().is_loopback() {
            return Err(Failure::Input(format!(
                "{} is not a loopback address: this server is for development",
                self.listen
            )));
        }
        let wanted = Wanted { contract: Some(self.contract.clone()), scenarios: None };
        let library = Library::load(&wanted, &self.contract).map_err(Failure::input)?;
        let policy = match &self.sabotage {
            None => Policy::HONEST,
            Some(name) => policy_of(name)?,
        };
        runtime()?.block_on(async {
            let folder = tempfile::tempdir().map_err(Failure::set_up)?;
            let store = match &self.store {
                None => StoreAt::File(folder.path().join("store.db")),
                Some(url) if url.starts_with("postgres://") || url.starts_with("postgresql://") => {
                    StoreAt::Postgres(url.clone())
                }
                Some(path) => StoreAt::File(PathBuf::from(path)),
            };
            let service = Service { policy, store, ..Service::new(Arc::clone(&library.contract)) };
            let running = start(service, self.listen).await.map_err(Failure::set_up)?;
            say(&format!("{} is served on http://{}; Ctrl-C ends it", library.contract.name, running.addr));
            ended().await;
            running.stop().await;
            Ok(exit::OK)
        })
    }
}

/// Waits for Ctrl-C or SIGTERM.
async fn ended() {
    let terminated = async {
        match tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate()) {
            Ok(mut signal) => {
                signal.recv().await;
            }
            Err(_) => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        () = terminated => {}
    }
}
