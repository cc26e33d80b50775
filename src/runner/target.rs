//! The subject as the runner works with it: addresses, secrets, observers and commands. Only loopback unless a host was
//! named; nothing here sends.

use std::collections::BTreeMap;
use std::net::{SocketAddr, ToSocketAddrs};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use indexmap::IndexMap;

use crate::contract::Contract;
use crate::message::{Octets, Request};
use crate::moment;
use crate::name::{CredentialName, EffectName};
use crate::plan::{Abilities, CredentialUse};
use crate::proxy::Limits;
use crate::runner::client::ClientTarget;
use crate::runner::process::Starter;
use crate::subject::{Deed, Hook, Observer, Subject};

/// A request with the points in time filled that it tells.
fn told_at(request: &Request, now: SystemTime) -> Request {
    let mut told = request.clone();
    for (_, value) in &mut told.headers {
        if moment::has_marks(value.as_bytes()) {
            *value = moment::filled(value, now);
        }
    }
    if moment::has_marks(&told.body.0)
        && let Ok(text) = std::str::from_utf8(&told.body.0)
    {
        told.body = Octets(moment::filled(text, now).into_bytes());
    }
    told
}

/// What is put in place of a secret.
const BLANK: &str = "***";

/// A shorter text is not taken for a secret.
const SHORTEST: usize = 8;

/// A subject to work with.
#[derive(Clone, Debug)]
pub struct Target {
    /// What people call it.
    pub name: String,
    /// Where its replicas listen.
    pub replicas: Vec<SocketAddr>,
    /// What the plan may count on.
    pub abilities: Abilities,
    /// What their URLs are, where they are reached by a way of ours and not directly.
    pub urls: Vec<String>,
    /// The headers of each credential.
    pub credentials: IndexMap<CredentialName, Vec<(String, String)>>,
    /// How to provoke what no call provokes.
    pub hooks: BTreeMap<String, Hook>,
    /// Where commands of the subject file run.
    pub folder: PathBuf,
    /// What else of the subject file is never told: headers of its hooks' calls, passwords of its databases.
    pub secrets: Vec<String>,
    /// Why it is not as it was: a hook that could not be undone.
    pub spoilt: Arc<OnceLock<String>>,
    /// Observers of its own.
    pub observers: BTreeMap<EffectName, Observer>,
    /// How to start a process of it.
    pub starter: Option<Starter>,
    /// Whether what takes long holds up everything else: the embedded store has one lock. It is then asked of a process
    /// of its own.
    pub has_one_lock: bool,
    /// The gateway in front of it.
    pub edge: Option<EdgeKind>,
    /// A longer wait until effects show.
    pub settles: Option<Duration>,
    /// How late it shows its effects, where that is known and not only bounded: of the reference.
    pub shows_after: Option<Duration>,
    /// How long to wait for what.
    pub tempo: Tempo,
    /// Bounds of the proxy.
    pub limits: Limits,
    /// The client under test, where one is.
    pub client: Option<Arc<ClientTarget>>,
}

/// A gateway.
#[derive(Clone, Debug)]
pub enum EdgeKind {
    /// Ours, in this process.
    Embedded(crate::reference::Policy),
    /// Theirs, by a command with `{port}` and `{origin}`.
    Command(Starter),
}

/// How long to wait for what; adapted to the subject by the preflight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tempo {
    /// A connection.
    pub connect: Duration,
    /// An answer that is meant to come.
    pub answer: Duration,
    /// How much longer a caller waits for an answer that is known to be held.
    pub held: Duration,
}

impl Default for Tempo {
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), answer: Duration::from_secs(15), held: Duration::from_millis(40) }
    }
}

impl Tempo {
    /// For a subject whose slowest plain answer took so long.
    pub fn for_latency(slowest: Duration) -> Self {
        let default = Self::default();
        Self {
            answer: (slowest * 50).clamp(default.answer, Duration::from_secs(60)),
            held: (slowest * 3).clamp(Duration::from_millis(25), Duration::from_secs(2)),
            ..default
        }
    }
}

