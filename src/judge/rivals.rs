//! Every attempt at an intent's key with what the model knows about the key at that time: what most claims start from.

use crate::judge::model::{Standing, Step, standings};
use crate::judge::view::{Op, View};
use crate::plan::{Expectation, PlannedIntent, Wanted};

/// The attempts that compete for an intent's key, each with what is known about the key.
pub fn rivals<'b, 'a>(view: &'b View<'a>, intent: &'b PlannedIntent) -> Vec<(&'b Op<'a>, Standing)> {
    let ops: Vec<&Op<'a>> = view.rivals(intent).collect();
    let steps: Vec<Step<'_>> = ops.iter().map(|op| Step::of(op)).collect();
    ops.into_iter().zip(standings(&steps)).collect()
}

/// The attempts at one intent's content that came after it was certainly done: the repeats. A bad try with the same content,
/// refused for who asks or by a hook, is none.
pub fn repeats<'b, 'a>(view: &'b View<'a>, intent: &'b PlannedIntent) -> Vec<(&'b Op<'a>, Standing)> {
    let bad = |op: &Op<'a>| matches!(&op.intent.wanted, Wanted::One { expects: Expectation::Refused(..), .. });
    let good = |op: &Op<'a>| op.intent.name == intent.name || !bad(op);
    let same = |op: &Op<'a>| op.intent.content() == intent.content() && good(op);
    rivals(view, intent).into_iter().filter(|(op, standing)| standing.committed && same(op)).collect()
}
