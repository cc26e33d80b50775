//! Reads how the reference server keeps a contract. Expressions are only held against their grammar here: they are
//! evaluated by the server.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::contract::load::names::Names;
use crate::contract::load::notation;
use crate::contract::load::template::check_expressions;
use crate::contract::load::values::{headers, known, many, named, place, pointer, request_line, status, text, texts};
use crate::contract::{
    CannedAnswer, Collection, Constraint, Edge, Late, Lookup, Operation, Outcome, ReadRoute, Reference,
    ReferenceCredential, ReferenceOperation, Write,
};
use crate::file::{Entry, Node, Reading, json};
use crate::json::Json;
use crate::name::OperationName;

/// Answers that are not an operation's own.
const ERRORS: &[&str] = &[
    "unauthorized",
    "forbidden",
    "invalid",
    "wrong field",
    "no such path",
    "wrong method",
    "conflict",
    "in progress",
    "rate limited",
    "failed",
];

/// Reads the section.
pub fn reference(
    node: &Node,
    declared: &IndexMap<OperationName, Operation>,
    names: &Names<'_>,
    reading: &mut Reading<'_>,
) -> Reference {
    let credentials: IndexMap<_, _> =
        named(node.get("credentials")).map(|(name, entry)| (name.into(), credential(entry, names, reading))).collect();
    if credentials.is_empty() && reading.is_well(node) {
        reading.wrong(place(node, "credentials"), "nobody may call", "name at least one credential");
    }
    let mut operations = IndexMap::new();
    for (_, entry) in named(node.get("operations")) {
        if let Some(name) = known(&entry.key, "operation", &names.operations, reading) {
            operations.insert(name.into(), operation(&entry.value, names, reading));
        }
    }
    // A batch is made of its items, so it needs nothing of its own.
    let unkept = declared.values().filter(|operation| operation.batch.is_none());
    for operation in unkept.filter(|operation| !operations.contains_key(&operation.name)) {
        if reading.is_well(node) {
            let message = format!("`{}` can be asked for and is not kept", operation.name);
            reading.wrong(place(node, "operations"), message, "add what it checks, does and answers");
        }
    }
    Reference {
        credentials,
        collections: named(node.get("collections"))
            .map(|(name, entry)| (name.to_owned(), collection(&entry.value)))
            .collect(),
        operations,
        reads: many(node.get("reads")).into_iter().map(|node| route(node, names, reading)).collect(),
        errors: named(node.get("errors"))
            .map(|(name, entry)| {
                known(&entry.key, "common answer", ERRORS, reading);
                (name.to_owned(), canned(&entry.value, reading))
            })
            .collect(),
        edge: node.get("edge").map(|node| edge(node, names, reading)),
        lets_pass: node
            .get("lets pass")
            .map(Node::entries)
            .unwrap_or_default()
            .iter()
            .filter_map(|entry| Some((entry.key.text()?.to_owned(), entry.value.text()?.to_owned())))
            .collect(),
    }
}

fn credential(entry: &Entry, names: &Names<'_>, reading: &mut Reading<'_>) -> ReferenceCredential {
    let node = &entry.value;
    let mut scope = BTreeMap::new();
    for (_, own) in named(Some(node)).filter(|(name, _)| *name != "headers") {
        if let (Some(name), Some(value)) = (known(&own.key, "scope", &names.scopes, reading), own.value.text()) {
            scope.insert(name.into(), value.to_owned());
        }
    }
    // One that stands there misspelt is not missing as well.
    let is_misspelt = named(Some(node)).any(|(name, _)| name != "headers" && !names.scopes.contains(&name));
    for name in names.scopes.iter().filter(|name| node.get(name).is_none()) {
        if !is_misspelt && reading.is_well(node) {
            let message = format!("`{}` stands in no {name}", entry.key.text().unwrap_or_default());
            reading.wrong(entry.key.span, message, format!("add `{name}:`"));
        }
    }
    ReferenceCredential { headers: headers(node.get("headers"), reading), scope }
}

fn collection(node: &Node) -> Collection {
    Collection { unique: texts(node.get("unique")), rows: many(node.get("rows")).into_iter().map(json).collect() }
}

