//! `apply-exactly-once`: acknowledged means one effect, unacknowledged at most one. Where no effect can be read, the
//! identities that were answered decide.

use crate::history::EntryNo;
use crate::judge::effects::{identities, tally};
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
        let tally = tally(view, intent, &[]);
        let attempts: Vec<_> = rivals(view, intent).iter().map(|(op, _)| op.entry).collect();
        match tally.seen {
            Ok(seen) => {
                let count = seen.rows.len();
                let expected = bounds(tally.least, tally.most);
                // One row does not excuse an answer that names a second thing.
                let known = identities(view, rivals(view, intent).iter().map(|(op, _)| *op));
                let shown = || attempts.iter().copied().chain(seen.entries.iter().copied());
                if count > tally.most {
                    let times = u32::try_from(count).unwrap_or(u32::MAX);
                    let anomaly = if tally.most == 0 { Anomaly::Unexpected } else { Anomaly::Duplicated { times } };
                    findings.push(Evidence::new(anomaly, expected, effects(count), shown()));
                } else if count < tally.least {
                    findings.push(Evidence::new(Anomaly::Lost, expected, effects(count), shown()));
                } else if known.len() > tally.most.max(1) {
                    findings.push(two_things(&known));
                } else if tally.most > 0 {
                    witnesses.extend(shown());
                }
            }
            Err(blind) => {
                let all = rivals(view, intent);
                let answered = all.iter().filter(|(op, _)| op.answer().is_some()).count();
                let known = identities(view, all.iter().map(|(op, _)| *op));
                match known.as_slice() {
                    [] => doubt = Some(Doubt::Blind(blind)),
                    // An attempt that was not answered says nothing of what it left.
                    [(_, entry)] if answered > 1 => witnesses.push(*entry),
                    [_] => doubt = Some(Doubt::Blind(blind)),
                    several => findings.push(two_things(several)),
                }
            }
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "the origin was never shown it, or refused it"),
    })
}

/// Answers that name several things.
fn two_things(several: &[(String, EntryNo)]) -> Evidence {
    let times = u32::try_from(several.len()).unwrap_or(u32::MAX);
    let ids: Vec<&str> = several.iter().map(|(identity, _)| identity.as_str()).collect();
    let shown = several.iter().map(|(_, entry)| *entry);
    Evidence::new(Anomaly::Duplicated { times }, "one identity in every answer", ids.join(", "), shown)
}

/// How often it has to be there, in words.
pub fn bounds(least: usize, most: usize) -> String {
    match (least, most) {
        (0, 0) => "no effect".to_owned(),
        (least, most) if least == most => effects(least),
        (0, most) => format!("at most {}", effects(most)),
        (least, most) => format!("{least} to {}", effects(most)),
    }
}

