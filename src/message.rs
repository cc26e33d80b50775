//! HTTP/1.1 messages as evidence: a head kept verbatim and a body kept as bytes. Nothing here reads or writes a socket,
//! and nothing here respells what it was given.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::Json;

/// Bytes that are written to files as text when they are text, else as hexadecimal.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Octets(pub Vec<u8>);

/// How a body is delimited on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Framing {
    /// No body and no header about one.
    None,
    /// `Content-Length`.
    Length,
    /// `Transfer-Encoding: chunked`.
    Chunked,
    /// Until the connection closes (answers only).
    UntilClose,
}

/// A request as planned; `to_bytes` is exactly what the driver writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// `POST`, …
    pub method: String,
    /// Path and query.
    pub target: String,
    /// In order, as spelled. `Host` included; framing headers not.
    pub headers: Vec<(String, String)>,
    /// The content, without chunking.
    pub body: Octets,
    /// How the body is delimited.
    pub framing: Framing,
}

impl Request {
    /// The bytes on the wire.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = format!("{} {} HTTP/1.1\r\n", self.method, self.target).into_bytes();
        for (name, value) in &self.headers {
            bytes.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
        }
        match self.framing {
            Framing::None | Framing::UntilClose => bytes.extend_from_slice(b"\r\n"),
            Framing::Length => {
                bytes.extend_from_slice(format!("Content-Length: {}\r\n\r\n", self.body.0.len()).as_bytes());
                bytes.extend_from_slice(&self.body.0);
            }
            Framing::Chunked => {
                bytes.extend_from_slice(b"Transfer-Encoding: chunked\r\n\r\n");
                // Two chunks where there are two bytes: a server that reads only the first one is caught.
                let (first, second) = self.body.0.split_at(self.body.0.len() / 2);
                for chunk in [first, second].into_iter().filter(|chunk| !chunk.is_empty()) {
                    bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
                    bytes.extend_from_slice(chunk);
                    bytes.extend_from_slice(b"\r\n");
                }
                bytes.extend_from_slice(b"0\r\n\r\n");
            }
        }
        bytes
    }
}

impl Request {
    /// The content as JSON, if it is.
    pub fn json(&self) -> Option<Json> {
        Json::parse(&self.body.0).ok()
    }
}

/// A whole answer as it was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The status code.
    pub status: u16,
    /// In order, as spelled; bytes above 127 as Latin-1.
    pub headers: Vec<(String, String)>,
    /// The content, chunking removed.
    pub body: Octets,
    /// How the body was delimited.
    pub framing: Framing,
    /// How many bytes it took on the wire, head included.
    pub wire_length: u64,
}

impl Response {
    /// The first value of a header, by name in any case.
    pub fn header(&self, name: &str) -> Option<&str> {
        header(&self.headers, name)
    }

    /// The content as JSON, if it is.
    pub fn json(&self) -> Option<Json> {
        Json::parse(&self.body.0).ok()
    }
}

/// The first value of a header, by name in any case.
pub fn header<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

impl From<Vec<u8>> for Octets {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl From<&str> for Octets {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for Octets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", String::from_utf8_lossy(&self.0))
    }
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Written {
    Text(String),
    Hex(String),
}

impl Serialize for Octets {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match std::str::from_utf8(&self.0) {
            Ok(text) => Written::Text(text.to_owned()),
            Err(_) => Written::Hex(self.0.iter().map(|byte| format!("{byte:02x}")).collect()),
        }
        .serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Octets {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Written::deserialize(deserializer)? {
            Written::Text(text) => Ok(Self(text.into_bytes())),
            Written::Hex(hex) => (0..hex.len())
                .step_by(2)
                .map(|at| hex.get(at..at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok()))
                .collect::<Option<Vec<u8>>>()
                .map(Self)
                .ok_or_else(|| serde::de::Error::custom("hexadecimal bytes expected")),
        }
    }
}
