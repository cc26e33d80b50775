//! Reads one operation: its key, its answers, its changes and defects, its batch.

use indexmap::IndexMap;

use crate::contract::load::places::{Places, many};
use crate::contract::{
    AnswerRule, Batch, BodyTest, Counter, Edit, Forbidden, HeaderTest, KeyPlace, KeyRule, LengthUnit, Operation,
    Outcome, Reconfiguration, Replay, Safety, Sameness, StatusSet,
};
use crate::file::{Node, json};
use crate::name::OperationName;

/// Reads an operation.
pub fn operation(name: &str, node: &Node, places: &mut Places) -> Operation {
    let answers = answers(node.get("answers"), places, true);
    let safety = safety(node, places);
    let named = |outcome: Outcome| answers.iter().any(|rule| rule.outcome == outcome);
    if let (Safety::ByKey(_), Some(place)) = (&safety, node.get("answers")) {
        for outcome in [Outcome::Fresh, Outcome::Replayed].into_iter().filter(|outcome| !named(*outcome)) {
            places.wrong(
                place,
                format!("`{name}` has a key but no `{outcome}` answer"),
                "add it: a retry has to be told from the first",
            );
        }
    }
    let stored: Vec<Outcome> = many(node.get("stored")).into_iter().filter_map(|node| outcome(node, places)).collect();
    for (node, outcome) in many(node.get("stored")).into_iter().zip(&stored) {
        if !named(*outcome) {
            places.wrong(node, format!("`{outcome}` is stored but no answer is named so"), "name it under `answers`");
        }
    }
    let effects = places.effects.clone();
    let marker = node
        .get("marker")
        .and_then(|marker| Some((marker.get("at").and_then(|at| places.pointer(at))?, marker.get("value").map(json)?)));
    Operation {
        name: name.into(),
        request: places.request_line(node.get("request")),
        headers: places.headers(node.get("headers")),
        body: node.get("body").map(|body| places.template(body)),
        effect: node.get("effect").and_then(|effect| places.known(effect, "effect", &effects)).map(Into::into),
        identity: node.get("identity").and_then(|place| places.pointer(place)),
        marker,
        safety,
        answers,
        stored,
        changes: edits(node.get("changes"), places),
        defects: edits(node.get("defects"), places),
        open: edits(node.get("open"), places),
        reconfigure: node.get("reconfigure").map(|own| reconfiguration(own, places)),
        batch: node.get("batch").and_then(|batch| self::batch(batch, places)),
        safe_retry: node.get("safe retry").and_then(Node::text).map(str::to_owned),
    }
}

fn safety(node: &Node, places: &mut Places) -> Safety {
    let natural = node.get("natural").and_then(Node::text) == Some("true");
    match (node.get("key"), natural) {
        (Some(key), true) => {
            places.wrong(key, "an operation that is `natural` needs no key", "leave one of the two out");
            Safety::Natural
        }
        (Some(key), false) => Safety::ByKey(key_rule(key, places)),
        (None, true) => Safety::Natural,
        (None, false) => Safety::Unsafe,
    }
}

fn key_rule(node: &Node, places: &mut Places) -> KeyRule {
    let place = match (node.get("at"), node.get("header").and_then(Node::text)) {
        (Some(at), None) => KeyPlace::Body(places.pointer(at).unwrap_or_default()),
        (None, Some(header)) => KeyPlace::Header(header.to_owned()),
        (Some(_), Some(_)) | (None, None) => {
            places.wrong(node, "a key is carried in one place", "give either `at:` or `header:`");
            KeyPlace::Body(Default::default())
        }
    };
    let (length, unit) = node.get("length").and_then(|length| self::length(length, places)).unzip();
    KeyRule {
        place,
        required: node.get("required").and_then(Node::text) == Some("true"),
        length,
        unit: unit.unwrap_or(LengthUnit::Characters),
        forbid: many(node.get("forbid"))
            .into_iter()
            .filter_map(|node| match node.text() {
                Some("U+0000") => Some(Forbidden::Nul),
                Some("unpaired surrogate") => Some(Forbidden::UnpairedSurrogate),
                _ => None,
            })
            .collect(),
        sameness: match node.get("same request").and_then(Node::text) {
            Some("key only") => Sameness::KeyOnly,
            _ => Sameness::Content,
        },
        replay: match node.get("replay").and_then(Node::text) {
            Some("acknowledged") => Replay::Acknowledged,
            _ => Replay::Verbatim,
        },
    }
}

fn length(node: &Node, places: &mut Places) -> Option<((u32, u32), LengthUnit)> {
    let text = node.text()?;
    let parsed = text.split_once(' ').and_then(|(range, unit)| {
        let (least, most) = range.split_once("..")?;
        let unit = match unit {
            "characters" => LengthUnit::Characters,
            "bytes" => LengthUnit::Bytes,
            _ => return None,
        };
        Some(((least.parse().ok()?, most.parse().ok()?), unit))
    });
    match parsed {
        Some(((least, most), _)) if least > most || most > 100_000 => {
            places.wrong(node, format!("`{text}` is not a range"), "from the fewest to the most, at most 100000");
            None
        }
        Some(parsed) => Some(parsed),
        None => {
            places.wrong(
                node,
                format!("`{text}` is not a length"),
                "expected one like `1..255 characters` or `1..64 bytes`",
            );
            None
        }
    }
}

