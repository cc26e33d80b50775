//! The subject that a command works with: a subject file, a URL with credentials, or the embedded reference. It starts
//! what has to be started and ends it when it is dropped.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use indexmap::IndexMap;

use crate::cli::library::read;
use crate::cli::{Failure, Library};
use crate::contract::Contract;
use crate::name::{CredentialName, ScopeName};
use crate::plan::{Abilities, AbleClient, AbleCredential};
use crate::proxy::{Tls, Tunnel};
use crate::reference::{Policy, Running, Service, StoreAt, honest_variants, saboteurs, stand_in, start};
use crate::runner::{EdgeKind, Process, Starter, Target};
use crate::subject::{Credential, Hook, Server, Subject};

/// Which subject is meant.
#[derive(clap::Args, Debug, Clone, Default)]
pub struct WhichSubject {
    /// A subject file.
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub subject: Option<PathBuf>,
    /// The URL of a server to judge; several are replicas of one service.
    #[arg(long, value_name = "URL")]
    pub url: Vec<String>,
    /// With --url, a credential and where it stands in the key space; the first is the default, so give
    /// `SCOPE=VALUE[,SCOPE=VALUE];HEADER: VALUE`. Without any, those that the contract's reference serves.
    #[arg(long, value_name = "SCOPE;HEADER", requires = "url")]
    pub credential: Vec<String>,
    /// With an https --url, the certificates to trust, as a PEM file; those that this machine trusts, unless given.
    #[arg(long, value_name = "FILE", requires = "url")]
    pub ca: Option<PathBuf>,
    /// A host besides loopback that may be called.
    #[arg(long, value_name = "HOST")]
    pub allow_host: Vec<String>,
    /// Judge a saboteur of the embedded reference, to see what a violation looks like; `selftest` lists them.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["subject", "url"])]
    pub sabotage: Option<String>,
}

/// A subject that is running.
pub struct Live {
    /// To work with.
    pub target: Target,
    _reference: Vec<Running>,
    _tunnels: Vec<Tunnel>,
    _processes: Vec<Process>,
    _folder: Option<tempfile::TempDir>,
}

impl WhichSubject {
    /// The subject file, if one is meant.
    pub fn file(&self) -> Result<Option<Subject>, Failure> {
        let Some(path) = &self.subject else { return Ok(None) };
        let source = read(path).map_err(Failure::input)?;
        crate::subject::load(&source, &from_environment, &self.allow_host).map(Some).map_err(Failure::input)
    }

    /// Holds the subject file against the contract.
    pub fn against(&self, library: &Library) -> Result<(), Failure> {
        let Some(path) = &self.subject else { return Ok(()) };
        let source = read(path).map_err(Failure::input)?;
        crate::subject::against(&source, &library.contract).map_err(Failure::input)
    }

    /// Brings it up.
    pub async fn up(&self, file: Option<Subject>, library: &Library) -> Result<Live, Failure> {
        self.against(library)?;
        let subject = match (file, self.url.is_empty()) {
            (Some(subject), _) => subject,
            (None, false) => self.by_url(&library.contract)?,
            (None, true) => {
                let row = self.sabotage.as_deref();
                let policy = row.map_or(Ok(Policy::HONEST), policy_of)?;
                return embedded(library, policy, row).await;
            }
        };
        let mut replicas = Target::addresses(&subject).map_err(Failure::set_up)?;
        let mut tunnels = Vec::new();
        for (url, address) in subject.server.urls.iter().zip(&mut replicas) {
            if let Some(tunnel) = tunnel(url, *address, subject.server.ca.as_deref()).await? {
                *address = tunnel.address();
                tunnels.push(tunnel);
            }
        }
        let host = subject.server.urls.first().map(|url| crate::runner::authority(url).to_owned());
        let mut processes = Vec::new();
        let mut folder = None;
        if replicas.is_empty() {
            let mut target = Target::of(&subject, Vec::new(), "");
            let starter = target.starter.take().ok_or_else(|| Failure::set_up(crate::runner::TargetError::Nowhere))?;
            let own = tempfile::tempdir().map_err(Failure::set_up)?;
            let process = Process::start(&starter, own.path()).await.map_err(Failure::set_up)?;
            replicas.push(process.address());
            processes.push(process);
            folder = Some(own);
        }
        let host = host.or(replicas.first().map(ToString::to_string)).unwrap_or_default();
        Ok(Live {
            target: Target::of(&subject, replicas, &host),
            _reference: Vec::new(),
            _tunnels: tunnels,
            _processes: processes,
            _folder: folder,
        })
    }

