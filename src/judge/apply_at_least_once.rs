//! `apply-at-least-once`: nothing that was acknowledged is missing. More than asked for is allowed.

use std::collections::BTreeSet;

use crate::judge::apply_exactly_once::effects;
use crate::judge::effects::{same_thing, tally};
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    let mut counted = BTreeSet::new();
    for intent in on {
        if counted.contains(&intent.name) {
            continue;
        }
        let tally = tally(view, intent, &[]);
        // Retries of one thing may have been folded, two things may not.
        let mut things: Vec<&PlannedIntent> = Vec::new();
        for name in tally.intents.iter().filter(|name| view.of_intent(name).any(Op::succeeded)) {
            let member = &view.case.intents[name];
            if !things.iter().any(|known| same_thing(view, known, member)) {
                things.push(member);
            }
        }
        let done = things.len();
        counted.extend(tally.intents.iter().cloned());
        match tally.seen {
            Err(blind) => doubt = Some(Doubt::Blind(blind)),
            Ok(seen) => {
                let attempts = tally.intents.iter().flat_map(|name| view.of_intent(name)).map(|op| op.entry);
                let shown: Vec<_> = attempts.chain(seen.entries.iter().copied()).collect();
                if seen.rows.len() < done {
                    let expected = format!("at least {}", effects(done));
                    findings.push(Evidence::new(Anomaly::Lost, expected, effects(seen.rows.len()), shown));
                } else if done > 0 {
                    witnesses.extend(shown);
                }
            }
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "nothing was acknowledged"),
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{NOTED, SEEN, Story, given};

    fn twins() -> Story {
        given(["wanted: { operation: note, key: none }", "alike: { same as: wanted }"])
    }

    #[test]
    fn two_things_that_were_acknowledged_are_both_there() {
        twins()
            .attempt("wanted")
            .origin(200, NOTED)
            .attempt("alike")
            .origin(200, NOTED)
            .rows("wanted", [NOTED, NOTED])
            .judged("apply-at-least-once: [wanted, alike]")
            .holds([0, 1, 2]);
    }

    #[test]
    fn twins_that_became_one_lost_one() {
        twins()
            .attempt("wanted")
            .origin(200, NOTED)
            .attempt("alike")
            .origin(200, NOTED)
            .rows("wanted", [NOTED])
            .judged("apply-at-least-once: [wanted, alike]")
            .violated(["lost [0, 1, 2]"]);
    }

    #[test]
    fn nothing_acknowledged_and_nothing_read_are_unknown() {
        twins()
            .attempt("wanted")
            .silent()
            .rows("wanted", [])
            .judged("apply-at-least-once: wanted")
            .unknown("never exercised: nothing was acknowledged");
        twins()
            .attempt("wanted")
            .origin(200, NOTED)
            .blind("wanted", "503")
            .judged("apply-at-least-once: wanted")
            .unknown("the effect could not be read: 503");
    }

    #[test]
    fn more_than_was_asked_for_and_folded_retries_are_allowed() {
        let thrice = twins()
            .attempt("wanted")
            .origin(200, NOTED)
            .attempt("wanted")
            .origin(200, NOTED)
            .attempt("wanted")
            .origin(200, NOTED);
        thrice.clone().rows("wanted", [NOTED]).judged("apply-at-least-once: wanted").holds([0, 1, 2, 3]);
        thrice.rows("wanted", [NOTED, NOTED, NOTED, NOTED]).judged("apply-at-least-once: wanted").holds([0, 1, 2, 3]);
    }

    #[test]
    fn two_intents_with_one_key_are_one_thing() {
        given(["wanted: { operation: note }", "again: { same as: wanted }"])
            .attempt("wanted")
            .origin(200, NOTED)
            .attempt("again")
            .origin(200, SEEN)
            .rows("wanted", [NOTED])
            .judged("apply-at-least-once: [wanted, again]")
            .holds([0, 1, 2]);
    }

    #[test]
    fn one_that_cannot_be_read_hides_no_loss() {
        given(["one: { operation: note, key: none }", "two: { operation: note, key: none }"])
            .attempt("one")
            .origin(200, NOTED)
            .attempt("two")
            .origin(200, NOTED)
            .rows("one", [])
            .blind("two", "503")
            .judged("apply-at-least-once: [one, two]")
            .violated(["lost [0, 2]"]);
    }
}
