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