    fn by_url(&self, contract: &Contract) -> Result<Subject, Failure> {
        let mut credentials = IndexMap::new();
        for (index, text) in self.credential.iter().enumerate() {
            let (name, credential) = credential(index, text)?;
            credentials.insert(name, credential);
        }
        if credentials.is_empty() {
            credentials = reference_credentials(contract);
        }
        let first = self.url.first().map(String::as_str).unwrap_or_default();
        Ok(Subject {
            name: crate::runner::authority(first).to_owned(),
            contract: contract.name.clone(),
            server: Server { urls: self.url.clone(), ca: self.ca.clone(), ..Server::default() },
            client: None,
            credentials,
            observe: IndexMap::new(),
            hooks: IndexMap::new(),
            operations: BTreeMap::new(),
            settles: None,
            allow_hosts: self.allow_host.clone(),
            folder: PathBuf::new(),
        })
    }
}

/// The way to an origin that speaks TLS; none where it does not. It is tried once: what is wrong with it is no verdict.
async fn tunnel(url: &str, origin: SocketAddr, ca: Option<&Path>) -> Result<Option<Tunnel>, Failure> {
    if !url.starts_with("https://") {
        return Ok(None);
    }
    let authority = crate::runner::authority(url);
    let host = authority.rsplit_once(':').map_or(authority, |(host, _)| host);
    let tls = Tls::new(host, ca).map_err(Failure::set_up)?;
    tls.try_out(origin).await.map_err(|error| Failure::SetUp(format!("{url}: {error}")))?;
    Tunnel::open(origin, tls).await.map(Some).map_err(Failure::set_up)
}

fn credential(index: usize, text: &str) -> Result<(CredentialName, Credential), Failure> {
    let wrong = || {
        Failure::Input(format!(
            "`{text}` is not a credential: expected `SCOPE=VALUE[,SCOPE=VALUE];HEADER: VALUE`, such as \
             `organization=acme,environment=live;Authorization: Bearer KEY`"
        ))
    };
    let (scope, header) = text.split_once(';').ok_or_else(wrong)?;
    let (name, value) = header.split_once(':').ok_or_else(wrong)?;
    let scope = scope
        .split(',')
        .map(|part| part.split_once('=').map(|(name, value)| (ScopeName::from(name.trim()), value.trim().to_owned())))
        .collect::<Option<BTreeMap<_, _>>>()
        .ok_or_else(wrong)?;
    let headers = vec![(name.trim().to_owned(), value.trim().to_owned())];
    Ok((CredentialName::from(format!("credential {}", index + 1)), Credential { scope, headers }))
}

fn reference_credentials(contract: &Contract) -> IndexMap<CredentialName, Credential> {
    let known = contract.reference.iter().flat_map(|reference| &reference.credentials);
    known
        .map(|(name, known)| (name.clone(), Credential { scope: known.scope.clone(), headers: known.headers.clone() }))
        .collect()
}

/// A variable of the environment.
pub fn from_environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// The policy of a saboteur, or an honest variant, by name.
pub fn policy_of(name: &str) -> Result<Policy, Failure> {
    let known = || saboteurs().iter().chain(honest_variants());
    match known().find(|row| row.name == name) {
        Some(row) => Ok(row.policy),
        None => {
            let hint = crate::file::nearest(name, known().map(|row| row.name));
            let hint = hint.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
            Err(Failure::Input(format!("no saboteur `{name}`{hint}")))
        }
    }
}