fn route(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> ReadRoute {
    let collection = node.get("from").and_then(|from| known(from, "collection", &names.collections, reading));
    if let (Some(count), Some(_)) = (node.get("count"), node.get("rows")) {
        reading.wrong(count.span, "rows, and their number in place of them", "leave out one");
    }
    let late = node.get("late").and_then(|late| {
        Some(Late { by: notation::duration(late.get("by")?.text()?).ok()?, since: text(late, "since")? })
    });
    ReadRoute {
        late,
        count: pointer(node.get("count")),
        request: request_line(node.get("read")),
        collection: collection.unwrap_or_default().to_owned(),
        by: expressions(node.get("by")),
        rows: pointer(node.get("rows")),
        hide: texts(node.get("hide")),
    }
}

fn edge(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> Edge {
    let mut broken = IndexMap::new();
    for (name, entry) in named(Some(node)) {
        if name != "any" {
            known(&entry.key, "operation", &names.operations, reading);
        }
        broken.insert(name.to_owned(), canned(&entry.value, reading));
    }
    Edge { broken }
}

fn operation(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> ReferenceOperation {
    let item = node.get("item");
    if let Some(item) = item {
        check_expressions(item, reading);
    }
    ReferenceOperation {
        body: named(node.get("body"))
            .filter_map(|(name, entry)| Some((name.to_owned(), notation::kind(entry.value.text()?).ok()?)))
            .collect(),
        find: named(node.get("find"))
            .filter_map(|(name, entry)| {
                let collection = known(entry.value.get("in")?, "collection", &names.collections, reading)?.to_owned();
                Some((name.to_owned(), Lookup { collection, matching: expressions(entry.value.get("where")) }))
            })
            .collect(),
        refuse: many(node.get("refuse"))
            .into_iter()
            .map(|node| Constraint {
                when: text(node, "when").unwrap_or_default(),
                outcome: text(node, "outcome").and_then(|word| Outcome::from_word(&word)).unwrap_or(Outcome::Refused),
                answer: canned(node, reading),
            })
            .collect(),
        writes: many(node.get("write")).into_iter().filter_map(|node| write(node, names, reading)).collect(),
        repeat_writes: many(node.get("on duplicate"))
            .into_iter()
            .filter_map(|node| write(node, names, reading))
            .collect(),
        answer: node.get("answer").map_or_else(empty, |answer| canned(answer, reading)),
        duplicate: node.get("duplicate").map(|answer| canned(answer, reading)),
        item: item.map_or_else(|| Json::object(Vec::<(String, Json)>::new()), json),
    }
}

fn expressions(node: Option<&Node>) -> BTreeMap<String, String> {
    named(node).filter_map(|(name, entry)| Some((name.to_owned(), entry.value.text()?.to_owned()))).collect()
}

fn empty() -> CannedAnswer {
    CannedAnswer { status: 200, headers: Vec::new(), body: Json::Null }
}

fn canned(node: &Node, reading: &mut Reading<'_>) -> CannedAnswer {
    if let Some(body) = node.get("body") {
        check_expressions(body, reading);
    }
    CannedAnswer {
        status: status(node).unwrap_or(200),
        headers: headers(node.get("headers"), reading),
        body: node.get("body").map_or(Json::Null, json),
    }
}

/// The fields of each kind of write.
const PUT: &[&str] = &["put", "row", "unless"];
const CHANGE: &[&str] = &["change", "where", "set"];

fn write(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> Option<Write> {
    let (own, collection) = match (node.get("put"), node.get("change")) {
        (Some(put), None) => (PUT, put),
        (None, Some(change)) => (CHANGE, change),
        (Some(_), Some(_)) => {
            reading.wrong(place(node, "change"), "a write is one thing", "give `put:` and `change:` an entry each");
            return None;
        }
        (None, None) => {
            if reading.is_well(node) {
                reading.wrong(node.head(), "a write that writes nothing", "add `put:` or `change:`, and a collection");
            }
            return None;
        }
    };
    for (field, entry) in named(Some(node)).filter(|(field, _)| !own.contains(field)) {
        let message = format!("`{field}` does not go with `{}`", own.first().copied().unwrap_or_default());
        reading.wrong(entry.key.span, message, format!("its fields are {}", own.join(", ")));
    }
    for field in ["row", "set"].into_iter().filter_map(|field| node.get(field)) {
        check_expressions(field, reading);
    }
    let collection = known(collection, "collection", &names.collections, reading)?.to_owned();
    Some(match own {
        PUT => Write::Put { collection, row: node.get("row").map_or(Json::Null, json), unless: text(node, "unless") },
        _ => Write::Change {
            collection,
            matching: expressions(node.get("where")),
            set: node.get("set").map_or(Json::Null, json),
        },
    })
}
