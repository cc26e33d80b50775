//! `keep-apart`: each of them is done as a thing of its own, and answers of one hold no trace of another.

use std::collections::BTreeSet;

use crate::contract::Outcome;
use crate::json::Json;
use crate::judge::apply_exactly_once::effects;
use crate::judge::effects::tally;
use crate::judge::name_safe_retry::says_word;
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::{Answer, Op, View};
use crate::name::IntentName;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut firsts: Vec<&Op<'_>> = Vec::new();
    let mut doubt = None;
    for intent in on {
        // The answer that did it, where one did; of copies at the same time another may have been answered before.
        let all = rivals(view, intent);
        let own = || all.iter().filter(|(op, _)| op.intent.name == intent.name && op.answer().is_some());
        let did_it = own().find(|(op, _)| op.outcome() == Some(Outcome::Fresh));
        let Some((first, standing)) = did_it.or_else(|| own().next()) else {
            doubt = Some(Doubt::NeverExercised(format!("`{}` was not answered", intent.name)));
            continue;
        };
        let finding = |anomaly| Evidence::new(anomaly, "done as a thing of its own", first.words(), [first.entry]);
        match first.outcome() {
            Some(Outcome::Fresh) => witnesses.push(first.entry),
            // An attempt of its own that nobody heard of may have been the one.
            Some(Outcome::Replayed) if standing.maybe => witnesses.push(first.entry),
            Some(Outcome::Replayed | Outcome::Conflict) => findings.push(finding(Anomaly::Leak)),
            Some(Outcome::InProgress) if standing.contended => {
                doubt = Some(Doubt::NeverExercised(format!("`{}` was only told to come back", intent.name)));
            }
            Some(Outcome::Unknown) | None => findings.push(finding(Anomaly::WrongAnswer)),
            Some(_) => findings.push(finding(Anomaly::WrongRefusal)),
        }
        firsts.push(*first);
    }
    // Where no form of a key is given, one that is refused is merged with nothing; refusing one of a pair is a preference.
    let free = |op: &&Op<'_>| view.operation(op.intent).key().is_some_and(|key| key.length.is_none());
    let refused = |op: &&Op<'_>| op.outcome() == Some(Outcome::Refused);
    if firsts.len() == on.len() && firsts.iter().all(|op| free(op) && refused(op)) {
        return Verdict::Unknown(Doubt::NeverExercised("each was refused, and no form of a key is given".to_owned()));
    }
    let known: Vec<Option<Json>> = firsts.iter().map(|op| identity(view, op)).collect();
    for (index, op) in firsts.iter().enumerate() {
        for (other, earlier) in firsts.iter().enumerate().take(index) {
            let (Some(mine), Some(theirs)) = (&known[index], &known[other]) else { continue };
            let told = if mine == theirs || shows(op, theirs) {
                theirs
            } else if shows(earlier, mine) {
                mine
            } else {
                continue;
            };
            findings.push(Evidence::new(
                Anomaly::Leak,
                "no trace of the other",
                format!("both answers hold {told}"),
                [earlier.entry, op.entry],
            ));
        }
    }
    let mut counted = BTreeSet::new();
    for intent in on {
        if counted.contains(&intent.name) {
            continue;
        }
        let tally = tally(view, intent, &[]);
        counted.extend(tally.intents.iter().cloned());
        // One that was refused, or never answered, is not missing.
        let done = |name: &&IntentName| {
            on.iter().any(|intent| intent.name == **name) && view.of_intent(name).any(Op::succeeded)
        };
        let things = tally.intents.iter().filter(done).count();
        let shown: Vec<_> = tally.intents.iter().flat_map(|name| view.of_intent(name)).map(|op| op.entry).collect();
        match tally.seen {
            Ok(seen) if seen.rows.len() < things => {
                let shown = shown.into_iter().chain(seen.entries);
                findings.push(Evidence::new(Anomaly::Lost, effects(things), effects(seen.rows.len()), shown));
            }
            Ok(seen) => witnesses.extend(seen.entries),
            // Distinct identities tell them apart without the read side.
            Err(_) if known.len() == on.len() && known.iter().all(Option::is_some) => {}
            Err(blind) => doubt = Some(Doubt::Blind(blind)),
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "none was answered"),
    })
}

/// What identifies what was done, where a success says it.
fn identity(view: &View<'_>, op: &Op<'_>) -> Option<Json> {
    let place = view.operation(op.intent).identity.as_ref()?;
    op.answer().filter(|_| op.succeeded())?.body.as_ref()?.at(place).cloned()
}

/// A shorter identity may stand in another answer by chance: the `12` of another `12`, of a year, of a size.
const TELLING: usize = 8;

