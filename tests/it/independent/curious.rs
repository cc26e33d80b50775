//! Curious as another engineer would write it, from the shapes and the page alone, on somebody else's HTTP server.
//! It shares no line with the reference, and knows nothing of the harness.

use std::collections::{BTreeMap, HashMap};
use std::sync::{LazyLock, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate, matchers::any};

use super::content::content;
use super::manner::{Defect, Manner};

/// Keys that the server knows, with what each belongs to.
pub const KEYS: [(&str, &str, &str); 4] = [
    ("sk_live_a1", "acme", "live"),
    ("sk_live_a2", "acme", "live"),
    ("sk_test_a1", "acme", "test"),
    ("sk_live_z1", "zenith", "live"),
];

/// How long the racing server is of two minds.
const WINDOW: Duration = Duration::from_millis(60);

/// Since when ages are told.
static BORN: LazyLock<Instant> = LazyLock::new(Instant::now);

const MISMATCH: &str = "idempotency_key was already used with a different request";

/// A server that runs until it is dropped.
pub async fn start(manner: Manner, defect: Option<Defect>) -> MockServer {
    let server = MockServer::builder().disable_request_recording().start().await;
    Mock::given(any()).respond_with(Curious::new(manner, defect)).mount(&server).await;
    server
}

/// The server as a responder.
pub struct Curious {
    manner: Manner,
    defect: Option<Defect>,
    store: Mutex<Store>,
}

#[derive(Default)]
struct Store {
    worlds: HashMap<String, World>,
    keys: HashMap<(String, String), Kept>,
    ids: HashMap<(String, String), Instant>,
    serial: u64,
}

/// What one organization has in one environment.
struct World {
    elements: BTreeMap<String, Element>,
    decisions: Vec<Decision>,
    events: Vec<Value>,
    links: BTreeMap<String, String>,
}

#[derive(Clone)]
struct Element {
    arms: Vec<String>,
    running: bool,
}

struct Decision {
    id: Value,
    user: String,
    element: String,
    key: Value,
    ended: bool,
}

/// What is stored under a key.
#[derive(Clone)]
struct Kept {
    request: String,
    answer: Answer,
    ready: Instant,
    told: u32,
}

/// A status and a body.
type Answer = (u16, Value);

/// Who calls, and what.
struct Call<'a> {
    world: String,
    keyspace: String,
    target: String,
    dry: bool,
    request: &'a Request,
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

fn no(status: u16, error: &str, message: impl Into<String>) -> Answer {
    (status, json!({ "error": error, "message": message.into() }))
}

