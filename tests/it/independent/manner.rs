//! How the independent server goes about it: honest choices that the contract leaves open, and lies, one at a time.

use std::time::Duration;

/// Choices that the contract leaves open; every combination is honest.
#[derive(Clone, Debug)]
pub struct Manner {
    /// `replayed: false` and `duplicate: false` on first answers, counters of 0.
    pub says_no: bool,
    /// Members of its own in every answer, nested and of every type; the caller's context echoed.
    pub extras: bool,
    /// One request for each connection.
    pub closes: bool,
    /// Answers without a length.
    pub chunked: bool,
    /// How long each answer takes.
    pub slow: Option<Duration>,
    /// A copy of what is being decided is told `lock_timeout` until the first answer is out.
    pub in_progress: Option<Duration>,
    /// The media type of answers.
    pub media: &'static str,
    /// 405 names what would be allowed.
    pub allows: bool,
    /// 401 before 404 and 405.
    pub auth_first: bool,
    /// The element is looked up before the key.
    pub element_first: bool,
    /// 41.0 and 4.1e1 are one number.
    pub reads_numbers: bool,
    /// An item of a batch and a single call are the same request.
    pub one_call: bool,
    /// An empty event id is none, and any other value of it that is no text is ignored too.
    pub lenient_ids: bool,
    /// What an event is answered: any 2xx is a success.
    pub event_status: u16,
    /// Key lengths in UTF-16 units.
    pub utf16: bool,
    /// Answers are indented, and every member name is written with an escape.
    pub pretty: bool,
    /// Rows of the read side carry their age, which is another one at each reading.
    pub ages: bool,
    /// `conclude` answers 200 without a body.
    pub bare: bool,
    /// `decision_id` is a number.
    pub numbers: bool,
    /// Whether a key is in use is asked before what it was used for.
    pub locks_first: bool,
    /// A repeated event brings the stored one up to date.
    pub last_wins: bool,
    /// The most characters of an event id; the contract names none.
    pub longest_id: usize,
    /// A replay is printed with its members in another order.
    pub reorders: bool,
    /// Each answer takes another time, up to this.
    pub jitter: Option<Duration>,
    /// Without a key, the same element for the same user is not decided twice.
    pub merges_unkeyed: bool,
}

impl Default for Manner {
    fn default() -> Self {
        Self {
            says_no: false,
            extras: false,
            closes: false,
            chunked: false,
            slow: None,
            in_progress: None,
            media: "application/json",
            allows: true,
            auth_first: true,
            element_first: false,
            reads_numbers: false,
            one_call: false,
            lenient_ids: false,
            event_status: 200,
            utf16: false,
            pretty: false,
            ages: false,
            bare: false,
            numbers: false,
            locks_first: false,
            last_wins: false,
            longest_id: usize::MAX,
            reorders: false,
            jitter: None,
            merges_unkeyed: false,
        }
    }
}

/// One lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Defect {
    /// A retried decide is a second decision, answered as the first would be.
    DecidesAgain,
    /// A replay carries no marker.
    ReplaysUnmarked,
    /// The marker is the text "true".
    MarksInText,
    /// A replay has a new `decision_id`, and writes nothing.
    ReplaysWithNewId,
    /// A replay has a new `decided_at`.
    ReplaysWithNewTime,
    /// A replay ends the observation window of its own decision.
    ReplayEndsWindow,
    /// A replay is computed from the element of today.
    ReplaysToday,
    /// Another request under the key is replayed.
    IgnoresMismatch,
    /// Only the named user and element are compared.
    IgnoresContext,
    /// A conflict replaces what is stored.
    ConflictOverwrites,
    /// A conflict frees the key.
    ConflictFrees,
    /// A key whose element was concluded is answered 404.
    ForgetsConcluded,
    /// The 409 says it in other words.
    WordsConflictOtherwise,
    /// Another order of members is another request.
    ComparesBytes,
    /// A 400 is stored under its key.
    StoresRefusal,
    /// A request that fails uses its key up.
    RefusalClaimsKey,
    /// `live` and `test` share keys and ids.
    SharesEnvironments,
    /// Organizations share keys and ids.
    SharesOrganizations,
    /// Each credential has keys and ids of its own.
    KeysPerCredential,
    /// U+0000 in a key is a server error.
    FailsOnNul,
    /// A key is cut at U+0000.
    CutsAtNul,
    /// 256 characters are accepted.
    AcceptsTooLong,
    /// A key is cut after 254 characters.
    CutsKeys,
    /// Lengths are counted in bytes.
    CountsBytes,
    /// Keys are compared without case.
    FoldsCase,
    /// Keys are trimmed.
    TrimsKeys,
    /// Lone surrogates become U+FFFD.
    ReplacesSurrogates,
    /// The same key twice in a batch is done twice.
    DoesTwinsBoth,
    /// Batch counters are one too high.
    CountsOneMore,
    /// One bad item refuses the whole batch.
    RefusesWholeBatch,
    /// Events without an id are told apart by what they say.
    MergesByContent,
    /// A repeated event is answered 409.
    EventRepeatConflicts,
    /// A repeated event is counted again.
    CountsEventsAgain,
    /// A repeated event carries no flag.
    EventRepeatUnflagged,
    /// The same link again is a conflict.
    IdentifyOnce,
    /// The same declaration again is a conflict.
    DeclareOnce,
    /// The first answer says `replayed: true`, and the first event `duplicate: true`.
    MarksFirst,
    /// Looks the key up, decides, and remembers the key a moment later.
    Races,
    /// The same for events.
    RacesEvents,
    /// The first answer is forgotten when a third attempt comes.
    ReplaysOnce,
    /// A decide whose key is known is answered 201.
    RepeatsWith201,
    /// A stranger gets the stored answer.
    ReplaysToStrangers,
    /// The same id of two users is two events.
    IdsPerUser,
    /// An event that is refused uses its id up.
    RefusedEventClaimsId,
    /// A batch with a repeat in it is taken for repeated as a whole.
    DropsNewBesideOld,
    /// A replayed item of a batch has a new `decided_at`.
    BatchReplaysAnew,
    /// A repeated event in a batch carries no flag.
    UnflaggedInBatch,
    /// Who was once told to come back is told so for ever.
    LocksForever,
}
