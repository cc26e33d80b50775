//! Bytes to [`Json`]: RFC 8259 to the letter, apart from unpaired surrogate escapes, which it keeps.
//! It never panics, never repairs, and never descends below 512 arrays and objects.

use std::str::FromStr;

use crate::json::number::number_len;
use crate::json::problem::{DEPTH_LIMIT, ParseError, ParseProblem};
use crate::json::text::Text;
use crate::json::tree::Json;

impl Json {
    /// Reads one JSON text.
    ///
    /// Strict RFC 8259, except that `"\ud800"` is read as an unpaired surrogate. Invalid UTF-8 is refused.
    pub fn parse(bytes: &[u8]) -> Result<Json, ParseError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|refused| ParseError::at(bytes, refused.valid_up_to(), ParseProblem::InvalidUtf8))?;
        let mut parser = Parser { text, at: 0 };
        parser.document().map_err(|problem| ParseError::at(bytes, parser.at, problem))
    }
}

impl FromStr for Json {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Json, ParseError> {
        Json::parse(text.as_bytes())
    }
}

/// Whatever goes wrong is wrong at `at`.
struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn document(&mut self) -> Result<Json, ParseProblem> {
        if self.text.starts_with('\u{feff}') {
            return Err(ParseProblem::ByteOrderMark);
        }
        let value = self.value(0)?;
        self.skip_space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(ParseProblem::TrailingContent),
        }
    }

    /// `depth` is how many arrays and objects are open around the value.
    fn value(&mut self, depth: usize) -> Result<Json, ParseProblem> {
        self.skip_space();
        match self.peek() {
            Some(b'{' | b'[') if depth == DEPTH_LIMIT => Err(ParseProblem::TooDeep),
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Json::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'n') => self.word("null", Json::Null),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(_) => Err(ParseProblem::ExpectedValue),
            None => Err(ParseProblem::UnexpectedEnd),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, ParseProblem> {
        self.at += 1;
        let mut items = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::Array(items));
            }
            self.demand(b',', ParseProblem::ExpectedCommaOrBracket)?;
        }
    }

    fn object(&mut self, depth: usize) -> Result<Json, ParseProblem> {
        self.at += 1;
        let mut members = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            let name = match self.peek() {
                Some(b'"') => self.string()?,
                Some(_) => return Err(ParseProblem::ExpectedName),
                None => return Err(ParseProblem::UnexpectedEnd),
            };
            self.skip_space();
            self.demand(b':', ParseProblem::ExpectedColon)?;
            members.push((name, self.value(depth)?));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            self.demand(b',', ParseProblem::ExpectedCommaOrBrace)?;
        }
    }

    /// Pairs meet in UTF-16: two escapes side by side make one character, a lone one stays alone.
    fn string(&mut self) -> Result<Text, ParseProblem> {
        self.at += 1;
        let start = self.at;
        let mut run = start;
        let mut units = Vec::new();
        loop {
            match self.peek() {
                Some(b'"') if run == start => {
                    let plain = Text::from(&self.text[run..self.at]);
                    self.at += 1;
                    return Ok(plain);
                }
                Some(quoted @ (b'"' | b'\\')) => {
                    units.extend(self.text[run..self.at].encode_utf16());
                    self.at += 1;
                    if quoted == b'"' {
                        return Ok(Text::from_utf16(&units));
                    }
                    units.push(self.escape()?);
                    run = self.at;
                }
                Some(0..0x20) => return Err(ParseProblem::ControlCharacter),
                Some(_) => self.at += 1,
                None => return Err(ParseProblem::UnexpectedEnd),
            }
        }
    }

    fn escape(&mut self) -> Result<u16, ParseProblem> {
        let unit = match self.peek() {
            Some(plain @ (b'"' | b'\\' | b'/')) => u16::from(plain),
            Some(b'b') => 0x08,
            Some(b'f') => 0x0c,
            Some(b'n') => 0x0a,
            Some(b'r') => 0x0d,
            Some(b't') => 0x09,
            Some(b'u') => return self.unicode_escape(),
            Some(_) => return Err(ParseProblem::UnknownEscape),
            None => return Err(ParseProblem::UnexpectedEnd),
        };
        self.at += 1;
        Ok(unit)
    }

    fn unicode_escape(&mut self) -> Result<u16, ParseProblem> {
        let digits = self.text.get(self.at + 1..self.at + 5).filter(|four| four.bytes().all(|b| b.is_ascii_hexdigit()));
        let unit = digits.and_then(|four| u16::from_str_radix(four, 16).ok()).ok_or(ParseProblem::BadUnicodeEscape)?;
        self.at += 5;
        Ok(unit)
    }

    fn number(&mut self) -> Result<Json, ParseProblem> {
        let rest = &self.text[self.at..];
        match number_len(rest.as_bytes()) {
            Ok(len) => {
                self.at += len;
                rest[..len].parse().map(Json::Number)
            }
            Err((within, problem)) => {
                self.at += within;
                Err(problem)
            }
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, ParseProblem> {
        if !self.text[self.at..].starts_with(word) {
            return Err(ParseProblem::ExpectedValue);
        }
        self.at += word.len();
        Ok(value)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn demand(&mut self, byte: u8, otherwise: ParseProblem) -> Result<(), ParseProblem> {
        match self.peek() {
            None => Err(ParseProblem::UnexpectedEnd),
            Some(_) if self.take(byte) => Ok(()),
            Some(_) => Err(otherwise),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{any, prop_assert_eq, proptest};

    use crate::json::problem::DEPTH_LIMIT;
    use crate::json::text::Text;
    use crate::json::tree::Json;

    fn refused(text: &[u8], message: &str) {
        let error = Json::parse(text).unwrap_err();
        assert_eq!(error.to_string(), message, "{}", String::from_utf8_lossy(text));
    }

    fn check(text: &str, expected: Json) {
        assert_eq!(Json::parse(text.as_bytes()), Ok(expected), "{text}");
    }

    #[test]
    fn surrogate_escapes_are_paired_or_kept_alone() {
        check(r#""\ud83d\ude00""#, Json::text("😀"));
        check(r#""\uD800""#, Json::String(Text::from_utf16(&[0xd800])));
        check(r#""\udc00\ud800""#, Json::String(Text::from_utf16(&[0xdc00, 0xd800])));
        check(r#""\ud83d😀""#, Json::String(Text::from_utf16(&[0xd83d, 0xd83d, 0xde00])));
        check(r#""\ufffd""#, Json::text("\u{fffd}"));
    }

    #[test]
    fn every_escape_is_resolved_and_nul_is_kept() {
        check(r#""\"\\\/\b\f\n\r\t\u00e9é""#, Json::text("\"\\/\u{8}\u{c}\n\r\téé"));
        check(r#""a\u0000b""#, Json::text("a\0b"));
    }

    #[test]
    fn number_spellings_and_duplicate_members_are_kept() {
        for spelling in ["1", "1.0", "1e0", "-0", "1E+02", "1e400", "123456789012345678901234567890"] {
            check(spelling, Json::Number(spelling.parse().unwrap()));
            assert_eq!(Json::parse(spelling.as_bytes()).unwrap().to_string(), spelling);
        }
        check(r#"{"a":1,"a":2}"#, Json::object([("a", Json::from(1)), ("a", Json::from(2))]));
    }

    #[test]
    fn what_is_not_json_is_refused_with_its_place() {
        refused(b"", "line 1, column 1: the text ends inside a value");
        refused(b"{} x", "line 1, column 4: only white space may follow the value");
        refused(b"truefalse", "line 1, column 5: only white space may follow the value");
        refused(b"[01]", "line 1, column 2: a number must not begin with superfluous zeros");
        refused(b"-00", "line 1, column 2: a number must not begin with superfluous zeros");
        refused(b"1.e3", "line 1, column 3: a number needs a digit here");
        refused(b"[1,]", "line 1, column 4: expected a value");
        refused(b"NaN", "line 1, column 1: expected a value");
        refused(b"nul", "line 1, column 1: expected a value");
        refused(b"+1", "line 1, column 1: expected a value");
        refused(b"[1 2]", "line 1, column 4: expected \",\" or \"]\" after the item");
        refused(b"{\"a\":1;", "line 1, column 7: expected \",\" or \"}\" after the member");
        refused(b"{\n  a: 1}", "line 2, column 3: expected a member name in double quotes");
        refused(b"{\"a\":1,}", "line 1, column 8: expected a member name in double quotes");
        refused(b"{\"a\" 1}", "line 1, column 6: expected \":\" after the member name");
        refused("\"é\n\"".as_bytes(), "line 1, column 3: a control character in a string must be escaped");
        refused(br#""\x""#, "line 1, column 3: no such escape; after a backslash comes one of \" \\ / b f n r t u");
        refused(br#""\u+12f""#, "line 1, column 3: \\u must be followed by four hexadecimal digits");
        refused(br#""\ud8"#, "line 1, column 3: \\u must be followed by four hexadecimal digits");
        refused(b"\"\xff\"", "line 1, column 2: the bytes are not utf-8");
        refused(b"\"\xed\xa0\x80\"", "line 1, column 2: the bytes are not utf-8");
        refused(b"\xef\xbb\xbf1", "line 1, column 1: a byte order mark is not allowed before json");
        refused(b"[\xc2\xa0]", "line 1, column 2: expected a value");
    }

    #[test]
    fn the_offset_counts_bytes_where_the_column_counts_characters() {
        let error = Json::parse("[\n\"éé\" x".as_bytes()).unwrap_err();
        assert_eq!((error.offset, error.line, error.column), (9, 2, 6));
    }

    #[test]
    fn a_depth_bomb_is_refused_and_the_limit_itself_is_not() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(Json::parse(nested(DEPTH_LIMIT).as_bytes()).map(|deep| deep.depth()), Ok(DEPTH_LIMIT));
        let message = "line 1, column 513: more than 512 arrays and objects are nested here";
        refused(nested(DEPTH_LIMIT + 1).as_bytes(), message);
        refused("[".repeat(1_000_000).as_bytes(), message);
        refused(
            r#"{"a":"#.repeat(100_000).as_bytes(),
            "line 1, column 2561: more than 512 arrays and objects are nested here",
        );
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_parser_panic(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = Json::parse(&bytes);
        }

        #[test]
        fn no_json_like_text_makes_the_parser_panic_and_what_it_accepts_serde_accepts_too(
            text in r#"[\[\]{}:,"\\u0a1eE.+\- \nté/]{0,24}"#
        ) {
            // serde_json refuses numbers beyond f64 and unpaired surrogates; this alphabet spells neither below e300.
            let ours = Json::parse(text.as_bytes()).is_ok();
            let theirs = serde_json::from_str::<serde_json::Value>(&text);
            let out_of_range = theirs.as_ref().is_err_and(|error| error.to_string().contains("number out of range"));
            if !out_of_range {
                prop_assert_eq!(ours, theirs.is_ok(), "{}", text);
            }
        }
    }
}
