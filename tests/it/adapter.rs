//! A server that is not as the contract words it: an adapter in front of the served reference, with its own path and body,
//! a header that it insists on, and switches that are set by calls. It forwards by hand and shares no code with the product.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The served reference, and the adapter in front of it; both end with the test.
pub struct Adapter {
    child: Child,
    pub address: SocketAddr,
    /// The reference itself.
    pub behind: String,
    /// What is switched on, and every switching so far.
    pub switches: Arc<Mutex<(Option<String>, Vec<String>)>>,
    /// How many requests came while something was switched on.
    pub meanwhile: Arc<AtomicUsize>,
}

impl Adapter {
    /// Starts both. The reference takes these arguments.
    pub fn start(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_onceproof"))
            .args(["serve", "curious", "--listen", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the reference starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output")).read_line(&mut line).expect("a line");
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).expect("its address");
        let behind = url.trim_end_matches(';').trim_start_matches("http://").to_owned();
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let switches = Arc::new(Mutex::new((None, Vec::new())));
        let meanwhile = Arc::new(AtomicUsize::new(0));
        let shared = (behind.clone(), Arc::clone(&switches), Arc::clone(&meanwhile));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (behind, switches, meanwhile) = shared.clone();
                std::thread::spawn(move || adapt(stream, &behind, &switches, &meanwhile));
            }
        });
        Self { child, address, behind, switches, meanwhile }
    }
}

impl Drop for Adapter {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn adapt(
    mut stream: TcpStream,
    behind: &str,
    switches: &Mutex<(Option<String>, Vec<String>)>,
    meanwhile: &AtomicUsize,
) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        match line.trim_end() {
            "" => break,
            text => lines.push(text.to_owned()),
        }
    }
    let header = |name: &str| {
        lines.iter().skip(1).filter_map(|line| line.split_once(':')).find(|(own, _)| own.eq_ignore_ascii_case(name))
    };
    let length = header("content-length").and_then(|(_, value)| value.trim().parse().ok()).unwrap_or(0);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let mut first = lines[0].clone();
    if let Some(switch) = first.strip_prefix("POST /switch/").and_then(|rest| rest.split(' ').next()) {
        let mut state = switches.lock().ok()?;
        state.1.push(switch.to_owned());
        state.0 = Some(switch.to_owned()).filter(|switch| switch != "off");
        let status = if header("x-admin").is_some() { "204 No Content" } else { "403 Forbidden" };
        stream.write_all(format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n").as_bytes()).ok()?;
        return Some(());
    }
    let mut extra = String::new();
    let switched = switches.lock().ok()?.0.clone();
    if first.starts_with("POST /own/decide ") {
        // It insists on a header, and packs what it is asked for.
        let packed: serde_json::Value = serde_json::from_slice(&body).ok()?;
        if header("x-tenant").is_none() || packed.get("packed") != Some(&serde_json::json!(true)) {
            let text = "{\"error\":\"invalid_request\",\"message\":\"not packed\"}";
            let head = format!("HTTP/1.1 400 Bad Request\r\nContent-Length: {}\r\n\r\n{text}", text.len());
            stream.write_all(head.as_bytes()).ok()?;
            return Some(());
        }
        first = first.replace("/own/decide", "/v1/decide");
    }
    if let Some(switch) = switched {
        extra = format!("Onceproof-Hook: {}\r\n", switch.replace('-', " "));
        meanwhile.fetch_add(1, Ordering::SeqCst);
    }
    let mut to = TcpStream::connect(behind).ok()?;
    let kept: Vec<&String> =
        lines.iter().skip(1).filter(|line| !line.to_ascii_lowercase().starts_with("connection:")).collect();
    let mut head = format!("{first}\r\n{extra}Connection: close\r\n");
    kept.iter().for_each(|line| head.push_str(&format!("{line}\r\n")));
    to.write_all(format!("{head}\r\n").as_bytes()).ok()?;
    to.write_all(&body).ok()?;
    let mut answer = Vec::new();
    to.read_to_end(&mut answer).ok()?;
    stream.write_all(&answer).ok()?;
    Some(())
}
