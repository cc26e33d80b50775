//! The saboteurs: each is the honest policy with one member changed, and a line that says how it lies. The harness is
//! only as good as its record against them. No row knows any API; what a lie looks like depends on the contract.

use crate::reference::claim::Claim;
use crate::reference::policy::{
    AfterFailure, BatchUse, Compares, Constraints, CounterUse, Coverage, Folding, GatewayUse, Grammar, Identity,
    KeyScope, Marker, Memory, NaturalUse, Policy, Recorded, RefusedTry, Repeats, ReplayBody, ReplayHeaders,
    ReplayStatus, Stores, Throttle,
};

/// A reference server with one policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Saboteur {
    /// Its name.
    pub name: &'static str,
    /// The kind of fault: `S01`, …; `X..` for kinds of our own; `H..` for honest variants.
    pub kind: &'static str,
    /// How it lies, in one sentence; for an honest variant, what it does otherwise.
    pub lies: &'static str,
    /// What it does.
    pub policy: Policy,
}

/// Every saboteur.
pub fn saboteurs() -> &'static [Saboteur] {
    SABOTEURS
}

macro_rules! rows {
    ($($kind:literal $name:literal $lies:literal { $member:ident: $value:expr })*) => {
        &[$(Saboteur { name: $name, kind: $kind, lies: $lies, policy: Policy { $member: $value, ..Policy::HONEST } },)*]
    };
}

