//! Honest variants: reference servers that keep the contract in another way than usual. The harness must find nothing
//! wrong with them. They differ in what a contract leaves open, never in what it says.

use crate::reference::claim::Claim;
use crate::reference::policy::{CounterUse, Extras, Marker, Pace, Policy, Spelled};
use crate::reference::saboteurs::Saboteur;

/// Every honest variant; the first is the plain reference.
pub fn honest_variants() -> &'static [Saboteur] {
    HONEST
}

macro_rules! rows {
    ($($kind:literal $name:literal $does:literal { $($member:ident: $value:expr)? })*) => {
        &[$(Saboteur {
            name: $name, kind: $kind, lies: $does, policy: Policy { $($member: $value,)? ..Policy::HONEST },
        },)*]
    };
}

static HONEST: &[Saboteur] = rows! {
    "H00" "honest" "keeps every promise: a second copy waits, then replays; first answers carry no marker" {}
    "H01" "tells-in-progress" "a second copy is told that the first is in progress, where the contract knows that answer"
        { claim: Claim::Visible }
    "H02" "marks-first-answers-false" "a first answer carries the marker, with the value false"
        { marker: Marker::FalseOnFirst }
    "H03" "leaves-zero-counters-out" "a counter that is zero is left out, where the contract allows it"
        { counter: CounterUse::LeftOutWhenZero }
    "H04" "indents-answers" "answers are indented"
        { spelling: Spelled::Indented }
    "H05" "reverses-members" "the members of answers stand in another order than in the contract"
        { spelling: Spelled::MembersReversed }
    "H06" "adds-members" "first answers hold members that no contract asked for; replays repeat them"
        { extras: Extras::Some }
    "H07" "slow" "a handler takes 30 ms longer"
        { pace: Pace::Slow }
};
