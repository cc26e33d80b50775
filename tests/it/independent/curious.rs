//! Curious as another engineer would write it, from the shapes and the page alone, on somebody else's HTTP server.
//! It shares no line with the reference, and knows nothing of the harness.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::any};

use super::manner::{Defect, Manner};

/// Keys that the server knows, with what each belongs to.
pub const KEYS: [(&str, &str, &str); 4] = [
    ("sk_live_a1", "acme", "live"),
    ("sk_live_a2", "acme", "live"),
    ("sk_test_a1", "acme", "test"),
    ("sk_live_z1", "zenith", "live"),
];

/// How long the racing server is of two minds.
pub const WINDOW: Duration = Duration::from_millis(60);

/// Since when ages are told.
static BORN: LazyLock<Instant> = LazyLock::new(Instant::now);

pub const MISMATCH: &str = "idempotency_key was already used with a different request";

/// A server that runs until it is dropped.
pub async fn start(manner: Manner, defect: Option<Defect>) -> MockServer {
    let server = MockServer::builder().disable_request_recording().start().await;
    Mock::given(any()).respond_with(Curious::new(manner, defect)).mount(&server).await;
    server
}

/// The server as a responder.
pub struct Curious {
    pub manner: Manner,
    pub defect: Option<Defect>,
    pub store: Mutex<Store>,
}

#[derive(Default)]
pub struct Store {
    pub worlds: HashMap<String, World>,
    pub keys: HashMap<(String, String), Kept>,
    pub ids: HashMap<(String, String), Instant>,
    pub serial: u64,
}

/// What one organization has in one environment.
pub struct World {
    pub elements: BTreeMap<String, Element>,
    pub decisions: Vec<Decision>,
    pub events: Vec<Value>,
    pub links: BTreeMap<String, String>,
}

#[derive(Clone)]
pub struct Element {
    pub arms: Vec<String>,
    pub running: bool,
}

pub struct Decision {
    pub id: Value,
    pub user: String,
    pub element: String,
    pub key: Value,
    pub ended: bool,
}

/// What is stored under a key.
#[derive(Clone)]
pub struct Kept {
    pub request: String,
    pub answer: Answer,
    pub ready: Instant,
    pub told: u32,
}

/// A status and a body.
pub type Answer = (u16, Value);

/// Who calls, and what.
pub struct Call<'a> {
    pub world: String,
    pub keyspace: String,
    pub target: String,
    pub dry: bool,
    pub request: &'a Request,
}

impl Default for World {
    fn default() -> Self {
        let element = |name: &str, arms: [&str; 2]| {
            (name.to_owned(), Element { arms: arms.map(String::from).into(), running: true })
        };
        let elements = BTreeMap::from([
            element("welcome_email_subject", ["plain", "emoji"]),
            element("checkout_button", ["green", "orange"]),
        ]);
        Self { elements, decisions: Vec::new(), events: Vec::new(), links: BTreeMap::new() }
    }
}

pub fn no(status: u16, error: &str, message: impl Into<String>) -> Answer {
    (status, json!({ "error": error, "message": message.into() }))
}

pub fn invalid(message: impl Into<String>) -> Answer {
    no(400, "invalid_request", message)
}

impl Respond for Curious {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let mut store = self.store.lock().expect("nobody panics while holding it");
        let (status, mut body) = self.route(&mut store, request);
        store.serial += 1;
        let mut delay = self.manner.slow;
        if request.url.path().starts_with("/v1/decide") {
            delay = delay.max(self.manner.in_progress);
        }
        if let Some(most) = self.manner.jitter {
            let part = f64::from((store.serial.wrapping_mul(0x9e37_79b9) >> 8) as u8) / 255.0;
            delay = delay.max(Some(most.mul_f64(part)));
        }
        if self.lies(Defect::Races) || self.lies(Defect::RacesEvents) {
            delay = Some(WINDOW);
        }
        if self.manner.extras
            && status >= 400
            && let Some(body) = body.as_object_mut()
        {
            body.insert("request_id".into(), json!(format!("req_{}", store.serial)));
            body.insert("docs".into(), json!("https://docs.trycurious.ai/idempotency"));
        }
        self.dress(status, &body, delay, store.serial)
    }
}

