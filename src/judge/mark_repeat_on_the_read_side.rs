//! `mark-repeat-on-the-read-side`: where answers do not tell a repeat from the first, the read side does. A repeat that was
//! acknowledged is shown there, marked; how many marks many repeats leave is not asked, but the first has none.

use std::collections::BTreeSet;

use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

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
        match view.rows("end", &BTreeSet::from([reading.label()])) {
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

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, Story, given};

    const CLAIM: &str = "mark-repeat-on-the-read-side: sent";
    const MARKED: &str = r#"{"again":true}"#;

    fn sent(times: usize) -> Story {
        (0..times).fold(given(["sent: { operation: send }"]), |story, _| story.attempt("sent").origin(202, "{}"))
    }

    #[test]
    fn one_mark_or_one_for_each_repeat_holds() {
        sent(2).repeats("sent", [MARKED]).judged(CLAIM).holds([0, 1, 2]);
        sent(3).repeats("sent", [MARKED]).judged(CLAIM).holds([0, 1, 2, 3]);
        sent(3).repeats("sent", [MARKED, MARKED]).judged(CLAIM).holds([0, 1, 2, 3]);
    }

    #[test]
    fn a_repeat_that_is_not_marked_is_wrong_and_so_is_a_first_that_is() {
        sent(2).repeats("sent", []).judged(CLAIM).violated(["wrong marker [0, 1, 2]"]);
        sent(2).repeats("sent", [MARKED, MARKED]).judged(CLAIM).violated(["wrong marker [0, 1, 2]"]);
        sent(1).repeats("sent", [MARKED]).judged(CLAIM).violated(["wrong marker [0, 1]"]);
    }

    #[test]
    fn without_an_acknowledged_repeat_nothing_is_known() {
        let never = "never exercised: no repeat was acknowledged";
        sent(1).repeats("sent", []).judged(CLAIM).unknown(never);
        sent(1).attempt("sent").origin(400, ERROR).repeats("sent", []).judged(CLAIM).unknown(never);
        // Nobody can tell whether the second arrived: a mark and none are both well.
        sent(1).attempt("sent").silent().repeats("sent", []).judged(CLAIM).unknown(never);
        sent(1).attempt("sent").silent().repeats("sent", [MARKED]).judged(CLAIM).unknown(never);
    }

    #[test]
    fn what_cannot_be_read_is_unknown() {
        sent(2).blind_to_repeats("sent", "503").judged(CLAIM).unknown("the effect could not be read: 503");
        given(["sent: { operation: send, key: a number }"])
            .attempt("sent")
            .origin(202, "{}")
            .attempt("sent")
            .origin(202, "{}")
            .judged(CLAIM)
            .unknown("the effect could not be read: its repeats cannot be read");
    }
}
