//! `leave-first-unmarked`: the answer that did it carries no marker. Absent and false are both allowed.

use crate::json::Json;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let Some((place, value)) = &view.operation(intent).marker else { continue };
        let marked = |op: &Op<'_>| {
            let found = op.answer().and_then(|answer| answer.body.as_ref()?.at(place));
            found.is_some_and(|found| found == value || !matches!(found, Json::Bool(false) | Json::Null))
        };
        let all = rivals(view, intent);
        let successes: Vec<&Op<'_>> = all.iter().map(|(op, _)| *op).filter(|op| op.succeeded()).collect();
        let others_possible = all.iter().any(|(op, _)| op.is_open());
        match successes.iter().find(|op| !marked(op)) {
            Some(first) => witnesses.push(first.entry),
            // With an attempt that nobody heard of, that one may have been the first.
            None if successes.is_empty() || others_possible => {}
            None => findings.push(Evidence::new(
                Anomaly::WrongMarker,
                format!("a first answer without {place}"),
                successes.iter().take(2).map(|op| op.words()).collect::<Vec<_>>().join("; "),
                successes.iter().map(|op| op.entry),
            )),
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no first answer was seen"))
}