impl Curious {
    /// One that knows nothing yet.
    pub fn new(manner: Manner, defect: Option<Defect>) -> Self {
        Self { manner, defect, store: Mutex::default() }
    }

    pub fn lies(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    fn dress(&self, status: u16, body: &Value, delay: Option<Duration>, serial: u64) -> ResponseTemplate {
        if status == 200 && body["state"] == json!("concluded") && body["status"] == json!("ok") && self.manner.bare {
            return ResponseTemplate::new(200);
        }
        let text = match self.manner.pretty {
            true => {
                serde_json::to_string_pretty(body).expect("JSON").replace("\"decision_id\"", "\"\\u0064ecision_id\"")
            }
            false => body.to_string(),
        };
        let mut answer = ResponseTemplate::new(status)
            .set_body_raw(text.into_bytes(), self.manner.media)
            .insert_header("x-request-id", format!("req_{serial}").as_str());
        if self.manner.closes {
            answer = answer.insert_header("connection", "close");
        }
        if self.manner.chunked {
            answer = answer.insert_header("transfer-encoding", "chunked");
        }
        if status == 405 && self.manner.allows {
            answer = answer.insert_header("allow", "POST");
        }
        if let Some(delay) = delay {
            answer = answer.set_delay(delay);
        }
        answer
    }

    fn route(&self, store: &mut Store, request: &Request) -> Answer {
        let path = request.url.path().to_owned();
        let reads =
            ["/v1/decisions", "/v1/events", "/v1/links"].contains(&path.as_str()) || path.starts_with("/v1/elements/");
        let writes = ["decide", "decide/batch", "events", "events/batch", "identify", "declare", "conclude"]
            .iter()
            .any(|end| path.strip_prefix("/v1/") == Some(end));
        let method = request.method.as_str();
        let misrouted = if !reads && !writes {
            Some(no(404, "not_found", format!("there is no {path}")))
        } else if !((reads && method == "GET") || (writes && method == "POST")) {
            Some(no(405, "method_not_allowed", format!("{method} is not for {path}")))
        } else {
            None
        };
        if !self.manner.auth_first
            && let Some(answer) = misrouted
        {
            return answer;
        }
        let Some(call) = self.caller(request) else {
            if self.lies(Defect::ReplaysToStrangers)
                && let Some(answer) = self.leak(store, request)
            {
                return answer;
            }
            return no(401, "unauthorized", "missing or unknown API key");
        };
        if let Some(answer) = misrouted {
            return answer;
        }
        if method == "GET" {
            return self.read(store.worlds.entry(call.world.clone()).or_default(), &path, request);
        }
        let media = request.headers.get("content-type").map(|media| media.to_str().unwrap_or("?").to_ascii_lowercase());
        if media.is_some_and(|media| media.split(';').next().map(str::trim) != Some("application/json")) {
            return invalid("send JSON");
        }
        let Some(text) = self.text(&request.body) else { return invalid("the body is not UTF-8") };
        let body: Value = match serde_json::from_str(&text) {
            Ok(body) => body,
            Err(why) => return invalid(format!("the body is not JSON: {why}")),
        };
        match path.trim_start_matches("/v1/") {
            "decide" => self.decide(store, &call, &body, &text),
            "decide/batch" => self.decide_batch(store, &call, &body, &text),
            "events" => {
                let (status, mut answer) = self.event(store, &call, &body);
                if self.manner.extras {
                    answer["received_by"] = json!({ "node": "n1", "serial": store.serial });
                }
                (if status == 200 { self.manner.event_status } else { status }, answer)
            }
            "events/batch" => self.event_batch(store, &call, &body),
            "identify" => self.identify(store.worlds.entry(call.world).or_default(), &body),
            "declare" => self.declare(store.worlds.entry(call.world).or_default(), &body),
            _ => self.conclude(store.worlds.entry(call.world).or_default(), &body),
        }
    }

    fn text(&self, body: &[u8]) -> Option<String> {
        let text = String::from_utf8(body.to_vec()).ok()?;
        if !self.lies(Defect::ReplacesSurrogates) {
            return Some(text);
        }
        // Good enough for a lie: the harness sends no pair in escapes next to a lone one.
        let mut text = text;
        for lead in ["\\ud8", "\\uD8", "\\udc", "\\uDC", "\\udf", "\\uDF", "\\udb", "\\uDB"] {
            while let Some(at) = text.find(lead) {
                text.replace_range(at..at + 6, "\u{fffd}");
            }
        }
        Some(text)
    }

    fn caller<'a>(&self, request: &'a Request) -> Option<Call<'a>> {
        let header = request.headers.get("authorization")?.to_str().ok()?;
        let secret = header.strip_prefix("Bearer ")?;
        let (secret, organization, environment) = KEYS.iter().find(|(known, ..)| *known == secret)?;
        let keyspace = match self.defect {
            Some(Defect::SharesEnvironments) => (*organization).to_owned(),
            Some(Defect::SharesOrganizations) => (*environment).to_owned(),
            Some(Defect::KeysPerCredential) => (*secret).to_owned(),
            _ => format!("{organization}/{environment}"),
        };
        let mut query: Vec<_> = request.url.query_pairs().into_owned().collect();
        query.sort();
        let dry = query.iter().any(|(name, value)| name == "dry_run" && value == "1");
        let target = format!("{} {query:?}", request.url.path());
        Some(Call { world: format!("{organization}/{environment}"), keyspace, target, dry, request })
    }

    fn leak(&self, store: &Store, request: &Request) -> Option<Answer> {
        let body: Value = serde_json::from_slice(&request.body).ok()?;
        let key = body.get("idempotency_key")?.as_str()?;
        let kept = store.keys.iter().find(|((_, known), _)| known == key)?.1;
        Some(self.marked(kept.answer.clone(), true))
    }

    fn read(&self, world: &mut World, path: &str, request: &Request) -> Answer {
        let asked = |name: &str| {
            request.url.query_pairs().find(|(known, _)| known == name).map(|(_, value)| value.into_owned())
        };
        let aged = |mut row: Value| {
            if self.manner.ages {
                row["age_us"] = json!(BORN.elapsed().as_micros() as u64);
            }
            row
        };
        match path {
            "/v1/decisions" => {
                let Some(user) = asked("user_id") else { return invalid("name a user_id") };
                let rows: Vec<Value> =
                    world.decisions.iter().filter(|row| row.user == user).map(Decision::row).map(aged).collect();
                (200, json!({ "decisions": rows }))
            }
            "/v1/events" => {
                let Some(user) = asked("user_id") else { return invalid("name a user_id") };
                let rows = world.events.iter().filter(|row| row["user_id"] == json!(user)).cloned().map(aged);
                let rows: Vec<Value> = rows.collect();
                (200, json!({ "events": rows, "next": null }))
            }
            "/v1/links" => {
                let Some(anonymous) = asked("anonymous_id") else { return invalid("name an anonymous_id") };
                let link =
                    world.links.get(&anonymous).map(|user| json!({ "anonymous_id": anonymous, "user_id": user }));
                (200, json!({ "links": Vec::from_iter(link) }))
            }
            _ => {
                let name = path.trim_start_matches("/v1/elements/");
                let Some(element) = world.elements.get(name) else { return no(404, "not_found", "no such element") };
                (200, element.shown(name))
            }
        }
    }

    fn identify(&self, world: &mut World, body: &Value) -> Answer {
        let (Some(anonymous), Some(user)) = (word(body, "anonymous_id"), word(body, "user_id")) else {
            return invalid("anonymous_id and user_id are required");
        };
        match world.links.get(anonymous) {
            Some(known) if known != user || self.lies(Defect::IdentifyOnce) => {
                no(409, "link_conflict", "anonymous_id is linked to a user already")
            }
            _ => {
                world.links.insert(anonymous.to_owned(), user.to_owned());
                (200, json!({ "status": "ok" }))
            }
        }
    }

    fn declare(&self, world: &mut World, body: &Value) -> Answer {
        let arms: Option<Vec<String>> =
            body["arms"].as_array().and_then(|arms| arms.iter().map(|arm| arm.as_str().map(str::to_owned)).collect());
        let (Some(name), Some(arms)) = (word(body, "element"), arms.filter(|arms| !arms.is_empty())) else {
            return invalid("element and arms are required");
        };
        let sorted = |arms: &[String]| {
            let mut arms = arms.to_vec();
            arms.sort();
            arms
        };
        match world.elements.get(name) {
            Some(known)
                if known.running && (sorted(&known.arms) != sorted(&arms) || self.lies(Defect::DeclareOnce)) =>
            {
                no(409, "arm_running", "conclude the running arm first")
            }
            Some(known) if known.running => (200, json!({ "status": "ok", "element": name, "arms": known.arms })),
            _ => {
                world.elements.insert(name.to_owned(), Element { arms: arms.clone(), running: true });
                (200, json!({ "status": "ok", "element": name, "arms": arms }))
            }
        }
    }

    fn conclude(&self, world: &mut World, body: &Value) -> Answer {
        let Some(name) = word(body, "element") else { return invalid("element is required") };
        let Some(element) = world.elements.get_mut(name) else { return no(404, "not_found", "no such element") };
        element.running = false;
        (200, json!({ "status": "ok", "element": name, "state": "concluded" }))
    }
}

