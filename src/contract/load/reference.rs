//! Reads how the reference server keeps a contract.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::contract::load::places::Places;
use crate::contract::{
    CannedAnswer, Collection, Constraint, Edge, Lookup, Outcome, ReadRoute, Reference, ReferenceCredential,
    ReferenceOperation, Type, TypeName, Write,
};
use crate::file::{Node, json};
use crate::json::Json;

/// Reads the section.
pub fn reference(node: &Node, places: &mut Places) -> Reference {
    let collections: IndexMap<String, Collection> = entries(node.get("collections"))
        .map(|(name, node)| {
            let unique = node.get("unique").map(Node::items).unwrap_or_default();
            let rows = node.get("rows").map(Node::items).unwrap_or_default();
            let unique = unique.iter().filter_map(|item| Some(item.text()?.to_owned())).collect();
            (name.to_owned(), Collection { unique, rows: rows.iter().map(json).collect() })
        })
        .collect();
    let known: Vec<String> = collections.keys().cloned().collect();
    let mut operations = IndexMap::new();
    for entry in node.get("operations").map(Node::entries).unwrap_or_default() {
        if let Some(name) = places.operation(&entry.key) {
            operations.insert(name.into(), operation(&entry.value, places, &known));
        }
    }
    Reference {
        credentials: entries(node.get("credentials"))
            .map(|(name, node)| (name.into(), credential(node, places)))
            .collect(),
        collections,
        operations,
        reads: node
            .get("reads")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .map(|node| ReadRoute {
                request: places.request_line(node.get("read")),
                collection: node
                    .get("from")
                    .and_then(|from| places.known(from, "collection", &known))
                    .unwrap_or_default(),
                by: texts(node.get("by")),
                rows: node.get("rows").and_then(|rows| places.pointer(rows)),
                hide: node
                    .get("hide")
                    .map(Node::items)
                    .unwrap_or_default()
                    .iter()
                    .filter_map(|item| Some(item.text()?.to_owned()))
                    .collect(),
            })
            .collect(),
        errors: entries(node.get("errors")).map(|(name, node)| (name.to_owned(), canned(node, places))).collect(),
        edge: node.get("edge").map(|node| Edge {
            broken: entries(Some(node)).map(|(name, node)| (name.to_owned(), canned(node, places))).collect(),
        }),
    }
}

fn entries(node: Option<&Node>) -> impl Iterator<Item = (&str, &Node)> {
    node.map(Node::entries).unwrap_or_default().iter().filter_map(|entry| Some((entry.key.text()?, &entry.value)))
}

fn texts(node: Option<&Node>) -> BTreeMap<String, String> {
    entries(node).filter_map(|(name, node)| Some((name.to_owned(), node.text()?.to_owned()))).collect()
}

fn credential(node: &Node, places: &mut Places) -> ReferenceCredential {
    let scopes = places.scopes.clone();
    let mut scope = BTreeMap::new();
    for entry in node.entries().iter().filter(|entry| entry.key.text() != Some("headers")) {
        if let (Some(name), Some(value)) = (places.known(&entry.key, "scope", &scopes), entry.value.text()) {
            scope.insert(name.into(), value.to_owned());
        }
    }
    ReferenceCredential { headers: places.headers(node.get("headers")), scope }
}

fn canned(node: &Node, places: &mut Places) -> CannedAnswer {
    let status = node.get("status").and_then(Node::text).and_then(|text| text.parse().ok());
    if let (None, Some(status)) = (status, node.get("status")) {
        places.wrong(status, "not a status", "expected one like `200`");
    }
    CannedAnswer {
        status: status.unwrap_or(200),
        headers: places.headers(node.get("headers")),
        body: node.get("body").map_or(Json::Null, json),
    }
}

fn operation(node: &Node, places: &mut Places, collections: &[String]) -> ReferenceOperation {
    let body = node.get("body").map(Node::entries).unwrap_or_default();
    let body =
        body.iter().filter_map(|entry| Some((entry.key.text()?.to_owned(), kind(&entry.value, places)?))).collect();
    let empty = || CannedAnswer { status: 200, headers: Vec::new(), body: Json::Null };
    ReferenceOperation {
        body,
        find: entries(node.get("find"))
            .filter_map(|(name, node)| {
                let collection = places.known(node.get("in")?, "collection", collections)?;
                Some((name.to_owned(), Lookup { collection, matching: texts(node.get("where")) }))
            })
            .collect(),
        refuse: node
            .get("refuse")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .map(|node| Constraint {
                when: node.get("when").and_then(Node::text).unwrap_or_default().to_owned(),
                outcome: node
                    .get("outcome")
                    .and_then(Node::text)
                    .and_then(Outcome::from_word)
                    .unwrap_or(Outcome::Refused),
                answer: canned(node, places),
            })
            .collect(),
        writes: node
            .get("write")
            .map(Node::items)
            .unwrap_or_default()
            .iter()
            .filter_map(|node| write(node, places, collections))
            .collect(),
        answer: node.get("answer").map_or_else(empty, |answer| canned(answer, places)),
        duplicate: node.get("duplicate").map(|answer| canned(answer, places)),
        item: node.get("item").map_or_else(|| Json::object(Vec::<(String, Json)>::new()), json),
    }
}

fn kind(node: &Node, places: &mut Places) -> Option<Type> {
    let text = node.text()?;
    let (word, required) = match text.strip_suffix('?') {
        Some(word) => (word, false),
        None => (text, true),
    };
    let is = match word {
        "text" => TypeName::Text,
        "number" => TypeName::Number,
        "flag" => TypeName::Flag,
        "object" => TypeName::Object,
        "list" => TypeName::List,
        "list of text" => TypeName::ListOfText,
        "key" => TypeName::Key,
        "any" => TypeName::Any,
        other => {
            let label =
                "expected text, number, flag, object, list, list of text, key or any, with `?` where it may be absent";
            places.wrong(node, format!("no type `{other}`"), label);
            return None;
        }
    };
    Some(Type { is, required })
}

fn write(node: &Node, places: &mut Places, collections: &[String]) -> Option<Write> {
    match (node.get("put"), node.get("change")) {
        (Some(put), None) => Some(Write::Put {
            collection: places.known(put, "collection", collections)?,
            row: node.get("row").map_or(Json::Null, json),
            unless: node.get("unless").and_then(Node::text).map(str::to_owned),
        }),
        (None, Some(change)) => Some(Write::Change {
            collection: places.known(change, "collection", collections)?,
            matching: texts(node.get("where")),
            set: node.get("set").map_or(Json::Null, json),
        }),
        (Some(_), Some(_)) | (None, None) => {
            places.wrong(node, "a write is one thing", "give either `put:` or `change:`");
            None
        }
    }
}
