//! Points in time that a request tells: a contract writes `{{ now - 290s }}`, a plan keeps a mark in its place, and the mark
//! is filled when the request is sent. So the same seed plans the same requests, whenever. It reads no clock.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;

/// What a mark begins and ends with; no contract's own text does.
const OPEN: &str = "\u{27e6}";
const CLOSE: &str = "\u{27e7}";

/// How a point in time is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// `2026-12-01T10:00:00.000Z` (RFC 3339).
    Iso,
    /// `Tue, 01 Dec 2026 10:00:00 GMT` (RFC 9110, 5.6.7).
    Http,
}

/// The mark for a point in time, as templates name it: `now`, `now - 290s`, `http now + 60s`. None: it is no such name.
pub fn mark(name: &str) -> Option<String> {
    read(name).map(|_| format!("{OPEN}{name}{CLOSE}"))
}

/// A text with its marks filled, for a clock that shows this.
pub fn filled(text: &str, now: SystemTime) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(OPEN) {
        filled.push_str(before);
        match after.split_once(CLOSE).and_then(|(name, tail)| Some((read(name)?, tail))) {
            Some(((form, offset), tail)) => {
                filled.push_str(&written(form, offset, now));
                rest = tail;
            }
            None => {
                filled.push_str(OPEN);
                rest = after;
            }
        }
    }
    filled + rest
}

/// Whether a text has marks.
pub fn has_marks(text: &[u8]) -> bool {
    text.windows(OPEN.len()).any(|window| window == OPEN.as_bytes())
}

fn read(name: &str) -> Option<(Form, i64)> {
    let (form, rest) = match name.trim().strip_prefix("http ") {
        Some(rest) => (Form::Http, rest.trim()),
        None => (Form::Iso, name.trim()),
    };
    let offset = rest.strip_prefix("now")?.trim();
    if offset.is_empty() {
        return Some((form, 0));
    }
    let (sign, digits) = match (offset.strip_prefix('-'), offset.strip_prefix('+')) {
        (Some(digits), _) => (-1, digits),
        (_, Some(digits)) => (1, digits),
        (None, None) => return None,
    };
    let seconds: i64 = digits.trim().strip_suffix('s')?.parse().ok().filter(|seconds| *seconds < 10_000_000_000)?;
    Some((form, sign * seconds))
}

fn written(form: Form, offset: i64, now: SystemTime) -> String {
    let by = Duration::from_secs(offset.unsigned_abs());
    let then = if offset < 0 { now.checked_sub(by) } else { now.checked_add(by) }.unwrap_or(now);
    match form {
        // What is beyond the calendar is told as it began.
        Form::Iso => Timestamp::try_from(then)
            .map_or_else(|_| "1970-01-01T00:00:00.000Z".to_owned(), |stamp| format!("{:.3}", stamp)),
        Form::Http => httpdate::fmt_http_date(then.max(SystemTime::UNIX_EPOCH)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_is_filled_by_the_clock_it_is_given() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_796_119_200);
        for (name, expected) in [
            ("now", "2026-12-01T10:00:00.000Z"),
            ("now - 290s", "2026-12-01T09:55:10.000Z"),
            ("now-86400s", "2026-11-30T10:00:00.000Z"),
            ("now + 60s", "2026-12-01T10:01:00.000Z"),
            ("http now - 60s", "Tue, 01 Dec 2026 09:59:00 GMT"),
        ] {
            let text = format!("{{\"at\":\"{}\",\"b\":1}}", mark(name).expect("a name"));
            assert!(has_marks(text.as_bytes()));
            assert_eq!(filled(&text, now), format!("{{\"at\":\"{expected}\",\"b\":1}}"), "{name}");
        }
    }

    #[test]
    fn what_is_no_such_name_has_no_mark_and_what_is_no_mark_stays() {
        for name in ["nowhere", "now -", "now * 3s", "now - 3m", "now - 99999999999s", "user", "http", ""] {
            assert_eq!(mark(name), None, "{name}");
        }
        let odd = format!("a {OPEN}b{CLOSE} c {OPEN}");
        assert_eq!(filled(&odd, SystemTime::UNIX_EPOCH), odd);
        assert!(!has_marks(b"plain"));
    }
}
