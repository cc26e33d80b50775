//! How long a client waits: by itself, and when it is told. On the contract's clock; nothing here sleeps, and the time of
//! day is an argument.

use std::time::{Duration, SystemTime};

use crate::contract::{ClientRules, Waits};
use crate::message::Response;
use crate::reference::client::policy::{Pacing, RetryAfterUse};
use crate::time::times;

/// The first of growing waits, where a contract gives no numbers.
const FIRST: Duration = Duration::from_secs(1);
/// The longest of growing waits, where a contract gives no cap.
const LONGEST: Duration = Duration::from_secs(8);
/// Before the one request more, where a contract gives no waits.
const ONCE: Duration = Duration::from_millis(100);
/// Nobody waits longer, where a contract does not say how long is too long.
pub(super) const PATIENCE: Duration = Duration::from_secs(24 * 60 * 60);

/// What an answer asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// It does not say.
    Nothing,
    /// It says what is neither a number of seconds nor a date.
    Unreadable,
    /// A date that has passed: it does not say how long.
    Past,
    /// So long.
    For(Duration),
}

/// The client's own wait before the attempt of this number, from 2. `share`, from 0 to 1, is its chance.
pub(super) fn own(rules: &ClientRules, pacing: Pacing, attempt: u32, share: f64) -> Duration {
    let said = said(rules, attempt);
    match pacing {
        Pacing::AsSaid | Pacing::AlsoAfterTheLast => said,
        Pacing::Longer => capped(rules, times(said, 1.0 + rules.later.min(0.2) * share)),
        Pacing::Shorter => times(said, 1.0 - rules.earlier.min(1.0) * share),
        Pacing::NoGrowth => self::said(rules, 2),
        // Well beyond the cap at last, whatever a busy machine is allowed.
        Pacing::NoCap => times(grown(self::said(rules, 2), 4, attempt), 1.2),
        Pacing::NoWait => Duration::ZERO,
        Pacing::TooLong => said.saturating_mul(3),
    }
}

/// The client's own wait before the one request more.
pub(super) fn once(rules: &ClientRules, pacing: Pacing, share: f64) -> Duration {
    match rules.waits {
        Waits::Unsaid if pacing != Pacing::NoWait => ONCE,
        Waits::Unsaid | Waits::Growing | Waits::Schedule(_) => own(rules, pacing, 2, share),
    }
}

fn said(rules: &ClientRules, attempt: u32) -> Duration {
    capped(rules, rules.waits.before(attempt).unwrap_or_else(|| grown(FIRST, 2, attempt).min(LONGEST)))
}

fn capped(rules: &ClientRules, wait: Duration) -> Duration {
    rules.cap.map_or(wait, |cap| wait.min(cap))
}

fn grown(first: Duration, factor: u32, attempt: u32) -> Duration {
    first.saturating_mul(factor.saturating_pow(attempt.saturating_sub(2))).min(PATIENCE)
}

/// What an answer asks for, as a client with this habit reads it.
pub(super) fn asked(answer: &Response, habit: RetryAfterUse, now: SystemTime) -> Asked {
    let Some(text) = answer.header("Retry-After").map(str::trim) else { return Asked::Nothing };
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let asked = if is_number {
        // So many digits that no number holds them are still a long time.
        Asked::For(Duration::from_secs(text.parse().unwrap_or(u64::MAX)))
    } else {
        date(text, answer, now)
    };
    let is_date = !is_number && asked != Asked::Unreadable;
    let is_negative = asked == Asked::Unreadable && text.starts_with('-');
    let is_huge = matches!(asked, Asked::For(wait) if is_number && i32::try_from(wait.as_secs()).is_err());
    let now = Asked::For(Duration::ZERO);
    match habit {
        RetryAfterUse::Honored | RetryAfterUse::HonoredEverywhere => asked,
        RetryAfterUse::Ignored => Asked::Unreadable,
        RetryAfterUse::OnlyOn429 if answer.status != 429 => Asked::Unreadable,
        RetryAfterUse::OnlySeconds if is_date => Asked::Unreadable,
        RetryAfterUse::DateIsNow if is_date => now,
        RetryAfterUse::NegativeIsNow if is_negative => now,
        RetryAfterUse::HugeIsNow if is_huge => now,
        RetryAfterUse::OnlyOn429
        | RetryAfterUse::OnlySeconds
        | RetryAfterUse::DateIsNow
        | RetryAfterUse::NegativeIsNow
        | RetryAfterUse::HugeIsNow => asked,
    }
}

