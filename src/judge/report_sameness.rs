//! `report-sameness`: whether it counts as the same request is reported. It is never a server error, and never a second
//! thing under the same key.

use crate::contract::Outcome;
use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::tally;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut observed: Vec<String> = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        for (op, _) in rivals(view, intent).into_iter().filter(|(op, _)| op.intent.name == intent.name) {
            let Some(answer) = op.answer() else { continue };
            match answer.outcome {
                Some(Outcome::Unknown) | None => {
                    findings.push(Evidence::new(
                        Anomaly::WrongAnswer,
                        "a replay or a conflict",
                        op.words(),
                        [op.entry],
                    ));
                }
                Some(outcome) => {
                    observed.push(outcome.to_string());
                    witnesses.push(op.entry);
                }
            }
        }
        let tally = tally(view, intent, &[]);
        if let Ok(seen) = tally.seen
            && seen.rows.len() > tally.most
        {
            let times = u32::try_from(seen.rows.len()).unwrap_or(u32::MAX);
            findings.push(Evidence::new(
                Anomaly::Duplicated { times },
                bounds(tally.least, tally.most),
                effects(seen.rows.len()),
                witnesses.iter().copied().chain(seen.entries),
            ));
        }
    }
    observed.dedup();
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "it was not answered").observing(observed.join(", ")))
}