/// So many effects, in words.
pub fn effects(count: usize) -> String {
    match count {
        0 => "no effect".to_owned(),
        1 => "1 effect".to_owned(),
        count => format!("{count} effects"),
    }
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{CONFLICT, ERROR, FRESH, ITEM_AGAIN, REPLAY, SECOND, Story, batch, given};
    use crate::judge::verdict::{Doubt, Verdict};

    fn wanted() -> Story {
        given(["wanted: { operation: make }"])
    }

    #[test]
    fn a_retry_after_a_lost_answer_leaves_one_effect() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .caller_lost()
            .attempt("wanted")
            .origin(200, REPLAY)
            .rows("wanted", [FRESH])
            .judged("apply-exactly-once: wanted")
            .holds([0, 1, 2]);
    }

    #[test]
    fn a_second_effect_is_a_duplicate_and_none_is_a_loss() {
        let twice = wanted().attempt("wanted").origin(200, FRESH).attempt("wanted").origin(200, SECOND);
        twice
            .clone()
            .rows("wanted", [FRESH, SECOND])
            .judged("apply-exactly-once: wanted")
            .violated(["duplicated 2 [0, 1, 2]"]);
        twice.rows("wanted", []).judged("apply-exactly-once: wanted").violated(["lost [0, 1, 2]"]);
    }

    #[test]
    fn an_answer_that_names_a_second_thing_is_one_too_many_whatever_is_there() {
        let answered = wanted().attempt("wanted").origin(200, FRESH).attempt("wanted").origin(200, SECOND);
        answered.rows("wanted", [FRESH]).judged("apply-exactly-once: wanted").violated(["duplicated 2 [0, 1]"]);
    }

    #[test]
    fn what_was_refused_has_no_effect() {
        wanted()
            .attempt("wanted")
            .origin(400, ERROR)
            .rows("wanted", [FRESH])
            .judged("apply-exactly-once: wanted")
            .violated(["unexpected [0, 1]"]);
    }

    #[test]
    fn an_effect_that_could_not_be_read_is_unknown() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .blind("wanted", "503")
            .judged("apply-exactly-once: wanted")
            .unknown("the effect could not be read: 503");
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .judged("apply-exactly-once: wanted")
            .unknown(&format!("the effect could not be read: {} not read", reading()));
    }

    fn reading() -> String {
        let judged = wanted().attempt("wanted").origin(200, FRESH).judged("apply-exactly-once: wanted");
        let Verdict::Unknown(Doubt::Blind(why)) = judged.0 else { panic!("blind") };
        assert!(why.starts_with("/things?user=") && why.ends_with(" of owner ada, room red was not read"), "{why}");
        why.trim_end_matches(" not read").to_owned()
    }

    #[test]
    fn where_nothing_can_be_read_the_identities_decide() {
        let blind = |second: &str| {
            wanted()
                .attempt("wanted")
                .origin(200, FRESH)
                .attempt("wanted")
                .origin(200, second)
                .blind("wanted", "503")
                .judged("apply-exactly-once: wanted")
        };
        blind(REPLAY).holds([0]);
        blind(SECOND).violated(["duplicated 2 [0, 1]"]);
    }

    #[test]
    fn one_identity_beside_an_attempt_without_an_answer_decides_nothing() {
        wanted()
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .silent()
            .blind("wanted", "503")
            .judged("apply-exactly-once: wanted")
            .unknown("the effect could not be read: 503");
    }

    #[test]
    fn an_unanswered_attempt_may_turn_out_to_be_done_or_not() {
        let silent = wanted().attempt("wanted").silent();
        silent.clone().rows("wanted", [FRESH]).judged("apply-exactly-once: wanted").holds([0, 1]);
        silent.clone().rows("wanted", []).judged("apply-exactly-once: wanted").holds([0, 1]);
        silent.rows("wanted", [FRESH, SECOND]).judged("apply-exactly-once: wanted").violated(["duplicated 2 [0, 1]"]);
    }

    #[test]
    fn what_the_origin_never_saw_exercises_nothing() {
        wanted()
            .attempt("wanted")
            .untouched()
            .attempt("wanted")
            .partial()
            .rows("wanted", [])
            .judged("apply-exactly-once: wanted")
            .unknown("never exercised: the origin was never shown it, or refused it");
    }

    #[test]
    fn a_key_with_two_contents_is_one_thing() {
        given(["wanted: { operation: make }", "changed: { same as: wanted, change: bigger }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("changed")
            .origin(409, CONFLICT)
            .rows("wanted", [FRESH])
            .judged("apply-exactly-once: wanted")
            .holds([0, 1, 2]);
    }

    #[test]
    fn a_row_that_two_readings_show_is_one_row() {
        given(["wanted: { operation: make }", "other: { operation: make, same key as: wanted }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("other")
            .origin(409, CONFLICT)
            .rows("wanted", [FRESH])
            .rows("other", [FRESH])
            .judged("apply-exactly-once: wanted")
            .holds([0, 1, 2, 3]);
    }

    #[test]
    fn an_item_counts_like_a_single_request() {
        given(["wanted: { operation: make }", "all: { operation: make, items: [wanted] }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("all")
            .origin(200, &batch([ITEM_AGAIN], ""))
            .rows("wanted", [FRESH, SECOND])
            .judged("apply-exactly-once: wanted")
            .violated(["duplicated 2 [0, 1, 2]"]);
    }

    #[test]
    fn without_a_key_each_attempt_is_its_own() {
        given(["wanted: { operation: make, key: none }"])
            .attempt("wanted")
            .origin(200, FRESH)
            .attempt("wanted")
            .origin(200, SECOND)
            .rows("wanted", [FRESH, SECOND])
            .judged("apply-exactly-once: wanted")
            .holds([0, 1, 2]);
        given(["rung: { operation: ring }"])
            .attempt("rung")
            .origin(200, "{}")
            .attempt("rung")
            .origin(200, "{}")
            .rows("rung", ["1", "1"])
            .judged("apply-exactly-once: rung")
            .holds([0, 1, 2]);
    }
}
