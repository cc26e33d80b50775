//! Every attempt at an intent's key with what the model knows about the key at that time: what most claims start from.

use crate::judge::model::{Standing, Step, standings};
use crate::judge::view::{Op, View};
use crate::plan::PlannedIntent;

/// The attempts that compete for an intent's key, each with what is known about the key.
pub fn rivals<'b, 'a>(view: &'b View<'a>, intent: &'b PlannedIntent) -> Vec<(&'b Op<'a>, Standing)> {
    let ops: Vec<&Op<'a>> = view.rivals(intent).collect();
    let steps: Vec<Step<'_>> = ops.iter().map(|op| Step::of(op)).collect();
    ops.into_iter().zip(standings(&steps)).collect()
}

/// The attempts at one intent's content that came after it was certainly done: the repeats.
pub fn repeats<'b, 'a>(view: &'b View<'a>, intent: &'b PlannedIntent) -> Vec<(&'b Op<'a>, Standing)> {
    let same = |op: &Op<'a>| op.intent.content() == intent.content();
    rivals(view, intent).into_iter().filter(|(op, standing)| standing.committed && same(op)).collect()
}
