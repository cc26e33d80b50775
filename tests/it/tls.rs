//! Origins that speak TLS, with a CA of the test's own: what is passed on is what was sent, breaks stay breaks, nobody is
//! trusted without a reason, and a run judges as it does without.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use onceproof::proxy::{Tls, Tunnel};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::adapter::Adapter;

/// A CA, and what it vouches for.
struct Ca(CertifiedIssuer<'static, KeyPair>);

impl Ca {
    fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("a CA"))
    }

    fn write(&self, folder: &Path) -> std::path::PathBuf {
        let path = folder.join("ca.pem");
        std::fs::write(&path, self.0.pem()).expect("written");
        path
    }

    /// What a server of this name says who it is.
    fn acceptor(&self, name: &str, expired: bool) -> TlsAcceptor {
        let key = KeyPair::generate().expect("a key");
        let mut params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
        if expired {
            params.not_before = rcgen::date_time_ymd(2001, 1, 1);
            params.not_after = rcgen::date_time_ymd(2002, 1, 1);
        }
        let certificate = params.signed_by(&key, &self.0).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("a certificate and its key");
        TlsAcceptor::from(Arc::new(config))
    }
}

/// What an origin does with a connection.
async fn origin<F, P>(acceptor: TlsAcceptor, play: P) -> SocketAddr
where
    P: Fn(TlsStream<TcpStream>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("its address");
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, play) = (acceptor.clone(), play.clone());
            tokio::spawn(async move {
                if let Ok(stream) = acceptor.accept(stream).await {
                    play(stream).await;
                }
            });
        }
    });
    address
}

/// A plain connection through a tunnel to an origin that does this with it.
async fn through<F, P>(play: P) -> (Tunnel, TcpStream)
where
    P: Fn(TlsStream<TcpStream>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = ()> + Send + 'static,
{
    let (ca, folder) = (Ca::new(), tempfile::tempdir().expect("a folder"));
    let to = origin(ca.acceptor("localhost", false), play).await;
    let tls = Tls::new("localhost", Some(&ca.write(folder.path()))).expect("a CA");
    let tunnel = Tunnel::open(to, tls).await.expect("a tunnel");
    let stream = TcpStream::connect(tunnel.address()).await.expect("connected");
    (tunnel, stream)
}

/// Everything that comes until the end, and how that was.
async fn read_all(mut stream: impl AsyncReadExt + Unpin) -> (Vec<u8>, Option<std::io::ErrorKind>) {
    let mut all = Vec::new();
    let ended = tokio::time::timeout(Duration::from_secs(20), stream.read_to_end(&mut all)).await.expect("an end");
    (all, ended.err().map(|error| error.kind()))
}

#[tokio::test]
async fn what_is_sent_arrives_as_it_was_and_each_side_may_end_first() {
    let (_tunnel, mut stream) = through(|stream| async move {
        let (mut reader, mut writer) = tokio::io::split(stream);
        let mut all = Vec::new();
        reader.read_to_end(&mut all).await.expect("an end in order");
        writer.write_all(&all).await.expect("written");
        writer.shutdown().await.expect("ended");
    })
    .await;
    let bytes: Vec<u8> = (0..300_000_u32).flat_map(u32::to_le_bytes).collect();
    stream.write_all(&bytes).await.expect("written");
    stream.shutdown().await.expect("half closed");
    let (all, error) = read_all(stream).await;
    assert_eq!((all.len(), error), (bytes.len(), None));
    assert!(all == bytes, "other bytes");
}

#[tokio::test]
async fn an_origin_that_breaks_off_breaks_off_at_the_caller_after_what_it_said() {
    for orderly in [true, false] {
        let (_tunnel, stream) = through(move |mut stream| async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Le").await.expect("written");
            stream.flush().await.expect("flushed");
            // So that what was said has arrived before the end.
            tokio::time::sleep(Duration::from_millis(50)).await;
            let (tcp, _) = stream.into_inner();
            if !orderly {
                tcp.set_zero_linger().expect("set");
            }
        })
        .await;
        let (all, error) = read_all(stream).await;
        assert_eq!(all, b"HTTP/1.1 200 OK\r\nContent-Le");
        assert_eq!(error, (!orderly).then_some(std::io::ErrorKind::ConnectionReset), "orderly: {orderly}");
    }
}

#[tokio::test]
async fn a_caller_that_breaks_off_breaks_off_at_the_origin() {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let (_tunnel, mut stream) = through(move |stream| {
        let tell = tell.clone();
        async move { tell.send(read_all(stream).await).expect("heard") }
    })
    .await;
    stream.write_all(b"POST /things HTTP/1.1\r\n").await.expect("written");
    tokio::time::sleep(Duration::from_millis(100)).await;
    stream.set_zero_linger().expect("set");
    drop(stream);
    let (all, error) = told.recv().await.expect("told");
    assert_eq!((all.as_slice(), error), (&b"POST /things HTTP/1.1\r\n"[..], Some(std::io::ErrorKind::ConnectionReset)));
}

