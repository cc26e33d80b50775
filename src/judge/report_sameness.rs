//! `report-sameness`: whether it counts as the same request is reported. It is never a server error, and never a second
//! thing under the same key.

use crate::contract::Outcome;
use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::tally;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut observed: Vec<String> = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
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
        match tally.seen {
            Ok(seen) if seen.rows.len() > tally.most => {
                let times = u32::try_from(seen.rows.len()).unwrap_or(u32::MAX);
                findings.push(Evidence::new(
                    Anomaly::Duplicated { times },
                    bounds(tally.least, tally.most),
                    effects(seen.rows.len()),
                    witnesses.iter().copied().chain(seen.entries),
                ));
            }
            Ok(seen) => witnesses.extend(seen.entries),
            // What leaves nothing that can be read is told by its answers alone.
            Err(_) if view.reading(intent).is_none() => {}
            Err(blind) => doubt = Some(Doubt::Blind(blind)),
        }
    }
    observed.dedup();
    if observed.is_empty() {
        witnesses.clear();
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "it was not answered").observing(observed.join(", ")),
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, ERROR, FRESH, REPLAY, SECOND, Story, given};

    fn pair() -> Story {
        given(["wanted: { operation: make }", "other: { same as: wanted, open: size as text }"])
            .attempt("wanted")
            .origin(200, FRESH)
    }

    #[test]
    fn a_replay_and_a_conflict_are_both_reported() {
        let replayed =
            pair().attempt("other").origin(200, REPLAY).rows("wanted", [FRESH]).judged("report-sameness: other");
        replayed.holds([1, 2]);
        replayed.observed("replayed");
        let refused =
            pair().attempt("other").origin(409, CONFLICT).rows("wanted", [FRESH]).judged("report-sameness: other");
        refused.holds([1, 2]);
        refused.observed("conflict");
    }

    #[test]
    fn a_second_thing_under_the_key_is_a_duplicate() {
        pair()
            .attempt("other")
            .origin(200, SECOND)
            .rows("wanted", [FRESH, SECOND])
            .judged("report-sameness: other")
            .violated(["duplicated 2 [1, 2]"]);
    }

    #[test]
    fn a_server_error_is_no_report() {
        pair()
            .attempt("other")
            .origin(500, ERROR)
            .rows("wanted", [FRESH])
            .judged("report-sameness: other")
            .violated(["wrong answer [1]"]);
    }

    #[test]
    fn without_an_answer_or_a_reading_nothing_is_known() {
        pair()
            .attempt("other")
            .silent()
            .rows("wanted", [FRESH])
            .judged("report-sameness: other")
            .unknown("never exercised: it was not answered");
        pair()
            .attempt("other")
            .origin(200, REPLAY)
            .blind("wanted", "503")
            .judged("report-sameness: other")
            .unknown("the effect could not be read: 503");
    }

    #[test]
    fn a_plain_refusal_is_a_report_too() {
        let refused =
            pair().attempt("other").origin(400, ERROR).rows("wanted", [FRESH]).judged("report-sameness: other");
        refused.holds([1, 2]);
        refused.observed("refused");
    }
}
