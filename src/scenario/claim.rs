//! The claims that a scenario can make about a server or a client, each with the sentence that `explain` prints. What a claim means
//! for an API stands in its contract; how it is checked stands in the judge.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::requirement::Side;

macro_rules! claims {
    ($($(#[doc = $doc:literal])+ $side:ident $variant:ident = $word:literal,)*) => {
        /// A claim about one side.
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

            /// Whom it is about.
            pub fn side(self) -> Side {
                match self { $(Claim::$variant => Side::$side),* }
            }

            /// What is checked, as a sentence.
            pub fn says(self) -> &'static str {
                match self { $(Claim::$variant => concat!($($doc),+).trim_start()),* }
            }
        }
    };
}

claims! {
    /// Every answered attempt is a success.
    Server Accept = "accept",
    /// Every answered attempt is refused, by the status that the contract names, and never by a server error.
    Server Refuse = "refuse",
    /// Its effect is there once if any attempt was acknowledged, at most once if none was; no second thing is ever answered.
    Server ApplyExactlyOnce = "apply-exactly-once",
    /// Its effect is not there at all.
    Server ApplyNever = "apply-never",
    /// Its effect is there at least once for every acknowledgement that could stand for a thing of its own.
    Server ApplyAtLeastOnce = "apply-at-least-once",
    /// Every answer after the first commit is the first answer again, but for the marker.
    Server ReplayVerbatim = "replay-verbatim",
    /// Every success after the commit carries the marker of a replay.
    Server MarkReplay = "mark-replay",
    /// What the read side shows of a repeat is marked as one, and what it shows of the first is not.
    Server MarkRepeatOnTheReadSide = "mark-repeat-on-the-read-side",
    /// The answer that did it carries no marker of a replay.
    Server LeaveFirstUnmarked = "leave-first-unmarked",
    /// A repeat is answered as a success, with the status class of the first.
    Server AnswerRepeatAsSuccess = "answer-repeat-as-success",
    /// Another request under a committed key is answered by the conflict that the contract words.
    Server RefuseConflict = "refuse-conflict",
    /// No answer is a conflict.
    Server NeverConflict = "never-conflict",
    /// After tries that failed, the good request is done now, as if they had not been.
    Server LeaveKeyFree = "leave-key-free",
    /// Each of them is done as a thing of its own: fresh, with an identity that no other has, and without a trace of another.
    Server KeepApart = "keep-apart",
    /// The second of them is answered as a repeat of the first.
    Server ShareKey = "share-key",
    /// Copies at the same time are each answered by success, by the declared in-progress answer, or, for other content, by the conflict.
    Server AnswerLosers = "answer-losers",
    /// A copy that was told to come back is answered by the replay when it does.
    Server ReplayAfterLock = "replay-after-lock",
    /// Each item of a batch is answered in its own place and as it deserves.
    Server AnswerItems = "answer-items",
    /// The counters of a batch answer count what the items say.
    Server CountItems = "count-items",
    /// The read side shows the same before and after.
    Server WriteNothingNew = "write-nothing-new",
    /// The gateway's answer to a lost origin names the safe retry.
    Server NameSafeRetry = "name-safe-retry",
    /// An answer that limits the rate says when to come back.
    Server CarryRetryAfter = "carry-retry-after",
    /// No answer is a server error.
    Server NeverFail = "never-fail",
    /// Whether it counts as the same request is reported; it is never a server error, and never both.
    Server ReportSameness = "report-sameness",
    /// Asking again is a success and leaves one effect.
    Server RepeatSafely = "repeat-safely",
    /// After an answer that ends the matter, no other request is made.
    Client Stop = "stop",
    /// Once there is nothing left to try, it ends without another wait.
    Client EndAtOnce = "end-at-once",
    /// After a failure that passes, another request is made, unless it has made as many as it may.
    Client Retry = "retry",
    /// After an answer that allows one more request, exactly one more is made.
    Client RetryOnce = "retry-once",
    /// It serves the fallback, where the contract says to, and says so.
    Client ServeFallback = "serve-fallback",
    /// Told when to come back, it does not come earlier; told nothing that can be read, it waits as it would by itself.
    Client HonorRetryAfter = "honor-retry-after",
    /// It waits before each request as the contract says, within its tolerance.
    Client BackOff = "back-off",
    /// No wait is longer than the cap, unless it was asked for.
    Client CapDelay = "cap-delay",
    /// An intent that never succeeds is asked for as often as the contract says, and no more.
    Client GiveUpWithin = "give-up-within",
    /// What was never answered by a success is not told as one.
    Client SurfaceFailure = "surface-failure",
    /// A success that was answered whole is told as one, and no other request is made.
    Client Finish = "finish",
    /// Every request carries a key.
    Client CarryKey = "carry-key",
    /// All requests of one intent carry the same key.
    Client ReuseKey = "reuse-key",
    /// The key that the caller gave is the one on the wire.
    Client KeepGivenKey = "keep-given-key",
    /// A minted key has the form that the contract gives.
    Client ShapeKey = "shape-key",
    /// Two intents carry two keys.
    Client MintApart = "mint-apart",
    /// The same fact carries the same key, whenever it is told.
    Client DeriveKey = "derive-key",
    /// All requests of one intent ask for the same thing, and none is empty.
    Client ReuseBody = "reuse-body",
    /// There is one request on the wire, whatever its connection met.
    Client SendOnce = "send-once",
    /// The same, on a connection that was kept: what has carried a request before may be dead when it carries the next.
    Client SendOnceWhenKept = "send-once-when-kept",
    /// Requests of one intent come one after the other.
    Client OneAtATime = "one-at-a-time",
    /// An attempt that goes on for longer than it may is given up.
    Client BoundAttempt = "bound-attempt",
    /// A redirect never makes a success without a request that has the body and was answered by a success.
    Client KeepPost = "keep-post",
    /// Ended in the middle and started again, it asks for the same thing under the same key.
    Client Resume = "resume",
    /// After an answer that did a part of a batch, only what is not done is asked for again, and all of that is.
    Client ResendUndone = "resend-undone",
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}
