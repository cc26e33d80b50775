//! Rows of the contract's collections, found through the members that the contract looks at. Every set of members that
//! some expression or read compares is a path; a row is filed under each of its paths when it is written.

use std::collections::{BTreeMap, BTreeSet};

use crate::contract::{Reference, Write};
use crate::json::Json;
use crate::reference::store::{StoreError, StoredRow, Tables};

/// Which members lead to the rows of each collection.
#[derive(Clone, Debug, Default)]
pub struct Paths(BTreeMap<String, BTreeSet<Vec<String>>>);

impl Paths {
    /// The paths that a contract needs.
    pub fn of(reference: &Reference) -> Self {
        let mut paths = Self::default();
        for (name, collection) in &reference.collections {
            paths.add(name, collection.unique.iter());
        }
        for operation in reference.operations.values() {
            for lookup in operation.find.values() {
                paths.add(&lookup.collection, lookup.matching.keys());
            }
            for write in operation.all_writes() {
                match write {
                    Write::Put { .. } => {}
                    Write::Change { collection, matching, .. } => paths.add(collection, matching.keys()),
                }
            }
        }
        for read in &reference.reads {
            paths.add(&read.collection, read.by.keys());
        }
        paths
    }

    fn add<'a>(&mut self, collection: &str, members: impl Iterator<Item = &'a String>) {
        let members: BTreeSet<String> = members.cloned().collect();
        if !members.is_empty() {
            self.0.entry(collection.to_owned()).or_default().insert(members.into_iter().collect());
        }
    }

    /// The rows whose members have these very values, oldest first.
    pub fn find(
        &self,
        tables: &mut Tables,
        scope: &str,
        collection: &str,
        matching: &BTreeMap<String, Json>,
    ) -> Result<Vec<StoredRow>, StoreError> {
        let loose = matching.iter().map(|(member, value)| (member.clone(), loose(value))).collect();
        let mut rows = self.find_loosely(tables, scope, collection, &loose)?;
        rows.retain(|row| {
            matching.iter().all(|(member, value)| row.content.get(member).is_some_and(|own| own.same_content(value)))
        });
        Ok(rows)
    }

    /// The rows whose members read as these texts, oldest first.
    pub fn find_loosely(
        &self,
        tables: &mut Tables,
        scope: &str,
        collection: &str,
        matching: &BTreeMap<String, String>,
    ) -> Result<Vec<StoredRow>, StoreError> {
        if matching.is_empty() {
            return tables.all_rows(scope, collection);
        }
        tables.rows_at(&path(scope, collection, matching.iter().map(|(name, value)| (name.as_str(), value.as_str()))))
    }

    /// Adds a row; where the collection has unique members, in the place of the row that has the same ones.
    pub fn put(
        &self,
        tables: &mut Tables,
        scope: &str,
        collection: &str,
        unique: &[String],
        row: &Json,
    ) -> Result<(), StoreError> {
        let paths = self.leading_to(scope, collection, row);
        let own = unique.iter().map(|member| Some((member.clone(), row.get(member)?.clone()))).collect::<Option<_>>();
        let known = match own {
            Some(own) if !unique.is_empty() => self.find(tables, scope, collection, &own)?.into_iter().next(),
            Some(_) | None => None,
        };
        match known {
            Some(known) => tables.replace(known.seq, row, &paths),
            None => tables.insert(scope, collection, row, &paths),
        }
    }

    /// Writes a row again after it was changed.
    pub fn change(
        &self,
        tables: &mut Tables,
        scope: &str,
        collection: &str,
        row: &StoredRow,
    ) -> Result<(), StoreError> {
        tables.replace(row.seq, &row.content, &self.leading_to(scope, collection, &row.content))
    }

    fn leading_to(&self, scope: &str, collection: &str, row: &Json) -> Vec<String> {
        let texts = |members: &Vec<String>| {
            members.iter().map(|member| row.get(member).map(loose)).collect::<Option<Vec<String>>>()
        };
        let members = self.0.get(collection).into_iter().flatten();
        members
            .filter_map(|members| {
                let texts = texts(members)?;
                let pairs = members.iter().map(String::as_str).zip(texts.iter().map(String::as_str));
                Some(path(scope, collection, pairs))
            })
            .collect()
    }
}

/// The row without some members.
pub fn without(row: &Json, hidden: &[String]) -> Json {
    match row {
        Json::Object(members) => Json::Object(
            members.iter().filter(|(name, _)| hidden.iter().all(|hidden| name != hidden.as_str())).cloned().collect(),
        ),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => row.clone(),
    }
}

/// A value as a query parameter would spell it.
fn loose(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn path<'a>(scope: &'a str, collection: &'a str, pairs: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut texts = vec![scope, collection];
    for (member, value) in pairs {
        texts.extend([member, value]);
    }
    crate::reference::store::digest(&texts)
}
