//! `repeat-safely`: asking again is a success and leaves one effect.

use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::tally;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    for intent in on {
        // What was lost on the way was asked for too; what the network doubled was asked for twice.
        let asked = view.exchanges(&intent.name).count().max(view.of_intent(&intent.name).count());
        let mut succeeded = Vec::new();
        for op in view.of_intent(&intent.name).filter(|op| op.answer().is_some()) {
            if op.succeeded() {
                succeeded.push(op.entry);
            } else {
                let server = op.answer().is_some_and(|answer| answer.status >= 500);
                let anomaly = if server { Anomaly::WrongAnswer } else { Anomaly::WrongRefusal };
                findings.push(Evidence::new(anomaly, "a success, as the first time", op.words(), [op.entry]));
            }
        }
        let tally = tally(view, intent, &[]);
        match tally.seen {
            Err(blind) => doubt = Some(Doubt::Blind(blind)),
            Ok(seen) if seen.rows.len() > tally.most || seen.rows.len() < tally.least => {
                let anomaly = if seen.rows.len() < tally.least {
                    Anomaly::Lost
                } else {
                    Anomaly::Duplicated { times: u32::try_from(seen.rows.len()).unwrap_or(u32::MAX) }
                };
                findings.push(Evidence::new(
                    anomaly,
                    bounds(tally.least, tally.most),
                    effects(seen.rows.len()),
                    seen.entries,
                ));
            }
            Ok(seen) if asked > 1 && !succeeded.is_empty() => {
                witnesses.extend(succeeded.into_iter().chain(seen.entries))
            }
            Ok(_) => {}
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "it was not asked for twice, or never answered by a success"),
    })
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{Story, given};

    fn linked() -> Story {
        given(["wanted: { operation: link }"])
    }

    #[test]
    fn asked_twice_and_done_once_holds() {
        linked()
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("wanted")
            .origin(200, "{}")
            .rows("wanted", ["{}"])
            .judged("repeat-safely: wanted")
            .holds([0, 1, 2]);
    }

    #[test]
    fn a_refused_repeat_a_failed_one_a_second_effect_and_none_are_found() {
        let again = |status, rows: bool| {
            let story = linked().attempt("wanted").origin(200, "{}").attempt("wanted").origin(status, "{}");
            if rows { story.rows("wanted", ["{}"]) } else { story.rows("wanted", []) }
        };
        again(409, true).judged("repeat-safely: wanted").violated(["wrong refusal [1]"]);
        again(500, true).judged("repeat-safely: wanted").violated(["wrong answer [1]"]);
        again(200, false).judged("repeat-safely: wanted").violated(["lost [2]"]);
        linked()
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("wanted")
            .origin(200, "{}")
            .rows("wanted", ["{}", "{}"])
            .judged("repeat-safely: wanted")
            .violated(["duplicated 2 [2]"]);
    }

    #[test]
    fn asked_once_unread_or_unanswered_is_unknown() {
        let never = "never exercised: it was not asked for twice, or never answered by a success";
        linked()
            .attempt("wanted")
            .origin(200, "{}")
            .rows("wanted", ["{}"])
            .judged("repeat-safely: wanted")
            .unknown(never);
        linked()
            .attempt("wanted")
            .silent()
            .attempt("wanted")
            .silent()
            .rows("wanted", [])
            .judged("repeat-safely: wanted")
            .unknown(never);
        linked()
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("wanted")
            .origin(200, "{}")
            .blind("wanted", "503")
            .judged("repeat-safely: wanted")
            .unknown("the effect could not be read: 503");
    }

    #[test]
    fn what_was_lost_on_the_way_was_asked_for_too() {
        linked()
            .attempt("wanted")
            .untouched()
            .attempt("wanted")
            .origin(200, "{}")
            .rows("wanted", ["{}"])
            .judged("repeat-safely: wanted")
            .holds([1, 2]);
    }

    #[test]
    fn what_the_network_doubled_was_asked_for_twice() {
        linked()
            .attempt("wanted")
            .meets("duplicate")
            .origin(200, "{}")
            .origin(200, "{}")
            .rows("wanted", ["{}"])
            .judged("repeat-safely: wanted")
            .holds([0, 1]);
    }

    #[test]
    fn two_intents_for_one_link_are_one_link() {
        given(["wanted: { operation: link }", "again: { same as: wanted }"])
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("again")
            .origin(200, "{}")
            .rows("wanted", ["{}"])
            .judged("repeat-safely: wanted")
            .holds([0, 1, 3]);
    }

    #[test]
    fn one_that_was_asked_for_once_does_not_hide_what_was_seen_of_another() {
        given(["wanted: { operation: link }", "once: { operation: link }"])
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("wanted")
            .origin(200, "{}")
            .attempt("once")
            .origin(200, "{}")
            .rows("wanted", ["{}"])
            .rows("once", ["{}"])
            .judged("repeat-safely: [wanted, once]")
            .holds([0, 1, 3]);
    }
}
