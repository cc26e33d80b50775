//! Reads an effect by a call of the read side. The call goes straight to the origin, by a client that neither retries nor
//! follows anything.

use std::net::SocketAddr;
use std::time::Duration;

use crate::contract::Read;
use crate::history::Sight;
use crate::json::{Json, Number, Query};
use crate::observe::counted;

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
    pub shown: Shown,
}

/// What in an answer shows an effect.
#[derive(Clone, Debug)]
pub enum Shown {
    /// What the contract says.
    ByContract(Read),
    /// What a path selects; the items, where it names one list.
    Rows(Query),
    /// The number that a path names.
    Count(Query),
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
        if status == 404
            && let Shown::ByContract(Read { rows: None, count: None, .. }) = &self.shown
        {
            return Sight::Seen(Vec::new());
        }
        if !(200..300).contains(&status) {
            return blind(format!("{status}"));
        }
        let json = match Json::parse(body) {
            Ok(json) => json,
            Err(error) => return blind(format!("what is not JSON: {error}")),
        };
        let read = match &self.shown {
            Shown::ByContract(read) => read,
            Shown::Rows(query) => {
                return match query.select(&json).as_deref() {
                    // A path that names one list names its items: else no list would be one row, however long.
                    Ok([Json::Array(items)]) if query.is_one_place() => Sight::Seen(items.clone()),
                    Ok(rows) => Sight::Seen(rows.to_vec()),
                    Err(why) => blind(why.clone()),
                };
            }
            Shown::Count(query) => {
                return match query.select(&json).as_deref() {
                    Ok([one]) => whole(one).map_or_else(
                        || blind(format!("{one} where a count was to be")),
                        |count| Sight::Seen(counted(count)),
                    ),
                    Ok(many) => blind(format!("with {} places where one count was to be", many.len())),
                    Err(why) => blind(why.clone()),
                };
            }
        };
        if let Some(place) = &read.count {
            return match json.at(place).and_then(whole) {
                Some(count) => Sight::Seen(counted(count)),
                None => blind(format!("without a count at {place}")),
            };
        }
        let Some(place) = &read.rows else { return Sight::Seen(vec![json]) };
        match json.at(place).and_then(Json::as_array) {
            Some(rows) => Sight::Seen(
                rows.iter()
                    .filter(|row| read.matching.as_ref().is_none_or(|subset| row.contains(subset)))
                    .cloned()
                    .collect(),
            ),
            None => blind(format!("without a list at {place}")),
        }
    }
}

/// A whole number that is no less than none.
fn whole(json: &Json) -> Option<usize> {
    let count = json.as_number().and_then(Number::as_f64)?;
    (count >= 0.0 && count.fract() == 0.0).then_some(count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::RequestLine;

    fn seen(status: u16, body: &str) -> Sight {
        let request = RequestLine { method: "GET".to_owned(), target: "/count".to_owned() };
        let count = "/count".parse().ok();
        shown(Shown::ByContract(Read { request, rows: None, count, identity: None, matching: None }), status, body)
    }

    fn shown(shown: Shown, status: u16, body: &str) -> Sight {
        let observer = HttpObserver {
            client: client(Duration::from_secs(1)).expect("a client"),
            origin: SocketAddr::from(([127, 0, 0, 1], 1)),
            host: "here".to_owned(),
            target: "/count".to_owned(),
            headers: Vec::new(),
            shown,
        };
        observer.rows(status, body.as_bytes())
    }

    fn query(path: &str) -> Query {
        Query::parse(path).unwrap_or_else(|why| panic!("{path}: {why}"))
    }

    #[test]
    fn what_a_path_selects_are_the_rows() {
        let body = r#"{"items":[{"key":"a"},{"key":"b"},{"key":"a"}],"one":{"key":"a"},"none":[]}"#;
        for (path, expected) in [
            ("$.items[?@.key == 'a']", 2),
            ("$.items[*]", 3),
            ("$.items", 3),
            ("$.one", 1),
            ("$.none", 0),
            ("$.none[*]", 0),
            ("$.items[?@.key == 'c']", 0),
        ] {
            let seen = shown(Shown::Rows(query(path)), 200, body);
            assert!(matches!(&seen, Sight::Seen(rows) if rows.len() == expected), "{path}: {seen:?}");
        }
        for (path, status, body) in [
            ("$.items[*]", 200, r#"{"error":"not today"}"#),
            ("$.items", 200, "{}"),
            ("$.items[*]", 404, r#"{"items":[]}"#),
            ("$.items[*]", 200, "items"),
        ] {
            let seen = shown(Shown::Rows(query(path)), status, body);
            assert!(matches!(seen, Sight::Blind(_)), "{path} {status} {body}: {seen:?}");
        }
    }

    #[test]
    fn a_count_by_a_path_is_one_whole_number_or_blindness() {
        let body = r#"{"in":{"total":2},"text":"2","half":1.5,"many":[1,2],"minus":-1}"#;
        let seen = shown(Shown::Count(query("$.in.total")), 200, body);
        assert!(matches!(&seen, Sight::Seen(rows) if rows.len() == 2), "{seen:?}");
        for path in ["$.text", "$.half", "$.many", "$.many[*]", "$.minus", "$.other", "$.in", "$.many[?@ > 5]"] {
            let seen = shown(Shown::Count(query(path)), 200, body);
            assert!(matches!(seen, Sight::Blind(_)), "{path}: {seen:?}");
        }
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
