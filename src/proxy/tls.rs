//! The last piece of the road to an origin that speaks TLS: a listener of ours for each such origin, which opens one
//! connection for each that comes in, and passes bytes as they are. The proxy speaks plain HTTP to it, so that every fault
//! stays where it was. It never trusts a certificate that it was not told to trust, and never looks at what it passes.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::sync::CancellationToken;

use crate::proxy::wire::{delivered, is_reset, reset};

/// How long a connection and its handshake may take.
const HANDSHAKE: Duration = Duration::from_secs(10);

/// How long a caller may take to have what was passed before a reset.
const DELIVERY: Duration = Duration::from_secs(2);

/// Whom to believe that it is the origin.
#[derive(Clone)]
pub struct Tls {
    config: Arc<ClientConfig>,
    name: ServerName<'static>,
}

/// Why an origin cannot be spoken to by TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The certificates to trust could not be read.
    #[error("{path} holds no certificates to trust: {why}; give a file of PEM certificates as `ca`")]
    Ca {
        /// The file.
        path: String,
        /// What is wrong with it.
        why: String,
    },
    /// This machine trusts nobody.
    #[error("this machine has no certificates to trust: give those of the server's CA as `ca`")]
    NoRoots,
    /// The host cannot be in a certificate.
    #[error("`{0}` is no name that a certificate could be for")]
    Name(String),
    /// The provider of the ciphers.
    #[error("TLS cannot be used: {0}")]
    Provider(#[from] rustls::Error),
    /// The origin is not there, speaks no TLS, or is somebody else.
    #[error("{at} is not reached by TLS: {why}")]
    Handshake {
        /// Where.
        at: SocketAddr,
        /// What went wrong, and what to change.
        why: String,
    },
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tls").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Tls {
    /// For an origin of this name, by certificates of these issuers; those that this machine trusts, where none are given.
    pub fn new(host: &str, ca: Option<&Path>) -> Result<Self, TlsError> {
        let bare = host.trim_matches(['[', ']']).to_owned();
        let name = ServerName::try_from(bare).map_err(|_| TlsError::Name(host.to_owned()))?;
        let mut roots = RootCertStore::empty();
        match ca {
            Some(path) => {
                let wrong = |why: String| TlsError::Ca { path: path.display().to_string(), why };
                let found = CertificateDer::pem_file_iter(path).map_err(|error| wrong(error.to_string()))?;
                for certificate in found {
                    let certificate = certificate.map_err(|error| wrong(error.to_string()))?;
                    roots.add(certificate).map_err(|error| wrong(error.to_string()))?;
                }
                if roots.is_empty() {
                    return Err(wrong("there is none in it".to_owned()));
                }
            }
            None => {
                // What of them cannot be read cannot be trusted, and the others still can.
                roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
                if roots.is_empty() {
                    return Err(TlsError::NoRoots);
                }
            }
        }
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { config: Arc::new(config), name })
    }

    /// Connects once, so that what is wrong is said before anything is judged.
    pub async fn try_out(&self, origin: SocketAddr) -> Result<(), TlsError> {
        let mut stream = self.connect(origin).await.map_err(|why| TlsError::Handshake { at: origin, why })?;
        // Nothing was asked, so nothing is lost with it.
        let _ = stream.shutdown().await;
        Ok(())
    }

    async fn connect(&self, origin: SocketAddr) -> Result<TlsStream<TcpStream>, String> {
        let connecting = async {
            let stream = TcpStream::connect(origin).await.map_err(|error| format!("{error}; start the server"))?;
            stream.set_nodelay(true).map_err(|error| error.to_string())?;
            let connector = TlsConnector::from(Arc::clone(&self.config));
            connector.connect(self.name.clone(), stream).await.map_err(|error| remedied(&error))
        };
        timeout(HANDSHAKE, connecting)
            .await
            .unwrap_or_else(|_| Err(format!("no handshake within {} s; does it speak TLS?", HANDSHAKE.as_secs())))
    }
}