/// Whether an identity stands anywhere in an answer, as a word of its own.
fn shows(op: &Op<'_>, identity: &Json) -> bool {
    let Some(word) = identity.as_str().filter(|word| word.chars().count() >= TELLING) else { return false };
    let text = match op.answer() {
        Some(Answer { body: Some(body), .. }) => body.to_string(),
        Some(answer) => String::from_utf8_lossy(&answer.response.body.0).into_owned(),
        None => return false,
    };
    says_word(&text, word)
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, ERROR, FRESH, NOTED, REPLAY, SECOND, Story, given};

    fn pair() -> Story {
        given(["here: { operation: make }", "there: { same as: here, credential: elsewhere }"])
    }

    #[test]
    fn one_key_in_two_scopes_is_two_things() {
        pair()
            .attempt("here")
            .origin(200, FRESH)
            .attempt("there")
            .origin(200, SECOND)
            .rows("here", [FRESH])
            .rows("there", [SECOND])
            .judged("keep-apart: [here, there]")
            .holds([0, 1, 2, 3]);
    }

    #[test]
    fn where_no_form_of_a_key_is_given_refusing_both_says_nothing() {
        let twins = |second: u16| {
            given(["here: { operation: note }", "there: { same as: here, key: twin by case }"])
                .attempt("here")
                .origin(400, ERROR)
                .attempt("there")
                .origin(second, if second == 400 { ERROR } else { NOTED })
                .rows("here", [])
                .judged("keep-apart: [here, there]")
        };
        twins(400).unknown("never exercised: each was refused, and no form of a key is given");
        twins(200).violated(["wrong refusal [0]", "lost [0, 1, 2]"]);
    }

    #[test]
    fn an_answer_from_elsewhere_is_a_leak() {
        pair()
            .attempt("here")
            .origin(200, FRESH)
            .attempt("there")
            .origin(200, REPLAY)
            .rows("here", [FRESH])
            .rows("there", [])
            .judged("keep-apart: [here, there]")
            .violated(["leak [1]", "leak [0, 1]", "lost [1, 3]"]);
        pair()
            .attempt("here")
            .origin(200, FRESH)
            .attempt("there")
            .origin(409, CONFLICT)
            .rows("here", [FRESH])
            .rows("there", [])
            .judged("keep-apart: [here, there]")
            .violated(["leak [1]"]);
    }

    #[test]
    fn a_long_identity_anywhere_in_the_other_answer_is_a_leak() {
        let first = r#"{"thing_id":"thing-4711-a"}"#;
        let told = |second: &str| {
            pair()
                .attempt("here")
                .origin(200, first)
                .attempt("there")
                .origin(200, second)
                .rows("here", [FRESH])
                .rows("there", [FRESH])
                .judged("keep-apart: [here, there]")
        };
        told(r#"{"thing_id":"thing-4712-a","like":"thing-4711-a"}"#).violated(["leak [0, 1]"]);
        told(r#"{"thing_id":"thing-4711-ab"}"#).holds([0, 1, 2, 3]);
    }

    #[test]
    fn a_short_identity_may_stand_in_the_other_answer_by_chance() {
        pair()
            .attempt("here")
            .origin(200, r#"{"thing_id":1,"size":3}"#)
            .attempt("there")
            .origin(200, r#"{"thing_id":12,"size":1}"#)
            .rows("here", [FRESH])
            .rows("there", [SECOND])
            .judged("keep-apart: [here, there]")
            .holds([0, 1, 2, 3]);
    }

    #[test]
    fn one_that_was_not_answered_is_unknown_but_hides_no_leak() {
        pair()
            .attempt("here")
            .origin(200, FRESH)
            .attempt("there")
            .silent()
            .rows("here", [FRESH])
            .rows("there", [SECOND])
            .judged("keep-apart: [here, there]")
            .unknown("never exercised: `there` was not answered");
        pair()
            .attempt("here")
            .origin(200, REPLAY)
            .attempt("there")
            .silent()
            .rows("here", [FRESH])
            .rows("there", [SECOND])
            .judged("keep-apart: [here, there]")
            .violated(["leak [0]"]);
    }

    #[test]
    fn what_cannot_be_read_is_told_apart_by_identities_or_not_at_all() {
        pair()
            .attempt("here")
            .origin(200, FRESH)
            .attempt("there")
            .origin(200, SECOND)
            .blind("here", "503")
            .blind("there", "503")
            .judged("keep-apart: [here, there]")
            .holds([0, 1]);
        given(["here: { operation: note }", "there: { same as: here, credential: elsewhere }"])
            .attempt("here")
            .origin(200, NOTED)
            .attempt("there")
            .origin(200, NOTED)
            .blind("here", "503")
            .blind("there", "503")
            .judged("keep-apart: [here, there]")
            .unknown("the effect could not be read: 503");
    }

    #[test]
    fn a_replay_of_an_attempt_of_its_own_is_no_leak() {
        pair()
            .attempt("here")
            .origin(200, FRESH)
            .attempt("there")
            .silent()
            .attempt("there")
            .origin(200, r#"{"thing_id":"t2","again":true}"#)
            .rows("here", [FRESH])
            .rows("there", [SECOND])
            .judged("keep-apart: [here, there]")
            .holds([0, 2, 3, 4]);
    }

    #[test]
    fn of_copies_at_the_same_time_the_one_that_did_it_counts() {
        pair()
            .attempt("here")
            .origin(200, REPLAY)
            .beside("here")
            .origin(200, FRESH)
            .beside("there")
            .origin(200, SECOND)
            .rows("here", [FRESH])
            .rows("there", [SECOND])
            .judged("keep-apart: [here, there]")
            .holds([1, 2, 3, 4]);
    }
}
