//! `mark-repeat-on-the-read-side`: where answers do not tell a repeat from the first, the read side does. A repeat that was
//! acknowledged is shown there, marked; how many marks many repeats leave is not asked, but the first has none.

use std::collections::BTreeSet;

use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::{PlannedIntent, Reading};

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    for intent in on {
        let all = rivals(view, intent);
        let done = all.iter().filter(|(op, _)| op.succeeded()).count();
        let arrived = all.iter().filter(|(op, _)| op.succeeded() || op.is_open()).count();
        if arrived == 0 {
            continue;
        }
        let Some(reading) = intent.repeats() else {
            doubt = Some(Doubt::Blind("its repeats cannot be read".to_owned()));
            continue;
        };
        match view.rows("end", &BTreeSet::from([Reading::label(reading)])) {
            Err(blind) => doubt = Some(Doubt::Blind(blind)),
            Ok((entries, rows)) => {
                let shown = || all.iter().map(|(op, _)| op.entry).chain(entries.iter().copied());
                let finding = |expected: &str| {
                    Evidence::new(Anomaly::WrongMarker, expected, format!("{} marked", rows.len()), shown())
                };
                if rows.len() >= arrived {
                    findings.push(finding("the first of them unmarked"));
                } else if done > 1 && rows.is_empty() {
                    findings.push(finding("a repeat marked as one"));
                } else if done > 1 {
                    witnesses.extend(shown());
                }
            }
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "no repeat was acknowledged"),
    })
}
