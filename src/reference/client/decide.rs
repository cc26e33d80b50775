//! What a client does after what it was left with: ask again after a wait, or come to an end. Pure: no IO, no sleep.
//! Honest where the policy is; each branch on a choice is one lie or one honest variant.

use std::time::{Duration, SystemTime};

use crate::contract::{Advice, ClientRules, Contract, Operation, Outcome};
use crate::history::Told;
use crate::message::Response;
use crate::reference::client::memory::Settled;
use crate::reference::client::policy::{
    Acknowledged, Attempts, BatchResend, ClientPolicy, Exhaustion, FallbackUse, GivesUpOn, InProgress, LeftOpen,
    Pacing, Permanent, RetryAfterUse, SuccessUse,
};
use crate::reference::client::send::Left;
use crate::reference::client::wait::{self, Asked, PATIENCE};

/// Requests of an intent that never succeeds, where a contract does not say.
const MOST: u32 = 5;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Next {
    /// The same once more, after a wait on the contract's clock.
    Again {
        /// The wait.
        wait: Duration,
        /// Whether the key is left out from now on.
        keyless: bool,
    },
    /// The end.
    End {
        /// What is told.
        told: Told,
        /// Waited before it is told; only a liar does.
        after: Duration,
        /// What is known.
        settled: Settled,
    },
}

/// How far an intent has come.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Progress {
    /// How many requests were made.
    pub made: u32,
    /// Whether the one request more, which an answer allowed, was made.
    pub once_spent: bool,
    /// Whether all is done, as the last answer has it: a batch may be done in part.
    pub all_done: bool,
    /// The chance of its next wait, from 0 to 1.
    pub share: f64,
}

/// The rules that are kept, and how.
#[derive(Clone, Copy, Debug)]
pub(super) struct Desk<'a> {
    /// The contract.
    pub contract: &'a Contract,
    /// The rules of this kind of client.
    pub rules: &'a ClientRules,
    /// How it keeps them.
    pub policy: ClientPolicy,
    /// What is asked for.
    pub operation: &'a Operation,
}

/// How the retries of one answer end and how long they wait.
#[derive(Clone, Copy, Debug)]
struct Course {
    wait: Duration,
    exhausted: Told,
    keyless: bool,
}

