//! `replay-verbatim`: every answer after the first commit is the first answer again, but for the marker. Members count by
//! content and spelling of numbers, not by order.

use crate::contract::Outcome;
use crate::json::{Pointer, diff};
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let operation = view.operation(intent);
        let mut except: Vec<Pointer> = operation.marker.iter().map(|(place, _)| place.clone()).collect();
        if let Some(batch) = view.case.contract.batch_of(&operation.name).and_then(|operation| operation.batch.as_ref())
        {
            except.extend(batch.envelope.iter().cloned());
        }
        let all = rivals(view, intent);
        let Some(first) = first_success(&all.iter().map(|(op, _)| *op).collect::<Vec<_>>(), intent) else { continue };
        // What calls itself a replay is one, even where it overlaps the first.
        let later = all.iter().filter(|(op, standing)| {
            op.intent.content() == intent.content() && (standing.committed || op.outcome() == Some(Outcome::Replayed))
        });
        for (op, _) in later {
            let (Some(answer), Some(original)) = (op.answer(), first.answer()) else { continue };
            if !(200..300).contains(&answer.status) || op.entry == first.entry && op.place == first.place {
                continue;
            }
            let shown = [first.entry, op.entry];
            let differences = match (&original.body, &answer.body) {
                (Some(expected), Some(found)) => diff(expected, found, &except),
                _ if original.response.body == answer.response.body => Vec::new(),
                _ => {
                    findings.push(divergent(Vec::new(), first.words(), op.words(), shown));
                    continue;
                }
            };
            let single = op.place.is_none() && first.place.is_none();
            let content_type =
                |op: &Op<'_>| op.answer().and_then(|answer| answer.response.header("content-type")).map(str::to_owned);
            if !differences.is_empty() {
                let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
                findings.push(divergent(differences, "the first answer again".to_owned(), told.join("; "), shown));
            } else if single && original.status != answer.status {
                findings.push(divergent(
                    Vec::new(),
                    format!("status {}", original.status),
                    format!("status {}", answer.status),
                    shown,
                ));
            } else if single && content_type(first) != content_type(op) {
                let say = |op| content_type(op).unwrap_or_else(|| "none".to_owned());
                findings.push(divergent(
                    Vec::new(),
                    format!("content type {}", say(first)),
                    format!("content type {}", say(op)),
                    shown,
                ));
            } else {
                witnesses.extend(shown);
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no repeat was answered by a success"))
}

/// The success that was first: the unmarked one that ended first, or else any that ended first.
fn first_success<'b, 'a>(ops: &[&'b Op<'a>], intent: &PlannedIntent) -> Option<&'b Op<'a>> {
    ops.iter()
        .filter(|op| op.succeeded() && op.intent.content() == intent.content())
        .min_by_key(|op| (op.outcome(), op.during.to, op.entry, op.place))
        .copied()
}

fn divergent(
    differences: Vec<crate::json::Difference>,
    expected: String,
    observed: String,
    shown: [crate::history::EntryNo; 2],
) -> Evidence {
    Evidence::new(Anomaly::DivergentReplay(differences), expected, observed, shown)
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, FRESH, ITEM_AGAIN, REPLAY, Story, batch, given};

    fn wanted(first: &str, second: &str) -> Story {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, first)
            .caller_lost()
            .attempt("wanted")
            .origin(200, second)
    }

    #[test]
    fn a_retry_after_a_lost_answer_brings_back_the_first_body() {
        wanted(FRESH, REPLAY).judged("replay-verbatim: wanted").holds([0, 1]);
    }

    #[test]
    fn another_value_another_member_and_a_missing_one_diverge() {
        let judged = |second| wanted(FRESH, second).judged("replay-verbatim: wanted");
        judged(r#"{"thing_id":"t2","size":3,"again":true}"#).violated(["divergent replay /thing_id [0, 1]"]);
        judged(r#"{"thing_id":"t1","size":3,"again":true,"at":7}"#).violated(["divergent replay /at [0, 1]"]);
        judged(r#"{"thing_id":"t1","again":true}"#).violated(["divergent replay /size [0, 1]"]);
        judged(r#"{"thing_id":"t1","size":3.0,"again":true}"#).violated(["divergent replay /size [0, 1]"]);
    }

    #[test]
    fn another_status_and_another_content_type_diverge() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(201, FRESH)
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("replay-verbatim: wanted")
            .violated(["divergent replay [0, 1]"]);
        wanted(FRESH, REPLAY)
            .header("content-type", "text/json")
            .judged("replay-verbatim: wanted")
            .violated(["divergent replay [0, 1]"]);
    }

    #[test]
    fn without_a_repeat_that_succeeded_nothing_is_known() {
        let never = "never exercised: no repeat was answered by a success";
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .judged("replay-verbatim: wanted")
            .unknown(never);
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(503, ERROR)
            .judged("replay-verbatim: wanted")
            .unknown(never);
    }

    #[test]
    fn the_order_of_members_and_the_marker_do_not_count() {
        wanted(FRESH, r#"{"again":true,"size":3,"thing_id":"t1"}"#).judged("replay-verbatim: wanted").holds([0, 1]);
        wanted(r#"{"thing_id":"t1","size":3,"again":false}"#, REPLAY).judged("replay-verbatim: wanted").holds([0, 1]);
    }

    #[test]
    fn an_item_has_members_that_a_single_answer_lacks() {
        given(["wanted: { operation: make }", "all: { operation: make, items: [wanted] }"])
            .attempt("wanted")
            .origin(200, r#"{"thing_id":"t1"}"#)
            .attempt("all")
            .origin(200, &batch([ITEM_AGAIN], ""))
            .judged("replay-verbatim: wanted")
            .holds([0, 1]);
    }

    #[test]
    fn what_overlaps_the_first_and_calls_itself_its_replay_is_held_to_it() {
        let race = |second| {
            given(["wanted: { operation: make }"])
                .attempt("wanted")
                .origin(200, FRESH)
                .beside("wanted")
                .origin(200, second)
                .judged("replay-verbatim: wanted")
        };
        race(REPLAY).holds([0, 1]);
        race(r#"{"thing_id":"t1","size":4,"again":true}"#).violated(["divergent replay /size [0, 1]"]);
    }

    #[test]
    fn a_replay_of_an_attempt_that_nobody_heard_is_the_first_that_is_known() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .silent()
            .attempt("wanted")
            .origin(200, REPLAY)
            .attempt("wanted")
            .origin(200, REPLAY)
            .judged("replay-verbatim: wanted")
            .holds([1, 2]);
    }
}
