//! Reads one requirement and the lines that say what proves it.

use crate::contract::load::places::{Places, many};
use crate::file::{Entry, Node, nearest};
use crate::name::RequirementId;
use crate::requirement::{Grade, Level, Proof, Requirement, Side};

/// Reads a requirement.
pub fn requirement(id: RequirementId, entry: &Entry, places: &mut Places, claims: &[&str]) -> Requirement {
    let node = &entry.value;
    let text = |name: &str| node.get(name).and_then(Node::text).map(str::to_owned);
    let proofs: Vec<Proof> =
        many(node.get("proved by")).into_iter().filter_map(|line| proof(line, places, claims)).collect();
    match (node.get("proved by"), node.get("not judged")) {
        (None, None) => {
            places.wrong(&entry.key, format!("nothing proves {id}"), "add `proved by:`, or `not judged:` and why")
        }
        (Some(_), Some(not)) => places.wrong(not, format!("{id} is both proved and not judged"), "leave one out"),
        (Some(_), None) | (None, Some(_)) => {}
    }
    Requirement {
        id,
        level: text("level").and_then(|word| Level::from_word(&word)).unwrap_or(Level::Must),
        grade: text("grade").and_then(|word| Grade::from_word(&word)).unwrap_or(Grade::Stated),
        side: text("side").and_then(|word| Side::from_word(&word)).unwrap_or(Side::Server),
        source: text("source").unwrap_or_default(),
        says: text("says").unwrap_or_default(),
        note: text("note"),
        proofs,
        not_judged: text("not judged"),
    }
}

/// `CLAIM on OP[|OP…] | any [in GLOB] [when AXIS=VALUE[|VALUE][, AXIS=VALUE]]`.
fn proof(node: &Node, places: &mut Places, claims: &[&str]) -> Option<Proof> {
    let text = node.text()?;
    let (head, cells) = match text.split_once(" when ") {
        Some((head, cells)) => (head, Some(cells)),
        None => (text, None),
    };
    let (head, scenario) = match head.split_once(" in ") {
        Some((head, glob)) => (head, Some(glob.trim().to_owned())),
        None => (head, None),
    };
    let Some((claim, operations)) = head.split_once(" on ") else {
        places.wrong(
            node,
            format!("`{text}` proves nothing"),
            "expected `CLAIM on OPERATION [in SCENARIO] [when AXIS=VALUE]`",
        );
        return None;
    };
    if !claims.contains(&claim) {
        let near = nearest(claim, claims.iter().copied()).map(|near| format!("did you mean `{near}`?"));
        places.wrong(
            node,
            format!("no claim `{claim}`"),
            near.unwrap_or_else(|| format!("known are {}", claims.join(", "))),
        );
    }
    let operations: Vec<String> = match operations.trim() {
        "any" => Vec::new(),
        names => names.split('|').map(|name| name.trim().to_owned()).collect(),
    };
    for name in operations.iter().filter(|name| !places.operations.contains(name)).cloned().collect::<Vec<_>>() {
        let near =
            nearest(&name, places.operations.iter().map(String::as_str)).map(|near| format!("did you mean `{near}`?"));
        places.wrong(
            node,
            format!("no operation `{name}`"),
            near.unwrap_or_else(|| "not an operation of this contract".to_owned()),
        );
    }
    if let Some(Err(error)) = scenario.as_deref().map(glob::Pattern::new) {
        places.wrong(node, format!("`in` is not a pattern: {error}"), "`*` within a segment, `**` across");
    }
    Some(Proof {
        claim: claim.to_owned(),
        operations,
        scenario,
        cells: cells.map(|cells| self::cells(cells, node, places)).unwrap_or_default(),
    })
}

fn cells(text: &str, node: &Node, places: &mut Places) -> Vec<(String, Vec<String>)> {
    // A comma inside a value is written `\,`; it stands aside while the line is split.
    const ASIDE: char = '\u{1}';
    let text = text.replace("\\,", &ASIDE.to_string());
    text.split(',')
        .filter_map(|part| {
            let Some((axis, values)) = part.split_once('=') else {
                places.wrong(
                    node,
                    format!("`{}` is not a cell", part.trim()),
                    "expected `AXIS=VALUE` or `AXIS=VALUE|VALUE`",
                );
                return None;
            };
            let values = values.split('|').map(|value| value.trim().replace(ASIDE, ",")).collect();
            Some((axis.trim().to_owned(), values))
        })
        .collect()
}
