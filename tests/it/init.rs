//! `onceproof init` as its users meet it: what it drafts loads and judges, what is there stays there, and nobody is waited
//! for. Documents are in tests/openapi; those that cannot be drafted from are told why.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};

use onceproof::contract;
use onceproof::draft::{self, Document};
use onceproof::file::Source;
use onceproof::scenario::Claim;

use crate::files::root;
use crate::slips::{Random, mutated};

fn onceproof(folder: &Path, arguments: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_onceproof"));
    command.args(arguments).env("NO_COLOR", "1").current_dir(folder).stdin(Stdio::null());
    let output = command.output().expect("the binary runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), text)
}

fn document(name: &str) -> String {
    root().join("tests/openapi").join(name).display().to_string()
}

const URL: [&str; 2] = ["--url", "http://127.0.0.1:8080"];

#[test]
fn a_subject_file_is_drafted_and_a_check_accepts_it() {
    let folder = tempfile::tempdir().expect("a folder");
    for contract in ["curious", "scanova"] {
        let file = format!("{contract}.yaml");
        let all =
            ["init", &file, "--contract", contract, "--url", "http://127.0.0.1:8080", "--url", "https://[::1]:443"];
        let (code, text) = onceproof(folder.path(), &all[..6]);
        assert_eq!(code, Some(0), "{text}");
        let (code, text) = onceproof(folder.path(), &["check", "--subject", &file]);
        assert_eq!(code, Some(0), "{text}");
        // What cannot be a subject is told, and nothing is written.
        let (code, text) = onceproof(folder.path(), &[&all[..1], &["b.yaml"], &all[2..]].concat());
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains("replicas by TLS and without"), "{text}");
    }
    for (url, says) in [("http://192.0.2.1:80", "is not on this machine"), ("127.0.0.1:80", "is no URL of a server")] {
        let (code, text) = onceproof(folder.path(), &["init", "b.yaml", "--contract", "curious", "--url", url]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(says), "{text}");
    }
    assert!(!folder.path().join("b.yaml").exists());
}

