//! The small notations of contract files, each read by one function whose error says what is wrong. They are read here
//! and nowhere else; what a value is good for is decided elsewhere.

use std::time::Duration;

use minijinja::{Environment, ErrorKind};

use crate::contract::{LengthUnit, RequestLine, StatusSet, Type, TypeName};
use crate::json::Pointer;

/// The words of types, as contract files spell them.
pub const TYPES: &[(&str, TypeName)] = &[
    ("text", TypeName::Text),
    ("number", TypeName::Number),
    ("flag", TypeName::Flag),
    ("object", TypeName::Object),
    ("list", TypeName::List),
    ("list of text", TypeName::ListOfText),
    ("key", TypeName::Key),
    ("any", TypeName::Any),
];

/// More than this no key is as long as.
const LONGEST_KEY: u32 = 100_000;

/// Longer than this nobody means, and sums of such times always fit.
const LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// `250ms`, `2s` or `5min`.
pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration");
    let (digits, unit) = text.split_at(text.find(|letter: char| !letter.is_ascii_digit()).ok_or_else(wrong)?);
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    let duration = match unit {
        "ms" => Duration::from_millis(count),
        "s" => Duration::from_secs(count),
        "min" => count.checked_mul(60).map(Duration::from_secs).ok_or_else(wrong)?,
        _ => return Err(wrong()),
    };
    if duration > LONGEST {
        return Err(format!("`{text}` is longer than a hundred years"));
    }
    Ok(duration)
}

/// `1..255 characters` or `1..64 bytes`.
pub fn length(text: &str) -> Result<((u32, u32), LengthUnit), String> {
    let parts = text.split_once(' ').and_then(|(range, unit)| Some((range.split_once("..")?, unit)));
    let unit = match parts {
        Some((_, "characters")) => LengthUnit::Characters,
        Some((_, "bytes")) => LengthUnit::Bytes,
        Some(_) | None => return Err(format!("`{text}` is not a length")),
    };
    let bounds = parts.and_then(|((least, most), _)| Some((least.parse().ok()?, most.parse().ok()?)));
    match bounds {
        Some((least, most)) if least > most => Err(format!("the range {least}..{most} is empty")),
        Some((_, 0)) => Err("a key that can only be empty".to_owned()),
        Some((_, most)) if most > LONGEST_KEY => Err(format!("keys of more than {LONGEST_KEY} are not minted")),
        Some(bounds) => Ok((bounds, unit)),
        None => Err(format!("`{text}` is not a length")),
    }
}

/// `POST /things?draft=1`.
pub fn request_line(text: &str) -> Result<RequestLine, String> {
    let wrong = || format!("`{text}` is not a request");
    let (method, target) = text.split_once(' ').ok_or_else(wrong)?;
    self::method(method)?;
    self::target(target)?;
    Ok(RequestLine { method: method.to_owned(), target: target.to_owned() })
}

/// A request of the read side: it changes nothing, so it is a `GET`.
pub fn call(text: &str) -> Result<RequestLine, String> {
    let call = request_line(text)?;
    if call.method == "GET" { Ok(call) } else { Err(format!("`{}` may change something", call.method)) }
}

/// `POST`.
pub fn method(text: &str) -> Result<(), String> {
    let well = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-');
    if well { Ok(()) } else { Err(format!("`{text}` is not a method")) }
}

/// `/things?draft=1`; spaces stand only inside a template.
pub fn target(text: &str) -> Result<(), String> {
    let mut inside = false;
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        match (rest.get(..2), letter) {
            (Some("{{"), _) => inside = true,
            (Some("}}"), _) => inside = false,
            (_, ' ' | '\t') if inside => {}
            (_, letter) if letter.is_control() || matches!(letter, ' ' | '#') => {
                return Err(format!("`{text}` is not a path"));
            }
            _ => {}
        }
        rest = &rest[letter.len_utf8()..];
    }
    if text.starts_with('/') { Ok(()) } else { Err(format!("`{text}` is not a path")) }
}

