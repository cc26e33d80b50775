//! How the reference client keeps the rules of a contract, as small enums: the honest value of each stands first. A
//! saboteur is the honest policy with one member changed. Values only; nothing here acts on them.

use crate::reference::policy::choices;

/// Every choice of the reference client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClientPolicy {
    /// Where keys come from.
    pub minting: Minting,
    /// What a retry asks for.
    pub body: BodyUse,
    /// What an acknowledgement of something done before is taken for.
    pub acknowledged: Acknowledged,
    /// What is done after an answer that ends the matter.
    pub permanent: Permanent,
    /// Which passing failure is taken for the end.
    pub gives_up_on: GivesUpOn,
    /// How `Retry-After` is read.
    pub retry_after: RetryAfterUse,
    /// How many requests an intent gets.
    pub attempts: Attempts,
    /// How long it waits by itself.
    pub pacing: Pacing,
    /// What is told when there is nothing left to try.
    pub exhaustion: Exhaustion,
    /// What is done when another copy is in progress.
    pub in_progress: InProgress,
    /// What is asked for again of a batch.
    pub batch: BatchResend,
    /// Whether a second hand sends what waits to be sent again.
    pub flush: Flush,
    /// What is made of a redirect.
    pub redirect: Redirect,
    /// What bounds an attempt.
    pub timeout: TimeoutUse,
    /// What the transport does by itself.
    pub transport: Transport,
    /// What is left of an intent after the client's own end.
    pub memory: MemoryUse,
    /// What is done where the fallback is to be served.
    pub fallback: FallbackUse,
    /// What is done after a success.
    pub success: SuccessUse,
    /// What is done where a contract leaves the choice between the fallback and a retry under the key.
    pub left_open: LeftOpen,
}

impl ClientPolicy {
    /// Keeps every rule.
    pub const HONEST: ClientPolicy = ClientPolicy {
        minting: Minting::Once,
        body: BodyUse::Same,
        acknowledged: Acknowledged::Success,
        permanent: Permanent::Stops,
        gives_up_on: GivesUpOn::Nothing,
        retry_after: RetryAfterUse::Honored,
        attempts: Attempts::AsSaid,
        pacing: Pacing::AsSaid,
        exhaustion: Exhaustion::Failure,
        in_progress: InProgress::AsSaid,
        batch: BatchResend::Undone,
        flush: Flush::InTurn,
        redirect: Redirect::Refused,
        timeout: TimeoutUse::WholeAttempt,
        transport: Transport::Keeps,
        memory: MemoryUse::Keeps,
        fallback: FallbackUse::Serves,
        success: SuccessUse::Told,
        left_open: LeftOpen::FallsBack,
    };
}

impl Default for ClientPolicy {
    fn default() -> Self {
        ClientPolicy::HONEST
    }
}

