//! `share-key`: what the last of them asks for was done for the first, and is answered as its repeat.

use crate::contract::Outcome;
use crate::judge::apply_exactly_once::{bounds, effects};
use crate::judge::effects::{identities, tally};
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let Some((last, _)) = on.split_last() else { return Verdict::holds([], "nothing is named") };
    let marked = view.operation(last).marks_repeats();
    let all = rivals(view, last);
    let known = identities(view, all.iter().map(|(op, _)| *op));
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    for (op, _) in all.iter().filter(|(op, standing)| op.intent.name == last.name && standing.committed) {
        match op.outcome() {
            _ if op.answer().is_none() => {}
            Some(Outcome::Replayed) => witnesses.push(op.entry),
            // An identity of the first tells a repeat even where its marker is missing, which another claim is about.
            Some(Outcome::Fresh) if !marked || known.len() == 1 => witnesses.push(op.entry),
            Some(Outcome::Fresh) => {
                findings.push(Evidence::new(
                    Anomaly::Duplicated { times: 2 },
                    "a repeat of the first",
                    op.words(),
                    [op.entry],
                ));
            }
            Some(_) | None => {
                findings.push(Evidence::new(Anomaly::WrongRefusal, "a repeat of the first", op.words(), [op.entry]));
            }
        }
    }
    // Answers that could be a first's prove nothing: where none tells a repeat, and none has an identity, effects do.
    let alike = !view.operation(last).tells_repeats() && view.operation(last).identity.is_none();
    if alike && !witnesses.is_empty() {
        let tally = tally(view, last, &[]);
        match tally.seen {
            Err(blind) if findings.is_empty() => return Verdict::Unknown(Doubt::Blind(blind)),
            Err(_) => {}
            Ok(seen) if seen.rows.len() > tally.most => {
                let times = u32::try_from(seen.rows.len()).unwrap_or(u32::MAX);
                let (expected, observed) = (bounds(tally.least, tally.most), effects(seen.rows.len()));
                let shown = witnesses.iter().copied().chain(seen.entries);
                findings.push(Evidence::new(Anomaly::Duplicated { times }, expected, observed, shown));
            }
            Ok(seen) => witnesses.extend(seen.entries),
        }
    }
    if let [(first, _), (second, entry), ..] = known.as_slice() {
        findings.push(Evidence::new(Anomaly::Duplicated { times: 2 }, first.clone(), second.clone(), [*entry]));
    }
    Verdict::violated_or(findings, || Verdict::holds(witnesses, "the last was not answered after the first was done"))
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, FRESH, REPLAY, SECOND, Story, given};

    fn pair() -> Story {
        given(["first: { operation: make }", "second: { same as: first, credential: again }"])
    }

    #[test]
    fn a_second_credential_gets_the_first_ones_answer() {
        pair()
            .attempt("first")
            .origin(200, FRESH)
            .attempt("second")
            .origin(200, REPLAY)
            .judged("share-key: [first, second]")
            .holds([1]);
    }

    #[test]
    fn a_second_thing_is_a_duplicate() {
        pair()
            .attempt("first")
            .origin(200, FRESH)
            .attempt("second")
            .origin(200, SECOND)
            .judged("share-key: [first, second]")
            .violated(["duplicated 2 [1]", "duplicated 2 [1]"]);
    }

    #[test]
    fn a_refusal_shares_nothing() {
        pair()
            .attempt("first")
            .origin(200, FRESH)
            .attempt("second")
            .origin(409, CONFLICT)
            .judged("share-key: [first, second]")
            .violated(["wrong refusal [1]"]);
    }

    #[test]
    fn before_the_first_is_done_nothing_is_known() {
        pair()
            .attempt("first")
            .silent()
            .attempt("second")
            .origin(200, FRESH)
            .judged("share-key: [first, second]")
            .unknown("never exercised: the last was not answered after the first was done");
    }

    #[test]
    fn a_missing_marker_beside_the_same_identity_is_another_claims_business() {
        pair()
            .attempt("first")
            .origin(200, FRESH)
            .attempt("second")
            .origin(200, FRESH)
            .judged("share-key: [first, second]")
            .holds([1]);
    }

    #[test]
    fn where_nothing_marks_a_repeat_the_identity_tells() {
        given(["first: { operation: store }", "second: { same as: first, credential: again }"])
            .attempt("first")
            .origin(201, r#"{"store_id":1}"#)
            .attempt("second")
            .origin(201, r#"{"store_id":1}"#)
            .judged("share-key: [first, second]")
            .holds([1]);
    }

    #[test]
    fn where_a_repeat_is_answered_like_the_first_the_effect_decides() {
        let answered = given(["wanted: { operation: send }", "again: { same as: wanted, credential: again }"])
            .attempt("wanted")
            .origin(202, "{}")
            .attempt("again")
            .origin(202, "{}");
        let claim = "share-key: [wanted, again]";
        answered.clone().rows("wanted", ["{}"]).judged(claim).holds([1, 2]);
        answered.clone().rows("wanted", ["{}", "{}"]).judged(claim).violated(["duplicated 2 [1, 2]"]);
        answered.blind("wanted", "503").judged(claim).unknown("the effect could not be read: 503");
    }
}
