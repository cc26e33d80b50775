//! `leave-key-free`: after tries that failed, the good request is done now: not refused, not taken for a repeat, not told
//! that the key is in use.

use crate::contract::Outcome;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let all = rivals(view, intent);
        let Some((good, standing)) = all.iter().find(|(op, _)| op.intent.name == intent.name && op.answer().is_some())
        else {
            continue;
        };
        // What was tried before: at the origin, or lost on the way to it.
        let earlier: Vec<&Op<'_>> = all.iter().map(|(op, _)| *op).take_while(|op| op.entry != good.entry).collect();
        let lost = view.history.exchanges().any(|(entry, _)| entry < good.entry);
        if earlier.is_empty() && !lost {
            continue;
        }
        if let Some(done) = earlier.iter().find(|op| op.succeeded()) {
            return Verdict::Unknown(Doubt::NeverExercised(format!(
                "the try before it did not fail: {}",
                done.words()
            )));
        }
        let shown = || earlier.iter().map(|op| op.entry).chain([good.entry]);
        let finding = |anomaly| Evidence::new(anomaly, "a fresh success", good.words(), shown());
        match good.outcome() {
            Some(Outcome::Fresh) => witnesses.extend(shown()),
            // A try that nobody can tell the end of may have been the one.
            Some(Outcome::Replayed) if standing.maybe => witnesses.extend(shown()),
            Some(Outcome::InProgress) if standing.contended => {}
            Some(Outcome::Replayed) => findings.push(finding(Anomaly::WrongMarker)),
            Some(Outcome::Unknown) | None => findings.push(finding(Anomaly::WrongAnswer)),
            Some(_) => findings.push(finding(Anomaly::WrongRefusal)),
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "the good request was not answered after a failed try"))
}
