//! Reads how answers are named. The order of the file is the order of the rules, so a rule behind one that takes all of
//! its answers is a mistake, and is said to be one.

use crate::contract::load::notation;
use crate::contract::load::values::{headers, named, outcome_key, pointers, statuses, texts};
use crate::contract::{AnswerRule, BodyTest, HeaderTest, StatusSet};
use crate::file::{Node, Reading, json};

/// Whose answers they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// A request: told apart by status first.
    Request,
    /// An item of a batch: it has neither status nor headers.
    Item,
}

/// The rules, in order.
pub fn answers(node: Option<&Node>, of: Of, reading: &mut Reading<'_>) -> Vec<AnswerRule> {
    let mut rules: Vec<AnswerRule> = Vec::new();
    for (_, entry) in named(node) {
        let Some(outcome) = outcome_key(&entry.key, reading) else { continue };
        let node = &entry.value;
        match of {
            Of::Request if node.get("status").is_none() && reading.is_well(node) => {
                reading.wrong(
                    entry.key.span,
                    format!("`{outcome}` has no status"),
                    "an answer is told by its status first",
                );
            }
            Of::Item => {
                for field in node.entries().iter().filter(|entry| matches!(entry.key.text(), Some("status" | "header")))
                {
                    let message = format!("an item of a batch has no {}", field.key.text().unwrap_or_default());
                    reading.wrong(field.key.span, message, "leave it out, or put it under `body:`");
                }
            }
            Of::Request => {}
        }
        let rule = AnswerRule {
            outcome,
            status: node.get("status").map(statuses),
            headers: header_tests(node.get("header"), reading),
            body: BodyTest {
                holds: node.get("body").map(json),
                has: pointers(node.get("has")),
                lacks: pointers(node.get("lacks")),
                says: texts(node.get("says")),
            },
        };
        if let Some(earlier) =
            rules.iter().find(|earlier| takes_all_of(earlier, &rule)).filter(|_| reading.is_well(node))
        {
            let message = format!("no answer is ever `{outcome}`");
            reading.wrong(entry.key.span, message, format!("`{}` above takes them all: put it below", earlier.outcome));
        }
        rules.push(rule);
    }
    rules
}

fn takes_all_of(earlier: &AnswerRule, later: &AnswerRule) -> bool {
    let tests_only_status = earlier.headers.is_empty() && earlier.body == BodyTest::default();
    let holds = |wide: &StatusSet, narrow: &StatusSet| {
        narrow.ranges.iter().all(|(low, high)| (*low..=*high).all(|status| wide.contains(status)))
    };
    tests_only_status
        && match (&earlier.status, &later.status) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(wide), Some(narrow)) => !narrow.ranges.is_empty() && holds(wide, narrow),
        }
}

fn header_tests(node: Option<&Node>, reading: &mut Reading<'_>) -> Vec<HeaderTest> {
    let Some(node) = node else { return Vec::new() };
    let Some(name) = node.text() else {
        let pairs = headers(Some(node), reading);
        return pairs.into_iter().map(|(name, value)| HeaderTest { name, value: Some(value) }).collect();
    };
    if let Err(why) = notation::header_name(name) {
        reading.wrong(node.span, why, "letters, digits and `-`");
    }
    vec![HeaderTest { name: name.to_owned(), value: None }]
}
