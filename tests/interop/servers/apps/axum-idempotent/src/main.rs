//! The shop of ../shop.cjs, on axum, with axum-idempotent as its README says for its direct key mode; a request without a key
//! is let through, which the README offers. The package keeps its keys in the caller's session and does nothing without one;
//! any cookie that has the form of a session's is one, so there is no login here.
//!
//!   shop-axum-idempotent PORT FOLDER

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use axum_idempotent::{IdempotentLayer, IdempotentOptions};
use ruts::store::moka::MokaStore;
use ruts::{CookieOptions, SessionLayer};
use serde_json::{Value, json};
use tower_cookies::CookieManagerLayer;

/// So long does it work on something: long enough for a repeat to find it at work.
const WORKS: Duration = Duration::from_millis(100);

/// What was done, and the file that remembers it.
struct Shop {
    file: PathBuf,
    done: Mutex<Vec<(String, Value)>>,
}

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [port, folder] = arguments.as_slice() else { panic!("shop-axum-idempotent PORT FOLDER") };
    let file = PathBuf::from(folder).join("done.ndjson");
    let lines = std::fs::read_to_string(&file).unwrap_or_default();
    let done = lines.lines().map(|line| serde_json::from_str(line).expect("a line of ours")).collect();
    let shop = Arc::new(Shop { file, done: Mutex::new(done) });

    let keys =
        IdempotentOptions::default().use_idempotency_key_header(Some("Idempotency-Key"), false).expire_after(300);
    let cookies = CookieOptions::build().name("session").path("/");
    let app = Router::new()
        .route("/{kind}", get(list).post(take))
        .layer(IdempotentLayer::<MokaStore>::new(keys))
        .layer(SessionLayer::new(Arc::new(MokaStore::builder().build())).with_cookie_options(cookies))
        .layer(CookieManagerLayer::new())
        .with_state(shop);
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await.expect("a free port");
    axum::serve(listener, app).await.expect("served");
}

async fn take(State(shop): State<Arc<Shop>>, Path(kind): Path<String>, headers: HeaderMap, body: Bytes) -> Response {
    tokio::time::sleep(WORKS).await;
    let fails = headers.get("shop-fails").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let wrong = |status: StatusCode, why: &str| (status, Json(json!({ "error": why }))).into_response();
    let mut record: Value = serde_json::from_slice(&body).unwrap_or_default();
    if record["amount"].as_i64().is_none_or(|amount| amount <= 0) {
        return wrong(StatusCode::BAD_REQUEST, "amount is no positive number");
    }
    match fails {
        "busy" => return (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")], "busy").into_response(),
        "declined" => return wrong(StatusCode::PAYMENT_REQUIRED, "declined"),
        "before" => return wrong(StatusCode::INTERNAL_SERVER_ERROR, "failed before it was done"),
        _ => {}
    }
    let mut done = shop.done.lock().expect("whole");
    let number = done.len() + 1;
    record["id"] = format!("{kind}-{number:08}").into();
    record["number"] = number.into();
    let line = serde_json::to_string(&(&kind, &record)).expect("JSON");
    let mut file = OpenOptions::new().create(true).append(true).open(&shop.file).expect("a file");
    writeln!(file, "{line}").expect("written");
    done.push((kind.clone(), record.clone()));
    drop(done);
    if fails == "after" {
        return wrong(StatusCode::INTERNAL_SERVER_ERROR, "failed after it was done");
    }
    assert_ne!(fails, "crash", "crashed after it was done");
    let place = format!("/{kind}/{}", record["id"].as_str().unwrap_or_default());
    (StatusCode::CREATED, [("location", place), ("x-number", number.to_string())], Json(record)).into_response()
}

async fn list(
    State(shop): State<Arc<Shop>>,
    Path(kind): Path<String>,
    Query(wanted): Query<HashMap<String, String>>,
) -> Json<Value> {
    let fits = |record: &Value| {
        wanted.iter().all(|(name, value)| record[name] == *value || record[name].to_string() == *value)
    };
    let done = shop.done.lock().expect("whole");
    let items: Vec<&Value> =
        done.iter().filter(|(own, record)| *own == kind && fits(record)).map(|(_, one)| one).collect();
    Json(json!({ "count": items.len(), "items": items }))
}
