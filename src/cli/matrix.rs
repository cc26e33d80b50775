//! The kill matrix as text: one block for each contract, headed by its score. What this version scored is in the binary.

use std::collections::BTreeSet;

use crate::judge::{CaseReport, Verdict};
use crate::reference::saboteurs;

/// The matrix as this version scored it; a test holds it against a fresh one.
static RECORDED: &str = include_str!("../../reports/kill-matrix.txt");

/// The blocks of a matrix, each with the contract that it is of: a block begins with its score.
fn blocks(text: &str) -> Vec<(&str, String)> {
    let mut blocks: Vec<(&str, String)> = Vec::new();
    for line in text.lines() {
        if let Some((contract, _)) = line.split_once(": ").filter(|(_, rest)| score(rest).is_some()) {
            blocks.push((contract, String::new()));
        }
        if let Some((_, block)) = blocks.last_mut() {
            block.push_str(line);
            block.push('\n');
        }
    }
    for (_, block) in &mut blocks {
        block.truncate(block.trim_end().len());
        block.push('\n');
    }
    blocks
}

/// Saboteurs caught and saboteurs in all, of the line that heads a block.
fn score(rest: &str) -> Option<(usize, usize)> {
    let (caught, rest) = rest.split_once(" of ")?;
    let (all, _) = rest.split_once(" saboteurs caught, ")?;
    Some((caught.parse().ok()?, all.parse().ok()?))
}

/// A matrix with some of its blocks made anew, and with those that it did not have.
pub fn with_blocks(known: &str, fresh: &str) -> String {
    let mut all = blocks(known);
    for (contract, block) in blocks(fresh) {
        match all.iter_mut().find(|(name, _)| *name == contract) {
            Some((_, old)) => *old = block,
            None => all.push((contract, block)),
        }
    }
    all.into_iter().map(|(_, block)| block).collect::<Vec<_>>().join("\n")
}

/// What a fresh matrix says that the recorded one does not: another score, another row, or a row that is caught by more
/// than was recorded. A race may show less of a lie than it did, so less is no change as long as the row is caught.
pub fn changes(fresh: &str) -> Vec<String> {
    changes_since(RECORDED, fresh)
}

fn changes_since(recorded: &str, fresh: &str) -> Vec<String> {
    let rows = |text: &str| -> Vec<(String, BTreeSet<String>)> {
        text.lines()
            .map(|line| match line.split_once(" caught by ") {
                Some((head, ids)) => (head.to_owned(), ids.split_whitespace().map(str::to_owned).collect()),
                None => (line.to_owned(), BTreeSet::new()),
            })
            .collect()
    };
    let recorded = blocks(recorded);
    let mut changes = Vec::new();
    for (contract, block) in blocks(fresh) {
        let known = recorded.iter().find(|(name, _)| *name == contract).map(|(_, block)| rows(block));
        let known = known.unwrap_or_default();
        let new = rows(&block)
            .into_iter()
            .filter(|(head, ids)| !known.iter().any(|(known, all)| known == head && ids.is_subset(all)));
        changes.extend(new.map(|(head, ids)| {
            let ids: Vec<String> = ids.into_iter().collect();
            format!("{contract}: {head} {}", ids.join(" "))
        }));
    }
    changes
}

/// The score of this version over all contracts: saboteurs caught, saboteurs in all.
pub fn recorded_score() -> Option<(usize, usize)> {
    score_of(RECORDED)
}

fn score_of(text: &str) -> Option<(usize, usize)> {
    let heads = blocks(text);
    let scores = heads.iter().filter_map(|(_, block)| score(block.lines().next()?.split_once(": ")?.1));
    scores.reduce(|(caught, all), (more, of)| (caught + more, all + of))
}

/// How the saboteur lies that breaks what this case shows to be broken, and the least besides.
pub fn likely_cause(report: &CaseReport) -> Option<String> {
    let broken: BTreeSet<&str> = report
        .verdicts
        .iter()
        .filter(|verdict| matches!(verdict.verdict, Verdict::Violated(_)))
        .flat_map(|verdict| verdict.requirements.iter().map(|id| id.as_str()))
        .collect();
    if broken.is_empty() {
        return None;
    }
    let rows = RECORDED.lines().filter_map(|line| line.split_once(" caught by "));
    let fitting = rows.filter_map(|(head, ids)| {
        let ids: BTreeSet<&str> = ids.split_whitespace().map(|id| id.trim_matches(['(', ')'])).collect();
        // What a client breaks is shown by its requests themselves; which habit is behind it, one case does not tell.
        let name = head.split_whitespace().nth(1).filter(|name| saboteurs().iter().any(|row| row.name == *name))?;
        broken.is_subset(&ids).then_some((ids.len(), name))
    });
    let (_, name) = fitting.min()?;
    saboteurs().iter().find(|row| row.name == name).map(|row| row.lies.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: &str = "one: 2 of 2 saboteurs caught, 1 of 1 honest variants pass\n\nS01  racer  caught by ONE-1 ONE-2\nH00  honest  passes\n\nevery requirement that is judged caught someone\n";
    const OTHER: &str = "two: 3 of 4 saboteurs caught, 1 of 1 honest variants pass\n\nS01  racer  caught by TWO-1\n";

    #[test]
    fn the_score_is_the_sum_over_all_contracts() {
        assert_eq!(score_of(&format!("{FIRST}\n{OTHER}")), Some((5, 6)));
        assert_eq!(score_of(""), None);
        assert!(recorded_score().is_some_and(|(caught, all)| caught == all && all > 0));
    }

    #[test]
    fn a_block_is_replaced_or_added_and_the_others_stay() {
        let both = with_blocks(FIRST, OTHER);
        assert_eq!(both, format!("{FIRST}\n{OTHER}"));
        let better = OTHER.replace("3 of 4", "4 of 4");
        assert_eq!(with_blocks(&both, &better), format!("{FIRST}\n{better}"));
        assert_eq!(with_blocks(&both, FIRST), both);
    }

    #[test]
    fn a_row_is_held_against_its_own_contract() {
        let both = format!("{FIRST}\n{OTHER}");
        assert!(changes_since(&both, &both).is_empty());
        assert!(changes_since(&both, &FIRST.replace(" ONE-2", "")).is_empty());
        let more = OTHER.replace("TWO-1", "TWO-1 ONE-1");
        assert_eq!(changes_since(&both, &more), ["two: S01  racer  ONE-1 TWO-1"]);
        // A line that only the other block has is new here.
        assert_eq!(changes_since(&both, &format!("{OTHER}H00  honest  passes\n")).len(), 1);
        assert_eq!(changes_since(FIRST, OTHER).len(), 3);
    }
}