static SABOTEURS: &[Saboteur] = rows! {
    "S01" "looks-then-acts" "looks the key up, works, then stores: two copies at once both do it"
        { claim: Claim::CheckThenAct }
    "S02" "loser-crashes" "the loser of a race meets the unique constraint and answers 500"
        { claim: Claim::CheckThenInsert }
    "S03" "wedges-failed-keys" "a handler that failed keeps its key claimed: every retry is told that it is in progress"
        { after_failure: AfterFailure::Wedge }
    "S04" "short-lease" "an unfinished claim is taken over after 20 ms and nobody checks whose it is at the end"
        { claim: Claim::ShortLease }
    "S06" "stores-refusals" "a refusal is stored under its key and replayed after its cause is gone"
        { stores: Stores::RefusalsToo }
    "S06" "stores-outages" "a 429 or a 5xx is stored under its key and replayed"
        { stores: Stores::OutagesToo }
    "S07" "effect-without-record" "the effect is committed before the record: a failure between them lets a retry do it again"
        { recorded: Recorded::AfterTheEffect }
    "S08" "refusals-burn-keys" "a refused try takes its key: the corrected request meets a conflict"
        { refused_try: RefusedTry::BurnsTheKey }
    "S09" "ignores-mismatch" "another request under a used key gets the old answer"
        { compares: Compares::Nothing }
    "S10" "compares-bytes" "the same content in another spelling is taken for another request"
        { compares: Compares::Bytes }
    "S11" "ignores-query" "a request that differs only outside its body is taken for the same request"
        { compares: Compares::BodyAlone }
    "S11" "shares-keys-between-operations" "a key used for one operation is used up for the others"
        { key_scope: KeyScope::AcrossOperations }
    "S12" "in-progress-before-conflict" "another payload under a key in progress is told to try again, not that it conflicts"
        { claim: Claim::VisibleUncompared }
    "S13" "forgets-last-scope" "keys are shared across the last scope of the contract, such as environments"
        { key_scope: KeyScope::WithoutTheLast }
    "S13" "forgets-first-scope" "keys are shared across the first scope of the contract, such as organizations"
        { key_scope: KeyScope::WithoutTheFirst }
    "S14" "binds-keys-to-credentials" "a second credential of the same caller cannot see what the first one did"
        { key_scope: KeyScope::OneCredential }
    "S15" "counts-the-other-unit" "the length of a key is counted in bytes where characters are meant"
        { grammar: Grammar::OtherUnit }
    "S15" "crashes-on-forbidden" "a forbidden character in a key is a 500, not a 400"
        { grammar: Grammar::CrashesOnForbidden }
    "S15" "truncates-keys" "only the first 64 characters of a key count"
        { grammar: Grammar::Truncates }
    "S15" "takes-long-keys" "a key above the longest length is taken"
        { grammar: Grammar::Unbounded }
    "S15" "replaces-lone-surrogates" "a surrogate without its partner is read as U+FFFD, so that two broken keys are one"
        { grammar: Grammar::ReplacesSurrogates }
    "S15" "crashes-on-other-types" "a key that is no text, such as a number, a flag or an object, is a 500"
        { grammar: Grammar::CrashesOnOtherTypes }
    "S16" "folds-case" "keys that differ only in case are one key"
        { folding: Folding::Case }
    "S16" "trims-keys" "keys that differ only in spaces at their ends are one key"
        { folding: Folding::Spaces }
    "S16" "folds-accents" "keys that differ only in accents, or in how these are composed, are one key"
        { folding: Folding::Accents }
    "S17" "replays-as-208" "a replay has the status 208"
        { replay_status: ReplayStatus::AlreadyReported }
    "S17" "replays-as-201" "a replay has the status 201"
        { replay_status: ReplayStatus::Created }
    "S18" "replays-with-fresh-timestamp" "points in time in a replay are those of the replay"
        { replay_body: ReplayBody::FreshTime }
    "S18" "reverses-lists-on-replay" "lists in a replay stand in another order"
        { replay_body: ReplayBody::ListsReversed }
    "S18" "respells-numbers-on-replay" "numbers in a replay are spelled otherwise"
        { replay_body: ReplayBody::NumbersRespelled }
    "S18" "loses-a-member-on-replay" "the last member of the first answer is missing in a replay"
        { replay_body: ReplayBody::MemberLost }
    "S19" "loses-content-type-on-replay" "a replay has no content type"
        { replay_headers: ReplayHeaders::ContentTypeLost }
    "S20" "never-marks" "a replay looks like a first answer"
        { marker: Marker::Never }
    "S20" "always-marks" "a first answer looks like a replay"
        { marker: Marker::Always }
    "S20" "marks-with-text" "the marker's value is text"
        { marker: Marker::AsText }
    "S20" "bakes-the-marker-in" "a replay is stored in place of the first answer: the third call is marked twice"
        { marker: Marker::BakedIn }
    "S20" "counts-one-too-few" "the counter of a batch is one below the replays in it"
        { counter: CounterUse::OneTooFew }
    "S21" "never-replays" "keys are written under one name and read under another"
        { memory: Memory::WrittenElsewhere }
    "S23" "each-replica-remembers-alone" "a key used at one replica is new to the other"
        { memory: Memory::EachReplica }
    "S23" "forgets-at-restart" "a restart forgets every key, and no effect"
        { memory: Memory::ForgottenAtStart }
    "S26" "repeats-within-a-batch" "two copies inside one batch are both done"
        { batch: BatchUse::LookedUpFirst }
    "S27" "fails-the-whole-batch" "one bad item fails every item of its batch"
        { batch: BatchUse::AllOrNothing }
    "S27" "reverses-results" "the results of a batch do not stand in the order sent"
        { batch: BatchUse::ResultsReversed }
    "S27" "counts-every-success" "the counter of a batch counts first answers, too"
        { counter: CounterUse::CountsSuccesses }
    "S28" "merges-equal-content" "a request with a new key is taken for an earlier one of the same content"
        { identity: Identity::ContentToo }
    "S28" "merges-keyless-twins" "two equal requests without a key are taken for one"
        { identity: Identity::ContentWithoutKey }
    "S30" "ignores-keys-in-batches" "keys inside a batch are accepted and not heeded"
        { coverage: Coverage::NotInBatches }
    "S30" "ignores-keys-outside-batches" "where an operation has a batch, keys of single requests are not heeded"
        { coverage: Coverage::NotOutsideBatches }
    "S30" "ignores-keys-in-chunks" "the key of a request that comes in chunks is not heeded"
        { coverage: Coverage::NotWhenChunked }
    "S31" "poisoned-by-a-duplicate" "the items that follow a duplicate in its batch fail"
        { batch: BatchUse::PoisonedByDuplicate }
    "X01" "refuses-natural-repeats" "a request that is safe to repeat meets a conflict with itself"
        { natural: NaturalUse::RefusesRepeat }
    "X02" "repeats-natural-rows" "a request that is safe to repeat leaves a second row"
        { natural: NaturalUse::RowAgain }
    "X03" "throttles-without-a-date" "a 429 does not say when to come back"
        { throttle: Throttle::Silent }
    "X04" "gateway-hides-the-safe-retry" "a 502 of the gateway does not name the safe retry"
        { gateway: GatewayUse::Silent }
    "X05" "refuses-duplicates" "a duplicate that has to be acknowledged meets a conflict"
        { replay_status: ReplayStatus::RefusesDuplicates }
    "X06" "requires-keys" "a request without a key is refused, though none has to have one"
        { grammar: Grammar::Requires }
    "X11" "goes-without-required-keys" "a request without the key that it has to have is done all the same"
        { grammar: Grammar::NeverRequires }
    "X07" "stays-locked" "a key that a copy once met in progress is in progress for ever"
        { claim: Claim::VisibleForEver }
    "X08" "replays-todays-answer" "a replay has the first one's identity and time, and says for the rest what is true by now"
        { replay_body: ReplayBody::TodaysAnswer }
    "X09" "heeds-no-constraint" "a request that the contract refuses by a rule of its own is done like any other"
        { constraints: Constraints::Ignored }
    "X12" "clock-runs-ahead" "what is nearly too old is refused as too old: the clock is a minute ahead"
        { constraints: Constraints::HeededByAFastClock }
    "X13" "trusts-its-input" "of the rules of its own only the last is looked at, and breaks over what the others keep from it"
        { constraints: Constraints::Unguarded }
    "X10" "hides-repeats" "a repeat is answered as it should be, and the read side shows nothing of it"
        { repeats: Repeats::Unnoted }
};

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use crate::reference::honest::honest_variants;
    use crate::reference::policy::Policy;
    use crate::reference::saboteurs::saboteurs;

    #[test]
    fn names_are_unique_and_every_saboteur_differs_from_the_honest_policy() {
        let rows: Vec<_> = saboteurs().iter().chain(honest_variants()).collect();
        let names: BTreeSet<_> = rows.iter().map(|row| row.name).collect();
        assert_eq!(names.len(), rows.len());
        for row in saboteurs() {
            assert_ne!(row.policy, Policy::HONEST, "{}", row.name);
        }
    }

    #[test]
    fn no_two_rows_are_the_same_policy() {
        let rows: Vec<_> = saboteurs().iter().chain(honest_variants()).collect();
        for (at, row) in rows.iter().enumerate() {
            assert!(rows.iter().skip(at + 1).all(|other| other.policy != row.policy), "{}", row.name);
        }
    }
}
