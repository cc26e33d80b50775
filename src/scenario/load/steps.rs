//! Reads one step: which of its kinds it is, and that nothing stands in it that does not go with that kind.

use crate::file::{Node, Reading};
use crate::scenario::load::whole::{slot, slots};
use crate::scenario::{Slot, StepDecl, StepKind};

/// The fields that make a step, each with the fields that may go with it.
const KINDS: &[(&str, &[&str])] = &[
    ("send", &["meets", "thereafter", "times", "to", "behind"]),
    ("at once", &["copies", "in turn"]),
    ("restart", &[]),
    ("observe", &[]),
    ("reconfigure", &[]),
];

/// Reads a step.
pub fn step(node: &Node, reading: &mut Reading<'_>) -> Option<StepDecl> {
    let mut kinds = KINDS.iter().filter(|(kind, _)| node.get(kind).is_some());
    let Some((kind, others)) = kinds.next() else {
        if reading.is_well(node) {
            let label = "add one of `send`, `at once`, `restart`, `observe` and `reconfigure`";
            reading.wrong(node.head(), "a step that does nothing", label);
        }
        return None;
    };
    let several = kinds.next().is_some();
    for entry in node.entries() {
        let name = entry.key.text().unwrap_or_default();
        let is_field = KINDS.iter().any(|(kind, others)| *kind == name || others.contains(&name));
        if is_field && name != *kind && !others.contains(&name) {
            let is_kind = KINDS.iter().any(|(kind, _)| *kind == name);
            let label = if is_kind && several { "one step does one thing: make it two" } else { "leave it out" };
            reading.wrong(entry.key.span, format!("`{name}` does not go with `{kind}`"), label);
        }
    }
    let clear = || vec![Slot { text: "clear".to_owned(), span: node.span }];
    let what = match *kind {
        "send" => StepKind::Send {
            intent: slot(node.get("send")?)?,
            meets: node.get("meets").map_or_else(clear, |meets| slots(Some(meets))),
            times: node.get("times").and_then(slot),
            other_replica: node.get("to").is_some(),
            behind_edge: node.get("behind").is_some(),
            thereafter: node.get("thereafter").and_then(slot),
        },
        "at once" => StepKind::AtOnce {
            intents: slots(node.get("at once")),
            copies: node.get("copies").and_then(slot),
            in_turn: node.get("in turn").and_then(Node::text) == Some("true"),
        },
        "restart" => StepKind::Restart { how: slot(node.get("restart")?)? },
        "observe" => StepKind::Observe { point: node.get("observe")?.text()?.to_owned() },
        _ => StepKind::Reconfigure { intent: slot(node.get("reconfigure")?)? },
    };
    Some(StepDecl { span: node.head(), what })
}
