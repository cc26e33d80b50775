//! `leave-first-unmarked`: the answer that did it carries no marker. Absent and false are both allowed.

use crate::contract::Outcome;
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
        let marker = view.operation(intent).marker.as_ref();
        let place = marker.map_or_else(|| "the answer of a repeat".to_owned(), |(place, _)| place.to_string());
        let marked = |op: &Op<'_>| {
            // Where no member marks a replay, it is another answer than the first.
            let Some((place, value)) = marker else { return op.outcome() == Some(Outcome::Replayed) };
            let found = op.answer().and_then(|answer| answer.body.as_ref()?.at(place));
            found.is_some_and(|found| found == value || !matches!(found, Json::Bool(false) | Json::Null))
        };
        let all = rivals(view, intent);
        // A marked answer with nothing before it that could have done it is a first one.
        let groundless = all.iter().find(|(op, standing)| op.succeeded() && marked(op) && !standing.maybe);
        if let Some((op, _)) = groundless {
            let expected = format!("a first answer without {place}");
            findings.push(Evidence::new(Anomaly::WrongMarker, expected, op.words(), [op.entry]));
            continue;
        }
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

#[cfg(test)]
mod tests {
    #[test]
    fn the_answer_of_a_repeat_is_no_first_answer() {
        let hailed = |status| {
            let story = crate::judge::testing::given(["hailed: { operation: hail }"]);
            story.attempt("hailed").origin(status, "{}").judged("leave-first-unmarked: hailed")
        };
        hailed(202).holds([0]);
        hailed(409).violated(["wrong marker [0]"]);
    }

    use crate::judge::testing::{ERROR, FRESH, REPLAY, Story, given};

    fn first(body: &str) -> Story {
        given(["wanted: { operation: make }"]).attempt("wanted").origin(200, body)
    }

    #[test]
    fn a_first_answer_without_the_marker_holds() {
        first(FRESH).judged("leave-first-unmarked: wanted").holds([0]);
    }

    #[test]
    fn a_first_answer_with_the_marker_is_wrong() {
        first(REPLAY).judged("leave-first-unmarked: wanted").violated(["wrong marker [0]"]);
        first(r#"{"thing_id":"t1","again":"yes"}"#)
            .judged("leave-first-unmarked: wanted")
            .violated(["wrong marker [0]"]);
    }

    #[test]
    fn an_unmarked_repeat_does_not_make_a_marked_first_answer_right() {
        first(REPLAY)
            .attempt("wanted")
            .origin(200, FRESH)
            .judged("leave-first-unmarked: wanted")
            .violated(["wrong marker [0]"]);
    }

    #[test]
    fn copies_that_are_all_marked_have_no_first() {
        first(REPLAY)
            .beside("wanted")
            .origin(200, REPLAY)
            .judged("leave-first-unmarked: wanted")
            .violated(["wrong marker [0, 1]"]);
    }

    #[test]
    fn without_a_success_nothing_is_known() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(503, ERROR)
            .judged("leave-first-unmarked: wanted")
            .unknown("never exercised: no first answer was seen");
    }

    #[test]
    fn false_and_null_are_no_marker() {
        first(r#"{"thing_id":"t1","again":false}"#).judged("leave-first-unmarked: wanted").holds([0]);
        first(r#"{"thing_id":"t1","again":null}"#).judged("leave-first-unmarked: wanted").holds([0]);
    }

    #[test]
    fn after_an_attempt_that_nobody_heard_of_a_marked_answer_may_be_right() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .silent()
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("leave-first-unmarked: wanted")
            .unknown("never exercised: no first answer was seen");
    }
}
