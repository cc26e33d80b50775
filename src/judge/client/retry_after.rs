//! The wait that an answer asks for: `Retry-After` as whole seconds or as an HTTP date, and nothing else. It reads one
//! answer; whether the wait was kept is for the claims.

use std::time::Duration;

use crate::contract::Met;
use crate::fault::RetryAfter;
use crate::judge::client::course::{Call, Course};

/// What an answer says of when to come back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Asked {
    /// Nothing.
    Nothing,
    /// After so long.
    Wait(Duration),
    /// A date, of an origin that does not say what time it has.
    SomeDate,
    /// What nobody can read.
    Unreadable(String),
}

impl Asked {
    /// What a call was told.
    pub fn of(call: &Call<'_>) -> Self {
        let Met::Answer(answer) = call.met else { return Asked::Nothing };
        let Some(value) = answer.header("retry-after") else { return Asked::Nothing };
        let value = value.trim();
        if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // More digits than fit are a long wait, not nonsense.
            return Asked::Wait(value.parse().map_or(Duration::MAX, Duration::from_secs));
        }
        let Ok(date) = httpdate::parse_http_date(value) else { return Asked::Unreadable(value.to_owned()) };
        let planned = call.exchange.passage.answer().and_then(|refusal| refusal.retry_after.as_ref());
        if let Some(RetryAfter::Date(offset)) = planned {
            return Asked::Wait(Duration::from_secs(u64::try_from(*offset).unwrap_or(0)));
        }
        match answer.header("date").map(httpdate::parse_http_date) {
            // Both have whole seconds only: the wait may be shorter by nearly one.
            Some(Ok(now)) => {
                let wait = date.duration_since(now).unwrap_or_default();
                Asked::Wait(wait.saturating_sub(Duration::from_secs(1)))
            }
            Some(Err(_)) | None => Asked::SomeDate,
        }
    }

    /// Whether the wait is longer than this kind of client has to bear.
    pub fn is_beyond_patience(&self, course: &Course<'_>) -> bool {
        match (self, course.rules.patience) {
            (Asked::Wait(wait), Some(patience)) => *wait > patience,
            (Asked::Wait(_) | Asked::Nothing | Asked::SomeDate | Asked::Unreadable(_), _) => false,
        }
    }
}
