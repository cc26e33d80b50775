//! Sends one request and tells what the client was left with: a whole answer, a broken connection, or nothing in time.
//! A connection is kept for the next request unless the policy says otherwise, and nothing is sent again or followed
//! unless it lies so.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use reqwest::{Client, Method, Url};

use crate::contract::Met;
use crate::message::{Framing, Octets, Response};
use crate::reference::client::policy::{ClientPolicy, Redirect, TimeoutUse, Transport};
use crate::reference::client::request::Outgoing;

/// What a client was left with.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Left {
    /// A whole answer.
    Answer(Response),
    /// No connection, or one that ended without a whole answer.
    Dropped,
    /// No answer in time.
    TimedOut,
    /// An answer to something else, which a liar takes for its own.
    ThoughtDone,
}

impl Left {
    /// As the matrix speaks of it.
    pub fn met(&self) -> Option<Met<'_>> {
        match self {
            Left::Answer(answer) => Some(Met::Answer(answer)),
            Left::Dropped => Some(Met::Dropped),
            Left::TimedOut => Some(Met::Timeout),
            Left::ThoughtDone => None,
        }
    }
}

/// How requests are sent.
#[derive(Clone, Debug)]
pub(super) struct Road {
    client: Client,
    redirect: Redirect,
    transport: Transport,
    /// Whether there may be a connection that was kept.
    kept: Arc<AtomicBool>,
}

impl Road {
    /// A road on which no attempt takes longer than `timeout`, unless the policy lies.
    pub fn open(timeout: Duration, policy: ClientPolicy) -> reqwest::Result<Road> {
        let ClientPolicy { timeout: bound, redirect, transport, .. } = policy;
        let client = Client::builder()
            .no_proxy()
            .pool_max_idle_per_host(usize::from(transport != Transport::NewEachTime))
            .retry(reqwest::retry::never())
            .redirect(reqwest::redirect::Policy::none());
        let client = match bound {
            TimeoutUse::WholeAttempt => client.timeout(timeout),
            TimeoutUse::EachRead => client.read_timeout(timeout),
            TimeoutUse::None => client,
        };
        Ok(Road { client: client.build()?, redirect, transport, kept: Arc::default() })
    }

    /// Sends a request; none: it cannot be made, because its address or a header is none.
    pub async fn send(&self, outgoing: &Outgoing) -> Option<Left> {
        let request = self.made(outgoing)?;
        let again = request.try_clone().filter(|_| match self.transport {
            Transport::Keeps | Transport::NewEachTime => false,
            Transport::Resends => true,
            Transport::ResendsWhenKept => self.kept.load(Ordering::SeqCst),
        });
        let mut left = self.exchange(request).await;
        if let (Left::Dropped, Some(again)) = (&left, again) {
            left = self.exchange(again).await;
        }
        self.kept.store(matches!(left, Left::Answer(_)), Ordering::SeqCst);
        match (&left, self.redirect) {
            (Left::Answer(answer), Redirect::BecomesGet) if matches!(answer.status, 301..=303) => {
                Some(self.followed(outgoing, answer).await.unwrap_or(left))
            }
            (Left::Answer(answer), Redirect::TakenForDone) if (300..400).contains(&answer.status) => {
                Some(Left::ThoughtDone)
            }
            (Left::Answer(_) | Left::Dropped | Left::TimedOut | Left::ThoughtDone, _) => Some(left),
        }
    }

    fn made(&self, outgoing: &Outgoing) -> Option<reqwest::Request> {
        let method = Method::from_bytes(outgoing.method.as_bytes()).ok()?;
        let mut request = self.client.request(method, &outgoing.url);
        for (name, value) in &outgoing.headers {
            request = request.header(name, value);
        }
        if let Some(body) = &outgoing.body {
            request = request.body(body.clone());
        }
        request.build().ok()
    }

    /// What is left after the redirect was followed without the body; none: it leads nowhere.
    async fn followed(&self, outgoing: &Outgoing, answer: &Response) -> Option<Left> {
        let url = Url::parse(&outgoing.url).ok()?.join(answer.header("Location")?).ok()?;
        let headers = outgoing.headers.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("content-type"));
        let get =
            Outgoing { method: "GET".to_owned(), url: url.into(), headers: headers.cloned().collect(), body: None };
        Some(match self.exchange(self.made(&get)?).await {
            Left::Answer(answer) if (200..300).contains(&answer.status) => Left::ThoughtDone,
            left => left,
        })
    }

    async fn exchange(&self, request: reqwest::Request) -> Left {
        let answer = async {
            let answer = self.client.execute(request).await?;
            let status = answer.status().as_u16();
            // Latin-1, as evidence has it.
            let latin = |value: &[u8]| value.iter().map(|byte| char::from(*byte)).collect();
            let headers: Vec<(String, String)> = answer
                .headers()
                .iter()
                .map(|(name, value)| (name.as_str().to_owned(), latin(value.as_bytes())))
                .collect();
            let body = answer.bytes().await?.to_vec();
            let wire_length = body.len() as u64;
            Ok(Response { status, headers, body: Octets(body), framing: Framing::Length, wire_length })
        };
        match answer.await {
            Ok(answer) => Left::Answer(answer),
            Err(error) => broken(&error),
        }
    }
}

fn broken(error: &reqwest::Error) -> Left {
    if error.is_timeout() { Left::TimedOut } else { Left::Dropped }
}
