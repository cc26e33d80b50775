//! Reads one requirement and the lines that say what proves it. Whether a scenario really makes such a claim is for the
//! plan.

use crate::contract::load::names::Names;
use crate::contract::load::values::{known, many, place, text};
use crate::file::{Entry, Node, Reading};
use crate::name::RequirementId;
use crate::requirement::{Grade, Level, Proof, Requirement, Side};

/// What a line that proves reads like.
const LINE: &str = "expected `CLAIM on OPERATION [in SCENARIO] [when AXIS=VALUE]`";

/// Reads a requirement.
pub fn requirement(id: RequirementId, entry: &Entry, names: &Names<'_>, reading: &mut Reading<'_>) -> Requirement {
    let node = &entry.value;
    let lines = many(node.get("proved by"));
    if reading.is_well(node) {
        match (lines.is_empty(), node.get("not judged")) {
            (true, None) => {
                reading.wrong(
                    entry.key.span,
                    format!("nothing proves {id}"),
                    "add `proved by:`, or `not judged:` and why",
                );
            }
            (false, Some(_)) => {
                let message = format!("{id} is both proved and not judged");
                reading.wrong(place(node, "not judged"), message, "leave out this, or `proved by:`");
            }
            (true, Some(_)) | (false, None) => {}
        }
    }
    Requirement {
        id,
        level: text(node, "level").and_then(|word| Level::from_word(&word)).unwrap_or(Level::Must),
        grade: text(node, "grade").and_then(|word| Grade::from_word(&word)).unwrap_or(Grade::Stated),
        side: text(node, "side").and_then(|word| Side::from_word(&word)).unwrap_or(Side::Server),
        clients: many(node.get("clients"))
            .into_iter()
            .filter_map(|client| known(client, "kind of client", &names.clients, reading).map(Into::into))
            .collect(),
        source: text(node, "source").unwrap_or_default(),
        says: text(node, "says").unwrap_or_default(),
        note: text(node, "note"),
        proofs: lines.into_iter().filter_map(|line| proof(line, names, reading)).collect(),
        not_judged: text(node, "not judged"),
    }
}

/// `CLAIM on OPERATION[|OPERATION…] | any [in GLOB] [when AXIS=VALUE[|VALUE…][, AXIS=…]]`.
fn proof(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> Option<Proof> {
    let text = node.text()?;
    let (head, cells) = match text.split_once(" when ") {
        Some((head, cells)) => (head, Some(cells)),
        None => (text, None),
    };
    let (head, scenario) = match head.split_once(" in ") {
        Some((head, glob)) => (head, Some(glob.trim())),
        None => (head, None),
    };
    let Some((claim, operations)) = head.split_once(" on ") else {
        reading.wrong(node.span, "a line that proves nothing", LINE);
        return None;
    };
    let claim = claim.trim();
    if !names.claims.contains(&claim) {
        let place = reading.part(node, claim);
        reading.unknown(place, format!("no claim `{claim}`"), claim, names.claims.iter().copied());
    }
    let operations: Vec<&str> = match operations.trim() {
        "any" => Vec::new(),
        listed => listed.split('|').map(str::trim).collect(),
    };
    for name in operations.iter().filter(|name| !names.operations.contains(name)) {
        let place = reading.part(node, name);
        reading.unknown(place, format!("no operation `{name}`"), name, names.operations.iter().copied());
    }
    if let Some(glob) = scenario
        && let Err(error) = glob::Pattern::new(glob)
    {
        let message = format!("`{glob}` is not a pattern: {}", error.msg);
        reading.wrong(reading.part(node, glob), message, "`*` stays within a folder, `**` does not");
    }
    Some(Proof {
        claim: claim.to_owned(),
        operations: operations.into_iter().map(str::to_owned).collect(),
        scenario: scenario.map(str::to_owned),
        cells: cells.map(|cells| self::cells(cells, node, reading)).unwrap_or_default(),
    })
}

/// `AXIS=VALUE|VALUE, AXIS=VALUE`; a comma inside a value is written `\,`.
fn cells(text: &str, node: &Node, reading: &mut Reading<'_>) -> Vec<(String, Vec<String>)> {
    let mut cells: Vec<(String, Vec<String>)> = Vec::new();
    for part in at_commas(text) {
        let (axis, values) = part.split_once('=').map_or((part, ""), |(axis, values)| (axis, values));
        let values: Vec<String> = values.split('|').map(|value| value.trim().replace("\\,", ",")).collect();
        let axis = axis.trim();
        if axis.is_empty() || values.iter().any(String::is_empty) {
            let label = "expected `AXIS=VALUE` or `AXIS=VALUE|VALUE`; a comma in a value is `\\,`";
            reading.wrong(reading.part(node, part.trim()), format!("`{}` is not a cell", part.trim()), label);
        } else if cells.iter().any(|(other, _)| other == axis) {
            reading.wrong(
                reading.part(node, axis),
                format!("the axis `{axis}` stands twice"),
                "join its values with `|`",
            );
        } else {
            cells.push((axis.to_owned(), values));
        }
    }
    cells
}

/// The parts between commas that no backslash stands before.
fn at_commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, _) in text.match_indices(',').filter(|(at, _)| !text[..*at].ends_with('\\')) {
        parts.push(&text[start..at]);
        start = at + 1;
    }
    parts.push(&text[start..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::load::shape::SHAPE;
    use crate::file::{Shape, Source};

    const CLAIMS: &[&str] = &["accept", "keep-apart"];

    fn proof_of(line: &str) -> Proof {
        let text =
            format!("operations: {{ pay: {{}}, pay-all: {{}} }}\nrequirements: {{ R-1: {{ proved by: '{line}' }} }}\n");
        let source = Source::new("a.yaml", text);
        let (tree, mut reading) = Reading::open(&source, &Shape::Record(&SHAPE)).expect("a tree");
        let names = Names::of(&tree, CLAIMS, &mut reading);
        let entry = &tree.get("requirements").expect("a map").entries()[0];
        requirement("R-1".into(), entry, &names, &mut reading).proofs.remove(0)
    }

    #[test]
    fn a_line_is_read_to_its_last_value() {
        let proof =
            proof_of("accept on pay|pay-all in server/key/* when key=longest\\, two bytes each|a number, loss=clear");
        assert_eq!(proof.claim, "accept");
        assert_eq!(proof.operations, ["pay", "pay-all"]);
        assert_eq!(proof.scenario.as_deref(), Some("server/key/*"));
        let key = ("key".to_owned(), vec!["longest, two bytes each".to_owned(), "a number".to_owned()]);
        assert_eq!(proof.cells, [key, ("loss".to_owned(), vec!["clear".to_owned()])]);
    }

    #[test]
    fn on_any_names_no_operation_and_the_rest_may_be_left_out() {
        let proof = proof_of("keep-apart on any");
        assert_eq!(proof, Proof { claim: "keep-apart".to_owned(), operations: vec![], scenario: None, cells: vec![] });
    }
}