/// `200` or `2xx`.
pub fn statuses(text: &str) -> Result<(), String> {
    StatusSet { ranges: Vec::new() }.add(text).map_err(|_| format!("`{text}` is not a status"))
}

/// `200`.
pub fn status(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(status @ 100..=599) => Ok(status),
        Ok(_) | Err(_) => Err(format!("`{text}` is not a status")),
    }
}

/// `/items/0`.
pub fn pointer(text: &str) -> Result<Pointer, String> {
    text.parse().map_err(|error: crate::json::PointerError| error.to_string())
}

/// `text`, or `text?` where it may be absent.
pub fn kind(text: &str) -> Result<Type, String> {
    let (word, required) = text.strip_suffix('?').map_or((text, true), |word| (word, false));
    let named = TYPES.iter().find(|(name, _)| *name == word);
    named.map(|(_, is)| Type { is: *is, required }).ok_or_else(|| {
        match crate::file::nearest(word, TYPES.iter().map(|(name, _)| *name)) {
            Some(near) => format!("no type `{word}`: did you mean `{near}`?"),
            None => format!("no type `{word}`"),
        }
    })
}

/// An expression of the template language.
pub fn expression(text: &str) -> Result<(), String> {
    Environment::new().compile_expression(text.trim()).map(|_| ()).map_err(|error| unreadable(text, &error))
}

/// A text with `{{ … }}` in it.
pub fn template(text: &str) -> Result<(), String> {
    Environment::new().template_from_str(text).map(|_| ()).map_err(|error| unreadable(text, &error))
}

/// A header's name (RFC 9110, token).
pub fn header_name(text: &str) -> Result<(), String> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if !text.is_empty() && text.bytes().all(token) { Ok(()) } else { Err(format!("`{text}` is not a header name")) }
}

/// A header's value: one line.
pub fn header_value(text: &str) -> Result<(), String> {
    if text.contains(['\r', '\n', '\0']) { Err("a header value is one line".to_owned()) } else { Ok(()) }
}

fn unreadable(text: &str, error: &minijinja::Error) -> String {
    match (error.kind(), error.detail()) {
        (ErrorKind::SyntaxError, Some(detail)) => format!("`{text}` cannot be read: {detail}"),
        (kind, _) => format!("`{text}` cannot be read: {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_a_unit() {
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("2min"), Ok(Duration::from_secs(120)));
        for text in ["", "2", "s", "2h", "-1s", "1.5s", "99999999999999999999s", "18446744073709551615min"] {
            assert_eq!(duration(text), Err(format!("`{text}` is not a duration")));
        }
    }

    #[test]
    fn lengths_are_ranges_of_a_unit() {
        assert_eq!(length("1..255 characters"), Ok(((1, 255), LengthUnit::Characters)));
        assert_eq!(length("0..64 bytes"), Ok(((0, 64), LengthUnit::Bytes)));
        for (text, why) in [
            ("255..1 characters", "the range 255..1 is empty"),
            ("0..0 bytes", "a key that can only be empty"),
            ("1..200000 bytes", "keys of more than 100000 are not minted"),
            ("1-255 characters", "`1-255 characters` is not a length"),
            ("1..255 letters", "`1..255 letters` is not a length"),
            ("1..255", "`1..255` is not a length"),
        ] {
            assert_eq!(length(text), Err(why.to_owned()));
        }
    }

    #[test]
    fn a_request_is_a_method_and_a_path() {
        assert!(request_line("POST /things?a={{ user }}").is_ok());
        for text in ["POST", "/things", "post /things", "POST things", "POST /a b", "POST /a#b", " /x", "POST /a\u{7}"]
        {
            assert!(request_line(text).is_err(), "{text}");
        }
        assert_eq!(call("POST /things"), Err("`POST` may change something".to_owned()));
    }

    #[test]
    fn a_type_may_be_optional_and_a_slip_finds_the_word() {
        assert_eq!(kind("list of text?"), Ok(Type { is: TypeName::ListOfText, required: false }));
        assert_eq!(kind("txet"), Err("no type `txet`: did you mean `text`?".to_owned()));
    }
}
