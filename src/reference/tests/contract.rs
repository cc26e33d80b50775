//! The contract that the tests serve: the parts of a contract file that a server needs, read by a reader of its own so
//! that these tests stand on the reference alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::contract::{
    AnswerRule, Batch, BodyTest, CannedAnswer, Collection, Constraint, Contract, Counter, Edge, Forbidden, KeyPlace,
    KeyRule, LengthUnit, Lookup, Operation, Outcome, ReadRoute, Reference, ReferenceCredential, ReferenceOperation,
    Replay, RequestLine, Safety, Sameness, Type, TypeName, Write,
};
use crate::file::{Node, Source, read};
use crate::json::{Json, Pointer};

/// The served parts of the Curious contract; answers to decide echo what was sent, so that there is more to replay.
pub fn curious() -> Arc<Contract> {
    let text = include_str!("../../../scenarios/contracts/curious.yaml");
    let mut contract = contract(&read(&Source::new("curious.yaml", text)).unwrap());
    let reference = contract.reference.as_mut().unwrap();
    let answer = &mut reference.operations.get_mut("decide").unwrap().answer.body;
    answer.set(&"/context".parse().unwrap(), Json::from("{{ body.context }}"));
    Arc::new(contract)
}

fn contract(file: &Node) -> Contract {
    let operations = map(file, "operations").map(|(name, node)| (name.into(), operation(&name, node)));
    Contract {
        name: text(file, "contract"),
        title: text(file, "title"),
        scopes: file.get("scopes").unwrap().items().iter().map(|scope| scope.text().unwrap().into()).collect(),
        operations: operations.collect(),
        effects: IndexMap::new(),
        retry: Vec::new(),
        requirements: IndexMap::new(),
        reference: Some(reference(file.get("reference").unwrap())),
    }
}

fn operation(name: &&str, node: &Node) -> Operation {
    let marker = node.get("marker").map(|marker| (pointer(marker, "at"), json(marker.get("value").unwrap())));
    let natural = node.get("natural").map_or(Safety::Unsafe, |_| Safety::Natural);
    Operation {
        name: (*name).into(),
        request: request(&text(node, "request")),
        headers: Vec::new(),
        body: node.get("body").map(json),
        effect: None,
        identity: None,
        marker,
        safety: node.get("key").map_or(natural, |key| Safety::ByKey(key_rule(key))),
        answers: rules(node),
        stored: node.get("stored").map(|_| vec![Outcome::Fresh]).unwrap_or_default(),
        changes: IndexMap::new(),
        defects: IndexMap::new(),
        open: IndexMap::new(),
        reconfigure: None,
        batch: node.get("batch").map(|batch| Batch {
            of: text(batch, "of").into(),
            items: pointer(batch, "items"),
            results: pointer(batch, "results"),
            item_answers: rules(batch),
            envelope: Vec::new(),
            counts: map(batch, "counts")
                .map(|(outcome, counter)| Counter {
                    outcome: Outcome::from_word(outcome).unwrap(),
                    at: pointer(counter, "at"),
                    absent_means_zero: true,
                })
                .collect(),
        }),
        safe_retry: node.get("safe retry").map(|_| text(node, "safe retry")),
    }
}

fn key_rule(node: &Node) -> KeyRule {
    KeyRule {
        place: KeyPlace::Body(pointer(node, "at")),
        required: false,
        length: node.get("length").map(|_| (1, 255)),
        unit: LengthUnit::Characters,
        forbid: node.get("forbid").map(|_| vec![Forbidden::Nul, Forbidden::UnpairedSurrogate]).unwrap_or_default(),
        sameness: if text(node, "same request") == "content" { Sameness::Content } else { Sameness::KeyOnly },
        replay: if text(node, "replay") == "verbatim" { Replay::Verbatim } else { Replay::Acknowledged },
    }
}

fn rules(node: &Node) -> Vec<AnswerRule> {
    let rule = |(outcome, rule): (&str, &Node)| AnswerRule {
        outcome: Outcome::from_word(outcome).unwrap(),
        status: None,
        headers: Vec::new(),
        body: BodyTest { holds: rule.get("body").map(json), ..BodyTest::default() },
    };
    map(node, "answers").map(rule).collect()
}

