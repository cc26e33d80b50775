//! Judges one case: every claim by its own check, then what puts all of them in doubt. A check that panics leaves the
//! claim unknown; it never passes and never ends the run.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::fault::Passage;
use crate::history::{AttemptNo, Exchange, Gate, SealedHistory};
use crate::judge::rollup::{CaseReport, ClaimVerdict};
use crate::judge::verdict::{Doubt, Verdict};
use crate::judge::view::View;
use crate::judge::{
    accept, answer_items, answer_losers, answer_repeat_as_success, apply_at_least_once, apply_exactly_once,
    apply_never, carry_retry_after, client, count_items, keep_apart, leave_first_unmarked, leave_key_free,
    mark_repeat_on_the_read_side, mark_replay, name_safe_retry, never_conflict, never_fail, refuse, refuse_conflict,
    repeat_safely, replay_after_lock, replay_verbatim, report_sameness, share_key, write_nothing_new,
};
use crate::plan::{Case, PlannedIntent, StepAction};
use crate::requirement::Side;
use crate::scenario::Claim;
use crate::time::Interval;

/// The verdicts of one case.
pub fn judge(case: &Case, history: &SealedHistory) -> CaseReport {
    // To a server, the keys that a client minted are those on the wire; to the client, nobody gave it any.
    let seen = case
        .client
        .as_ref()
        .filter(|client| client.both)
        .map(|_| case.as_seen(history.exchanges().map(|(_, exchange)| (&exchange.intent, &exchange.request))));
    let doubt =
        if case.lacks.is_empty() { doubt(case, history) } else { Some(Doubt::SubjectLacks(case.lacks.join(", no "))) };
    let own = View::of(case, history);
    let as_seen = seen.as_ref().map(|seen| View::of(seen, history));
    let verdicts = case
        .claims
        .iter()
        .map(|planned| {
            let view = as_seen.as_ref().filter(|_| planned.claim.side() == Side::Server).unwrap_or(&own);
            let on: Vec<&PlannedIntent> = planned.on.iter().filter_map(|name| view.case.intents.get(name)).collect();
            let verdict = match (&doubt, case.lacks.is_empty()) {
                (Some(doubt), false) => Verdict::Unknown(doubt.clone()),
                (doubt, _) => in_doubt(checked(planned.claim, view, &on), doubt.as_ref()),
            };
            ClaimVerdict {
                claim: planned.claim,
                on: planned.on.clone(),
                requirements: planned.requirements.clone(),
                verdict,
                waived: Default::default(),
            }
        })
        .collect();
    CaseReport {
        id: case.id.clone(),
        scenario: case.scenario.path.clone(),
        title: case.scenario.title.clone(),
        cell: case.cell.iter().map(|(axis, value)| (axis.to_string(), value.clone())).collect(),
        verdicts,
    }
}

/// What was seen to be broken stays broken; what held is not believed when the case was not what it was meant to be.
fn in_doubt(verdict: Verdict, doubt: Option<&Doubt>) -> Verdict {
    match (verdict, doubt) {
        (violated @ Verdict::Violated(_), _) => violated,
        (_, Some(doubt)) => Verdict::Unknown(doubt.clone()),
        (verdict, None) => verdict,
    }
}

fn checked(claim: Claim, view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    catch_unwind(AssertUnwindSafe(|| check(claim, view, on))).unwrap_or_else(|panic| {
        let why = panic
            .downcast_ref::<String>()
            .cloned()
            .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Verdict::Unknown(Doubt::JudgeFailed(why.unwrap_or_else(|| "a panic".to_owned())))
    })
}

