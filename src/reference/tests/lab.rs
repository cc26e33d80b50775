//! A running server and a caller: what the tests touch of the network.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;

use crate::contract::Contract;
use crate::json::Json;
use crate::reference::tests::contract::curious;
use crate::reference::{HOOK_HEADER, Policy, Running, Service, StoreAt, start};

pub const LIVE: &str = "Bearer acme-live-1";
pub const LIVE_AGAIN: &str = "Bearer acme-live-2";
pub const TEST: &str = "Bearer acme-test-1";
pub const OTHER: &str = "Bearer zenith-live-1";

/// One or more replicas over one store.
pub struct Lab {
    pub policy: Policy,
    pub client: reqwest::Client,
    contract: Arc<Contract>,
    store: StoreAt,
    replicas: Vec<Running>,
    _folder: TempDir,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Reply {
    pub fn json(&self) -> Json {
        self.text.parse().unwrap()
    }

    /// The member, spelled.
    pub fn member(&self, place: &str) -> String {
        self.json().at(&place.parse().unwrap()).map_or_else(|| "absent".to_owned(), Json::to_string)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        crate::message::header(&self.headers, name)
    }

    /// Status and body.
    pub fn told(&self) -> (u16, &str) {
        (self.status, &self.text)
    }
}

impl Lab {
    /// Two replicas over one file.
    pub async fn open(policy: Policy) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreAt::File(folder.path().join("store.sqlite"));
        Self::over(policy, store, folder).await
    }

    /// The same, of another contract.
    pub async fn of(contract: Arc<Contract>, policy: Policy) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = StoreAt::File(folder.path().join("store.sqlite"));
        Self::serving(contract, policy, store, folder).await
    }

    pub async fn over(policy: Policy, store: StoreAt, folder: TempDir) -> Self {
        Self::serving(curious(), policy, store, folder).await
    }

    async fn serving(contract: Arc<Contract>, policy: Policy, store: StoreAt, folder: TempDir) -> Self {
        let client = reqwest::Client::builder().no_proxy().timeout(Duration::from_secs(20)).build().unwrap();
        let mut lab = Self { policy, client, contract, store, replicas: Vec::new(), _folder: folder };
        for _ in 0..2 {
            let replica = lab.start(0).await;
            lab.replicas.push(replica);
        }
        lab
    }

    pub async fn honest() -> Self {
        Self::open(Policy::HONEST).await
    }

    async fn start(&self, port: u16) -> Running {
        let contract = Arc::clone(&self.contract);
        let service = Service { contract, policy: self.policy, store: self.store.clone(), hooks: true };
        start(service, SocketAddr::from(([127, 0, 0, 1], port))).await.unwrap()
    }

    /// Stops every replica, then starts them again where they were.
    pub async fn restart(&mut self) {
        let mut ports = Vec::new();
        for replica in self.replicas.drain(..) {
            ports.push(replica.addr.port());
            replica.stop().await;
        }
        for port in ports {
            let replica = self.start(port).await;
            self.replicas.push(replica);
        }
    }

    pub fn addr(&self, replica: usize) -> SocketAddr {
        self.replicas[replica].addr
    }

    pub fn request(&self, method: &str, path: &str) -> reqwest::RequestBuilder {
        self.client.request(method.parse().unwrap(), format!("http://{}{path}", self.addr(0)))
    }

    pub async fn post(&self, path: &str, body: &str) -> Reply {
        self.post_as(LIVE, path, body).await
    }

    pub async fn post_as(&self, credential: &str, path: &str, body: &str) -> Reply {
        let request = self.request("POST", path).header("Authorization", credential);
        reply(request.header("Content-Type", "application/json").body(body.to_owned())).await
    }

    /// Posts to the second replica.
    pub async fn post_second(&self, path: &str, body: &str) -> Reply {
        let request = self.client.post(format!("http://{}{path}", self.addr(1))).header("Authorization", LIVE);
        reply(request.body(body.to_owned())).await
    }

    pub async fn post_hooked(&self, hook: &str, path: &str, body: &str) -> Reply {
        let request = self.request("POST", path).header("Authorization", LIVE).header(HOOK_HEADER, hook);
        reply(request.body(body.to_owned())).await
    }

    pub async fn get(&self, path: &str) -> Reply {
        reply(self.request("GET", path).header("Authorization", LIVE)).await
    }

    /// Posts the same many times at once.
    pub async fn race(&self, copies: usize, path: &str, body: &str) -> Vec<Reply> {
        let mut racing = tokio::task::JoinSet::new();
        for _ in 0..copies {
            let request = self.request("POST", path).header("Authorization", LIVE).body(body.to_owned());
            racing.spawn(reply(request));
        }
        racing.join_all().await
    }

    /// How many rows a read shows.
    pub async fn count(&self, path: &str, rows: &str) -> usize {
        self.get(path).await.json().at(&rows.parse().unwrap()).and_then(Json::as_array).unwrap().len()
    }

    pub async fn decisions(&self, user: &str) -> usize {
        self.count(&format!("/v1/decisions?user_id={user}"), "/decisions").await
    }

    pub async fn events(&self, user: &str) -> usize {
        self.count(&format!("/v1/events?user_id={user}"), "/events").await
    }
}

pub async fn reply(request: reqwest::RequestBuilder) -> Reply {
    let response = request.send().await.unwrap();
    let headers = response.headers().iter();
    let headers = headers.map(|(name, value)| (name.to_string(), value.to_str().unwrap().to_owned())).collect();
    Reply { status: response.status().as_u16(), headers, text: response.text().await.unwrap() }
}

/// The body of a decide.
pub fn decide(user: &str, key: &str) -> String {
    format!(
        r#"{{"element":"welcome_email_subject","user_id":"{user}","idempotency_key":"{key}","context":{{"n":1.50,"list":["b","a"]}}}}"#
    )
}

/// The body of an event.
pub fn event(user: &str, id: &str) -> String {
    format!(r#"{{"id":"{id}","event":"purchase","user_id":"{user}"}}"#)
}