fn reference(node: &Node) -> Reference {
    let credential = |(name, node): (&str, &Node)| {
        let scope = ["organization", "environment"].map(|scope| (scope.into(), text(node, scope)));
        (name.into(), ReferenceCredential { headers: headers(node), scope: scope.into() })
    };
    let collection = |(name, node): (&str, &Node)| {
        let unique =
            node.get("unique").unwrap().items().iter().map(|member| member.text().unwrap().to_owned()).collect();
        let rows = node.get("rows").map(|rows| rows.items().iter().map(json).collect()).unwrap_or_default();
        (name.to_owned(), Collection { unique, rows })
    };
    Reference {
        credentials: map(node, "credentials").map(credential).collect(),
        collections: map(node, "collections").map(collection).collect(),
        operations: map(node, "operations").map(|(name, node)| (name.into(), reference_operation(node))).collect(),
        reads: node.get("reads").unwrap().items().iter().map(read_route).collect(),
        errors: map(node, "errors").map(|(name, node)| (name.to_owned(), canned(node))).collect(),
        edge: Some(Edge { broken: map(node, "edge").map(|(name, node)| (name.to_owned(), canned(node))).collect() }),
    }
}

fn reference_operation(node: &Node) -> ReferenceOperation {
    let lookup = |(name, node): (&str, &Node)| {
        (name.to_owned(), Lookup { collection: text(node, "in"), matching: texts(node, "where") })
    };
    let constraint = |node: &Node| Constraint {
        when: text(node, "when"),
        outcome: Outcome::from_word(&text(node, "outcome")).unwrap(),
        answer: canned(node),
    };
    ReferenceOperation {
        body: map(node, "body").map(|(name, kind)| (name.to_owned(), type_of(kind.text().unwrap()))).collect(),
        find: map(node, "find").map(lookup).collect(),
        refuse: items(node, "refuse").iter().map(constraint).collect(),
        writes: items(node, "write").iter().map(write).collect(),
        answer: canned(node.get("answer").unwrap()),
        duplicate: node.get("duplicate").map(canned),
        item: node.get("item").map_or(Json::Object(Vec::new()), json),
    }
}

fn write(node: &Node) -> Write {
    match node.get("put") {
        Some(collection) => Write::Put {
            collection: collection.text().unwrap().to_owned(),
            row: json(node.get("row").unwrap()),
            unless: node.get("unless").map(|_| text(node, "unless")),
        },
        None => Write::Change {
            collection: text(node, "change"),
            matching: texts(node, "where"),
            set: json(node.get("set").unwrap()),
        },
    }
}

fn read_route(node: &Node) -> ReadRoute {
    ReadRoute {
        request: request(&text(node, "read")),
        collection: text(node, "from"),
        by: texts(node, "by"),
        rows: node.get("rows").map(|_| pointer(node, "rows")),
        hide: Vec::new(),
    }
}

fn type_of(text: &str) -> Type {
    let is = match text.trim_end_matches('?') {
        "text" => TypeName::Text,
        "object" => TypeName::Object,
        "key" => TypeName::Key,
        "any" => TypeName::Any,
        "list of text" => TypeName::ListOfText,
        other => panic!("{other}"),
    };
    Type { is, required: !text.ends_with('?') }
}

fn canned(node: &Node) -> CannedAnswer {
    CannedAnswer {
        status: text(node, "status").parse().unwrap(),
        headers: headers(node),
        body: json(node.get("body").unwrap()),
    }
}

fn headers(node: &Node) -> Vec<(String, String)> {
    map(node, "headers").map(|(name, value)| (name.to_owned(), value.text().unwrap().to_owned())).collect()
}

fn request(line: &str) -> RequestLine {
    let (method, target) = line.split_once(' ').unwrap();
    RequestLine { method: method.to_owned(), target: target.to_owned() }
}

fn text(node: &Node, field: &str) -> String {
    node.get(field).and_then(Node::text).unwrap().to_owned()
}

fn texts(node: &Node, field: &str) -> BTreeMap<String, String> {
    map(node, field).map(|(name, value)| (name.to_owned(), value.text().unwrap().to_owned())).collect()
}

fn pointer(node: &Node, field: &str) -> Pointer {
    text(node, field).parse().unwrap()
}

fn items<'a>(node: &'a Node, field: &str) -> &'a [Node] {
    node.get(field).map(Node::items).unwrap_or_default()
}

fn map<'a>(node: &'a Node, field: &str) -> impl Iterator<Item = (&'a str, &'a Node)> {
    let entries = node.get(field).map(Node::entries).unwrap_or_default();
    entries.iter().map(|entry| (entry.key.text().unwrap(), &entry.value))
}

fn json(node: &Node) -> Json {
    if let Some(scalar) = node.scalar() {
        return match scalar.text.parse::<Json>() {
            Ok(plain @ (Json::Number(_) | Json::Bool(_) | Json::Null)) if scalar.plain => plain,
            _ => Json::text(scalar.text.as_str()),
        };
    }
    if node.entries().is_empty() {
        return Json::Array(node.items().iter().map(json).collect());
    }
    Json::object(node.entries().iter().map(|entry| (entry.key.text().unwrap(), json(&entry.value))))
}
