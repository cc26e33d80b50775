//! When two JSON values say the same: member order and overwritten duplicates aside, the spelling of numbers not.
//! It never equates `1` with `1.0`; whoever wants the value asks `Number::same_value`.

use std::collections::BTreeMap;

use crate::json::print::{Escapes, Layout, Order, Style, write_json};
use crate::json::text::Text;
use crate::json::tree::Json;

impl Json {
    /// Whether both hold equal content.
    ///
    /// Member order does not matter, array order does, the spelling of numbers does. Of duplicate members the last
    /// counts: `{"a":1,"a":2}` is `{"a":2}`.
    pub fn same_content(&self, other: &Json) -> bool {
        match (self, other) {
            (Json::Object(mine), Json::Object(theirs)) => {
                let (mine, theirs) = (last_of_each_name(mine), last_of_each_name(theirs));
                mine.len() == theirs.len()
                    && mine.iter().zip(&theirs).all(|((a, x), (b, y))| a == b && x.same_content(y))
            }
            (Json::Array(mine), Json::Array(theirs)) => {
                mine.len() == theirs.len() && mine.iter().zip(theirs).all(|(x, y)| x.same_content(y))
            }
            (
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_),
                scalar_or_unlike,
            ) => self == scalar_or_unlike,
        }
    }

    /// Whether every member of `subset` is here with a value that contains its value.
    ///
    /// Only objects may hold more than `subset` asks for; arrays and scalars must be the same content.
    pub fn contains(&self, subset: &Json) -> bool {
        match (self, subset) {
            (Json::Object(mine), Json::Object(wanted)) => {
                let mine = last_of_each_name(mine);
                last_of_each_name(wanted)
                    .iter()
                    .all(|(name, value)| mine.get(name).is_some_and(|own| own.contains(value)))
            }
            (
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) | Json::Object(_),
                other,
            ) => self.same_content(other),
        }
    }

    /// A text that is equal for two values exactly when they are [`Json::same_content`].
    pub fn content_key(&self) -> String {
        let canonical = Style { layout: Layout::Compact, order: Order::Canonical, escapes: Escapes::Needed };
        let mut key = String::new();
        write_json(&mut key, self, canonical).expect("writing to a string does not fail");
        key
    }
}

/// What a reader sees of the members: for each name, the last value.
pub(in crate::json) fn last_of_each_name(members: &[(Text, Json)]) -> BTreeMap<&Text, &Json> {
    let mut seen = BTreeMap::new();
    for (name, value) in members {
        seen.insert(name, value);
    }
    seen
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};

    use crate::json::arbitrary::{json, near_pair};
    use crate::json::tree::Json;

    fn parsed(text: &str) -> Json {
        text.parse().unwrap()
    }

    fn check(left: &str, right: &str, same: bool) {
        assert_eq!(parsed(left).same_content(&parsed(right)), same, "{left} and {right}");
        assert_eq!(parsed(left).content_key() == parsed(right).content_key(), same, "keys of {left} and {right}");
    }

    #[test]
    fn member_order_white_space_escapes_and_overwritten_members_do_not_matter() {
        check(r#"{"a":1,"b":[{"x":1,"y":2}]}"#, "{ \"b\": [{\"y\":2,\"x\":1}],\t\"\\u0061\": 1 }", true);
        check(r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true);
        check(r#""\ud83d\ude00""#, r#""😀""#, true);
    }

    #[test]
    fn near_misses_are_not_the_same_content() {
        check("1", "1.0", false);
        check("0", "-0", false);
        check("[1,2]", "[2,1]", false);
        check("[1]", "[1,1]", false);
        check("{}", "[]", false);
        check(r#"{"a":null}"#, "{}", false);
        check(r#"{"a":1,"a":2}"#, r#"{"a":2,"a":1}"#, false);
        check(r#""\ud800""#, r#""\udc00""#, false);
        check(r#""\ud800""#, r#""\ufffd""#, false);
        check(r#""a\u0000b""#, r#""ab""#, false);
        check(r#""é""#, r#""e\u0301""#, false);
        check("1", r#""1""#, false);
    }

    #[test]
    fn an_object_contains_fewer_members_but_an_array_not_fewer_items() {
        let whole = parsed(r#"{"a":{"b":1,"c":[1,{"d":2}]},"e":null}"#);
        for held in ["{}", r#"{"e":null}"#, r#"{"a":{"b":1}}"#, r#"{"a":{"c":[1,{"d":2}]}}"#] {
            assert!(whole.contains(&parsed(held)), "{held}");
        }
        for other in
            ["null", "[]", r#"{"f":null}"#, r#"{"a":{"b":1.0}}"#, r#"{"a":{"c":[1]}}"#, r#"{"a":{"c":[1,{}]}}"#]
        {
            assert!(!whole.contains(&parsed(other)), "{other}");
        }
        assert!(!parsed(r#"{"a":1,"a":2}"#).contains(&parsed(r#"{"a":1}"#)));
    }

    proptest! {
        #[test]
        fn the_content_key_is_equal_exactly_for_the_same_content((left, right) in near_pair()) {
            prop_assert_eq!(left.content_key() == right.content_key(), left.same_content(&right));
        }

        #[test]
        fn same_content_is_containing_each_other((left, right) in near_pair()) {
            prop_assert_eq!(left.contains(&right) && right.contains(&left), left.same_content(&right));
        }

        #[test]
        fn the_content_key_is_json_with_the_same_content_and_its_own_key(tree in json()) {
            let key: Json = tree.content_key().parse().unwrap();
            prop_assert!(key.same_content(&tree));
            prop_assert_eq!(key.to_string(), tree.content_key());
        }
    }
}
