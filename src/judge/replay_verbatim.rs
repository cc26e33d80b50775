//! `replay-verbatim`: every answer after the first commit is the first answer again, but for the marker. Members count by
//! content and spelling of numbers, not by order.

use crate::json::{Pointer, diff};
use crate::judge::rivals::{repeats, rivals};
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
        for (op, _) in repeats(view, intent) {
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