choices! {
    /// Where keys come from.
    Minting {
        /// Minted once, before the first request, unless the caller gave one.
        Once,
        /// Minted for each request.
        EachAttempt,
        /// Derived from what is asked for and from the time of the request.
        FromTheClock,
        /// Nowhere: only a given key is sent.
        Never,
        /// Minted once, and sent only the first time.
        FirstOnly,
        /// Minted even where the caller gave one.
        OverGiven,
        /// One for everything.
        Constant,
        /// Minted once, in a form of its own.
        OtherForm,
    }

    /// What a retry asks for.
    BodyUse {
        /// The same.
        Same,
        /// Nothing: the body was consumed by the first request.
        EmptyOnRetry,
        /// The first half of it.
        CutOnRetry,
        /// The same, with the number of the attempt in it.
        CountsAttempts,
    }

    /// What an acknowledgement of something done before is taken for.
    Acknowledged {
        /// Success.
        Success,
        /// A failure.
        Failure,
    }

    /// What is done after an answer that ends the matter.
    Permanent {
        /// Nothing.
        Stops,
        /// Every 4xx is tried again.
        RetriesAll,
        /// Every 4xx above 400 is tried again.
        RetriesFrom401,
        /// It is told as a success.
        TellsSuccess,
        /// It is told after four times the wait that a retry would have had.
        SleepsFirst,
    }

    /// What is done after a success.
    SuccessUse {
        /// It is told.
        Told,
        /// It is asked for once more, and told then.
        AskedAgain,
        /// It is told as a failure.
        ToldAsFailure,
    }

    /// Which passing failure is taken for the end.
    GivesUpOn {
        /// None.
        Nothing,
        /// 429.
        RateLimit,
        /// No answer in time, and 408.
        Timeout,
        /// A connection without a whole answer.
        Dropped,
    }

    /// How `Retry-After` is read.
    RetryAfterUse {
        /// As it is said.
        Honored,
        /// Honest too: everywhere, and never for less than the client's own wait.
        HonoredEverywhere,
        /// Not at all.
        Ignored,
        /// Only on 429.
        OnlyOn429,
        /// Only seconds.
        OnlySeconds,
        /// A date is now.
        DateIsNow,
        /// A number below zero is now.
        NegativeIsNow,
        /// A number that does not fit 32 bits is now.
        HugeIsNow,
    }

    /// How many requests an intent gets.
    Attempts {
        /// As many as the contract allows.
        AsSaid,
        /// Honest too: as few as it allows.
        Fewest,
        /// One more than it allows.
        OneMore,
        /// One fewer than it asks for.
        OneFewer,
        /// No end.
        Endless,
    }

    /// How long it waits by itself.
    Pacing {
        /// As the contract says.
        AsSaid,
        /// Honest too: longer by up to a fifth, where the contract tolerates it.
        Longer,
        /// Honest too: shorter by up to the jitter that the contract allows.
        Shorter,
        /// Also after the last request.
        AlsoAfterTheLast,
        /// Always as long as the first time.
        NoGrowth,
        /// Four times as long each time.
        NoCap,
        /// Not at all.
        NoWait,
        /// Three times as long.
        TooLong,
    }

    /// What is told when there is nothing left to try.
    Exhaustion {
        /// A failure.
        Failure,
        /// A success.
        Success,
    }

    /// What is done when another copy is in progress.
    InProgress {
        /// What the contract says.
        AsSaid,
        /// It is a failure.
        GivesUp,
        /// It is tried again at once, over and over.
        Hammers,
    }

    /// What is asked for again of a batch.
    BatchResend {
        /// What is not done.
        Undone,
        /// All of it.
        Whole,
        /// Nothing: a part is taken for the whole.
        Nothing,
    }

    /// Whether a second hand sends what waits to be sent again.
    Flush {
        /// No.
        InTurn,
        /// In the middle of the wait.
        DuringTheWait,
        /// Together with the retry.
        WithTheRetry,
    }

    /// What is made of a redirect.
    Redirect {
        /// It is an answer as any other.
        Refused,
        /// 301, 302 and 303 become a GET without a body, and its success is taken for that of the request.
        BecomesGet,
        /// It is taken for a success.
        TakenForDone,
    }

    /// What bounds an attempt.
    TimeoutUse {
        /// The time of the whole attempt.
        WholeAttempt,
        /// The time between two reads.
        EachRead,
        /// Nothing.
        None,
    }

    /// What the transport does by itself.
    Transport {
        /// Nothing: a connection is kept for the next request, as long as it is there.
        Keeps,
        /// Honest too: each request has a connection of its own.
        NewEachTime,
        /// A request whose connection ended is sent again at once, and nobody counts it.
        Resends,
        /// The same, only where the connection was kept from a request before: as if nobody could have read it.
        ResendsWhenKept,
    }

    /// What is left of an intent after the client's own end.
    MemoryUse {
        /// Its key, and what of it is done.
        Keeps,
        /// Nothing.
        Forgets,
    }

    /// What is done where the fallback is to be served.
    FallbackUse {
        /// It is served.
        Serves,
        /// A success is told.
        TellsSuccess,
        /// A failure is told.
        TellsFailure,
        /// It is served after a wait.
        WaitsFirst,
        /// The request is tried again.
        Retries,
    }

    /// What is done where a contract leaves the choice between the fallback and a retry under the key.
    LeftOpen {
        /// The fallback is served.
        FallsBack,
        /// Honest too: it is tried again under the same key, and the fallback served at last.
        RetriesWithKey,
        /// It is tried again without the key.
        RetriesWithoutKey,
    }
}
