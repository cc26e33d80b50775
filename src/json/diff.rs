//! What differs between two JSON values, place by place.
//! It never reports member order, overwritten duplicates or anything at or below an excepted place.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::content::last_of_each_name;
use crate::json::pointer::Pointer;
use crate::json::text::Text;
use crate::json::tree::Json;

/// One place where two values differ.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// Where.
    pub at: Pointer,
    /// How.
    pub kind: DifferenceKind,
}

/// How two values differ at one place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum DifferenceKind {
    /// Expected, and not there.
    Missing {
        /// What was expected.
        expected: Json,
    },
    /// There, and not expected.
    Added {
        /// What was found.
        found: Json,
    },
    /// Another value.
    Changed {
        /// What was expected.
        expected: Json,
        /// What was found.
        found: Json,
    },
    /// The same number in another spelling.
    Respelled {
        /// What was expected.
        expected: Json,
        /// What was found.
        found: Json,
    },
}

/// The differences from `expected` to `found`, sorted by member name; none exactly when both are the same content.
///
/// The places in `except`, and everything below them, are left out on both sides.
pub fn diff(expected: &Json, found: &Json, except: &[Pointer]) -> Vec<Difference> {
    let mut differences = Vec::new();
    compare(Some(expected), Some(found), &Pointer::root(), except, &mut differences);
    differences
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.at.is_root() {
            write!(f, "whole value: {}", self.kind)
        } else {
            write!(f, "{}: {}", self.at, self.kind)
        }
    }
}

impl fmt::Display for DifferenceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DifferenceKind::Missing { expected } => write!(f, "expected {expected}, found nothing"),
            DifferenceKind::Added { found } => write!(f, "expected nothing, found {found}"),
            DifferenceKind::Changed { expected, found } => write!(f, "expected {expected}, found {found}"),
            DifferenceKind::Respelled { expected, found } => {
                write!(f, "expected {expected}, found {found}, the same value in another spelling")
            }
        }
    }
}

fn compare(expected: Option<&Json>, found: Option<&Json>, at: &Pointer, except: &[Pointer], out: &mut Vec<Difference>) {
    if except.contains(at) {
        return;
    }
    let kind = match (expected, found) {
        (None, None) => return,
        (Some(expected), None) => DifferenceKind::Missing { expected: expected.clone() },
        (None, Some(found)) => DifferenceKind::Added { found: found.clone() },
        (Some(Json::Object(expected)), Some(Json::Object(found))) => {
            return compare_members(expected, found, at, except, out);
        }
        (Some(Json::Array(expected)), Some(Json::Array(found))) => {
            for index in 0..expected.len().max(found.len()) {
                compare(expected.get(index), found.get(index), &at.push(index.to_string()), except, out);
            }
            return;
        }
        (Some(expected), Some(found)) if expected == found => return,
        (Some(expected), Some(found)) => unequal(expected.clone(), found.clone()),
    };
    out.push(Difference { at: at.clone(), kind });
}

fn compare_members(
    expected: &[(Text, Json)],
    found: &[(Text, Json)],
    at: &Pointer,
    except: &[Pointer],
    out: &mut Vec<Difference>,
) {
    let (expected, found) = (last_of_each_name(expected), last_of_each_name(found));
    let names: BTreeSet<&Text> = expected.keys().chain(found.keys()).copied().collect();
    for name in names {
        compare(expected.get(name).copied(), found.get(name).copied(), &at.push(name), except, out);
    }
}