#[tokio::test]
async fn nobody_is_trusted_without_a_reason_and_each_refusal_says_what_to_change() {
    let folder = tempfile::tempdir().expect("a folder");
    let (ca, other) = (Ca::new(), Ca::new());
    let path = ca.write(folder.path());
    let quiet = |_| async {};
    let tried = async |host: &str, path: Option<&Path>, at: SocketAddr| match Tls::new(host, path) {
        Err(error) => Err(error.to_string()),
        Ok(tls) => tls.try_out(at).await.map_err(|error| error.to_string()),
    };
    let well = origin(ca.acceptor("localhost", false), quiet).await;
    assert_eq!(tried("localhost", Some(&path), well).await, Ok(()));
    let by_address = origin(ca.acceptor("127.0.0.1", false), quiet).await;
    assert_eq!(tried("127.0.0.1", Some(&path), by_address).await, Ok(()));
    let plain = crate::support::Origin::playing(|mut stream, _| async move {
        // As servers do that are asked what is no HTTP.
        let mut hello = [0; 4096];
        let _ = stream.read(&mut hello).await;
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    })
    .await
    .addr;
    let silent = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let gone = silent.local_addr().expect("its address");
    drop(silent);
    for (host, at, says) in [
        ("localhost", origin(other.acceptor("localhost", false), quiet).await, "give its issuer's as `ca`"),
        ("127.0.0.1", well, "its certificate is for another name"),
        ("localhost", origin(ca.acceptor("localhost", true), quiet).await, "its certificate has expired"),
        ("localhost", plain, "what came is no TLS"),
        ("localhost", gone, "start the server"),
        ("local host", well, "is no name that a certificate could be for"),
    ] {
        let error = tried(host, Some(&path), at).await.expect_err(says);
        assert!(error.contains(says), "{error}");
    }
    // One that only this test vouches for is nobody to this machine.
    assert!(tried("localhost", None, well).await.is_err());
    for (name, text) in [
        ("none.pem", "no certificate"),
        ("broken.pem", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"),
    ] {
        std::fs::write(folder.path().join(name), text).expect("written");
        let error = tried("localhost", Some(&folder.path().join(name)), well).await.expect_err(name);
        assert!(error.contains("holds no certificates to trust"), "{error}");
    }
    assert!(tried("localhost", Some(Path::new("/no/such/file")), well).await.is_err());
}

/// A reference that is spoken to by TLS, and the folder with its CA.
async fn secured(arguments: &[&str]) -> (Adapter, SocketAddr, tempfile::TempDir) {
    let (ca, folder) = (Ca::new(), tempfile::tempdir().expect("a folder"));
    ca.write(folder.path());
    let adapter = Adapter::start(arguments);
    let behind = adapter.behind.clone();
    let address = origin(ca.acceptor("127.0.0.1", false), move |mut stream| {
        let behind = behind.clone();
        async move {
            let mut to = TcpStream::connect(behind).await.expect("the reference is there");
            // Either side may leave in the middle: that is what the faults are.
            let _ = tokio::io::copy_bidirectional(&mut stream, &mut to).await;
        }
    })
    .await;
    (adapter, address, folder)
}

async fn run(folder: &Path, arguments: Vec<String>) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    command.args(["run", "--no-report"]).args(&arguments).env("NO_COLOR", "1").current_dir(folder);
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("joined").expect("it runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_by_tls_judges_as_one_without() {
    let (_honest, at, folder) = secured(&[]).await;
    let scenarios = "server/replay/** server/conflict/** server/race/** server/failure/**";
    let (code, text) = run(folder.path(), words(&format!("{scenarios} --url https://{at} --ca ca.pem"))).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("conformant in what was judged") && !text.contains("✗"), "{text}");
    let subject = format!(
        "contract: curious\nserver: {{ url: \"https://{at}\", ca: ca.pem }}\ncredentials:\n  live: {{ organization: acme, \
         environment: live, headers: {{ Authorization: Bearer acme-live-1 }} }}\n"
    );
    std::fs::write(folder.path().join("mine.yaml"), subject).expect("written");
    let (code, text) = run(folder.path(), words("server/replay/lost-answer --subject mine.yaml --verbose")).await;
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains(&format!("connect to https://{at}: accepted")), "{text}");
    let (code, text) = run(folder.path(), words(&format!("--url https://{at}"))).await;
    assert_eq!(code, Some(4), "{text}");
    assert!(text.contains("give its issuer's as `ca`"), "{text}");
    let (_twice, at, folder) = secured(&["--sabotage", "never-replays"]).await;
    let (code, text) =
        run(folder.path(), words(&format!("server/replay/lost-answer --url https://{at} --ca ca.pem"))).await;
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("CUR-DEC-03 must") && text.contains("2 rows of"), "{text}");
}
