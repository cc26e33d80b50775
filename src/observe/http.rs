//! Reads an effect by a call of the read side. The call goes straight to the origin, by a client that neither retries nor
//! follows anything.

use std::net::SocketAddr;
use std::time::Duration;

use crate::contract::Read;
use crate::history::Sight;
use crate::json::{Json, Number};

/// More rows than this are told no further: whatever was expected, they are too many.
const MOST_COUNTED: usize = 10_000;

/// A client for calls that are not judged: no proxy, no pool, no retry, no redirect.
pub fn client(timeout: Duration) -> reqwest::Result<reqwest::Client> {
    reqwest::Client::builder()
        .no_proxy()
        .pool_max_idle_per_host(0)
        .retry(reqwest::retry::never())
        .redirect(reqwest::redirect::Policy::none())
        .timeout(timeout)
        .build()
}

/// One call of the read side.
#[derive(Clone, Debug)]
pub struct HttpObserver {
    /// The client.
    pub client: reqwest::Client,
    /// Where.
    pub origin: SocketAddr,
    /// The host that the call names.
    pub host: String,
    /// Path and query.
    pub target: String,
    /// The credential's headers.
    pub headers: Vec<(String, String)>,
    /// What in the answer is a row.
    pub read: Read,
}

impl HttpObserver {
    /// Reads once.
    pub async fn read(&self) -> Sight {
        match self.answer().await {
            Ok((status, body)) => self.rows(status, &body),
            Err(why) => Sight::Blind(format!("GET {}: {why}", self.target)),
        }
    }

    async fn answer(&self) -> Result<(u16, Vec<u8>), String> {
        let url = format!("http://{}{}", self.origin, self.target);
        let mut request = self.client.get(url).header("host", &self.host);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        // The cause says more than "error sending request".
        let told = |error: reqwest::Error| {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            cause.unwrap_or_else(|| error.to_string())
        };
        let answer = request.send().await.map_err(told)?;
        let status = answer.status().as_u16();
        let body = answer.bytes().await.map_err(told)?;
        Ok((status, body.to_vec()))
    }

    fn rows(&self, status: u16, body: &[u8]) -> Sight {
        let blind = |why: String| Sight::Blind(format!("GET {} answered {why}", self.target));
        // The one thing that is asked for by name may not be there.
        if status == 404 && self.read.rows.is_none() && self.read.count.is_none() {
            return Sight::Seen(Vec::new());
        }
        if !(200..300).contains(&status) {
            return blind(format!("{status}"));
        }
        let json = match Json::parse(body) {
            Ok(json) => json,
            Err(error) => return blind(format!("what is not JSON: {error}")),
        };
        if let Some(place) = &self.read.count {
            return match json.at(place).and_then(Json::as_number).and_then(Number::as_f64) {
                Some(count) if count >= 0.0 && count.fract() == 0.0 => Sight::Seen(counted(count as usize)),
                _ => blind(format!("without a count at {place}")),
            };
        }
        let Some(place) = &self.read.rows else { return Sight::Seen(vec![json]) };
        match json.at(place).and_then(Json::as_array) {
            Some(rows) => Sight::Seen(
                rows.iter()
                    .filter(|row| self.read.matching.as_ref().is_none_or(|subset| row.contains(subset)))
                    .cloned()
                    .collect(),
            ),
            None => blind(format!("without a list at {place}")),
        }
    }
}

/// So many rows, of which nothing is known but that they are there.
fn counted(count: usize) -> Vec<Json> {
    vec![Json::object(Vec::<(String, Json)>::new()); count.min(MOST_COUNTED)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::RequestLine;

    fn seen(status: u16, body: &str) -> Sight {
        let request = RequestLine { method: "GET".to_owned(), target: "/count".to_owned() };
        let count = "/count".parse().ok();
        let observer = HttpObserver {
            client: client(Duration::from_secs(1)).expect("a client"),
            origin: SocketAddr::from(([127, 0, 0, 1], 1)),
            host: "here".to_owned(),
            target: "/count".to_owned(),
            headers: Vec::new(),
            read: Read { request, rows: None, count, identity: None, matching: None },
        };
        observer.rows(status, body.as_bytes())
    }

    #[test]
    fn a_count_is_so_many_rows() {
        for count in [0, 1, 3] {
            let seen = seen(200, &format!(r#"{{"count":{count}}}"#));
            assert!(matches!(&seen, Sight::Seen(rows) if rows.len() == count), "{seen:?}");
        }
    }

    #[test]
    fn what_is_no_count_is_blindness_and_never_zero() {
        for (status, body) in
            [(200, "{}"), (200, r#"{"count":"1"}"#), (200, r#"{"count":-1}"#), (200, r#"{"count":1.5}"#), (404, "{}")]
        {
            let seen = seen(status, body);
            assert!(matches!(seen, Sight::Blind(_)), "{status} {body}: {seen:?}");
        }
    }
}