/// Why a subject cannot be worked with.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// An address that cannot be resolved.
    #[error("{url} cannot be resolved: {why}")]
    Unresolved {
        /// The address.
        url: String,
        /// What went wrong.
        why: String,
    },
    /// A host that was not named.
    #[error(
        "{url} is not on this machine: name its host with --allow-host, or under `allow hosts` in the subject file"
    )]
    NotLoopback {
        /// The address.
        url: String,
    },
    /// A subject without any address.
    #[error("the subject has neither a URL nor a start command: give it `url:` or `start:`")]
    Nowhere,
    /// Something of it could not be started.
    #[error(transparent)]
    Process(#[from] crate::runner::process::ProcessError),
}

impl Target {
    /// From a subject whose replicas already listen.
    pub fn of(subject: &Subject, replicas: Vec<SocketAddr>, host: &str) -> Self {
        Self {
            name: subject.name.clone(),
            abilities: Abilities::of(subject, host, replicas.len()),
            replicas,
            credentials: subject
                .credentials
                .iter()
                .map(|(name, known)| (name.clone(), known.headers.clone()))
                .collect(),
            hooks: subject.hooks.iter().map(|(name, hook)| (name.clone(), hook.clone())).collect(),
            folder: subject.folder.clone(),
            secrets: secrets(subject),
            urls: subject.server.urls.iter().filter(|url| url.starts_with("https://")).cloned().collect(),
            spoilt: Arc::default(),
            observers: subject.observe.iter().map(|(name, observer)| (name.clone(), observer.clone())).collect(),
            starter: subject.server.start.as_ref().map(|command| Starter {
                command: command.clone(),
                within: subject.server.folder.clone(),
                environment: subject.server.environment.clone(),
                ready: subject.server.ready.as_ref().map(|call| call.target.clone()),
            }),
            has_one_lock: false,
            edge: subject.server.edge.as_ref().map(|command| {
                EdgeKind::Command(Starter {
                    command: command.clone(),
                    within: subject.server.folder.clone(),
                    environment: Default::default(),
                    ready: None,
                })
            }),
            settles: subject.settles,
            shows_after: None,
            tempo: Tempo::default(),
            limits: Limits::default(),
            client: None,
        }
    }

    /// The addresses of a subject's URLs; only loopback unless the host was named.
    pub fn addresses(subject: &Subject) -> Result<Vec<SocketAddr>, TargetError> {
        subject
            .server
            .urls
            .iter()
            .map(|url| {
                let authority = authority(url);
                let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
                let unresolved = |why: String| TargetError::Unresolved { url: url.clone(), why };
                let found: Vec<SocketAddr> =
                    authority.to_socket_addrs().map_err(|error| unresolved(error.to_string()))?.collect();
                // `localhost` may be two addresses: the one that servers are started on comes first.
                let address = found.iter().find(|address| address.is_ipv4()).or(found.first()).copied();
                let address = address.ok_or_else(|| unresolved("no address".to_owned()))?;
                if !address.ip().is_loopback() && !subject.allow_hosts.iter().any(|allowed| allowed == host) {
                    return Err(TargetError::NotLoopback { url: url.clone() });
                }
                Ok(address)
            })
            .collect()
    }

    /// The bytes of a request with its secrets, as they go on the wire when the clock of its case shows this, and the request without them, as it is recorded.
    pub fn written(
        &self,
        request: &Request,
        credential: &CredentialUse,
        hook: Option<&str>,
        now: SystemTime,
    ) -> (Vec<u8>, Request) {
        let secrets = self.headers_of(credential);
        let armed = hook.and_then(|hook| self.hooks.get(hook)).map(|hook| hook.headers.clone()).unwrap_or_default();
        let mut sent = told_at(request, now);
        // After `Host`, before everything else, as clients do.
        let at = usize::from(!sent.headers.is_empty());
        sent.headers.splice(at..at, secrets.iter().cloned());
        sent.headers.extend(armed.iter().cloned());
        let mut recorded = sent.clone();
        for (name, value) in &mut recorded.headers {
            if secrets.iter().any(|(secret, _)| secret.eq_ignore_ascii_case(name)) {
                *value = BLANK.to_owned();
            }
        }
        recorded.body = Octets(self.blanked(&recorded.body.0));
        (sent.to_bytes(), recorded)
    }