/// A date counts against the answer's own, or else against the time of day.
fn date(text: &str, answer: &Response, now: SystemTime) -> Asked {
    let Ok(date) = httpdate::parse_http_date(text) else { return Asked::Unreadable };
    let own = answer.header("Date").and_then(|text| httpdate::parse_http_date(text.trim()).ok());
    match date.duration_since(own.unwrap_or(now)) {
        Ok(wait) if !wait.is_zero() => Asked::For(wait),
        Ok(_) | Err(_) => Asked::Past,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Framing, Octets};

    fn read(habit: RetryAfterUse, status: u16, headers: &[(&str, &str)]) -> Asked {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let answer = Response { status, headers, body: Octets::default(), framing: Framing::Length, wire_length: 0 };
        let now = httpdate::parse_http_date("Thu, 01 Jan 2026 00:00:00 GMT").unwrap();
        asked(&answer, habit, now)
    }

    fn seconds(count: u64) -> Asked {
        Asked::For(Duration::from_secs(count))
    }

    #[test]
    fn a_number_of_seconds_or_a_date_is_a_wait_and_nothing_else_is() {
        let read = |value: &str| read(RetryAfterUse::Honored, 429, &[("retry-after", value)]);
        assert_eq!(read("0"), seconds(0));
        assert_eq!(read(" 120 "), seconds(120));
        assert_eq!(read(&"9".repeat(400)), seconds(u64::MAX));
        assert_eq!(read("Thu, 01 Jan 2026 00:00:05 GMT"), seconds(5));
        assert_eq!(read("Thursday, 01-Jan-26 00:00:05 GMT"), seconds(5));
        assert_eq!(read("Thu, 01 Jan 2026 00:00:00 GMT"), Asked::Past);
        assert_eq!(read("Wed, 31 Dec 2025 00:00:00 GMT"), Asked::Past);
        for text in ["", "-1", "+1", "1.5", "1e10", "soon", "Thu, 01 Jan 2026", "2026-01-01T00:00:05Z", "5s"] {
            assert_eq!(read(text), Asked::Unreadable, "{text}");
        }
        assert_eq!(self::read(RetryAfterUse::Honored, 429, &[]), Asked::Nothing);
    }

    #[test]
    fn a_date_counts_against_the_date_of_the_answer() {
        let headers = [("Date", "Thu, 01 Jan 2026 00:01:00 GMT"), ("Retry-After", "Thu, 01 Jan 2026 00:01:07 GMT")];
        assert_eq!(read(RetryAfterUse::Honored, 503, &headers), seconds(7));
    }

    #[test]
    fn each_bad_habit_misreads_one_thing() {
        let date = "Thu, 01 Jan 2026 00:00:05 GMT";
        for (habit, status, value, wrong) in [
            (RetryAfterUse::Ignored, 429, "5", Asked::Unreadable),
            (RetryAfterUse::OnlyOn429, 503, "5", Asked::Unreadable),
            (RetryAfterUse::OnlySeconds, 429, date, Asked::Unreadable),
            (RetryAfterUse::DateIsNow, 429, date, seconds(0)),
            (RetryAfterUse::NegativeIsNow, 429, "-5", seconds(0)),
            (RetryAfterUse::HugeIsNow, 429, "9999999999", seconds(0)),
        ] {
            assert_eq!(read(habit, status, &[("Retry-After", value)]), wrong, "{habit:?}");
            if habit != RetryAfterUse::Ignored {
                assert_eq!(read(habit, 429, &[("Retry-After", "7")]), seconds(7), "{habit:?}");
            }
        }
    }

    #[test]
    fn jitter_stays_within_what_the_contract_tolerates() {
        let shop = crate::reference::client::tests::shop();
        let mut rules = shop.client(None).unwrap().clone();
        rules.earlier = 0.5;
        let millis = |pacing, share| own(&rules, pacing, 3, share).as_millis();
        assert_eq!((millis(Pacing::Longer, 0.0), millis(Pacing::Longer, 1.0)), (2_000, 2_400));
        assert_eq!((millis(Pacing::Shorter, 0.0), millis(Pacing::Shorter, 1.0)), (2_000, 1_000));
        rules.cap = Some(Duration::from_secs(2));
        assert_eq!(own(&rules, Pacing::Longer, 3, 1.0), Duration::from_secs(2));
        rules.waits = Waits::Unsaid;
        assert_eq!(once(&rules, Pacing::AsSaid, 0.0), Duration::from_millis(100));
        assert_eq!(own(&rules, Pacing::AsSaid, u32::MAX, 0.0), Duration::from_secs(2));
    }
}