fn unequal(expected: Json, found: Json) -> DifferenceKind {
    match (expected.as_number(), found.as_number()) {
        (Some(one), Some(other)) if one.same_value(other) => DifferenceKind::Respelled { expected, found },
        (Some(_) | None, Some(_) | None) => DifferenceKind::Changed { expected, found },
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use super::{Difference, diff};
    use crate::json::arbitrary::near_pair;
    use crate::json::pointer::Pointer;
    use crate::json::tree::Json;

    fn check(expected: &str, found: &str, except: &[&str], lines: &[&str]) {
        let except: Vec<Pointer> = except.iter().map(|place| place.parse().unwrap()).collect();
        let differences = diff(&expected.parse().unwrap(), &found.parse().unwrap(), &except);
        let shown: Vec<String> = differences.iter().map(Difference::to_string).collect();
        assert_eq!(shown, lines);
    }

    #[test]
    fn each_kind_of_difference_is_shown_with_its_place() {
        check(
            r#"{"arm":"a","gone":[1],"n":1,"items":[{"id":1},2]}"#,
            r#"{"items":[{"id":null}],"n":1.0,"new":{},"arm":"b"}"#,
            &[],
            &[
                r#"/arm: expected "a", found "b""#,
                "/gone: expected [1], found nothing",
                "/items/0/id: expected 1, found null",
                "/items/1: expected 2, found nothing",
                "/n: expected 1, found 1.0, the same value in another spelling",
                "/new: expected nothing, found {}",
            ],
        );
        check("1", "[1]", &[], &["whole value: expected 1, found [1]"]);
    }

    #[test]
    fn a_number_is_not_respelled_as_text_or_as_another_number() {
        check("[1,1]", r#"["1",1.1]"#, &[], &[r#"/0: expected 1, found "1""#, "/1: expected 1, found 1.1"]);
    }

    #[test]
    fn excepted_places_are_ignored_on_both_sides_with_all_below_them() {
        let (first, second) = (r#"{"at":{"t":1},"id":"x","ab":1}"#, r#"{"at":2,"seen":true,"ab":2}"#);
        check(first, second, &["/at", "/id", "/seen"], &["/ab: expected 1, found 2"]);
        check(first, second, &[""], &[]);
        check(r#"{"a":{"b":1,"c":1}}"#, r#"{"a":{"b":2,"c":2}}"#, &["/a/b"], &["/a/c: expected 1, found 2"]);
    }

    #[test]
    fn an_exception_inside_a_missing_value_does_not_excuse_the_whole() {
        check(r#"{"a":{"b":1}}"#, "{}", &["/a/b"], &[r#"/a: expected {"b":1}, found nothing"#]);
    }

    #[test]
    fn unpaired_surrogates_differ_in_values_and_in_names() {
        check(r#"["\ud800"]"#, r#"["\udc00"]"#, &[], &[r#"/0: expected "\ud800", found "\udc00""#]);
        check(
            r#"{"\ud800":1}"#,
            r#"{"\udc00":1}"#,
            &[],
            &["/~ud800: expected 1, found nothing", "/~udc00: expected nothing, found 1"],
        );
    }

    proptest! {
        #[test]
        fn there_is_no_difference_exactly_for_the_same_content((expected, found) in near_pair()) {
            prop_assert_eq!(diff(&expected, &found, &[]).is_empty(), expected.same_content(&found));
        }

        #[test]
        fn excepting_every_difference_leaves_none((expected, found) in near_pair()) {
            let places: Vec<Pointer> = diff(&expected, &found, &[]).into_iter().map(|one| one.at).collect();
            prop_assert_eq!(diff(&expected, &found, &places), vec![]);
        }

        #[test]
        fn each_difference_is_what_stands_at_its_place_and_survives_storage((expected, found) in near_pair()) {
            for one in diff(&expected, &found, &[]) {
                prop_assert!(expected.at(&one.at) != found.at(&one.at));
                let stored = serde_json::to_string(&one).unwrap();
                prop_assert_eq!(serde_json::from_str::<Difference>(&stored).unwrap(), one);
            }
        }

        #[test]
        fn member_order_changes_nothing_in_the_result((expected, found) in near_pair()) {
            let sorted: Json = found.content_key().parse().unwrap();
            let places = |found: &Json| diff(&expected, found, &[]).into_iter().map(|one| one.at).collect::<Vec<_>>();
            prop_assert_eq!(places(&found), places(&sorted));
        }
    }
}