/// An answer in its place in a batch.
pub fn placed(ok: bool, answer: &Value) -> Value {
    let mut item = Map::new();
    item.insert("status".into(), json!(if ok { "ok" } else { "error" }));
    item.extend(answer.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(item)
}

/// The items of a batch, each with its own text.
pub fn batch(body: &Value, text: &str, name: &str) -> Result<Vec<(Value, String)>, Answer> {
    let Some(items) = body.get(name).and_then(Value::as_array).filter(|items| (1..=100).contains(&items.len())) else {
        return Err(invalid(format!("{name} is an array of 1 to 100")));
    };
    let raw = serde_json::from_str::<BTreeMap<String, Box<serde_json::value::RawValue>>>(text)
        .ok()
        .and_then(|members| {
            serde_json::from_str::<Vec<Box<serde_json::value::RawValue>>>(members.get(name)?.get()).ok()
        })
        .unwrap_or_default();
    Ok(items.iter().cloned().zip(raw.iter().map(|raw| raw.get().to_owned())).collect())
}

pub fn word<'a>(body: &'a Value, name: &str) -> Option<&'a str> {
    body.get(name)?.as_str().filter(|word| !word.is_empty())
}

/// Whether it is a decide at all, and of which element.
pub fn shaped(body: &Value) -> Result<&str, Answer> {
    if !body.is_object() {
        return Err(invalid("a decide is an object"));
    }
    let (Some(element), Some(_)) = (word(body, "element"), word(body, "user_id")) else {
        return Err(invalid("element and user_id are required"));
    };
    match body.get("context") {
        None | Some(Value::Object(_)) => Ok(element),
        Some(_) => Err(invalid("context is an object")),
    }
}

impl Decision {
    fn row(&self) -> Value {
        let observation = if self.ended { "ended" } else { "open" };
        json!({ "decision_id": self.id, "idempotency_key": self.key, "observation": observation, "element": self.element })
    }
}

impl Element {
    fn shown(&self, name: &str) -> Value {
        let state = if self.running { "running" } else { "concluded" };
        json!({ "element": name, "arms": self.arms, "state": state })
    }
}