#[test]
fn nobody_is_waited_for_and_nothing_is_written_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let (code, text) = onceproof(folder.path(), &["init", "--contract", "curious"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--url is missing") && text.contains("there is no terminal to ask at"), "{text}");
    let (code, text) = onceproof(folder.path(), &["init", URL[0], URL[1]]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("--contract is missing (the contract: ") && text.contains("curious, "), "{text}");
    assert!(text.contains(", or a YAML file)"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
    let file = folder.path().join("subject.yaml");
    std::fs::write(&file, "mine\n").expect("written");
    let all = ["init", "--contract", "curious", URL[0], URL[1]];
    let (code, text) = onceproof(folder.path(), &all);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("subject.yaml is there already") && text.contains("--force"), "{text}");
    assert_eq!(std::fs::read_to_string(&file).expect("it is there"), "mine\n");
    let (code, text) = onceproof(folder.path(), &[&all[..], &["--force"]].concat());
    assert_eq!(code, Some(0), "{text}");
    assert_ne!(std::fs::read_to_string(&file).expect("it is there"), "mine\n");
    // With a document, neither of the two is written where one is there.
    let payments = document("payments.yaml");
    let (code, text) = onceproof(folder.path(), &["init", "--openapi", &payments, URL[0], URL[1]]);
    assert_eq!(code, Some(2), "{text}");
    assert!(!folder.path().join("contract.yaml").exists());
}

#[test]
fn what_is_missing_is_asked_for_at_a_terminal() {
    let folder = tempfile::tempdir().expect("a folder");
    // `script` gives it a terminal.
    let Ok(mut child) = Command::new("script")
        .args(["-qec", &format!("'{}' init", env!("CARGO_BIN_EXE_onceproof")), "/dev/null"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    else {
        println!("SKIPPED: there is no `script` to give a terminal");
        return;
    };
    let mut input = child.stdin.take().expect("its input");
    input.write_all(b"scanova\nhttp://127.0.0.1:9090\n").expect("answered");
    let output = child.wait_with_output().expect("it ends");
    drop(input);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("the URL of the server [http://127.0.0.1:8080]"), "{text}");
    let subject = std::fs::read_to_string(folder.path().join("subject.yaml")).expect("written");
    assert!(subject.contains("contract: scanova\n") && subject.contains("url: \"http://127.0.0.1:9090\""), "{subject}");
}

#[test]
fn each_document_drafts_a_contract_and_a_subject_that_a_check_accepts() {
    for (name, operations) in [
        ("payments.yaml", &["createPayment", "post-accounts-account_id-transfers", "put-orders"] as &[&str]),
        ("minimal.json", &["post-things"]),
        ("hostile.yaml", &["true", "any-operation", "any-operation-2"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let all = ["init", "s.yaml", "--openapi", &document(name), "--contract", "c.yaml", URL[0], URL[1]];
        let (code, text) = onceproof(folder.path(), &all);
        assert_eq!(code, Some(0), "{name}: {text}");
        let (code, text) = onceproof(folder.path(), &["check", "--contract", "c.yaml", "--subject", "s.yaml"]);
        assert_eq!(code, Some(0), "{name}: {text}");
        let drafted = std::fs::read_to_string(folder.path().join("c.yaml")).expect("a draft");
        let source = Source::new("c.yaml", drafted.as_str());
        let contract = contract::load(&source, Claim::WORDS).unwrap_or_else(|problems| panic!("{problems}"));
        let found: Vec<&str> = contract.operations.keys().map(|name| name.as_str()).collect();
        assert_eq!(found, operations, "{drafted}");
        assert!(drafted.matches("DECIDE").count() >= 8, "{drafted}");
    }
}

#[test]
fn what_a_document_says_stands_in_the_draft() {
    let source = Source::new("d.yaml", std::fs::read_to_string(document("payments.yaml")).expect("a document"));
    let found = draft::found(&Document::read(&source).expect("a document"));
    let text = draft::contract("c", "C", "d.yaml", &found, &[("accept", "Every answered attempt is a success.")]);
    for line in [
        "    request: \"POST /v1/payments\"\n",
        "      header: Idempotency-Key\n      length: 1..255 characters\n",
        "      fresh: { status: 201 }\n      conflict: { status: 422 } # DECIDE: another request under a known key: is it this?\n",
        "    request: \"POST /v1/accounts/acc_1/transfers?dry=true\"\n    headers:\n      X-Tenant: \"acme\"\n",
        "    # DECIDE: is this the key that makes a retry safe? Request ids are often for tracing alone\n",
        "      at: \"/clientToken\"\n      length: 8..64 characters\n",
        "    says: \"every answered attempt is a success\"\n    proved by: accept on any\n",
    ] {
        assert!(text.contains(line), "no\n{line}in\n{text}");
    }
}

#[test]
fn what_is_no_document_with_a_key_is_refused_with_its_place() {
    let folder = tempfile::tempdir().expect("a folder");
    for (text, says) in [
        ("swagger: \"2.0\"\npaths: {}\n", "doc.yaml:1:1\n"),
        ("swagger: \"2.0\"\npaths: {}\n", "this is Swagger 2.0: convert it to OpenAPI 3 first"),
        ("openapi: 4.0.0\npaths: { /a: {} }\n", "OpenAPI `4.0.0` is not known"),
        ("info: {}\n", "it has no `openapi: 3.…`"),
        ("openapi: 3.0.0\n", "the document has no paths"),
        ("openapi: 3.0.0\npaths: [a]\n", "expected a map of paths"),
        ("openapi: 3.0.0\npaths: { /a: { post: {} } }\n", "no operation has an idempotency key"),
        (
            "openapi: 3.0.0\npaths: { /a: { get: { parameters: [{ name: Idempotency-Key, in: header }] } } }\n",
            "no operation has",
        ),
        ("openapi: 3.0.0\npaths: { /a: { post: { post: \n", "error"),
        ("openapi: 3.0.0\nopenapi: 3.0.0\n", "stands twice"),
        ("{\"openapi\": \"3.0.0\", \"paths\": {", "error"),
        ("", "error"),
        ("\u{0}\u{1}", "error"),
    ] {
        std::fs::write(folder.path().join("doc.yaml"), text).expect("written");
        let (code, told) = onceproof(folder.path(), &["init", "--openapi", "doc.yaml", URL[0], URL[1]]);
        assert_eq!(code, Some(2), "{text}: {told}");
        assert!(told.contains(says) && !told.contains("panicked"), "{text}: {told}");
    }
    let (code, told) = onceproof(folder.path(), &["init", "--openapi", "none.yaml", URL[0], URL[1]]);
    assert_eq!(code, Some(2), "{told}");
    assert!(!folder.path().join("contract.yaml").exists() && !folder.path().join("subject.yaml").exists());
}

#[test]
fn no_slip_in_a_document_makes_a_draft_that_does_not_load() {
    let mut random = Random(0x0f_f1ce_5eed_0001);
    let texts = ["payments.yaml", "minimal.json", "hostile.yaml"]
        .map(|name| std::fs::read_to_string(document(name)).expect("a document"));
    let claims: Vec<(&str, &str)> = Claim::ALL.iter().take(25).map(|claim| (claim.word(), claim.says())).collect();
    let (mut drafted, mut refused) = (0, 0);
    for round in 0..1_500 {
        let source = Source::new("d.yaml", mutated(&texts[round % texts.len()], &mut random));
        let Ok(document) = Document::read(&source) else {
            refused += 1;
            continue;
        };
        let found = draft::found(&document);
        if found.is_empty() {
            refused += 1;
            continue;
        }
        let text = draft::contract("c", "C", "d.yaml", &found, &claims);
        let loaded = contract::load(&Source::new("c.yaml", text.as_str()), Claim::WORDS);
        if let Err(problems) = loaded {
            panic!("{problems}\n{}\n{text}", source.text);
        }
        drafted += 1;
    }
    assert!(drafted > 300 && refused > 100, "{drafted} drafted, {refused} refused");
}

/// What was asked for under each key, and what was given.
type Sold = BTreeMap<String, (Vec<u8>, u32)>;

/// A shop that remembers, or not, what was asked under a key.
fn shop(remembers: bool) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    let known: Arc<Mutex<Sold>> = Arc::default();
    let next = Arc::new(Mutex::new(0_u32));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let (known, next) = (Arc::clone(&known), Arc::clone(&next));
            std::thread::spawn(move || while sold(&stream, remembers, &known, &next).is_some() {});
        }
    });
    format!("http://{address}")
}

fn sold(mut stream: &TcpStream, remembers: bool, known: &Mutex<Sold>, next: &Mutex<u32>) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut key, mut length, mut chunked, mut first) = (None, 0, false, String::new());
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let line = line.trim_end();
        if first.is_empty() {
            first = line.to_owned();
        } else if line.is_empty() {
            break;
        } else if let Some((name, value)) = line.split_once(':') {
            match name.to_ascii_lowercase().as_str() {
                "idempotency-key" => key = Some(value.trim().to_owned()).filter(|key| !key.is_empty()),
                "content-length" => length = value.trim().parse().ok()?,
                "transfer-encoding" => chunked = true,
                _ => {}
            }
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let asked: Option<serde_json::Value> = serde_json::from_slice(&body).ok();
    let same = asked.as_ref().map(|asked| asked.to_string().into_bytes()).unwrap_or_default();
    let fresh = || {
        let mut next = next.lock().expect("lock");
        *next += 1;
        *next
    };
    let is_well = asked.as_ref().is_some_and(|asked| asked["amount"].is_u64() && asked["customer"].is_string());
    let (status, body) = match (first.starts_with("POST /v1/payments "), is_well && !chunked, key) {
        (false, ..) => (404, "{}".to_owned()),
        (true, false, _) => (400, "{}".to_owned()),
        (true, true, Some(key)) if remembers => {
            let mut known = known.lock().expect("lock");
            let (content, id) = known.entry(key).or_insert_with(|| (same.clone(), fresh()));
            if *content == same { (201, format!("{{\"id\":\"p{id}\"}}")) } else { (422, "{}".to_owned()) }
        }
        (true, true, _) => (201, format!("{{\"id\":\"p{}\"}}", fresh())),
    };
    let head =
        format!("HTTP/1.1 {status} Told\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(format!("{head}{body}").as_bytes()).ok()
}

#[test]
fn a_draft_tells_a_server_that_remembers_from_one_that_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = std::fs::read_to_string(document("payments.yaml")).expect("a document");
    // Of the three operations only the first is there.
    let (before, rest) = one.split_once("  /accounts").expect("a second path");
    let (_, components) = rest.split_once("components:").expect("components");
    std::fs::write(folder.path().join("doc.yaml"), format!("{before}components:{components}")).expect("written");
    for (remembers, expected) in [(true, 0), (false, 1)] {
        let url = shop(remembers);
        let all = ["init", "--force", "--openapi", "doc.yaml", "--url", &url];
        let (code, text) = onceproof(folder.path(), &all);
        assert_eq!(code, Some(0), "{text}");
        // `derived` warns, and fails under --strict; what is not judged is no matter here.
        let scenarios = ["server/replay/**", "server/conflict/changed", "server/race/**"];
        let run = ["run", "--subject", "subject.yaml", "--no-report"];
        let (code, text) = onceproof(folder.path(), &[&run[..], &scenarios[..]].concat());
        assert_eq!(code, Some(0), "{text}");
        assert_eq!(text.contains("warning"), expected == 1, "{text}");
        assert_eq!(text.contains("! DRAFT-03   must, derived  warn"), expected == 1, "{text}");
    }
}
