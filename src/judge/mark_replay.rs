//! `mark-replay`: every success after the commit carries the marker, with the very value that the contract words.

use crate::json::{Json, Pointer};
use crate::judge::rivals::repeats;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let Some((place, value)) = &view.operation(intent).marker else { continue };
        for (op, _) in repeats(view, intent) {
            let Some(answer) = op.answer().filter(|answer| (200..300).contains(&answer.status)) else { continue };
            // An item that was refused is another claim's business.
            if op.place.is_some() && !op.succeeded() {
                continue;
            }
            // Named twice, a member is one to most readers, and a replay of a replay to whoever wrote it.
            if answer.body.as_ref().is_some_and(|body| times(body, place) > 1) {
                findings.push(Evidence::new(Anomaly::WrongMarker, format!("{place} once"), op.words(), [op.entry]));
                continue;
            }
            match answer.body.as_ref().and_then(|body| body.at(place)) {
                Some(found) if found == value => witnesses.push(op.entry),
                found => {
                    let observed = found.map_or_else(|| "no marker".to_owned(), |found| format!("{place}: {found}"));
                    findings.push(Evidence::new(
                        Anomaly::WrongMarker,
                        format!("{place}: {value}"),
                        observed,
                        [op.entry],
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no repeat was answered by a success"))
}

/// How often the member at a place is named.
fn times(body: &Json, place: &Pointer) -> usize {
    let Some((last, above)) = place.tokens().split_last() else { return 1 };
    let holder = above.iter().fold(Pointer::root(), |holder, token| holder.push(token.clone()));
    let members = body.at(&holder).and_then(Json::as_object).unwrap_or_default();
    members.iter().filter(|(name, _)| name == last).count()
}
