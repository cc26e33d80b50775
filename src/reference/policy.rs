//! How the reference server keeps a contract, as small enums: the honest value of each stands first. A saboteur is the
//! honest policy with one member changed. Values only; nothing here acts on them.

use std::time::Duration;

use crate::reference::claim::Claim;

/// Every choice of the reference server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// How a key is claimed.
    pub claim: Claim,
    /// What becomes of a key whose handler failed.
    pub after_failure: AfterFailure,
    /// Which answers are stored under a key.
    pub stores: Stores,
    /// When the answer is stored.
    pub recorded: Recorded,
    /// What a try that was refused does to its key.
    pub refused_try: RefusedTry,
    /// What "the same request" is judged on.
    pub compares: Compares,
    /// Where a key counts.
    pub key_scope: KeyScope,
    /// How the grammar of keys is kept.
    pub grammar: Grammar,
    /// Which keys are taken for one another.
    pub folding: Folding,
    /// The status of a replay.
    pub replay_status: ReplayStatus,
    /// The body of a replay.
    pub replay_body: ReplayBody,
    /// The headers of a replay.
    pub replay_headers: ReplayHeaders,
    /// The marker that tells a replay.
    pub marker: Marker,
    /// The counter of a batch answer.
    pub counter: CounterUse,
    /// Where keys are remembered.
    pub memory: Memory,
    /// How a batch is worked through.
    pub batch: BatchUse,
    /// What identifies a request that was done before.
    pub identity: Identity,
    /// Where keys are heeded.
    pub coverage: Coverage,
    /// How operations are kept that are safe without a key.
    pub natural: NaturalUse,
    /// What a caller is told that must wait.
    pub throttle: Throttle,
    /// What the gateway says when its origin broke off.
    pub gateway: GatewayUse,
    /// How answers are spelled.
    pub spelling: Spelled,
    /// What is noted about a repeat, where the contract notes it.
    pub repeats: Repeats,
    /// What becomes of requests that the contract refuses by rules of its own.
    pub constraints: Constraints,
    /// Members of fresh answers that no contract asked for.
    pub extras: Extras,
    /// How long a handler takes.
    pub pace: Pace,
}

impl Policy {
    /// Keeps every promise.
    pub const HONEST: Policy = Policy {
        claim: Claim::InTransaction,
        after_failure: AfterFailure::Release,
        stores: Stores::AsPromised,
        recorded: Recorded::WithTheEffect,
        refused_try: RefusedTry::LeavesTheKey,
        compares: Compares::Content,
        key_scope: KeyScope::AsPromised,
        grammar: Grammar::Exact,
        folding: Folding::None,
        replay_status: ReplayStatus::First,
        replay_body: ReplayBody::Verbatim,
        replay_headers: ReplayHeaders::First,
        marker: Marker::OnReplay,
        counter: CounterUse::Counts,
        memory: Memory::Shared,
        batch: BatchUse::EachItem,
        identity: Identity::Key,
        coverage: Coverage::Everywhere,
        natural: NaturalUse::Repeatable,
        throttle: Throttle::SaysWhen,
        gateway: GatewayUse::NamesTheSafeRetry,
        spelling: Spelled::Compact,
        repeats: Repeats::Noted,
        constraints: Constraints::Heeded,
        extras: Extras::None,
        pace: Pace::Prompt,
    };
}

impl Default for Policy {
    fn default() -> Self {
        Policy::HONEST
    }
}

macro_rules! choices {
    ($($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident,)* })*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)* }
    )*};
}
pub(in crate::reference) use choices;

