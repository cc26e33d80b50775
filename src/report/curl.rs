//! A request as a line for a POSIX-like shell (bash, zsh, ksh), byte for byte what was sent, but for the framing, which
//! curl adds. Secrets were blanked before they came here, so a line with a credential asks to be filled in.

use crate::history::{Entry, Exchange};
use crate::message::{Framing, Request, header};
use crate::report::wording::is_unseen;

/// A longer body is not worth a line on a screen.
const LONGEST_BODY: usize = 4096;

/// The lines that ask again what a history asked, each once, in order.
pub fn curl_lines(entries: &[Entry]) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    // What a program under test asked, nobody has to ask by hand: it is the program that is judged.
    if entries.iter().any(|entry| matches!(entry, Entry::Ending(_))) {
        return lines;
    }
    for entry in entries {
        let exchange: &Exchange = match entry {
            Entry::Exchange(exchange) => exchange,
            Entry::Observation(_) | Entry::Action(_) | Entry::Ending(_) => continue,
        };
        let line = curl(&exchange.request);
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// One request as a line.
pub fn curl(request: &Request) -> String {
    let mut line = String::new();
    let body = &request.body.0;
    // An argument cannot hold a NUL, so such a body comes through a pipe.
    let piped = body.contains(&0);
    if piped && body.len() <= LONGEST_BODY {
        line.push_str(&format!("printf {} | ", octal(body)));
    }
    line.push_str("curl -i");
    match request.method.as_str() {
        "HEAD" => line.push_str(" --head"),
        method => line.push_str(&format!(" -X {}", quote(method.as_bytes()))),
    }
    if request.target.contains(['[', ']', '{', '}']) {
        line.push_str(" --globoff");
    }
    if request.target.contains("/.") {
        line.push_str(" --path-as-is");
    }
    let host = header(&request.headers, "host").unwrap_or("HOST");
    line.push_str(&format!(" {}", quote(format!("http://{host}{}", request.target).as_bytes())));
    for (name, value) in request.headers.iter().filter(|(name, _)| !is_of_curl(name)) {
        // `Name:` would take a header away; `Name;` is how curl sends an empty one.
        let spelled = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
        line.push_str(&format!(" -H {}", quote(spelled.as_bytes())));
    }
    if matches!(request.framing, Framing::None | Framing::UntilClose) && body.is_empty() {
        return line;
    }
    if request.framing == Framing::Chunked {
        line.push_str(" -H 'Transfer-Encoding: chunked'");
    }
    if header(&request.headers, "content-type").is_none() {
        line.push_str(" -H 'Content-Type:'");
    }
    match (body.len() > LONGEST_BODY, piped) {
        (true, _) => line.push_str(&format!(" --data-binary @BODY  # {} bytes, in history.ndjson", body.len())),
        (false, true) => line.push_str(" --data-binary @-"),
        // Not `--data-binary`: a body that begins with `@` would name a file.
        (false, false) => line.push_str(&format!(" --data-raw {}", quote(body))),
    }
    line
}

/// Headers that curl makes itself.
fn is_of_curl(name: &str) -> bool {
    ["host", "content-length", "transfer-encoding", "connection"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// One word of a shell, whatever it holds.
pub fn quote(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(word) if !word.is_empty() && word.bytes().all(is_plain) => word.to_owned(),
        Ok(text) if !text.chars().any(is_unseen) => format!("'{}'", text.replace('\'', r"'\''")),
        Ok(_) | Err(_) => {
            let escaped: String = bytes
                .iter()
                .map(|byte| match byte {
                    b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
                    b'\n' => "\\n".to_owned(),
                    b' '..=b'~' => char::from(*byte).to_string(),
                    // Octal, because it ends by itself: `\x0a` followed by `b` is read differently by some shells.
                    other => format!("\\{other:03o}"),
                })
                .collect();
            format!("$'{escaped}'")
        }
    }
}

/// A format for `printf` that prints exactly these bytes.
fn octal(bytes: &[u8]) -> String {
    let escaped: String = bytes
        .iter()
        .map(|byte| match byte {
            b'\'' | b'\\' => format!("\\{byte:03o}"),
            b'%' => "%%".to_owned(),
            b' '..=b'~' => char::from(*byte).to_string(),
            other => format!("\\{other:03o}"),
        })
        .collect();
    format!("'{escaped}'")
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-_./:=,@+".contains(&byte)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;
    use crate::message::Octets;

    fn check(headers: &[(&str, &str)], body: &[u8], framing: Framing, expected: &str) {
        let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let request =
            Request { method: "POST".into(), target: "/v1/it".into(), headers, body: Octets(body.into()), framing };
        assert_eq!(curl(&request), expected);
    }

    #[test]
    fn a_line_asks_what_was_asked() {
        check(
            &[
                ("Host", "127.0.0.1:8080"),
                ("Authorization", "Bearer ***"),
                ("Content-Type", "application/json"),
                ("X-E", ""),
            ],
            br#"{"who":"o'neil"}"#,
            Framing::Length,
            r#"curl -i -X POST http://127.0.0.1:8080/v1/it -H 'Authorization: Bearer ***' -H 'Content-Type: application/json' -H 'X-E;' --data-raw '{"who":"o'\''neil"}'"#,
        );
        check(&[("host", "h")], b"", Framing::None, "curl -i -X POST http://h/v1/it");
        let chunked =
            "curl -i -X POST http://h/v1/it -H 'Transfer-Encoding: chunked' -H 'Content-Type:' --data-raw @file";
        check(&[("host", "h")], b"@file", Framing::Chunked, chunked);
        let piped = r"printf 'a\000%%\047' | curl -i -X POST http://h/v1/it -H 'Content-Type:' --data-binary @-";
        check(&[("host", "h")], b"a\0%'", Framing::Length, piped);
        let long =
            "curl -i -X POST http://h/v1/it -H 'Content-Type:' --data-binary @BODY  # 5000 bytes, in history.ndjson";
        check(&[("host", "h")], &[b'x'; 5000], Framing::Length, long);
    }

    #[test]
    fn a_shell_gives_back_every_word_as_it_was() {
        let all: Vec<u8> = (1..=255).collect();
        for word in [
            b"".as_slice(),
            b"plain",
            b"it's",
            b"$(id) `id` \\ \"",
            b"a\nb",
            b"\x1b[2Jb7",
            "決定\u{202e}".as_bytes(),
            &all,
        ] {
            let script = format!("printf %s {}", quote(word));
            let output = Command::new("bash").args(["-c", &script]).env("LC_ALL", "C").output().unwrap();
            assert_eq!(output.stdout, word, "{script}");
        }
        let bytes: Vec<u8> = (0..=255).collect();
        let output = Command::new("bash").args(["-c", &format!("printf {}", octal(&bytes))]).output().unwrap();
        assert_eq!(output.stdout, bytes);
    }
}
