//! `replay-after-lock`: a copy that was told to come back is answered by the replay when it does.

use crate::contract::Outcome;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let all = rivals(view, intent);
        let Some((told, _)) = all.iter().find(|(op, _)| op.outcome() == Some(Outcome::InProgress)) else { continue };
        for (op, standing) in
            all.iter().filter(|(op, standing)| standing.committed && op.exchange.step > told.exchange.step)
        {
            match op.outcome() {
                _ if op.answer().is_none() => {}
                Some(Outcome::Replayed) => witnesses.extend([told.entry, op.entry]),
                Some(Outcome::InProgress) if standing.contended => {}
                Some(Outcome::Fresh) if view.operation(intent).marker.is_none() => {
                    witnesses.extend([told.entry, op.entry])
                }
                Some(_) | None => {
                    findings.push(Evidence::new(
                        Anomaly::WrongRefusal,
                        "the replay",
                        op.words(),
                        [told.entry, op.entry],
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no copy was told to come back"))
}