    /// A request as it is recorded: no secret of the subject is in it.
    pub fn recorded(&self, mut request: Request) -> Request {
        for (name, value) in &mut request.headers {
            let is_secret = self.credentials.values().flatten().any(|(secret, _)| secret.eq_ignore_ascii_case(name));
            if is_secret {
                *value = BLANK.to_owned();
            } else {
                // A program may send it under another name.
                *value = String::from_utf8_lossy(&self.blanked(value.as_bytes())).into_owned();
            }
        }
        request.body = Octets(self.blanked(&request.body.0));
        request
    }

    /// The headers of a credential.
    pub fn headers_of(&self, credential: &CredentialUse) -> Vec<(String, String)> {
        match credential {
            CredentialUse::Named(name) => self.credentials.get(name).cloned().unwrap_or_default(),
            CredentialUse::Nobody => Vec::new(),
            // The first credential's headers, with a value that nobody was given.
            CredentialUse::Stranger => self
                .credentials
                .values()
                .next()
                .map(|headers| {
                    headers
                        .iter()
                        .map(|(name, value)| {
                            let scheme =
                                value.split_once(' ').map(|(scheme, _)| format!("{scheme} ")).unwrap_or_default();
                            (name.clone(), format!("{scheme}onceproof-nobody-was-given-this"))
                        })
                        .collect()
                })
                .unwrap_or_default(),
        }
    }

    /// Bytes without any secret of the subject.
    pub fn blanked(&self, bytes: &[u8]) -> Vec<u8> {
        let Ok(text) = std::str::from_utf8(bytes) else { return bytes.to_vec() };
        let mut clean = text.to_owned();
        for value in self.credentials.values().flatten().map(|(_, value)| value) {
            let secret = value.split_once(' ').map_or(value.as_str(), |(_, secret)| secret);
            if secret.len() >= SHORTEST && clean.contains(secret) {
                clean = clean.replace(secret, BLANK);
            }
        }
        clean.into_bytes()
    }

    /// What a replica is called.
    pub fn replica(&self, index: usize) -> String {
        let address = || self.replicas.get(index).map(ToString::to_string);
        self.urls.get(index).cloned().or_else(address).unwrap_or_default()
    }

    /// What a command or another server said, as it may be told.
    pub fn told(&self, why: &str) -> String {
        let clean = String::from_utf8_lossy(&self.blanked(why.as_bytes())).into_owned();
        self.secrets.iter().fold(clean, |clean, secret| clean.replace(secret, BLANK))
    }

    /// How long an effect of the contract may take to show at this subject.
    pub fn settles(&self, contract: &Contract, effect: &EffectName) -> Duration {
        let declared = contract.effects.get(effect).map(|effect| effect.settles).unwrap_or_default();
        self.shows_after.unwrap_or_else(|| self.settles.map_or(declared, |own| own.max(declared)))
    }
}

/// What is secret besides the headers of credentials. A short one is no secret, and would blank half of what is told.
fn secrets(subject: &Subject) -> Vec<String> {
    let deeds = subject.hooks.values().flat_map(|hook| [&hook.before, &hook.undo]).flatten();
    let headers = deeds.flat_map(|deed| match deed {
        Deed::Call { headers, .. } => headers.as_slice(),
        Deed::Command(_) => &[],
    });
    let passwords = subject.observe.values().filter_map(|observer| match observer {
        Observer::Sql { database, .. } => {
            let authority = database.split_once("://")?.1.split(['/', '?']).next()?;
            authority.rsplit_once('@')?.0.split_once(':').map(|(_, password)| password)
        }
        Observer::Http(..) | Observer::Command(_) => None,
    });
    let all = headers.map(|(_, value)| value.as_str()).chain(passwords);
    all.filter(|secret| secret.len() >= SHORTEST).map(str::to_owned).collect()
}

/// Host and port of a URL.
pub fn authority(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or(rest)
}
