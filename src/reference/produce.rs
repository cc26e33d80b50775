//! The work itself: look up, refuse or write, answer, all inside the caller's transaction. It knows nothing of keys but
//! their text, and commits nothing.

use std::collections::BTreeMap;

use std::time::Duration;

use jiff::Timestamp;

use crate::contract::{CannedAnswer, Outcome, ReferenceOperation, Write};
use crate::json::{Json, Pointer};
use crate::reference::attempt::Attempt;
use crate::reference::call::Answer;
use crate::reference::hook::Hook;
use crate::reference::policy::{Constraints, Extras, NaturalUse, Repeats};
use crate::reference::setup::{CommonError, Setup};
use crate::reference::store::{StoreError, Tables};
use crate::reference::template::Names;

/// Does what is asked for and answers. Whatever is written is the caller's to commit; a refusal has written nothing.
pub fn produce(setup: &Setup, attempt: &Attempt, tables: &mut Tables) -> Result<Answer, StoreError> {
    let Some(reference) = &attempt.kept.reference else {
        return Ok(setup.error(CommonError::Failed("nothing says how to do this")));
    };
    let scope = attempt.caller.scope();
    for collection in &attempt.kept.touches {
        tables.lock(&scope, collection)?;
    }
    let mut names = names(attempt);
    look_up(setup, reference, &scope, &mut names, tables)?;
    let heeded = match setup.policy.constraints {
        Constraints::Heeded | Constraints::HeededByAFastClock => reference.refuse.as_slice(),
        Constraints::Unguarded => reference.refuse.last().map(std::slice::from_ref).unwrap_or_default(),
        Constraints::Ignored => &[],
    };
    // What constraints know of the time, apart from what is written down.
    names.set("clock", clock(setup.policy.constraints));
    for constraint in heeded {
        if names.truth(&constraint.when)? {
            return filled(&names, &constraint.answer, constraint.outcome);
        }
    }
    if attempt.hook == Hook::FailBefore {
        return Ok(setup.error(CommonError::Failed("a test hook broke the handler before the commit")));
    }
    write(setup, &reference.writes, &scope, &mut names, tables)?;
    let mut answer = filled(&names, &reference.answer, Outcome::Fresh)?;
    if setup.policy.extras == Extras::Some {
        add_members(&mut answer.body);
    }
    Ok(answer)
}

/// How far a liar's clock is ahead: far enough for what is nearly too old, and for nothing younger.
const AHEAD: Duration = Duration::from_secs(60);

/// Writes what a duplicate leaves, in the caller's transaction; whether it left anything that has to be committed.
pub fn note_repeat(setup: &Setup, attempt: &Attempt, tables: &mut Tables) -> Result<bool, StoreError> {
    let Some(reference) = attempt.kept.reference.as_ref().filter(|own| !own.repeat_writes.is_empty()) else {
        return Ok(false);
    };
    if setup.policy.repeats == Repeats::Unnoted {
        return Ok(false);
    }
    let scope = attempt.caller.scope();
    for collection in &attempt.kept.touches {
        tables.lock(&scope, collection)?;
    }
    let mut names = names(attempt);
    look_up(setup, reference, &scope, &mut names, tables)?;
    write(setup, &reference.repeat_writes, &scope, &mut names, tables)?;
    Ok(true)
}

/// Names the rows that an operation looks up, as they are now; a row that is not there is null.
pub fn look_up(
    setup: &Setup,
    reference: &ReferenceOperation,
    scope: &str,
    names: &mut Names<'_>,
    tables: &mut Tables,
) -> Result<(), StoreError> {
    for (name, lookup) in &reference.find {
        let found = match evaluated(names, &lookup.matching)? {
            Some(matching) => setup.paths.find(tables, scope, &lookup.collection, &matching)?.into_iter().next(),
            None => None,
        };
        names.set(name, found.map_or(Json::Null, |row| row.content));
    }
    Ok(())
}

/// An answer of the contract with its templates filled.
pub fn filled(names: &Names<'_>, canned: &CannedAnswer, outcome: Outcome) -> Result<Answer, StoreError> {
    Ok(Answer::new(canned.status, canned.headers.clone(), names.fill(&canned.body)?, outcome))
}

/// The names that every expression of an attempt may use.
pub fn names(attempt: &Attempt) -> Names<'_> {
    let mut names = Names::default().with("body", &attempt.body).with("path", &attempt.bound);
    names.set("query", attempt.call.query_object());
    names.set(
        "headers",
        Json::object(attempt.call.headers.iter().map(|(name, value)| (name.as_str(), value.as_str().into()))),
    );
    names.set("key", attempt.key.as_deref().map_or(Json::Null, Json::from));
    names.set(
        "scope",
        Json::object(attempt.caller.scopes.iter().map(|(name, value)| (name.as_str(), value.as_str().into()))),
    );
    names.set("now", now());
    names
}

/// The time that constraints go by.
fn clock(constraints: Constraints) -> Json {
    let ahead = match constraints {
        Constraints::Heeded | Constraints::Ignored | Constraints::Unguarded => Duration::ZERO,
        Constraints::HeededByAFastClock => AHEAD,
    };
    Json::text(format!("{:.3}", Timestamp::now() + ahead))
}

/// Now, to the millisecond.
pub fn now() -> Json {
    Json::text(format!("{:.3}", Timestamp::now()))
}

fn write(
    setup: &Setup,
    writes: &[Write],
    scope: &str,
    names: &mut Names<'_>,
    tables: &mut Tables,
) -> Result<(), StoreError> {
    for write in writes {
        match write {
            Write::Put { collection, row, unless } => {
                let row = names.fill(row)?;
                if !unless.as_deref().map_or(Ok(false), |unless| names.truth(unless))? {
                    let unique = match setup.policy.natural {
                        NaturalUse::RowAgain => &[],
                        NaturalUse::Repeatable | NaturalUse::RefusesRepeat => setup.unique(collection),
                    };
                    setup.paths.put(tables, scope, collection, unique, &row)?;
                }
                names.set("put", row);
            }
            Write::Change { collection, matching, set } => {
                let Some(matching) = evaluated(names, matching)? else { continue };
                let set = names.fill(set)?;
                for mut row in setup.paths.find(tables, scope, collection, &matching)? {
                    for (member, value) in set.as_object().unwrap_or_default() {
                        row.content.set(&Pointer::root().push(member.clone()), value.clone());
                    }
                    setup.paths.change(tables, scope, collection, &row)?;
                }
            }
        }
    }
    Ok(())
}

/// The values of expressions; none where one is undefined, for nothing equals that.
fn evaluated(
    names: &Names<'_>,
    expressions: &BTreeMap<String, String>,
) -> Result<Option<BTreeMap<String, Json>>, StoreError> {
    expressions
        .iter()
        .map(|(member, expression)| Ok(names.value(expression)?.map(|value| (member.clone(), value))))
        .collect()
}

/// Members that no contract asked for, of every kind, so that replays have something to lose.
fn add_members(body: &mut Json) {
    let more = Json::object([
        ("x_list", Json::from(vec![Json::from("b"), Json::from("a"), Json::Null])),
        ("x_nested", Json::object([("x_text", Json::from("\u{e9}\u{1f600}")), ("x_flag", Json::from(true))])),
    ]);
    body.set(&Pointer::root().push("x_more"), more);
    if let Ok(number) = "1.50e2".parse() {
        body.set(&Pointer::root().push("x_number"), Json::Number(number));
    }
}