choices! {
    /// What becomes of a key whose handler failed.
    AfterFailure {
        /// It is free again.
        Release,
        /// It stays claimed for ever: every retry is told "in progress".
        Wedge,
    }

    /// Which answers are stored under a key.
    Stores {
        /// Those that the contract says.
        AsPromised,
        /// Refusals of the request too: 400, 403, 404, …
        RefusalsToo,
        /// Passing failures too: 429 and 5xx.
        OutagesToo,
    }

    /// When the answer is stored.
    Recorded {
        /// In the effect's own transaction.
        WithTheEffect,
        /// In another one afterwards, so that a failure between them leaves an effect without a record.
        AfterTheEffect,
    }

    /// What a try that was refused does to its key.
    RefusedTry {
        /// Nothing.
        LeavesTheKey,
        /// The key belongs to the refused request from then on.
        BurnsTheKey,
    }

    /// What "the same request" is judged on.
    Compares {
        /// What the contract says: method, path, query and content.
        Content,
        /// Nothing: whoever has the key gets the answer.
        Nothing,
        /// The bytes of the body, so that another spelling is another request.
        Bytes,
        /// The body alone: another query is the same request.
        BodyAlone,
    }

    /// Where a key counts.
    KeyScope {
        /// In the contract's scopes, for one operation.
        AsPromised,
        /// The last scope is forgotten.
        WithoutTheLast,
        /// The first scope is forgotten.
        WithoutTheFirst,
        /// Only for the credential that used it.
        OneCredential,
        /// For all operations together.
        AcrossOperations,
    }

    /// How the grammar of keys is kept.
    Grammar {
        /// As the contract says.
        Exact,
        /// Bytes are counted where characters are meant, and the other way round.
        OtherUnit,
        /// A forbidden character breaks the handler.
        CrashesOnForbidden,
        /// Only the first 64 characters are kept.
        Truncates,
        /// Longer keys are taken, too.
        Unbounded,
        /// A surrogate without its partner is read as U+FFFD.
        ReplacesSurrogates,
        /// A key that is no text breaks the handler.
        CrashesOnOtherTypes,
        /// A request without a key is refused, whatever the contract says.
        Requires,
        /// None is required, though the contract requires one.
        NeverRequires,
    }

    /// Which keys are taken for one another.
    Folding {
        /// None.
        None,
        /// Those that differ in case.
        Case,
        /// Those that differ in spaces at their ends.
        Spaces,
        /// Those that differ in accents, composed or not.
        Accents,
    }

    /// The status of a replay.
    ReplayStatus {
        /// The first answer's.
        First,
        /// `208`.
        AlreadyReported,
        /// `201`.
        Created,
        /// Where a duplicate has to be acknowledged, it meets a conflict.
        RefusesDuplicates,
    }

    /// The body of a replay.
    ReplayBody {
        /// The first answer's.
        Verbatim,
        /// Points in time are now.
        FreshTime,
        /// Lists are reversed.
        ListsReversed,
        /// Numbers are written otherwise.
        NumbersRespelled,
        /// Its last member is missing.
        MemberLost,
        /// What it owes to looked-up rows is worked out again from the rows of now.
        TodaysAnswer,
    }

    /// The headers of a replay.
    ReplayHeaders {
        /// The first answer's.
        First,
        /// No content type.
        ContentTypeLost,
    }

    /// The marker that tells a replay.
    Marker {
        /// On replays only.
        OnReplay,
        /// Honest too: on replays, and `false` on first answers where it is a flag.
        FalseOnFirst,
        /// Never.
        Never,
        /// On first answers too.
        Always,
        /// On replays, but its value is spelled as text.
        AsText,
        /// A replay is stored in place of the first answer, so that the next one is marked twice.
        BakedIn,
    }

    /// The counter of a batch answer.
    CounterUse {
        /// Counts.
        Counts,
        /// Honest where the contract allows it: left out when it is zero.
        LeftOutWhenZero,
        /// One too few, when there is something to count.
        OneTooFew,
        /// Counts every item that succeeded.
        CountsSuccesses,
    }

    /// Where keys are remembered.
    Memory {
        /// In the store that all replicas share.
        Shared,
        /// Each replica, told by its address, for itself.
        EachReplica,
        /// Until a replica starts.
        ForgottenAtStart,
        /// Written under one key, read under another.
        WrittenElsewhere,
    }

    /// How a batch is worked through.
    BatchUse {
        /// Each item on its own.
        EachItem,
        /// Keys are looked up for the whole batch first, so that two copies inside it both pass.
        LookedUpFirst,
        /// One bad item fails the whole batch.
        AllOrNothing,
        /// After a duplicate the transaction is broken and the following items fail.
        PoisonedByDuplicate,
        /// Results stand in the reverse of the order sent.
        ResultsReversed,
    }

    /// What identifies a request that was done before.
    Identity {
        /// Its key.
        Key,
        /// Its key, or a content that came under another key before.
        ContentToo,
        /// Its key; without a key, its content.
        ContentWithoutKey,
    }

    /// Where keys are heeded.
    Coverage {
        /// Everywhere.
        Everywhere,
        /// Not in batches.
        NotInBatches,
        /// Not in single requests of an operation that has a batch.
        NotOutsideBatches,
        /// Not when the body comes in chunks.
        NotWhenChunked,
    }

    /// How operations are kept that are safe without a key.
    NaturalUse {
        /// The same again is answered as before.
        Repeatable,
        /// The same again is a conflict.
        RefusesRepeat,
        /// The same again is a second row.
        RowAgain,
    }

    /// What a caller is told that must wait.
    Throttle {
        /// The headers that the contract says.
        SaysWhen,
        /// No headers.
        Silent,
    }

    /// What the gateway says when its origin broke off.
    GatewayUse {
        /// The safe retry.
        NamesTheSafeRetry,
        /// Only that something went wrong.
        Silent,
    }

    /// How answers are spelled.
    Spelled {
        /// Without white space, in the contract's order.
        Compact,
        /// Honest too: one member a line.
        Indented,
        /// Honest too: the members in reverse.
        MembersReversed,
    }

    /// What is noted about a repeat, where the contract notes it.
    Repeats {
        /// What the contract says.
        Noted,
        /// Nothing: the read side shows the first and no more.
        Unnoted,
    }

    /// What becomes of requests that the contract refuses by rules of its own.
    Constraints {
        /// They are refused.
        Heeded,
        /// They are done like any other.
        Ignored,
        /// They are refused, by a clock that is ahead.
        HeededByAFastClock,
        /// Only the last is looked at: what the others would have kept from it breaks it.
        Unguarded,
    }

    /// Members of fresh answers that no contract asked for.
    Extras {
        /// None.
        None,
        /// Honest too: a few, with numbers, lists and nesting.
        Some,
    }

    /// How long a handler takes.
    Pace {
        /// As long as it takes.
        Prompt,
        /// Honest too: 30 ms longer.
        Slow,
    }
}

impl Pace {
    /// The time that a handler takes besides.
    pub fn delay(self) -> Duration {
        match self {
            Pace::Prompt => Duration::ZERO,
            Pace::Slow => Duration::from_millis(30),
        }
    }
}
