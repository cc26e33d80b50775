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
    for intent in on {
        if view.exchanges(&intent.name).next().is_none() && view.of_intent(&intent.name).next().is_none() {
            continue;
        }
        let tally = tally(view, intent, &never);
        match tally.seen {
            Err(blind) => return Verdict::Unknown(Doubt::Blind(blind)),
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
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "it was never sent"))
}