fn invalid(message: impl Into<String>) -> Answer {
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

    fn lies(&self, defect: Defect) -> bool {
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

    // --- decide -----------------------------------------------------------------------------------------------------

    fn decide(&self, store: &mut Store, call: &Call<'_>, body: &Value, text: &str) -> Answer {
        let target = if self.manner.one_call { String::new() } else { call.target.clone() };
        self.decide_one(store, call, &target, body, text, false)
    }

    fn decide_one(
        &self,
        store: &mut Store,
        call: &Call<'_>,
        target: &str,
        body: &Value,
        text: &str,
        twin: bool,
    ) -> Answer {
        let key = match self.key(body) {
            Ok(key) => key.map(|key| (call.keyspace.clone(), key)),
            Err(answer) => return answer,
        };
        if call.dry
            && let Err(answer) = self.checked(store, call, body)
        {
            return answer;
        }
        if call.dry {
            return (200, json!({ "valid": true }));
        }
        let request = format!("{target} {}", self.fingerprint(body, text));
        if (self.manner.element_first || key.is_none())
            && let Err(answer) = self.checked(store, call, body)
        {
            return answer;
        }
        let now = Instant::now();
        if let Some(key) = &key
            && let Some(kept) = store.keys.get_mut(key).filter(|_| !twin)
        {
            let ready = kept.ready <= now;
            if self.lies(Defect::Races) && !ready {
                // Not there yet, as it looks from here.
            } else {
                let code =
                    json!({ "error": "conflict", "code": "lock_timeout", "message": "this idempotency_key is in use" });
                if !ready && (self.manner.locks_first || kept.request == request) {
                    if self.lies(Defect::LocksForever) {
                        kept.ready = now + Duration::from_secs(3600);
                    }
                    return (409, code);
                }
                if self.lies(Defect::StoresRefusal) && kept.answer.0 >= 400 {
                    return kept.answer.clone();
                }
                if kept.request != request && !self.lies(Defect::IgnoresMismatch) {
                    // What cannot be read as a decide at all is refused as such, key or not.
                    if let Err(answer) = shaped(body) {
                        return answer;
                    }
                    if self.lies(Defect::ConflictOverwrites) {
                        kept.request = request;
                    }
                    if self.lies(Defect::ConflictFrees) {
                        store.keys.remove(key);
                    }
                    let message = match self.lies(Defect::WordsConflictOtherwise) {
                        true => "this key was used for something else",
                        false => MISMATCH,
                    };
                    return no(409, "idempotency_error", message);
                }
                kept.told += 1;
                let kept = kept.clone();
                if !(self.lies(Defect::DecidesAgain) || self.lies(Defect::ReplaysOnce) && kept.told > 1) {
                    return self.replay(store, call, kept);
                }
            }
        }
        if let Err(answer) = self.checked(store, call, body) {
            if let Some(key) = key
                && answer.0 != 401
                && (self.lies(Defect::StoresRefusal) || self.lies(Defect::RefusalClaimsKey))
            {
                store.keys.insert(key, Kept { request, answer: answer.clone(), ready: now, told: 0 });
            }
            return answer;
        }
        let answer = self.decided(store, call, body);
        if let Some(key) = key {
            let settles = match self.lies(Defect::Races) {
                true => WINDOW,
                false => self.manner.in_progress.unwrap_or_default(),
            };
            store.keys.insert(key, Kept { request, answer: answer.clone(), ready: now + settles, told: 0 });
        }
        self.marked(answer, self.lies(Defect::MarksFirst))
    }

    fn fingerprint(&self, body: &Value, text: &str) -> String {
        if self.lies(Defect::ComparesBytes) {
            return text.to_owned();
        }
        if self.lies(Defect::IgnoresContext) {
            return format!("{} {}", body["user_id"], body["element"]);
        }
        let text = if self.manner.reads_numbers { body.to_string() } else { text.to_owned() };
        content(&text, Some("idempotency_key")).unwrap_or_default()
    }

    fn key(&self, body: &Value) -> Result<Option<String>, Answer> {
        let key = match body.get("idempotency_key") {
            None | Some(Value::Null) => return Ok(None),
            Some(Value::String(key)) => key.clone(),
            Some(_) => return Err(invalid("idempotency_key is a string")),
        };
        let length = match () {
            () if self.lies(Defect::CountsBytes) => key.len(),
            () if self.manner.utf16 => key.encode_utf16().count(),
            () => key.chars().count(),
        };
        let longest = if self.lies(Defect::AcceptsTooLong) { 256 } else { 255 };
        if length == 0 || length > longest {
            return Err(invalid("idempotency_key has 1 to 255 characters"));
        }
        if key.contains('\0') && self.lies(Defect::FailsOnNul) {
            return Err(no(500, "internal", "invalid byte sequence for encoding \"UTF8\": 0x00"));
        }
        if key.contains('\0') && !self.lies(Defect::CutsAtNul) {
            return Err(invalid("idempotency_key may not contain U+0000"));
        }
        Ok(Some(match self.defect {
            Some(Defect::CutsAtNul) => key.split('\0').next().unwrap_or_default().to_owned(),
            Some(Defect::CutsKeys) => key.chars().take(254).collect(),
            Some(Defect::FoldsCase) => key.to_lowercase(),
            Some(Defect::TrimsKeys) => key.trim().to_owned(),
            _ => key,
        }))
    }

    fn checked(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Result<(), Answer> {
        let element = shaped(body)?;
        let world = store.worlds.entry(call.world.clone()).or_default();
        match world.elements.contains_key(element) {
            true => Ok(()),
            false => Err(no(404, "not_found", format!("no element {element:?}"))),
        }
    }

    fn decided(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Answer {
        store.serial += 1;
        let serial = store.serial;
        let world = store.worlds.entry(call.world.clone()).or_default();
        let (Some(name), Some(user)) = (word(body, "element"), word(body, "user_id")) else {
            return invalid("unchecked");
        };
        let element = world.elements.get(name).expect("it was checked").clone();
        if self.manner.merges_unkeyed
            && body.get("idempotency_key").is_none_or(Value::is_null)
            && let Some(known) = world.decisions.iter().find(|row| row.user == user && row.element == name)
        {
            let arm = &element.arms[0];
            return (
                200,
                json!({ "decision_id": known.id, "element": name, "user_id": user, "arm": arm, "decided_at": 0 }),
            );
        }
        let arm = if element.running { &element.arms[serial as usize % element.arms.len()] } else { &element.arms[0] };
        let id = match self.manner.numbers {
            true => json!(9_007_199_254_740_993_u64 + serial),
            false => json!(format!("dec_{serial:08x}")),
        };
        for row in world.decisions.iter_mut().filter(|row| row.user == user && row.element == name) {
            row.ended = true;
        }
        let key = body.get("idempotency_key").cloned().unwrap_or_default();
        world.decisions.push(Decision { id: id.clone(), user: user.into(), element: name.into(), key, ended: false });
        let at = jiff::Timestamp::now().to_string();
        let mut answer = json!({ "decision_id": id, "element": name, "user_id": user, "arm": arm, "decided_at": at });
        if self.manner.extras {
            answer["weight"] = json!(0.5);
            answer["flags"] = json!([serial, null, true, { "replayed": true }]);
            answer["context"] = body.get("context").cloned().unwrap_or_default();
            answer["padding"] = json!("ü".repeat(500));
        }
        (200, answer)
    }

    fn replay(&self, store: &mut Store, call: &Call<'_>, kept: Kept) -> Answer {
        let (mut status, mut answer) = kept.answer;
        store.serial += 1;
        let world = store.worlds.entry(call.world.clone()).or_default();
        match self.defect {
            Some(Defect::ReplaysUnmarked) => return (status, answer),
            Some(Defect::RepeatsWith201) => status = 201,
            Some(Defect::ReplaysWithNewId) => answer["decision_id"] = json!(format!("dec_{:08x}", store.serial)),
            Some(Defect::ReplaysWithNewTime) => answer["decided_at"] = json!(format!("later, {}", store.serial)),
            Some(Defect::ReplayEndsWindow) => {
                for row in world.decisions.iter_mut().filter(|row| row.id == answer["decision_id"]) {
                    row.ended = true;
                }
            }
            Some(Defect::ForgetsConcluded) => {
                let element = answer["element"].as_str().and_then(|name| world.elements.get(name));
                if element.is_some_and(|element| !element.running) {
                    return no(404, "not_found", "the element was concluded");
                }
            }
            Some(Defect::ReplaysToday) => {
                let element = answer["element"].as_str().and_then(|name| world.elements.get(name));
                if let Some(element) = element.filter(|element| !element.running) {
                    answer["arm"] = json!(format!("{} (concluded)", element.arms[0]));
                }
            }
            _ => {}
        }
        let (status, mut answer) = self.marked((status, answer), true);
        if self.manner.reorders
            && let Some(members) = answer.as_object_mut()
        {
            members.sort_keys();
        }
        if self.lies(Defect::MarksInText) {
            answer["replayed"] = json!("true");
        }
        (status, answer)
    }

    fn marked(&self, (status, mut answer): Answer, replayed: bool) -> Answer {
        if status < 300 && (replayed || self.manner.says_no) {
            answer["replayed"] = json!(replayed);
        }
        (status, answer)
    }

    fn decide_batch(&self, store: &mut Store, call: &Call<'_>, body: &Value, text: &str) -> Answer {
        let items = match batch(body, text, "items") {
            Ok(items) => items,
            Err(answer) => return answer,
        };
        let target = if self.manner.one_call { String::new() } else { call.target.clone() };
        if self.lies(Defect::RefusesWholeBatch)
            && items.iter().any(|(item, _)| self.key(item).is_err() || self.checked(store, call, item).is_err())
        {
            return invalid("an item is invalid");
        }
        let mut seen = Vec::new();
        let mut results = Vec::new();
        let mut replayed = 0;
        for (item, text) in &items {
            let key = item.get("idempotency_key").cloned();
            let twin = self.lies(Defect::DoesTwinsBoth) && seen.contains(&key);
            seen.push(key);
            let (status, mut answer) = self.decide_one(store, call, &target, item, text, twin);
            if self.lies(Defect::BatchReplaysAnew) && answer["replayed"] == json!(true) {
                answer["decided_at"] = json!(format!("later, {}", store.serial));
            }
            let ok = status < 300;
            replayed += usize::from(ok && answer["replayed"] == json!(true));
            results.push(placed(ok, &answer));
        }
        let mut answer = json!({ "results": results });
        self.count(&mut answer, "replayed", replayed);
        (200, answer)
    }

    fn count(&self, answer: &mut Value, name: &str, count: usize) {
        let count = count + usize::from(self.lies(Defect::CountsOneMore));
        if count > 0 || self.manner.says_no {
            answer[name] = json!(count);
        }
        if self.manner.extras {
            answer["took_us"] = json!(Instant::now().elapsed().as_nanos() as u64 + 40);
            answer["page"] = json!({ "more": false });
        }
    }

    // --- events -----------------------------------------------------------------------------------------------------

    fn event(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Answer {
        let id = match body.get("id") {
            None | Some(Value::Null) => None,
            Some(Value::String(id)) if id.is_empty() && self.manner.lenient_ids => None,
            Some(Value::String(id)) if !id.is_empty() => Some(id.clone()),
            Some(_) if self.manner.lenient_ids => None,
            Some(_) => return invalid("id is a string with something in it"),
        };
        if id.as_ref().is_some_and(|id| id.chars().count() > self.manner.longest_id || id.contains('\0')) {
            return invalid("this id is none of ours");
        }
        let (Some(name), Some(user)) = (word(body, "event"), word(body, "user_id")) else {
            if let Some(id) = id
                && self.lies(Defect::RefusedEventClaimsId)
            {
                store.ids.insert((call.keyspace.clone(), id), Instant::now());
            }
            return invalid("event and user_id are required");
        };
        if body.get("properties").is_some_and(|properties| !properties.is_object()) {
            return invalid("properties is an object");
        }
        let id = match id {
            Some(id) if self.lies(Defect::IdsPerUser) => Some(format!("{user} {id}")),
            None if self.lies(Defect::MergesByContent) => Some(format!("{name} {body}")),
            other => other,
        };
        let now = Instant::now();
        let mut duplicate = false;
        if let Some(known) = id.as_ref().filter(|_| self.manner.last_wins) {
            let events = &mut store.worlds.entry(call.world.clone()).or_default().events;
            for row in events.iter_mut().filter(|row| row["id"] == json!(known)) {
                row["properties"] = body["properties"].clone();
            }
        }
        if let Some(id) = id {
            let place = (call.keyspace.clone(), id);
            let known = store.ids.get(&place).is_some_and(|ready| *ready <= now);
            if known && self.lies(Defect::EventRepeatConflicts) {
                return no(409, "conflict", "this event is known");
            }
            if !known {
                let settles = if self.lies(Defect::RacesEvents) { WINDOW } else { Duration::ZERO };
                store.ids.insert(place, now + settles);
            }
            duplicate = known;
        }
        if !duplicate || self.lies(Defect::CountsEventsAgain) {
            let mut row = body.clone();
            row["received"] = json!(store.serial);
            store.worlds.entry(call.world.clone()).or_default().events.push(row);
        }
        let mut answer = json!({ "status": "ok" });
        let says = match self.defect {
            Some(Defect::EventRepeatUnflagged) => false,
            Some(Defect::MarksFirst) => true,
            _ => duplicate,
        };
        if says || self.manner.says_no {
            answer["duplicate"] = json!(says);
        }
        (200, answer)
    }

    fn event_batch(&self, store: &mut Store, call: &Call<'_>, body: &Value) -> Answer {
        let text = call.request.body.as_slice();
        let items = match batch(body, &String::from_utf8_lossy(text), "events") {
            Ok(items) => items,
            Err(answer) => return answer,
        };
        if self.lies(Defect::RefusesWholeBatch)
            && items.iter().any(|(item, _)| word(item, "event").is_none() || word(item, "user_id").is_none())
        {
            return invalid("an event is invalid");
        }
        let mut results = Vec::new();
        let mut duplicates = 0;
        let old = items.iter().any(|(item, _)| {
            let id = item["id"].as_str().unwrap_or_default().to_owned();
            store.ids.contains_key(&(call.keyspace.clone(), id))
        });
        for (place, (item, _)) in items.iter().enumerate() {
            if old && self.lies(Defect::DropsNewBesideOld) {
                duplicates += 1;
                results.push(json!({ "status": "ok", "duplicate": true }));
                continue;
            }
            let twin = items[..place].iter().any(|(other, _)| other.get("id") == item.get("id"));
            if twin && self.lies(Defect::DoesTwinsBoth) && item.get("id").is_some() {
                let id = item["id"].as_str().unwrap_or_default().to_owned();
                store.ids.remove(&(call.keyspace.clone(), id));
            }
            let (status, answer) = self.event(store, call, item);
            if status == 409 {
                return (status, answer);
            }
            duplicates += usize::from(answer["duplicate"] == json!(true));
            let mut item = placed(status < 300, &answer);
            if self.lies(Defect::UnflaggedInBatch)
                && let Some(item) = item.as_object_mut()
            {
                item.shift_remove("duplicate");
            }
            results.push(item);
        }
        let mut answer = json!({ "results": results });
        self.count(&mut answer, "duplicates", duplicates);
        (self.manner.event_status, answer)
    }
}

/// An answer in its place in a batch.
fn placed(ok: bool, answer: &Value) -> Value {
    let mut item = Map::new();
    item.insert("status".into(), json!(if ok { "ok" } else { "error" }));
    item.extend(answer.as_object().into_iter().flatten().map(|(name, value)| (name.clone(), value.clone())));
    Value::Object(item)
}

/// The items of a batch, each with its own text.
fn batch(body: &Value, text: &str, name: &str) -> Result<Vec<(Value, String)>, Answer> {
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

fn word<'a>(body: &'a Value, name: &str) -> Option<&'a str> {
    body.get(name)?.as_str().filter(|word| !word.is_empty())
}

/// Whether it is a decide at all, and of which element.
fn shaped(body: &Value) -> Result<&str, Answer> {
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
