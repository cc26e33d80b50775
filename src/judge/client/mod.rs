//! The claims about a client under test, one file for each. They read its requests as they came on the wire and what it
//! told at its end; what its origin did counts only where it is what the client was left with.

mod back_off;
mod bound_attempt;
mod cap_delay;
mod carry_key;
mod content;
mod course;
mod doubt;
mod end_at_once;
mod finish;
mod give_up_within;
mod honor_retry_after;
mod items;
mod keep_given_key;
mod keep_post;
mod keys;
mod keys_of_two;
mod one_at_a_time;
mod resend_undone;
mod resume;
mod retry;
mod retry_after;
mod retry_once;
mod reuse_body;
mod reuse_key;
mod send_once;
mod serve_fallback;
mod shape_key;
mod shown;
mod stop;
mod surface_failure;
mod tells;
#[cfg(test)]
mod testing;

use crate::judge::verdict::{Doubt, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;
use crate::scenario::Claim;

pub use course::Course;
pub use doubt::doubt;

/// Checks one claim about a client.
pub fn check(claim: Claim, view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let courses: Result<Vec<Course<'_>>, Doubt> = on.iter().map(|intent| Course::of(view, intent)).collect();
    match courses {
        Ok(courses) => checked(claim, &courses),
        Err(doubt) => Verdict::Unknown(doubt),
    }
}

fn checked(claim: Claim, courses: &[Course<'_>]) -> Verdict {
    match claim {
        Claim::Stop => stop::check(courses),
        Claim::EndAtOnce => end_at_once::check(courses),
        Claim::Retry => retry::check(courses),
        Claim::RetryOnce => retry_once::check(courses),
        Claim::ServeFallback => serve_fallback::check(courses),
        Claim::HonorRetryAfter => honor_retry_after::check(courses),
        Claim::BackOff => back_off::check(courses),
        Claim::CapDelay => cap_delay::check(courses),
        Claim::GiveUpWithin => give_up_within::check(courses),
        Claim::SurfaceFailure => surface_failure::check(courses),
        Claim::Finish => finish::check(courses),
        Claim::CarryKey => carry_key::check(courses),
        Claim::ReuseKey => reuse_key::check(courses),
        Claim::KeepGivenKey => keep_given_key::check(courses),
        Claim::ShapeKey => shape_key::check(courses),
        Claim::MintApart => keys_of_two::mint_apart(courses),
        Claim::DeriveKey => keys_of_two::derive_key(courses),
        Claim::ReuseBody => reuse_body::check(courses),
        Claim::SendOnce => send_once::check(courses, false),
        Claim::SendOnceWhenKept => send_once::check(courses, true),
        Claim::OneAtATime => one_at_a_time::check(courses),
        Claim::BoundAttempt => bound_attempt::check(courses),
        Claim::KeepPost => keep_post::check(courses),
        Claim::Resume => resume::check(courses),
        Claim::ResendUndone => resend_undone::check(courses),
        Claim::Accept
        | Claim::Refuse
        | Claim::ApplyExactlyOnce
        | Claim::ApplyNever
        | Claim::ApplyAtLeastOnce
        | Claim::ReplayVerbatim
        | Claim::MarkReplay
        | Claim::LeaveFirstUnmarked
        | Claim::AnswerRepeatAsSuccess
        | Claim::RefuseConflict
        | Claim::NeverConflict
        | Claim::LeaveKeyFree
        | Claim::KeepApart
        | Claim::ShareKey
        | Claim::AnswerLosers
        | Claim::ReplayAfterLock
        | Claim::AnswerItems
        | Claim::CountItems
        | Claim::WriteNothingNew
        | Claim::NameSafeRetry
        | Claim::CarryRetryAfter
        | Claim::NeverFail
        | Claim::ReportSameness
        | Claim::MarkRepeatOnTheReadSide
        | Claim::RepeatSafely => Verdict::Unknown(Doubt::JudgeFailed(format!("`{claim}` is no claim about a client"))),
    }
}
