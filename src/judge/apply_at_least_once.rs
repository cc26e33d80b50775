//! `apply-at-least-once`: nothing that was acknowledged is missing. More than asked for is allowed.

use std::collections::BTreeSet;

use crate::judge::apply_exactly_once::effects;
use crate::judge::effects::tally;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut counted = BTreeSet::new();
    for intent in on {
        if counted.contains(&intent.name) {
            continue;
        }
        let tally = tally(view, intent, &[]);
        // An intent is one logical thing: its own retries may have been folded, two intents may not.
        let done = tally.intents.iter().filter(|name| view.of_intent(name).any(Op::succeeded)).count();
        counted.extend(tally.intents.iter().cloned());
        match tally.seen {
            Err(blind) => return Verdict::Unknown(Doubt::Blind(blind)),
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
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "nothing was acknowledged"))
}
