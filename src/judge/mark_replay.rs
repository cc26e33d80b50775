//! `mark-replay`: every success after the commit carries the marker, with the very value that the contract words.

use crate::contract::Outcome;
use crate::history::EntryNo;
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
        let Some((place, value)) = &view.operation(intent).marker else {
            by_outcome(view, intent, &mut findings, &mut witnesses);
            continue;
        };
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

/// Where no member marks a replay, it is another answer than the first: by its status, or by a header.
fn by_outcome(view: &View<'_>, intent: &PlannedIntent, findings: &mut Vec<Evidence>, witnesses: &mut Vec<EntryNo>) {
    for (op, _) in repeats(view, intent) {
        match op.outcome() {
            Some(Outcome::Replayed) => witnesses.push(op.entry),
            Some(Outcome::Fresh) => {
                let expected = "the answer of a repeat, as the contract words it";
                findings.push(Evidence::new(Anomaly::WrongMarker, expected, op.words(), [op.entry]));
            }
            // A repeat that is refused is another claim's business.
            Some(_) | None => {}
        }
    }
}

/// How often the member at a place is named.
fn times(body: &Json, place: &Pointer) -> usize {
    let Some((last, above)) = place.tokens().split_last() else { return 1 };
    let holder = above.iter().fold(Pointer::root(), |holder, token| holder.push(token.clone()));
    let members = body.at(&holder).and_then(Json::as_object).unwrap_or_default();
    members.iter().filter(|(name, _)| name == last).count()
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, FRESH, ITEM_REFUSED, Judged, NOTED, REPLAY, batch, given};

    #[test]
    fn where_a_repeat_has_a_status_of_its_own_that_is_the_mark() {
        let hailed = |status| {
            let story = given(["hailed: { operation: hail }"]).attempt("hailed").origin(202, "{}");
            story.attempt("hailed").origin(status, "{}").judged("mark-replay: hailed")
        };
        hailed(409).holds([1]);
        hailed(202).violated(["wrong marker [1]"]);
        hailed(400).unknown("never exercised: no repeat was answered by a success");
    }

    fn wanted(second: &str) -> Judged {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, second)
            .judged("mark-replay: wanted")
    }

    #[test]
    fn a_marked_replay_holds() {
        wanted(REPLAY).holds([1]);
    }

    #[test]
    fn a_marker_that_is_missing_or_not_as_worded_is_wrong() {
        wanted(FRESH).violated(["wrong marker [1]"]);
        wanted(r#"{"thing_id":"t1","size":3,"again":"true"}"#).violated(["wrong marker [1]"]);
        wanted(r#"{"thing_id":"t1","size":3,"again":false}"#).violated(["wrong marker [1]"]);
    }

    #[test]
    fn without_a_repeat_nothing_is_known() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(409, CONFLICT)
            .judged("mark-replay: wanted")
            .unknown("never exercised: no repeat was answered by a success");
    }

    #[test]
    fn an_unmarked_answer_that_overlaps_the_first_may_be_the_first() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .at(0..10)
            .origin(200, FRESH)
            .beside("wanted")
            .at(5..15)
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("mark-replay: wanted")
            .holds([2]);
    }

    #[test]
    fn further_members_beside_the_marker_are_allowed() {
        given(["noted: { operation: note }"])
            .attempt("noted")
            .origin(200, NOTED)
            .attempt("noted")
            .origin(202, r#"{"seen":true,"at":7}"#)
            .judged("mark-replay: noted")
            .holds([1]);
    }

    #[test]
    fn an_item_that_was_refused_needs_no_marker() {
        given(["wanted: { operation: make }", "all: { operation: make, items: [wanted] }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("all")
            .origin(200, &batch([ITEM_REFUSED], ""))
            .judged("mark-replay: wanted")
            .unknown("never exercised: no repeat was answered by a success");
    }
}
