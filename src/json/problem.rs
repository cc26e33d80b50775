//! Why bytes are not JSON, and where: the errors of `Json::parse`.
//! It never quotes the bytes, which may be large or secret.

use thiserror::Error;

/// Deep enough for any honest body, shallow enough for the stack of a test thread.
pub(in crate::json) const DEPTH_LIMIT: usize = 512;

/// Why bytes are not JSON, and where.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("line {line}, column {column}: {problem}")]
pub struct ParseError {
    /// How many bytes stand before the problem.
    pub offset: usize,
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What is wrong there.
    pub problem: ParseProblem,
}

/// What can be wrong with JSON text.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Error)]
pub enum ParseProblem {
    /// Bytes that are not UTF-8.
    #[error("the bytes are not utf-8")]
    InvalidUtf8,
    /// U+FEFF at the start.
    #[error("a byte order mark is not allowed before json")]
    ByteOrderMark,
    /// The text stops inside a value.
    #[error("the text ends inside a value")]
    UnexpectedEnd,
    /// No value begins here.
    #[error("expected a value")]
    ExpectedValue,
    /// In an object, no string begins here.
    #[error("expected a member name in double quotes")]
    ExpectedName,
    /// A member name without its colon.
    #[error("expected \":\" after the member name")]
    ExpectedColon,
    /// An item that is neither followed by another one nor by the end.
    #[error("expected \",\" or \"]\" after the item")]
    ExpectedCommaOrBracket,
    /// A member that is neither followed by another one nor by the end.
    #[error("expected \",\" or \"}}\" after the member")]
    ExpectedCommaOrBrace,
    /// A raw character below U+0020 in a string.
    #[error("a control character in a string must be escaped")]
    ControlCharacter,
    /// A backslash before a character that it does not go with.
    #[error("no such escape; after a backslash comes one of \" \\ / b f n r t u")]
    UnknownEscape,
    /// `\u` without its four digits.
    #[error("\\u must be followed by four hexadecimal digits")]
    BadUnicodeEscape,
    /// A zero before other digits.
    #[error("a number must not begin with superfluous zeros")]
    LeadingZero,
    /// A sign, point or exponent without digits.
    #[error("a number needs a digit here")]
    ExpectedDigit,
    /// More arrays and objects inside one another than we follow.
    #[error("more than {DEPTH_LIMIT} arrays and objects are nested here")]
    TooDeep,
    /// Something follows the value.
    #[error("only white space may follow the value")]
    TrailingContent,
}

impl ParseError {
    /// The error about `problem`, which stands in `bytes` at `offset`.
    pub(in crate::json) fn at(bytes: &[u8], offset: usize, problem: ParseProblem) -> ParseError {
        let before = bytes.get(..offset).unwrap_or(bytes);
        let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        let is_character_start = |byte: &&u8| **byte & 0b1100_0000 != 0b1000_0000;
        ParseError {
            offset,
            line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
            column: 1 + before.iter().skip(line_start).filter(is_character_start).count(),
            problem,
        }
    }
}