fn check(claim: Claim, view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    match claim {
        Claim::Accept => accept::check(view, on),
        Claim::Refuse => refuse::check(view, on),
        Claim::ApplyExactlyOnce => apply_exactly_once::check(view, on),
        Claim::ApplyNever => apply_never::check(view, on),
        Claim::ApplyAtLeastOnce => apply_at_least_once::check(view, on),
        Claim::ReplayVerbatim => replay_verbatim::check(view, on),
        Claim::MarkReplay => mark_replay::check(view, on),
        Claim::MarkRepeatOnTheReadSide => mark_repeat_on_the_read_side::check(view, on),
        Claim::LeaveFirstUnmarked => leave_first_unmarked::check(view, on),
        Claim::AnswerRepeatAsSuccess => answer_repeat_as_success::check(view, on),
        Claim::RefuseConflict => refuse_conflict::check(view, on),
        Claim::NeverConflict => never_conflict::check(view, on),
        Claim::LeaveKeyFree => leave_key_free::check(view, on),
        Claim::KeepApart => keep_apart::check(view, on),
        Claim::ShareKey => share_key::check(view, on),
        Claim::AnswerLosers => answer_losers::check(view, on),
        Claim::ReplayAfterLock => replay_after_lock::check(view, on),
        Claim::AnswerItems => answer_items::check(view, on),
        Claim::CountItems => count_items::check(view, on),
        Claim::WriteNothingNew => write_nothing_new::check(view, on),
        Claim::NameSafeRetry => name_safe_retry::check(view, on),
        Claim::CarryRetryAfter => carry_retry_after::check(view, on),
        Claim::NeverFail => never_fail::check(view, on),
        Claim::ReportSameness => report_sameness::check(view, on),
        Claim::RepeatSafely => repeat_safely::check(view, on),
        Claim::Stop
        | Claim::EndAtOnce
        | Claim::Retry
        | Claim::RetryOnce
        | Claim::ServeFallback
        | Claim::HonorRetryAfter
        | Claim::BackOff
        | Claim::CapDelay
        | Claim::GiveUpWithin
        | Claim::SurfaceFailure
        | Claim::Finish
        | Claim::CarryKey
        | Claim::ReuseKey
        | Claim::KeepGivenKey
        | Claim::ShapeKey
        | Claim::MintApart
        | Claim::DeriveKey
        | Claim::ReuseBody
        | Claim::SendOnce
        | Claim::SendOnceWhenKept
        | Claim::OneAtATime
        | Claim::BoundAttempt
        | Claim::KeepPost
        | Claim::Resume
        | Claim::ResendUndone => client::check(claim, view, on),
    }
}

/// What puts every claim of a case in doubt. One walk over the history, whatever the number of attempts and steps.
fn doubt(case: &Case, history: &SealedHistory) -> Option<Doubt> {
    if let Some(why) = history.unfinished() {
        return Some(Doubt::Unfinished(why.to_owned()));
    }
    if let Some((_, failed)) = history.actions().find(|(_, action)| action.failed.is_some()) {
        return Some(Doubt::Unfinished(format!("{}: {}", failed.what, failed.failed.clone().unwrap_or_default())));
    }
    if case.client.is_some() {
        return client::doubt(case, history);
    }
    let mut played: BTreeMap<AttemptNo, &Exchange> = BTreeMap::new();
    let mut of_step: BTreeMap<u32, Vec<&Exchange>> = BTreeMap::new();
    for (_, exchange) in history.exchanges() {
        played.entry(exchange.attempt).or_insert(exchange);
        of_step.entry(exchange.step).or_default().push(exchange);
    }
    for attempt in case.attempts() {
        match played.get(&attempt.no) {
            None => return Some(Doubt::Unfinished(format!("attempt {} was not made", attempt.no.0))),
            Some(exchange) if attempt.passage != Passage::Clear && !exchange.fault.fired => {
                return Some(Doubt::FaultDidNotFire(format!("{}: {}", attempt.passage, exchange.fault.why)));
            }
            Some(_) => {}
        }
    }
    case.steps.iter().find_map(|step| match &step.action {
        StepAction::AtOnce { attempts, .. } if attempts.len() > 1 => {
            no_overlap(of_step.get(&step.no).map(Vec::as_slice).unwrap_or_default())
        }
        _ => None,
    })
}