/// Brings up the embedded reference: two replicas on one store, a gateway, and a command for processes of its own.
pub async fn embedded(library: &Library, policy: Policy, row: Option<&str>) -> Result<Live, Failure> {
    let contract = &library.contract;
    if contract.reference.is_none() {
        let why = format!("{} has no `reference:` section: give a server with --url or --subject", contract.name);
        return Err(Failure::Input(why));
    }
    let folder = tempfile::tempdir().map_err(Failure::set_up)?;
    let store = StoreAt::File(folder.path().join("store.db"));
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let mut running = Vec::new();
    for _ in 0..2 {
        let service = Service { policy, store: store.clone(), ..Service::new(Arc::clone(contract)) };
        running.push(start(service, any).await.map_err(Failure::set_up)?);
    }
    let replicas: Vec<SocketAddr> = running.iter().map(|running| running.addr).collect();
    // A child reads the contract from a file of its own: the one in use may not be a bundled one.
    let text = folder.path().join("contract.yaml");
    std::fs::write(&text, &library.contract_source.text).map_err(Failure::set_up)?;
    let program = std::env::current_exe().map_err(Failure::set_up)?;
    let row = row.map(|row| format!(" --sabotage {row}")).unwrap_or_default();
    let command = format!(
        "{} serve {} --listen 127.0.0.1:{{port}} --store {{folder}}/store.db{row}",
        quoted(&program.display().to_string()),
        quoted(&text.display().to_string()),
    );
    let subject = Subject {
        name: format!("{}-reference", contract.name),
        contract: contract.name.clone(),
        server: Server { start: Some(command.clone()), ..Server::default() },
        client: None,
        credentials: reference_credentials(contract),
        observe: IndexMap::new(),
        hooks: contract
            .hooks()
            .into_iter()
            .map(|hook| {
                let headers = vec![(crate::reference::HOOK_HEADER.to_owned(), hook.to_owned())];
                (hook.to_owned(), Hook::of_headers(headers))
            })
            .collect(),
        operations: BTreeMap::new(),
        settles: None,
        allow_hosts: Vec::new(),
        folder: PathBuf::new(),
    };
    // Requests name a host that is the same in every run, so that the same seed sends the same bytes.
    let mut target = Target::of(&subject, replicas, "reference.test");
    target.has_one_lock = true;
    target.starter = Some(Starter { command, within: "".into(), environment: BTreeMap::new(), ready: None });
    target.edge =
        contract.reference.as_ref().and_then(|reference| reference.edge.as_ref()).map(|_| EdgeKind::Embedded(policy));
    target.abilities.edge = target.edge.is_some();
    target.shows_after = contract.reference.as_ref().map(crate::contract::Reference::shows_after);
    let (_tunnels, _processes) = (Vec::new(), Vec::new());
    Ok(Live { target, _reference: running, _tunnels, _processes, _folder: Some(folder) })
}

/// Brings up a stand-in for a server that nobody has described, or that a client speaks to in its own words.
pub async fn stood_in(library: &Library, client: &AbleClient) -> Result<Live, Failure> {
    let contract = Arc::new(library.contract.spoken(&client.speaks));
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let running = stand_in(Arc::clone(&contract), any).await.map_err(Failure::set_up)?;
    let subject = Subject {
        name: format!("{}-stand-in", contract.name),
        contract: contract.name.clone(),
        server: Server::default(),
        client: None,
        credentials: reference_credentials(&contract),
        observe: IndexMap::new(),
        hooks: IndexMap::new(),
        operations: BTreeMap::new(),
        settles: None,
        allow_hosts: Vec::new(),
        folder: PathBuf::new(),
    };
    let target = Target::of(&subject, vec![running.addr], "stand-in.test");
    let (_tunnels, _processes) = (Vec::new(), Vec::new());
    Ok(Live { target, _reference: vec![running], _tunnels, _processes, _folder: None })
}

/// What the embedded reference can do, for plans that are only counted.
pub fn abilities_of_reference(contract: &Contract) -> Abilities {
    let credentials = reference_credentials(contract);
    Abilities {
        host: "reference.test".to_owned(),
        credentials: credentials.into_iter().map(|(name, known)| AbleCredential { name, scope: known.scope }).collect(),
        replicas: 2,
        restarts: true,
        edge: true,
        hooks: contract.hooks().into_iter().map(str::to_owned).collect(),
        operations: BTreeMap::new(),
        client: None,
    }
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}
