//! `repeat-safely`: asking again is a success and leaves one effect.

use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::tally;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let attempts = view.exchanges(&intent.name).count();
        for op in view.of_intent(&intent.name).filter(|op| op.answer().is_some()) {
            if op.succeeded() {
                witnesses.push(op.entry);
            } else {
                let server = op.answer().is_some_and(|answer| answer.status >= 500);
                let anomaly = if server { Anomaly::WrongAnswer } else { Anomaly::WrongRefusal };
                findings.push(Evidence::new(anomaly, "a success, as the first time", op.words(), [op.entry]));
            }
        }
        let tally = tally(view, intent, &[]);
        match tally.seen {
            Err(blind) if findings.is_empty() => return Verdict::Unknown(Doubt::Blind(blind)),
            Err(_) => {}
            Ok(seen) if seen.rows.len() > tally.most || seen.rows.len() < tally.least => {
                let anomaly = if seen.rows.len() < tally.least {
                    Anomaly::Lost
                } else {
                    Anomaly::Duplicated { times: u32::try_from(seen.rows.len()).unwrap_or(u32::MAX) }
                };
                findings.push(Evidence::new(
                    anomaly,
                    bounds(tally.least, tally.most),
                    effects(seen.rows.len()),
                    seen.entries,
                ));
            }
            Ok(seen) if attempts > 1 => witnesses.extend(seen.entries),
            Ok(_) => witnesses.clear(),
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "it was not asked for twice"))
}
