//! Random JSON for property tests: odd numbers, unpaired surrogates, duplicate and awkward names.
//! It is never compiled into the program.

use proptest::prelude::{BoxedStrategy, Just, Strategy, any, prop_oneof};
use proptest::sample::select;

use crate::json::number::Number;
use crate::json::text::Text;
use crate::json::tree::Json;

/// Any text, often with halves of pairs, NUL, quotes, slashes and tildes.
pub(crate) fn text() -> impl Strategy<Value = Text> {
    let awkward = vec![0, 0x1f, 0x22, 0x24, 0x2f, 0x5c, 0x61, 0x7e, 0x7f, 0xe9, 0xd800, 0xd83d, 0xdc00, 0xde00, 0xfffd];
    let units = proptest::collection::vec(prop_oneof![4 => select(awkward), 1 => any::<u16>()], 0..6);
    prop_oneof![
        units.prop_map(|units| Text::from_utf16(&units)),
        any::<String>().prop_map(Text::from),
        select(vec!["a", "b", "0", "-", "", "$number", "$text"]).prop_map(Text::from),
    ]
}

/// Any number in any spelling.
pub(crate) fn number() -> impl Strategy<Value = Number> {
    let spelled = "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,5})?([eE][+-]?[0-9]{1,4})?"
        .prop_map(|spelling| spelling.parse().expect("the pattern is the grammar of numbers"));
    prop_oneof![spelled, any::<i64>().prop_map(Number::from), any::<u64>().prop_map(Number::from)]
}

/// Any value.
pub(crate) fn json() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        number().prop_map(Json::Number),
        text().prop_map(Json::String),
    ];
    nested(scalar.boxed(), text().boxed())
}

/// Two values that are often the same content and otherwise near misses.
pub(crate) fn near_pair() -> impl Strategy<Value = (Json, Json)> {
    let written =
        ["1", "1.0", "10e-1", "0", "-0", "null", "\"1\"", r#""\ud800""#, r#""\udc00""#, "\"\u{fffd}\"", "{}", "[]"];
    let scalars = written.map(|text| text.parse::<Json>().expect("each is json")).to_vec();
    let names = select(vec!["a", "b"]).prop_map(Text::from);
    let small = nested(select(scalars).boxed(), names.boxed()).boxed();
    let reordered = small.clone().prop_flat_map(|tree| {
        let moved = match tree.clone() {
            Json::Object(mut members) => {
                members.reverse();
                Json::Object(members)
            }
            Json::Array(mut items) => {
                items.reverse();
                Json::Array(items)
            }
            scalar @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => scalar,
        };
        (Just(tree), Just(moved))
    });
    let cleaned = small.clone().prop_map(|tree| {
        let key = tree.content_key().parse().expect("a content key is json");
        (tree, key)
    });
    prop_oneof![(small.clone(), small), reordered, cleaned]
}

fn nested(scalar: BoxedStrategy<Json>, name: BoxedStrategy<Text>) -> impl Strategy<Value = Json> {
    scalar.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            proptest::collection::vec((name.clone(), inner), 0..4).prop_map(Json::Object),
        ]
    })
}