fn outcome(node: &Node, places: &mut Places) -> Option<Outcome> {
    let known: Vec<String> = Outcome::WORDS.iter().map(|word| (*word).to_owned()).collect();
    places.known(node, "outcome", &known).and_then(|word| Outcome::from_word(&word))
}

fn answers(node: Option<&Node>, places: &mut Places, with_status: bool) -> Vec<AnswerRule> {
    let entries = node.map(Node::entries).unwrap_or_default();
    entries
        .iter()
        .filter_map(|entry| {
            let outcome = outcome(&entry.key, places)?;
            let rule = &entry.value;
            if with_status && rule.get("status").is_none() {
                places.wrong(&entry.key, format!("`{outcome}` has no status"), "an answer is told by its status first");
            }
            Some(AnswerRule {
                outcome,
                status: rule.get("status").map(|status| statuses(status, places)),
                headers: header_tests(rule.get("header"), places),
                body: BodyTest {
                    holds: rule.get("body").map(json),
                    has: places.pointers(rule.get("has")),
                    lacks: places.pointers(rule.get("lacks")),
                    says: many(rule.get("says")).into_iter().filter_map(|node| Some(node.text()?.to_owned())).collect(),
                },
            })
        })
        .collect()
}

/// `200`, `2xx`, or a list of both.
pub fn statuses(node: &Node, places: &mut Places) -> StatusSet {
    let mut set = StatusSet { ranges: Vec::new() };
    for node in many(Some(node)) {
        if let Some(Err(why)) = node.text().map(|word| set.add(word)) {
            places.wrong(node, why, "not a status");
        }
    }
    set
}

fn header_tests(node: Option<&Node>, places: &mut Places) -> Vec<HeaderTest> {
    match node {
        None => Vec::new(),
        Some(node) => match node.text() {
            Some(name) => vec![HeaderTest { name: name.to_owned(), value: None }],
            None => places
                .headers(Some(node))
                .into_iter()
                .map(|(name, value)| HeaderTest { name, value: Some(value) })
                .collect(),
        },
    }
}

fn edits(node: Option<&Node>, places: &mut Places) -> IndexMap<String, Edit> {
    let entries = node.map(Node::entries).unwrap_or_default();
    entries.iter().filter_map(|entry| Some((entry.key.text()?.to_owned(), edit(&entry.value, places)))).collect()
}

fn edit(node: &Node, places: &mut Places) -> Edit {
    let text = |name: &str| node.get(name).and_then(Node::text).map(str::to_owned);
    let status = node.get("status").and_then(|node| match node.text().map(str::parse::<u16>) {
        Some(Ok(status @ 100..=599)) => Some(status),
        _ => {
            places.wrong(node, format!("{} is not a status", node.describe()), "expected one like `400`");
            None
        }
    });
    Edit {
        set: sets(node.get("set"), places),
        remove: places.pointers(node.get("remove")),
        method: text("method"),
        target: text("target"),
        raw: text("raw"),
        headers: places.headers(node.get("headers")),
        credential: text("credential"),
        hook: text("hook"),
        outcome: node.get("outcome").and_then(|node| outcome(node, places)),
        status,
    }
}

fn sets(
    node: Option<&Node>,
    places: &mut Places,
) -> std::collections::BTreeMap<crate::json::Pointer, crate::json::Json> {
    let entries = node.map(Node::entries).unwrap_or_default();
    entries.iter().filter_map(|entry| Some((places.pointer(&entry.key)?, places.template(&entry.value)))).collect()
}

fn reconfiguration(node: &Node, places: &mut Places) -> Reconfiguration {
    let mut names = |field: &str| -> Vec<OperationName> {
        many(node.get(field)).into_iter().filter_map(|node| places.operation(node)).map(Into::into).collect()
    };
    let (before, change) = (names("before"), names("change"));
    Reconfiguration { set: sets(node.get("set"), places), before, change }
}

fn batch(node: &Node, places: &mut Places) -> Option<Batch> {
    let counters = node.get("counts").map(Node::entries).unwrap_or_default();
    let counts = counters
        .iter()
        .filter_map(|entry| {
            Some(Counter {
                outcome: outcome(&entry.key, places)?,
                at: places.pointer(entry.value.get("at")?)?,
                absent_means_zero: entry.value.get("absent means zero").and_then(Node::text) == Some("true"),
            })
        })
        .collect();
    Some(Batch {
        of: places.operation(node.get("of")?)?.into(),
        items: places.pointer(node.get("items")?)?,
        results: places.pointer(node.get("results")?)?,
        item_answers: answers(node.get("answers"), places, false),
        envelope: places.pointers(node.get("envelope")),
        counts,
    })
}
