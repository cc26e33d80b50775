//! Files that are well, for tests that break them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use onceproof::contract::{self, Contract};
use onceproof::file::Source;
use onceproof::scenario::Claim;

/// A subject file with everything in it.
pub const SUBJECT: &str = "\
contract: curious
server:
  urls: [http://127.0.0.1:8080, \"http://[::1]:8081\"]
  start: ./api --port {port}
  ready: GET /healthz
  edge: ./gateway {port} {origin}
credentials:
  live: { organization: a, environment: live, headers: { Authorization: Bearer 1 } }
  test: { organization: a, environment: test, headers: {} }
observe:
  decision:
    sql: decisions.db
    count: select count(*) from decisions where key = {key}
  event: GET /v1/events?user_id={{ user }}
  link: { http: \"GET /v1/links?id={{ user }}\", rows: \"$.links[?@.user_id == {user}]\" }
  element: { command: ./count \"$ONCEPROOF_USER\" }
hooks:
  answer 403: { headers: { X-Answer: \"403\" } }
  answer 429: { command: ./limit on, undo: ./limit off, within: 2s }
  fail before the commit:
    call: { request: POST /admin/fail, headers: { X-Admin: \"1\" }, body: { times: 1 } }
    undo: { request: DELETE /admin/fail }
operations:
  decide: { path: /v2/decide, headers: { X-Tenant: a } }
  identify: { path: /v2/links, body: { anonymous_id: \"a-{{ user }}\", user_id: \"{{ user }}\", how: by hand } }
settles: 2s
";

/// A waiver file with everything in it.
pub const WAIVERS: &str = "\
known failing:
  - requirement: CUR-DEC-05
    in: [server/replay/**, 7f3a00]
    claim: mark-replay
    reason: ticket 41
    until: 2099-12-31
known flaky:
  - { requirement: CUR-EVT-03, in: server/replay, reason: ticket 44 }
";

/// The folder of this package.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A file as a source.
pub fn source(path: &Path, name: &str) -> Source {
    Source::new(name, std::fs::read_to_string(path).expect("a file of this repository"))
}

/// A bundled contract and its text.
pub fn curious() -> (Arc<Contract>, Source) {
    let source = source(&root().join("scenarios/contracts/curious.yaml"), "curious.yaml");
    let contract = contract::load(&source, Claim::WORDS).expect("the bundled contract is well");
    (Arc::new(contract), source)
}

/// The environment that subject files see.
pub fn environment(name: &str) -> Option<String> {
    (name == "API_KEY").then(|| "s3cret".to_owned())
}

/// Every YAML file below a folder of this package.
pub fn yaml_below(folder: &str) -> Vec<PathBuf> {
    let mut open = vec![root().join(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "yaml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