/// What went wrong in a handshake, and what to change.
fn remedied(error: &std::io::Error) -> String {
    use rustls::{CertificateError, Error};
    let remedy = match error.get_ref().and_then(|inner| inner.downcast_ref::<Error>()) {
        Some(Error::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature)) => {
            "nobody who is trusted vouches for its certificate: give its issuer's as `ca`"
        }
        Some(Error::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        )) => "its certificate is for another name: give the URL by the name in it",
        Some(Error::InvalidCertificate(CertificateError::Expired | CertificateError::ExpiredContext { .. })) => {
            "its certificate has expired: renew it"
        }
        Some(Error::InvalidMessage(_)) => "what came is no TLS: is this its https port?",
        _ => "does it speak TLS 1.2 or 1.3?",
    };
    format!("{error}; {remedy}")
}

/// A way to one origin, until it is dropped.
#[derive(Debug)]
pub struct Tunnel {
    address: SocketAddr,
    stop: CancellationToken,
}

impl Tunnel {
    /// Opens one on loopback.
    pub async fn open(origin: SocketAddr, tls: Tls) -> std::io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let address = listener.local_addr()?;
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        tokio::spawn(async move {
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    () = stopped.cancelled() => return,
                };
                // One that failed to come in is nobody; the others still do.
                let Ok((stream, _)) = accepted else { continue };
                let tls = tls.clone();
                tokio::spawn(stopped.clone().run_until_cancelled_owned(async move {
                    passed(stream, origin, &tls).await;
                }));
            }
        });
        Ok(Self { address, stop })
    }

    /// Where the plain end is.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Tunnel {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

/// How one direction ended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// In order.
    Closed,
    /// Whoever was to be read from broke off.
    FromBroke,
    /// Whoever was to be written to broke off.
    ToBroke,
}

async fn passed(plain: TcpStream, origin: SocketAddr, tls: &Tls) {
    // As with any other hop: who cannot come through sees the connection break, and not an answer.
    let (Ok(()), Ok(secured)) = (plain.set_nodelay(true), tls.connect(origin).await) else { return reset(plain) };
    let mut plain = plain;
    let (mut from_caller, mut to_caller) = plain.split();
    let (mut from_origin, mut to_origin) = tokio::io::split(secured);
    let (mut caller_broke, mut origin_broke) = (false, false);
    {
        let up = one_way(&mut from_caller, &mut to_origin);
        let down = one_way(&mut from_origin, &mut to_caller);
        tokio::pin!(up, down);
        let (mut up_ended, mut down_ended) = (false, false);
        while !(up_ended && down_ended) {
            tokio::select! {
                end = &mut up, if !up_ended => {
                    up_ended = true;
                    caller_broke = end == End::FromBroke;
                    // An origin that does not read any more may still have answered.
                    if caller_broke { break }
                }
                end = &mut down, if !down_ended => {
                    down_ended = true;
                    origin_broke = end == End::FromBroke;
                    caller_broke = end == End::ToBroke;
                    if origin_broke || caller_broke { break }
                }
            }
        }
    }
    if caller_broke {
        let (stream, _) = from_origin.unsplit(to_origin).into_inner();
        reset(stream);
    }
    if origin_broke {
        // What it said before it broke off arrives first.
        delivered(&plain, DELIVERY).await;
        reset(plain);
    }
}

async fn one_way(from: &mut (impl AsyncRead + Unpin), to: &mut (impl AsyncWrite + Unpin)) -> End {
    let mut bytes = vec![0; 16 * 1024];
    loop {
        match from.read(&mut bytes).await {
            Ok(0) => break,
            Ok(length) => {
                let written = async {
                    to.write_all(&bytes[..length]).await?;
                    to.flush().await
                };
                if written.await.is_err() {
                    return End::ToBroke;
                }
            }
            Err(error) if is_reset(&error) => return End::FromBroke,
            // Many servers close without saying so in TLS: the connection ended in order all the same.
            Err(_) => break,
        }
    }
    match to.shutdown().await {
        Ok(()) => End::Closed,
        Err(_) => End::ToBroke,
    }
}
