//! `refuse-conflict`: another request under a committed key is answered by the conflict, as the contract words it.

use crate::contract::Outcome;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for intent in on {
        let late = rivals(view, intent)
            .into_iter()
            .filter(|(op, standing)| op.intent.name == intent.name && standing.committed_other);
        for (op, standing) in late {
            match op.outcome() {
                _ if op.answer().is_none() => {}
                Some(Outcome::Conflict) => witnesses.push(op.entry),
                // While another copy has the key, nobody has looked at the content yet.
                Some(Outcome::InProgress) if standing.contended => {}
                Some(Outcome::Fresh | Outcome::Replayed) => {
                    findings.push(Evidence::new(Anomaly::MissedConflict, "the conflict", op.words(), [op.entry]));
                }
                Some(_) | None => {
                    findings.push(Evidence::new(
                        Anomaly::WrongRefusal,
                        "the conflict, as the contract words it",
                        op.words(),
                        [op.entry],
                    ));
                }
            }
        }
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "nothing was committed under the key before it"))
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{BUSY, CONFLICT, ERROR, FRESH, REPLAY, SECOND, Story, given};

    fn pair() -> Story {
        given(["wanted: { operation: make }", "changed: { same as: wanted, change: bigger }"])
    }

    #[test]
    fn other_content_under_a_committed_key_is_a_conflict() {
        pair()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("changed")
            .origin(409, CONFLICT)
            .judged("refuse-conflict: changed")
            .holds([1]);
    }

    #[test]
    fn a_success_misses_the_conflict() {
        pair()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("changed")
            .origin(200, REPLAY)
            .attempt("changed")
            .origin(200, SECOND)
            .judged("refuse-conflict: changed")
            .violated(["missed conflict [1]", "missed conflict [2]"]);
    }

    #[test]
    fn a_refusal_in_other_words_is_not_the_conflict() {
        let told = |status, body| {
            pair()
                .attempt("wanted")
                .origin(200, FRESH)
                .attempt("changed")
                .origin(status, body)
                .judged("refuse-conflict: changed")
        };
        told(400, ERROR).violated(["wrong refusal [1]"]);
        told(409, ERROR).violated(["wrong refusal [1]"]);
        told(409, BUSY).violated(["wrong refusal [1]"]);
    }

    #[test]
    fn before_anything_is_committed_nothing_is_known() {
        let never = "never exercised: nothing was committed under the key before it";
        pair()
            .attempt("wanted")
            .silent()
            .attempt("changed")
            .origin(409, CONFLICT)
            .judged("refuse-conflict: changed")
            .unknown(never);
        pair()
            .attempt("wanted")
            .origin(400, ERROR)
            .attempt("changed")
            .origin(200, FRESH)
            .judged("refuse-conflict: changed")
            .unknown(never);
    }

    #[test]
    fn in_a_race_either_content_may_win() {
        pair()
            .attempt("wanted")
            .origin(409, CONFLICT)
            .beside("changed")
            .origin(200, FRESH)
            .judged("refuse-conflict: changed")
            .unknown("never exercised: nothing was committed under the key before it");
    }

    #[test]
    fn while_a_copy_has_the_key_the_conflict_may_come_later() {
        pair()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("changed")
            .origin(409, BUSY)
            .beside("wanted")
            .origin(200, REPLAY)
            .attempt("changed")
            .origin(409, CONFLICT)
            .judged("refuse-conflict: changed")
            .holds([3]);
    }
}
