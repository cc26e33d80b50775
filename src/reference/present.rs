//! How a saboteur replays: what the first answer owed to looked-up rows is worked out again from the rows of now; what
//! it owed to the request, its identity and its time stay. It reads templates and rows, and writes nothing.

use crate::contract::{ReferenceOperation, Replay, Write};
use crate::json::{Json, Pointer};
use crate::reference::attempt::Attempt;
use crate::reference::produce::{look_up, names};
use crate::reference::setup::Setup;
use crate::reference::store::{StoreError, Tables};
use crate::reference::template::{Names, places_read};

/// The name by which templates know the row that was written last.
const WRITTEN: &str = "put";

/// Renews a first answer that is about to be replayed. An acknowledgement owes nothing to a row.
pub fn renew(setup: &Setup, attempt: &Attempt, first: &mut Json, tables: &mut Tables) -> Result<(), StoreError> {
    let acknowledges = attempt.kept.operation.key().is_some_and(|rule| rule.replay == Replay::Acknowledged);
    let Some(reference) = attempt.kept.reference.as_ref().filter(|_| !acknowledges) else {
        return Ok(());
    };
    let row = written(reference);
    let owing = owing(&Debts { reference, row }, &reference.answer.body)?;
    if owing.is_empty() {
        return Ok(());
    }
    let mut names = names(attempt);
    look_up(setup, reference, &attempt.caller.scope(), &mut names, tables)?;
    if let Some(row) = row {
        let row = names.fill(row)?;
        names.set(WRITTEN, row);
    }
    replace(first, &owing, &reference.answer.body, &names)
}

/// What a template may owe to a row: a looked-up row itself, or a member of the written row that owes to one.
struct Debts<'a> {
    reference: &'a ReferenceOperation,
    row: Option<&'a Json>,
}

fn written(reference: &ReferenceOperation) -> Option<&Json> {
    reference.writes.iter().rev().find_map(|write| match write {
        Write::Put { row, .. } => Some(row),
        Write::Change { .. } => None,
    })
}

/// The places of an answer's template that owe something to a row. A list is one place: its items may come and go.
fn owing(debts: &Debts<'_>, template: &Json) -> Result<Vec<Pointer>, StoreError> {
    let mut found = Vec::new();
    let mut open = vec![(Pointer::root(), template)];
    while let Some((place, template)) = open.pop() {
        match template {
            Json::Object(members) => {
                open.extend(members.iter().map(|(name, value)| (place.push(name.clone()), value)));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => {
                if debts.owes(template)? {
                    found.push(place);
                }
            }
        }
    }
    Ok(found)
}

impl Debts<'_> {
    fn owes(&self, template: &Json) -> Result<bool, StoreError> {
        any_text(template, &|text| {
            for place in places_read(text)? {
                let mut steps = place.split('.');
                let root = steps.next().unwrap_or_default();
                if self.reference.find.contains_key(root) || (root == WRITTEN && self.row_owes(steps.next())?) {
                    return Ok(true);
                }
            }
            Ok(false)
        })
    }

    /// Whether a member of the written row owes to a looked-up one; without a member, whether any does.
    fn row_owes(&self, member: Option<&str>) -> Result<bool, StoreError> {
        let part = match (self.row, member) {
            (Some(row), Some(member)) => row.get(member),
            (row, None) => row,
            (None, Some(_)) => None,
        };
        part.map_or(Ok(false), |part| {
            any_text(part, &|text| {
                let read = places_read(text)?;
                let mut roots = read.iter().map(|place| place.split('.').next().unwrap_or_default());
                Ok(roots.any(|root| self.reference.find.contains_key(root)))
            })
        })
    }
}

fn any_text(template: &Json, test: &dyn Fn(&str) -> Result<bool, StoreError>) -> Result<bool, StoreError> {
    match template {
        Json::String(text) => text.as_str().map_or(Ok(false), test),
        Json::Array(items) => items.iter().map(|item| any_text(item, test)).try_fold(false, |any, one| Ok(any || one?)),
        Json::Object(members) => {
            members.iter().map(|(_, value)| any_text(value, test)).try_fold(false, |any, one| Ok(any || one?))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(false),
    }
}

/// Only what the first answer had is replaced, and only by something that is there.
fn replace(first: &mut Json, owing: &[Pointer], template: &Json, names: &Names<'_>) -> Result<(), StoreError> {
    for place in owing {
        let Some(part) = template.at(place).filter(|_| first.at(place).is_some()) else { continue };
        let today = names.fill(part)?;
        if !today.is_null() {
            first.set(place, today);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use crate::contract::{CannedAnswer, Lookup, ReferenceOperation, Write};
    use crate::json::Json;
    use crate::reference::present::{Debts, owing, written};

    fn check(answer: &str, expected: &[&str]) {
        let row = r#"{"id":"{{ id('x') }}","who":"{{ body.who }}","deal":{"price":"{{ offer.price * 2 }}"}}"#;
        let lookup = Lookup { collection: "offers".to_owned(), matching: std::collections::BTreeMap::new() };
        let reference = ReferenceOperation {
            body: indexmap::IndexMap::new(),
            find: [("offer".to_owned(), lookup)].into_iter().collect(),
            refuse: Vec::new(),
            writes: vec![Write::Put { collection: "deals".to_owned(), row: row.parse().unwrap(), unless: None }],
            answer: CannedAnswer { status: 200, headers: Vec::new(), body: answer.parse().unwrap() },
            duplicate: None,
            repeat_writes: Vec::new(),
            item: Json::Null,
        };
        let debts = Debts { reference: &reference, row: written(&reference) };
        let mut places: Vec<String> =
            owing(&debts, &reference.answer.body).unwrap().iter().map(ToString::to_string).collect();
        places.sort_unstable();
        assert_eq!(places, expected, "{answer}");
    }

    #[test]
    fn identity_time_and_what_was_sent_owe_nothing_to_a_row() {
        check(r#"{"id":"{{ put.id }}","at":"{{ now }}","who":"{{ put.who }} {{ body.who }}","fixed":1}"#, &[]);
    }

    #[test]
    fn what_comes_from_a_row_owes_to_it_also_by_way_of_the_written_row() {
        check(r#"{"a":{"b":"{{ offer.name }}"},"c":"{{ put.deal.price }}"}"#, &["/a/b", "/c"]);
        check(r#"{"list":["{{ now }}","{{ 'x' if offer else 'y' }}"],"row":"{{ put }}"}"#, &["/list", "/row"]);
    }

    #[test]
    fn a_member_that_only_has_a_rows_name_owes_nothing() {
        check(r#"{"a":"{{ body.offer }}","offer":"{{ put.offer }}","b":"an offer"}"#, &[]);
    }
}
