//! `leave-key-free`: after tries that failed, the good request is done now: not refused, not taken for a repeat, not told
//! that the key is in use.

use crate::contract::Outcome;
use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::tally;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::name::IntentName;
use crate::plan::{PlannedIntent, Wanted};

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    for intent in on {
        let all = rivals(view, intent);
        let Some((good, standing)) = all.iter().find(|(op, _)| op.intent.name == intent.name && op.answer().is_some())
        else {
            continue;
        };
        // What was tried before: at the origin, or lost on the way to it.
        let earlier: Vec<&Op<'_>> = all.iter().map(|(op, _)| *op).take_while(|op| op.entry != good.entry).collect();
        let begun = good.exchange.at_caller.from;
        let lost =
            view.history.exchanges().any(|(_, one)| one.at_caller.from < begun && tries(view, &one.intent, intent));
        if earlier.is_empty() && !lost {
            continue;
        }
        if let Some(done) = earlier.iter().find(|op| op.succeeded()) {
            doubt = Some(Doubt::NeverExercised(format!("the try before it did not fail: {}", done.words())));
            continue;
        }
        let shown = || earlier.iter().map(|op| op.entry).chain([good.entry]);
        let finding = |anomaly| Evidence::new(anomaly, "a fresh success", good.words(), shown());
        match good.outcome() {
            // Where a repeat is answered like the first, only the effect shows that it was done, and not taken for one.
            Some(Outcome::Fresh) if !view.operation(intent).tells_repeats() => {
                let tally = tally(view, intent, &[]);
                match tally.seen {
                    Err(blind) => doubt = Some(Doubt::Blind(blind)),
                    Ok(seen) if seen.rows.len() < tally.least => {
                        let (expected, observed) = (bounds(tally.least, tally.most), effects(seen.rows.len()));
                        let shown = shown().chain(seen.entries);
                        findings.push(Evidence::new(Anomaly::Lost, expected, observed, shown));
                    }
                    Ok(seen) => witnesses.extend(shown().chain(seen.entries)),
                }
            }
            Some(Outcome::Fresh) => witnesses.extend(shown()),
            // A try that nobody can tell the end of may have been the one.
            Some(Outcome::Replayed) if standing.maybe => witnesses.extend(shown()),
            Some(Outcome::InProgress) if standing.contended => {}
            Some(Outcome::Replayed) => findings.push(finding(Anomaly::WrongMarker)),
            Some(Outcome::Unknown) | None => findings.push(finding(Anomaly::WrongAnswer)),
            Some(_) => findings.push(finding(Anomaly::WrongRefusal)),
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "the good request was not answered after a failed try"),
    })
}

/// Whether what was sent is a try at this intent's key, by whomever, alone or in a batch.
fn tries(view: &View<'_>, sent: &IntentName, intent: &PlannedIntent) -> bool {
    let key = |intent: &PlannedIntent| intent.cell().map(|cell| (cell.space.clone(), cell.key.clone()));
    let at_key =
        |other: &PlannedIntent| other.name == intent.name || (key(intent).is_some() && key(other) == key(intent));
    view.case.intents.get(sent).is_some_and(|sent| match &sent.wanted {
        Wanted::One { .. } => at_key(sent),
        Wanted::Batch(items) => items.iter().filter_map(|item| view.case.intents.get(item)).any(at_key),
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{BUSY, CONFLICT, ERROR, FRESH, ITEM, REPLAY, SECOND, Story, batch, given};
    use crate::judge::verdict::{Doubt, Verdict};

    fn pair() -> Story {
        given(["wanted: { operation: make }", "broken: { same as: wanted, defect: 400 without a size }"])
    }

    #[test]
    fn what_was_refused_and_repaired_is_done_now() {
        pair()
            .attempt("broken")
            .origin(400, ERROR)
            .attempt("wanted")
            .origin(200, FRESH)
            .judged("leave-key-free: wanted")
            .holds([0, 1]);
    }

    #[test]
    fn what_was_lost_on_the_way_leaves_the_key_free() {
        pair()
            .attempt("wanted")
            .untouched()
            .attempt("wanted")
            .origin(200, FRESH)
            .judged("leave-key-free: wanted")
            .holds([1]);
    }

    #[test]
    fn a_key_that_a_failure_keeps_is_not_free() {
        let told = |status, body| {
            pair()
                .attempt("broken")
                .origin(400, ERROR)
                .attempt("wanted")
                .origin(status, body)
                .judged("leave-key-free: wanted")
        };
        told(400, ERROR).violated(["wrong refusal [0, 1]"]);
        told(409, CONFLICT).violated(["wrong refusal [0, 1]"]);
        told(409, BUSY).violated(["wrong refusal [0, 1]"]);
        told(200, REPLAY).violated(["wrong marker [0, 1]"]);
        told(500, ERROR).violated(["wrong answer [0, 1]"]);
    }

    #[test]
    fn without_a_try_that_failed_nothing_is_known() {
        let never = "never exercised: the good request was not answered after a failed try";
        pair().attempt("wanted").origin(200, FRESH).judged("leave-key-free: wanted").unknown(never);
        pair()
            .attempt("broken")
            .origin(400, ERROR)
            .attempt("wanted")
            .silent()
            .judged("leave-key-free: wanted")
            .unknown(never);
    }

    #[test]
    fn a_try_at_another_key_is_no_try() {
        given(["wanted: { operation: make }", "other: { operation: make }"])
            .attempt("other")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, SECOND)
            .judged("leave-key-free: wanted")
            .unknown("never exercised: the good request was not answered after a failed try");
    }

    #[test]
    fn a_try_that_did_not_fail_frees_nothing() {
        let judged = pair()
            .attempt("broken")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, SECOND)
            .judged("leave-key-free: wanted");
        assert!(
            matches!(judged.0, Verdict::Unknown(Doubt::NeverExercised(why)) if why.starts_with("the try before it did not fail"))
        );
    }

    #[test]
    fn an_unanswered_try_may_turn_out_to_be_done() {
        pair()
            .attempt("wanted")
            .silent()
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("leave-key-free: wanted")
            .holds([0, 1]);
        pair()
            .attempt("wanted")
            .silent()
            .attempt("wanted")
            .origin(409, BUSY)
            .judged("leave-key-free: wanted")
            .unknown("never exercised: the good request was not answered after a failed try");
    }

    #[test]
    fn a_batch_that_was_lost_is_a_try_at_each_of_its_items() {
        given(["one: { operation: make }", "all: { operation: make, items: [one] }"])
            .attempt("all")
            .untouched()
            .attempt("all")
            .origin(200, &batch([ITEM], ""))
            .judged("leave-key-free: one")
            .holds([1]);
    }

    #[test]
    fn where_a_repeat_is_answered_like_the_first_the_effect_decides() {
        let answered =
            given(["wanted: { operation: send }", "broken: { same as: wanted, defect: 400 without a user }"])
                .attempt("broken")
                .origin(400, ERROR)
                .attempt("wanted")
                .origin(202, "{}");
        answered.clone().rows("wanted", ["{}"]).judged("leave-key-free: wanted").holds([0, 1, 2]);
        answered.clone().rows("wanted", []).judged("leave-key-free: wanted").violated(["lost [0, 1, 2]"]);
        answered.blind("wanted", "503").judged("leave-key-free: wanted").unknown("the effect could not be read: 503");
    }
}
