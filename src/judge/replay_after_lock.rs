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

#[cfg(test)]
mod tests {
    use crate::judge::testing::{BUSY, FRESH, REPLAY, SECOND, Story, given};

    fn race() -> Story {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .at(0..10)
            .origin(200, FRESH)
            .beside("wanted")
            .at(0..5)
            .origin(409, BUSY)
    }

    #[test]
    fn who_was_told_to_come_back_gets_the_replay() {
        race().attempt("wanted").origin(200, REPLAY).judged("replay-after-lock: wanted").holds([1, 2]);
    }

    #[test]
    fn who_is_done_again_or_refused_did_not() {
        race()
            .attempt("wanted")
            .origin(200, SECOND)
            .judged("replay-after-lock: wanted")
            .violated(["wrong refusal [1, 2]"]);
        race()
            .attempt("wanted")
            .origin(409, BUSY)
            .judged("replay-after-lock: wanted")
            .violated(["wrong refusal [1, 2]"]);
    }

    #[test]
    fn when_no_copy_was_told_to_come_back_nothing_is_known() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .beside("wanted")
            .origin(200, REPLAY)
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("replay-after-lock: wanted")
            .unknown("never exercised: no copy was told to come back");
    }

    #[test]
    fn who_comes_back_beside_another_may_be_told_so_again() {
        race()
            .attempt("wanted")
            .origin(409, BUSY)
            .beside("wanted")
            .origin(200, REPLAY)
            .judged("replay-after-lock: wanted")
            .holds([1, 3]);
    }

    #[test]
    fn where_nothing_marks_a_repeat_a_success_will_do() {
        given(["stored: { operation: store }"])
            .attempt("stored")
            .origin(201, "{}")
            .beside("stored")
            .origin(409, BUSY)
            .attempt("stored")
            .origin(201, "{}")
            .judged("replay-after-lock: stored")
            .holds([1, 2]);
    }
}
