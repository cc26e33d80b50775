//! `apply-never`: its effect is not there. What other intents leave at the same reading is not held against it.

use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::tally;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let never: Vec<_> = on.iter().map(|intent| intent.name.clone()).collect();
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    for intent in on {
        if view.exchanges(&intent.name).next().is_none() && view.of_intent(&intent.name).next().is_none() {
            continue;
        }
        let tally = tally(view, intent, &never);
        match tally.seen {
            Err(blind) => doubt = Some(Doubt::Blind(blind)),
            Ok(seen) if seen.rows.len() > tally.most => {
                let shown = view.of_intent(&intent.name).map(|op| op.entry).chain(seen.entries.iter().copied());
                findings.push(Evidence::new(
                    Anomaly::Unexpected,
                    bounds(tally.least, tally.most),
                    effects(seen.rows.len()),
                    shown,
                ));
            }
            Ok(seen) => witnesses.extend(seen.entries),
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "it was never sent"),
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, FRESH, Story, given};

    fn broken() -> Story {
        given(["wanted: { operation: make }", "broken: { operation: make, defect: 400 without a size }"])
    }

    #[test]
    fn what_was_refused_and_is_not_there_was_not_applied() {
        broken().attempt("broken").origin(400, ERROR).rows("broken", []).judged("apply-never: broken").holds([1]);
    }

    #[test]
    fn what_was_refused_and_is_there_was_applied() {
        broken()
            .attempt("broken")
            .origin(400, ERROR)
            .rows("broken", [FRESH])
            .judged("apply-never: broken")
            .violated(["unexpected [0, 1]"]);
    }

    #[test]
    fn a_success_does_not_excuse_it() {
        broken()
            .attempt("broken")
            .origin(200, FRESH)
            .rows("broken", [FRESH])
            .judged("apply-never: broken")
            .violated(["unexpected [0, 1]"]);
    }

    #[test]
    fn what_cannot_be_read_or_was_not_sent_is_unknown() {
        broken()
            .attempt("broken")
            .origin(400, ERROR)
            .blind("broken", "503")
            .judged("apply-never: broken")
            .unknown("the effect could not be read: 503");
        given(["broken: { operation: make, defect: 400 without a size }", "all: { operation: make, items: [broken] }"])
            .attempt("all")
            .untouched()
            .rows("broken", [])
            .judged("apply-never: broken")
            .unknown("never exercised: it was never sent");
    }

    #[test]
    fn what_another_intent_left_at_the_same_reading_is_allowed() {
        given(["wanted: { operation: make }", "broken: { same as: wanted, key: fresh, defect: 400 without a size }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("broken")
            .origin(400, ERROR)
            .rows("broken", [FRESH])
            .judged("apply-never: broken")
            .holds([2]);
    }

    #[test]
    fn one_that_cannot_be_read_hides_no_other() {
        given([
            "one: { operation: make, defect: 400 without a size }",
            "two: { operation: make, defect: 400 without a size }",
        ])
        .attempt("one")
        .origin(400, ERROR)
        .attempt("two")
        .origin(400, ERROR)
        .rows("one", [FRESH])
        .blind("two", "503")
        .judged("apply-never: [one, two]")
        .violated(["unexpected [0, 2]"]);
    }
}