impl Desk<'_> {
    /// What comes next.
    pub fn next(&self, progress: &mut Progress, left: &Left, now: SystemTime) -> Next {
        let policy = self.policy;
        let Some(met) = left.met() else { return done(Told::Success) };
        let answer = match left {
            Left::Answer(answer) => Some(answer),
            Left::Dropped | Left::TimedOut | Left::ThoughtDone => None,
        };
        let outcome = answer.and_then(|answer| self.operation.outcome(answer));
        if outcome == Some(Outcome::Replayed) && policy.acknowledged == Acknowledged::Failure {
            return ended(Told::Failure);
        }
        if outcome.is_some_and(Outcome::is_success) {
            return match self.policy.success {
                SuccessUse::Told => self.after_success(progress),
                SuccessUse::AskedAgain if progress.made == 1 => self.again(progress, Course::failing(Duration::ZERO)),
                SuccessUse::AskedAgain => self.after_success(progress),
                SuccessUse::ToldAsFailure => ended(Told::Failure),
            };
        }
        let advice = self.contract.advice(self.rules, self.operation, met);
        let is_retry = matches!(advice, Some(Advice::Retry | Advice::RetryAfter | Advice::RetryOnce));
        if is_retry && self.gives_up(left) {
            return ended(Told::Failure);
        }
        if is_retry && outcome == Some(Outcome::InProgress) {
            match policy.in_progress {
                InProgress::AsSaid => {}
                InProgress::GivesUp => return ended(Told::Failure),
                InProgress::Hammers => return self.again(progress, Course::failing(Duration::ZERO)),
            }
        }
        let own = self.own(*progress);
        match advice {
            Some(Advice::Stop | Advice::StopAnd(_)) => self.after_refusal(progress, answer, own),
            Some(Advice::Fallback) => self.fall_back(progress, answer, own, now),
            Some(Advice::FallbackOrRetryWithKey) => match policy.left_open {
                LeftOpen::FallsBack => self.fall_back(progress, answer, own, now),
                LeftOpen::RetriesWithKey | LeftOpen::RetriesWithoutKey => {
                    let keyless = policy.left_open == LeftOpen::RetriesWithoutKey;
                    let wait = self.told(answer, own, now);
                    self.again(progress, Course { wait, exhausted: Told::Fallback, keyless })
                }
            },
            Some(Advice::Retry) => self.again(progress, Course::failing(self.told(answer, own, now))),
            Some(Advice::RetryAfter) => self.again(progress, Course::failing(self.obeyed(answer, own, now))),
            Some(Advice::RetryOnce) if progress.once_spent => ended(Told::Failure),
            Some(Advice::RetryOnce) => {
                progress.once_spent = true;
                let wait = wait::once(self.rules, policy.pacing, progress.share);
                let listens = policy.retry_after == RetryAfterUse::HonoredEverywhere;
                let wait = if listens { self.told(answer, wait, now) } else { wait };
                self.again(progress, Course::failing(wait))
            }
            Some(Advice::NotReturned) | None => ended(Told::Failure),
        }
    }

    /// After a success, which of a batch may be one in part.
    fn after_success(&self, progress: &Progress) -> Next {
        let Some(batch) = self.operation.batch.as_ref().filter(|_| !progress.all_done) else {
            return done(Told::Success);
        };
        if self.policy.batch == BatchResend::Nothing {
            return done(Told::Success);
        }
        let never = &self.rules.never_retries;
        if never.contains(&self.operation.name) || never.contains(&batch.of) {
            return ended(Told::Failure);
        }
        self.again(progress, Course::failing(self.own(*progress)))
    }

    /// After an answer that ends the matter.
    fn after_refusal(&self, progress: &Progress, answer: Option<&Response>, own: Duration) -> Next {
        let status = answer.map_or(0, |answer| answer.status);
        let is_retried = match self.policy.permanent {
            Permanent::Stops => false,
            Permanent::RetriesAll => (400..500).contains(&status),
            Permanent::RetriesFrom401 => (401..500).contains(&status),
            Permanent::TellsSuccess => return done(Told::Success),
            Permanent::SleepsFirst => {
                return Next::End { told: Told::Failure, after: own.saturating_mul(4), settled: Settled::Refused };
            }
        };
        if is_retried {
            return self.again(progress, Course::failing(own));
        }
        Next::End { told: Told::Failure, after: Duration::ZERO, settled: Settled::Refused }
    }

    fn fall_back(&self, progress: &Progress, answer: Option<&Response>, own: Duration, now: SystemTime) -> Next {
        match self.policy.fallback {
            FallbackUse::Serves => ended(Told::Fallback),
            FallbackUse::TellsSuccess => ended(Told::Success),
            FallbackUse::TellsFailure => ended(Told::Failure),
            FallbackUse::WaitsFirst => {
                let after = self.told(answer, own, now);
                Next::End { told: Told::Fallback, after, settled: Settled::Open }
            }
            FallbackUse::Retries => {
                let wait = self.told(answer, own, now);
                self.again(progress, Course { wait, exhausted: Told::Fallback, keyless: false })
            }
        }
    }

    /// Once more, unless there is nothing left to try or the wait is longer than anybody has to wait.
    fn again(&self, progress: &Progress, course: Course) -> Next {
        let patience = self.rules.patience.unwrap_or(PATIENCE);
        if course.wait > patience && course.wait > self.own(*progress) {
            return ended(course.exhausted);
        }
        if progress.made < self.most() {
            return Next::Again { wait: course.wait, keyless: course.keyless };
        }
        let after = if self.policy.pacing == Pacing::AlsoAfterTheLast { course.wait } else { Duration::ZERO };
        let told = match self.policy.exhaustion {
            Exhaustion::Failure => course.exhausted,
            Exhaustion::Success => Told::Success,
        };
        Next::End { told, after, settled: Settled::Open }
    }

    fn most(&self) -> u32 {
        let (least, most) = self.rules.attempts.unwrap_or((MOST, MOST));
        match self.policy.attempts {
            Attempts::AsSaid => most,
            Attempts::Fewest => least,
            Attempts::OneMore => most.saturating_add(1),
            Attempts::OneFewer => least.saturating_sub(1).max(1),
            Attempts::Endless => u32::MAX,
        }
    }

    /// The client's own wait before its next request.
    fn own(&self, progress: Progress) -> Duration {
        wait::own(self.rules, self.policy.pacing, progress.made.saturating_add(1), progress.share)
    }

    /// The wait where nobody has to ask for one: the client's own, or a longer one that was asked for.
    fn told(&self, answer: Option<&Response>, own: Duration, now: SystemTime) -> Duration {
        match self.asked(answer, now) {
            Asked::For(wait) if self.hurries(wait) => wait,
            Asked::For(wait) => own.max(wait),
            Asked::Nothing | Asked::Unreadable | Asked::Past => own,
        }
    }

    /// The wait where one has to be asked for.
    fn obeyed(&self, answer: Option<&Response>, own: Duration, now: SystemTime) -> Duration {
        match self.asked(answer, now) {
            Asked::For(wait) if self.policy.retry_after == RetryAfterUse::HonoredEverywhere => own.max(wait),
            Asked::For(wait) => wait,
            Asked::Nothing => self.rules.without_retry_after.unwrap_or(own),
            // What cannot be read, and a date that has passed, say nothing of how long.
            Asked::Unreadable | Asked::Past => own,
        }
    }

    /// Whether a misread wait brings the client back at once, whatever its own wait is.
    fn hurries(&self, wait: Duration) -> bool {
        let misreads = match self.policy.retry_after {
            RetryAfterUse::DateIsNow | RetryAfterUse::NegativeIsNow | RetryAfterUse::HugeIsNow => true,
            RetryAfterUse::Honored
            | RetryAfterUse::HonoredEverywhere
            | RetryAfterUse::Ignored
            | RetryAfterUse::OnlyOn429
            | RetryAfterUse::OnlySeconds => false,
        };
        misreads && wait.is_zero()
    }

    fn asked(&self, answer: Option<&Response>, now: SystemTime) -> Asked {
        answer.map_or(Asked::Nothing, |answer| wait::asked(answer, self.policy.retry_after, now))
    }

    fn gives_up(&self, left: &Left) -> bool {
        match (self.policy.gives_up_on, left) {
            (GivesUpOn::RateLimit, Left::Answer(answer)) => answer.status == 429,
            (GivesUpOn::Timeout, Left::Answer(answer)) => answer.status == 408,
            (GivesUpOn::Timeout, Left::TimedOut) | (GivesUpOn::Dropped, Left::Dropped) => true,
            (GivesUpOn::Nothing | GivesUpOn::RateLimit | GivesUpOn::Timeout | GivesUpOn::Dropped, _) => false,
        }
    }
}

impl Course {
    /// Retries that end in a failure.
    fn failing(wait: Duration) -> Self {
        Self { wait, exhausted: Told::Failure, keyless: false }
    }
}

fn done(told: Told) -> Next {
    Next::End { told, after: Duration::ZERO, settled: Settled::Done }
}

fn ended(told: Told) -> Next {
    Next::End { told, after: Duration::ZERO, settled: Settled::Open }
}