/// Whether copies of a race were worked on together: one was shown its last byte before another was answered. All were
/// held one byte short, so the first bytes prove nothing.
fn no_overlap(race: &[&Exchange]) -> Option<Doubt> {
    let copies: Vec<Interval> = race
        .iter()
        .filter_map(|exchange| {
            let whole = exchange.gates.iter().find(|stamp| stamp.gate == Gate::Forwarded)?.at;
            Some(Interval { from: whole, to: exchange.at_origin?.to })
        })
        .collect();
    let meets = |copy: &Interval| copies.iter().filter(|other| other.overlaps(*copy)).count() > 1;
    let together = copies.iter().filter(|copy| meets(copy)).count();
    (together < 2)
        .then(|| Doubt::NoOverlap(format!("{together} of {} copies were at the origin together", copies.len())))
}

#[cfg(test)]
mod tests {
    use crate::judge::testing::{FRESH, SECOND, Story, given};
    use crate::requirement::Side;
    use crate::scenario::Claim;

    fn lost() -> Story {
        given(["wanted: { operation: make }"]).attempt("wanted").origin(200, FRESH).caller_lost()
    }

    #[test]
    fn a_fault_that_did_not_fire_never_holds() {
        lost()
            .not_fired("no success was answered")
            .rows("wanted", [FRESH])
            .judged("apply-exactly-once: wanted")
            .unknown("the fault did not fire: post-commit drop: no success was answered");
    }

    #[test]
    fn what_was_seen_to_be_broken_stays_broken_in_doubt() {
        let broken = lost().rows("wanted", [FRESH, SECOND]);
        broken.clone().not_fired("it came late").judged("apply-exactly-once: wanted").violated(["duplicated 2 [0, 1]"]);
        broken.unfinished("interrupted").judged("apply-exactly-once: wanted").violated(["duplicated 2 [0, 1]"]);
    }

    #[test]
    fn a_case_that_was_not_played_to_its_end_never_holds() {
        let done = lost().rows("wanted", [FRESH]);
        done.clone().judged("apply-exactly-once: wanted").holds([0, 1]);
        done.clone()
            .unfinished("interrupted")
            .judged("apply-exactly-once: wanted")
            .unknown("not played to its end: interrupted");
        done.clone()
            .attempt("wanted")
            .never_made()
            .judged("apply-exactly-once: wanted")
            .unknown("not played to its end: attempt 1 was not made");
        done.restart(Some("the port is taken"))
            .judged("apply-exactly-once: wanted")
            .unknown("not played to its end: restart: the port is taken");
    }

    #[test]
    fn a_restart_that_worked_puts_nothing_in_doubt() {
        lost().restart(None).rows("wanted", [FRESH]).judged("apply-exactly-once: wanted").holds([0, 2]);
    }

    #[test]
    fn what_the_subject_lacks_is_never_judged_even_where_it_looks_broken() {
        given(["wanted: { operation: make, defect: 429 by hook }"])
            .unable(|able| able.hooks.clear())
            .attempt("wanted")
            .origin(200, FRESH)
            .judged("refuse: wanted")
            .unknown("the subject has no hook `answer 429`");
    }

    #[test]
    fn every_claim_on_an_empty_history_is_unknown() {
        let empty = given([
            "wanted: { operation: make }",
            "twin: { same as: wanted }",
            "linked: { operation: link }",
            "sent: { operation: send }",
            "all: { operation: make, items: [wanted] }",
        ]);
        let empty = ["wanted", "twin", "linked", "sent", "all"]
            .iter()
            .fold(empty.observe("before"), |story, on| story.attempt(on).never_made());
        for claim in Claim::ALL.iter().filter(|claim| claim.side() == Side::Server) {
            let on = match claim {
                Claim::AnswerItems | Claim::CountItems | Claim::NeverConflict => "all",
                Claim::RepeatSafely => "linked",
                Claim::MarkRepeatOnTheReadSide => "sent",
                Claim::ShareKey | Claim::KeepApart => "[wanted, twin]",
                _ => "wanted",
            };
            empty.judged(&format!("{claim}: {on}")).unknown("not played to its end: attempt 0 was not made");
        }
    }
}
