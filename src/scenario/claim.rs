//! The claims that a scenario can make about a server, each with the sentence that `explain` prints. What a claim means
//! for an API stands in its contract; how it is checked stands in the judge.

use std::fmt;

use serde::{Deserialize, Serialize};

macro_rules! claims {
    ($($(#[doc = $doc:literal])+ $variant:ident = $word:literal,)*) => {
        /// A claim about a server.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Claim { $($(#[doc = $doc])+ $variant,)* }

        impl Claim {
            /// Every claim's name.
            pub const WORDS: &'static [&'static str] = &[$($word),*];
            /// Every claim.
            pub const ALL: &'static [Claim] = &[$(Claim::$variant),*];

            /// The claim that a word names.
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Claim::$variant),)* _ => None }
            }

            /// Its name.
            pub fn word(self) -> &'static str {
                match self { $(Claim::$variant => $word),* }
            }

            /// What is checked, as a sentence.
            pub fn says(self) -> &'static str {
                match self { $(Claim::$variant => concat!($($doc),+)),* }
            }
        }
    };
}

claims! {
    /// Every answered attempt is a success.
    Accept = "accept",
    /// Every answered attempt is refused, by the status that the contract names, and never by a server error.
    Refuse = "refuse",
    /// Its effect is there once if any attempt was acknowledged, at most once if none was; no second thing is ever answered.
    ApplyExactlyOnce = "apply-exactly-once",
    /// Its effect is not there at all.
    ApplyNever = "apply-never",
    /// Its effect is there at least once for every acknowledgement that could stand for a thing of its own.
    ApplyAtLeastOnce = "apply-at-least-once",
    /// Every answer after the first commit is the first answer again, but for the marker.
    ReplayVerbatim = "replay-verbatim",
    /// Every success after the commit carries the marker of a replay.
    MarkReplay = "mark-replay",
    /// The answer that did it carries no marker of a replay.
    LeaveFirstUnmarked = "leave-first-unmarked",
    /// A repeat is answered as a success, with the status class of the first.
    AnswerRepeatAsSuccess = "answer-repeat-as-success",
    /// Another request under a committed key is answered by the conflict that the contract words.
    RefuseConflict = "refuse-conflict",
    /// No answer is a conflict.
    NeverConflict = "never-conflict",
    /// After tries that failed, the good request is done now, as if they had not been.
    LeaveKeyFree = "leave-key-free",
    /// Each of them is done as a thing of its own: fresh, with an identity that no other has, and without a trace of another.
    KeepApart = "keep-apart",
    /// The second of them is answered as a repeat of the first.
    ShareKey = "share-key",
    /// Copies at the same time are each answered by success, by the declared in-progress answer, or, for other content, by the conflict.
    AnswerLosers = "answer-losers",
    /// A copy that was told to come back is answered by the replay when it does.
    ReplayAfterLock = "replay-after-lock",
    /// Each item of a batch is answered in its own place and as it deserves.
    AnswerItems = "answer-items",
    /// The counters of a batch answer count what the items say.
    CountItems = "count-items",
    /// The read side shows the same before and after.
    WriteNothingNew = "write-nothing-new",
    /// The gateway's answer to a lost origin names the safe retry.
    NameSafeRetry = "name-safe-retry",
    /// An answer that limits the rate says when to come back.
    CarryRetryAfter = "carry-retry-after",
    /// No answer is a server error.
    NeverFail = "never-fail",
    /// Whether it counts as the same request is reported; it is never a server error, and never both.
    ReportSameness = "report-sameness",
    /// Asking again is a success and leaves one effect.
    RepeatSafely = "repeat-safely",
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
