//! Other ways to write the same content, to see whether a subject takes them for the same request.
//! It never changes the content, and never respells a number, which would.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::json::print::{Escapes, Layout, Order, Style, write_json};
use crate::json::tree::Json;

/// A way to write a JSON value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Spelling {
    /// Without white space, in the order given.
    Compact,
    /// One member or item a line, two spaces a level.
    Indented,
    /// The members of the top object in reverse.
    MembersReversed,
    /// The members of every object in reverse.
    MembersReversedNested,
    /// Every letter and digit in strings and member names as `\u0061`.
    Escaped,
    /// Every slash in strings and member names as `\/`.
    EscapedSlash,
    /// Tabs, carriage returns, newlines and spaces around every token.
    WhiteSpace,
}

/// No spelling has this name.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("unknown spelling {name:?}; write one of: {}", Spelling::ALL.map(Spelling::name).join(", "))]
pub struct UnknownSpelling {
    /// The name that was given.
    pub name: String,
}

impl Spelling {
    /// Every spelling.
    pub const ALL: [Spelling; 7] = [
        Spelling::Compact,
        Spelling::Indented,
        Spelling::MembersReversed,
        Spelling::MembersReversedNested,
        Spelling::Escaped,
        Spelling::EscapedSlash,
        Spelling::WhiteSpace,
    ];

    /// The name in words, as scenario files spell it.
    pub fn name(self) -> &'static str {
        match self {
            Spelling::Compact => "compact",
            Spelling::Indented => "indented",
            Spelling::MembersReversed => "member order",
            Spelling::MembersReversedNested => "nested member order",
            Spelling::Escaped => "escapes",
            Spelling::EscapedSlash => "escaped slash",
            Spelling::WhiteSpace => "white space",
        }
    }

    fn style(self) -> Style {
        match self {
            Spelling::Compact => Style::COMPACT,
            Spelling::Indented => Style { layout: Layout::Indented, ..Style::COMPACT },
            Spelling::MembersReversed => Style { order: Order::TopReversed, ..Style::COMPACT },
            Spelling::MembersReversedNested => Style { order: Order::AllReversed, ..Style::COMPACT },
            Spelling::Escaped => Style { escapes: Escapes::LettersAndDigits, ..Style::COMPACT },
            Spelling::EscapedSlash => Style { escapes: Escapes::Slash, ..Style::COMPACT },
            Spelling::WhiteSpace => Style { layout: Layout::Spacious, ..Style::COMPACT },
        }
    }
}

impl Json {
    /// The value written in this way; it parses to the same content.
    ///
    /// The text may equal the compact one where there is nothing to respell, as in `{}`.
    pub fn spelled(&self, s: Spelling) -> String {
        let mut text = String::new();
        write_json(&mut text, self, s.style()).expect("writing to a string does not fail");
        text
    }
}

impl fmt::Display for Spelling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Spelling {
    type Err = UnknownSpelling;

    fn from_str(name: &str) -> Result<Spelling, UnknownSpelling> {
        let named = Spelling::ALL.into_iter().find(|spelling| spelling.name() == name);
        named.ok_or_else(|| UnknownSpelling { name: name.to_owned() })
    }
}

impl TryFrom<String> for Spelling {
    type Error = UnknownSpelling;

    fn try_from(name: String) -> Result<Spelling, UnknownSpelling> {
        name.parse()
    }
}

impl From<Spelling> for String {
    fn from(spelling: Spelling) -> String {
        spelling.name().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::Spelling;
    use crate::json::arbitrary::json;
    use crate::json::tree::Json;

    fn check(spelling: Spelling, expected: &str) {
        let order: Json = r#"{"id":"a/1","at":{"x":1.0,"y":[]}}"#.parse().unwrap();
        assert_eq!(order.spelled(spelling), expected);
    }

    #[test]
    fn each_spelling_is_written_as_its_name_says() {
        check(Spelling::Compact, r#"{"id":"a/1","at":{"x":1.0,"y":[]}}"#);
        check(Spelling::Indented, "{\n  \"id\": \"a/1\",\n  \"at\": {\n    \"x\": 1.0,\n    \"y\": []\n  }\n}");
        check(Spelling::MembersReversed, r#"{"at":{"x":1.0,"y":[]},"id":"a/1"}"#);
        check(Spelling::MembersReversedNested, r#"{"at":{"y":[],"x":1.0},"id":"a/1"}"#);
        check(Spelling::Escaped, r#"{"\u0069\u0064":"\u0061/\u0031","\u0061\u0074":{"\u0078":1.0,"\u0079":[]}}"#);
        check(Spelling::EscapedSlash, r#"{"id":"a\/1","at":{"x":1.0,"y":[]}}"#);
        let spacious = r#"_{_"id"_:_"a/1"_,_"at"_:_{_"x"_:_1.0_,_"y"_:_[_]_}_}_"#.replace('_', "\t\r\n ");
        check(Spelling::WhiteSpace, &spacious);
    }

    #[test]
    fn reversing_keeps_the_order_of_members_that_share_a_name() {
        let twice: Json = r#"{"a":1,"b":2,"c":3,"a":4}"#.parse().unwrap();
        assert_eq!(twice.spelled(Spelling::MembersReversed), r#"{"a":1,"c":3,"b":2,"a":4}"#);
    }

    #[test]
    fn the_members_of_an_object_in_an_array_are_nested() {
        let list: Json = r#"[{"a":1,"b":2}]"#.parse().unwrap();
        assert_eq!(list.spelled(Spelling::MembersReversed), r#"[{"a":1,"b":2}]"#);
        assert_eq!(list.spelled(Spelling::MembersReversedNested), r#"[{"b":2,"a":1}]"#);
    }

    #[test]
    fn names_are_words_and_read_back() {
        for spelling in Spelling::ALL {
            assert_eq!(spelling.to_string().parse(), Ok(spelling));
        }
        assert_eq!(
            "Compact".parse::<Spelling>().unwrap_err().to_string(),
            "unknown spelling \"Compact\"; write one of: compact, indented, member order, nested member order, \
             escapes, escaped slash, white space",
        );
    }

    proptest! {
        #[test]
        fn every_spelling_parses_to_the_same_content(tree in json()) {
            for spelling in Spelling::ALL {
                let read: Json = tree.spelled(spelling).parse().unwrap();
                prop_assert!(read.same_content(&tree), "{}: {}", spelling, tree.spelled(spelling));
            }
        }

        #[test]
        fn spellings_that_move_no_member_parse_to_the_very_same_tree(tree in json()) {
            for spelling in [Spelling::Indented, Spelling::Escaped, Spelling::EscapedSlash, Spelling::WhiteSpace] {
                prop_assert_eq!(tree.spelled(spelling).parse::<Json>().unwrap(), tree.clone());
            }
        }
    }
}
