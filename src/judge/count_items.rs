//! `count-items`: the counters of a batch answer count what its items say; a number, and absent only where that means
//! zero.

use crate::history::OriginEnd;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let Some(batch) = &view.case.contract.operations[&intent.operation].batch else { continue };
        for (entry, exchange) in view.exchanges(&intent.name) {
            let OriginEnd::Answered(responses) = &exchange.origin else { continue };
            for response in responses.iter().filter(|response| (200..300).contains(&response.status)) {
                let Some(body) = response.json() else { continue };
                let Some(results) = body.at(&batch.results).and_then(|results| results.as_array()) else { continue };
                for counter in &batch.counts {
                    let count = results.iter().filter(|item| batch.outcome(item) == Some(counter.outcome)).count();
                    let found = body.at(&counter.at);
                    let right = match found {
                        None => count == 0 && counter.absent_means_zero,
                        Some(found) => found.as_u64() == u64::try_from(count).ok(),
                    };
                    if right {
                        witnesses.push(entry);
                    } else {
                        let observed =
                            found.map_or_else(|| "no counter".to_owned(), |found| format!("{}: {found}", counter.at));
                        findings.push(Evidence::new(
                            Anomaly::Miscounted,
                            format!("{}: {count}", counter.at),
                            observed,
                            [entry],
                        ));
                    }
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "no batch was answered by a success"))
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{ERROR, ITEM, ITEM_AGAIN, ITEM_SECOND, Judged, batch, given};

    fn counted(counters: &str) -> Judged {
        given(["old: { operation: make }", "new: { operation: make }", "all: { operation: make, items: [old, new] }"])
            .attempt("all")
            .origin(200, &batch([ITEM_AGAIN, ITEM_SECOND], counters))
            .judged("count-items: all")
    }

    #[test]
    fn counters_that_agree_with_the_items_hold() {
        counted(r#","again":1,"made":1"#).holds([0]);
    }

    #[test]
    fn a_counter_that_is_off_missing_or_no_number_is_miscounted() {
        counted(r#","again":2,"made":1"#).violated(["miscounted [0]"]);
        counted(r#","again":true,"made":1"#).violated(["miscounted [0]"]);
        counted(r#","again":"1","made":1"#).violated(["miscounted [0]"]);
        counted(r#","made":1"#).violated(["miscounted [0]"]);
        counted(r#","again":null,"made":2"#).violated(["miscounted [0]", "miscounted [0]"]);
    }

    #[test]
    fn without_a_success_there_is_nothing_to_count() {
        given(["old: { operation: make }", "all: { operation: make, items: [old] }"])
            .attempt("all")
            .origin(503, ERROR)
            .judged("count-items: all")
            .unknown("never exercised: no batch was answered by a success");
    }

    #[test]
    fn a_counter_may_be_left_out_when_zero_only_where_that_is_declared() {
        let one = |item, counters| {
            given(["old: { operation: make }", "all: { operation: make, items: [old] }"])
                .attempt("all")
                .origin(200, &batch([item], counters))
                .judged("count-items: all")
        };
        one(ITEM, r#","made":1"#).holds([0]);
        one(ITEM, r#","made":1,"again":0,"more":9"#).holds([0]);
        one(ITEM_AGAIN, r#","again":1"#).violated(["miscounted [0]"]);
    }
}
