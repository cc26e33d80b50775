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
    let mut doubt = None;
    for intent in on {
        let readings: BTreeSet<String> = view.reading(intent).into_iter().collect();
        let points: Vec<&str> =
            view.history.observations().map(|(_, seen)| seen.point.as_str()).filter(|point| *point != "end").collect();
        let Some(point) = points.first() else { continue };
        let before = view.rows(point, &readings);
        let after = view.rows("end", &readings);
        match (before, after) {
            (Err(blind), _) | (_, Err(blind)) => doubt = Some(Doubt::Blind(blind)),
            (Ok((first, before)), Ok((last, after))) => {
                let since = first.first().copied();
                let repeated = view.rivals(intent).any(|op| Some(op.entry) > since && op.succeeded());
                let differences = diff(&sorted(before), &sorted(after), &[] as &[Pointer]);
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
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "no repeat succeeded between the two readings"),
    })
}

/// The rows in an order of ours: in which order the read side lists them is not promised.
fn sorted(mut rows: Vec<Json>) -> Json {
    rows.sort_by_cached_key(Json::content_key);
    Json::Array(rows)
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, FRESH, REPLAY, SECOND, Story, given};

    fn before() -> Story {
        given(["wanted: { operation: make }", "other: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .observe("before")
            .rows("wanted", [FRESH])
    }

    #[test]
    fn the_same_rows_after_a_repeat_hold() {
        before()
            .attempt("wanted")
            .origin(200, REPLAY)
            .rows("wanted", [FRESH])
            .judged("write-nothing-new: wanted")
            .holds([1, 3]);
    }

    #[test]
    fn another_row_a_changed_one_and_a_missing_one_are_unexpected() {
        let after = before().attempt("wanted").origin(200, REPLAY);
        after
            .clone()
            .rows("wanted", [FRESH, SECOND])
            .judged("write-nothing-new: wanted")
            .violated(["unexpected [1, 3]"]);
        after
            .clone()
            .rows("wanted", [r#"{"thing_id":"t1","size":4}"#])
            .judged("write-nothing-new: wanted")
            .violated(["unexpected [1, 3]"]);
        after.rows("wanted", []).judged("write-nothing-new: wanted").violated(["unexpected [1, 3]"]);
    }

    #[test]
    fn blind_before_or_after_is_unknown() {
        before()
            .attempt("wanted")
            .origin(200, REPLAY)
            .blind("wanted", "503")
            .judged("write-nothing-new: wanted")
            .unknown("the effect could not be read: 503");
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .observe("before")
            .blind("wanted", "504")
            .attempt("wanted")
            .origin(200, REPLAY)
            .rows("wanted", [FRESH])
            .judged("write-nothing-new: wanted")
            .unknown("the effect could not be read: 504");
    }

    #[test]
    fn without_a_repeat_of_its_own_between_them_nothing_is_known() {
        let never = "never exercised: no repeat succeeded between the two readings";
        before()
            .attempt("wanted")
            .origin(503, ERROR)
            .rows("wanted", [FRESH])
            .judged("write-nothing-new: wanted")
            .unknown(never);
        before()
            .attempt("other")
            .origin(200, SECOND)
            .rows("wanted", [FRESH])
            .judged("write-nothing-new: wanted")
            .unknown(never);
    }

    #[test]
    fn the_order_of_rows_and_of_their_members_does_not_count() {
        given(["wanted: { operation: make }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .observe("before")
            .rows("wanted", [FRESH, SECOND])
            .attempt("wanted")
            .origin(200, REPLAY)
            .rows("wanted", [r#"{"size":3,"thing_id":"t2"}"#, FRESH])
            .judged("write-nothing-new: wanted")
            .holds([1, 3]);
    }
}
