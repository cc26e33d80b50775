//! What is on the wire between a plain attempt and a foreign server: one request, the one that `explain` shows, and no
//! redirect is followed.

use std::process::Command;
use std::sync::LazyLock;

use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::any};

use super::curious::{Curious, KEYS};
use super::judged;
use super::manner::Manner;

/// Two clear attempts of one decide.
static CASE: LazyLock<String> = LazyLock::new(|| {
    let listed = said(&["list", "--cases", "server/replay/plain"]);
    let line = listed.lines().find(|line| line.ends_with("[decide, 2]")).expect("the case");
    line.split_whitespace().next().expect("its id").to_owned()
});

fn said(arguments: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    let output = command.args(arguments).current_dir(env!("CARGO_MANIFEST_DIR")).output().expect("the binary runs");
    String::from_utf8(output.stdout).expect("text")
}

/// Honest, but for the users of one case: they are sent elsewhere.
struct Elsewhere(Curious);

impl Respond for Elsewhere {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        match request.method.as_str() == "POST" && of_case(request) {
            true => ResponseTemplate::new(307).insert_header("location", "/v1/elsewhere"),
            false => self.0.respond(request),
        }
    }
}

fn of_case(request: &Request) -> bool {
    String::from_utf8_lossy(&request.body).contains(&format!("-{}-0", *CASE))
}

async fn attempts(server: &MockServer) -> Vec<Request> {
    let all = server.received_requests().await.expect("requests are recorded");
    assert!(all.iter().all(|request| !request.url.path().contains("elsewhere")), "a redirect was followed");
    all.into_iter().filter(|request| request.method.as_str() == "POST" && of_case(request)).collect()
}

async fn recording(curious: impl Respond + 'static) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(curious).mount(&server).await;
    server
}

// `explain` plays seed 0.
fn arguments() -> [&'static str; 5] {
    ["server/replay/plain", "--case", &CASE, "--seed", "0"]
}

#[tokio::test]
async fn a_clear_attempt_is_the_one_request_that_explain_shows() {
    let server = recording(Curious::new(Manner::default(), None)).await;
    let run = judged(&server.uri(), &arguments());
    assert_eq!(run.code, Some(0), "{}", run.said);
    let attempts = attempts(&server).await;
    assert_eq!(attempts.len(), 2, "two attempts, and two requests");
    let explained = said(&["explain", &CASE]);
    let bodies: Vec<&str> = explained.lines().map(str::trim).filter(|line| line.starts_with('{')).collect();
    assert_eq!(bodies.len(), 2, "{explained}");
    for (request, shown) in attempts.iter().zip(bodies) {
        let body = std::str::from_utf8(&request.body).expect("JSON is text");
        assert!(shown.chars().count() == 160 && body.starts_with(shown), "{shown}\n{body}");
        serde_json::from_str::<serde_json::Value>(body).expect("JSON");
        assert_eq!(request.url.path(), "/v1/decide");
        assert_eq!(request.url.query(), None);
        let header = |name: &str| {
            let values: Vec<_> =
                request.headers.get_all(name).iter().map(|value| value.to_str().expect("text")).collect();
            assert!(values.len() < 2, "{name} twice");
            values.first().map(|value| (*value).to_owned())
        };
        let host = format!("127.0.0.1:{}", server.address().port());
        assert_eq!(header("host").as_deref(), Some(host.as_str()), "the subject's own name, not the proxy's");
        assert_eq!(header("content-type").as_deref(), Some("application/json"));
        assert_eq!(header("authorization"), Some(format!("Bearer {}", KEYS[0].0)));
        assert_eq!(header("content-length"), Some(body.len().to_string()));
        assert_eq!((header("transfer-encoding"), header("expect")), (None, None));
    }
    assert_eq!(attempts[0].body, attempts[1].body, "a retry is the same bytes");
}

#[tokio::test]
async fn a_redirect_is_an_answer_and_is_not_followed() {
    let server = recording(Elsewhere(Curious::new(Manner::default(), None))).await;
    let run = judged(&server.uri(), &arguments());
    assert_eq!(attempts(&server).await.len(), 2, "{}", run.said);
    // Nobody said that a redirect is a refusal, or that anything was done: nothing is judged, and that is said.
    assert_eq!((run.code, run.of("CUR-DEC-01").held, run.violated().len()), (Some(3), 0, 0), "{}", run.said);
}
