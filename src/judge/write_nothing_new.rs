//! `write-nothing-new`: the read side shows the same before and after a repeat. Blind before or after is unknown.

use std::collections::BTreeSet;

use crate::json::{Json, Pointer, diff};
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let readings: BTreeSet<String> = view.reading(intent).into_iter().collect();
        let points: Vec<&str> =
            view.history.observations().map(|(_, seen)| seen.point.as_str()).filter(|point| *point != "end").collect();
        let Some(point) = points.first() else { continue };
        let before = view.rows(point, &readings);
        let after = view.rows("end", &readings);
        match (before, after) {
            (Err(blind), _) | (_, Err(blind)) => return Verdict::Unknown(Doubt::Blind(blind)),
            (Ok((first, before)), Ok((last, after))) => {
                let since = first.first().copied();
                let repeated = view.ops.iter().any(|op| Some(op.entry) > since && op.succeeded());
                let differences = diff(&Json::Array(before), &Json::Array(after), &[] as &[Pointer]);
                let shown = first.iter().chain(&last).copied();
                if !repeated {
                    continue;
                } else if differences.is_empty() {
                    witnesses.extend(shown);
                } else {
                    let told: Vec<String> = differences.iter().map(ToString::to_string).collect();
                    findings.push(Evidence::new(
                        Anomaly::Unexpected,
                        "the same rows before and after",
                        told.join("; "),
                        shown,
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no repeat succeeded between the two readings"))
}
