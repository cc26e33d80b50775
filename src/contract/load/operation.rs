//! Reads one operation: how it is asked for, how its answers are named, what of it is stored, what it carries. What its
//! parts mean alone is read in their own files; here stands what they must mean together.

use crate::contract::load::answers::{Of, answers};
use crate::contract::load::edit::{Edited, Purpose, edits, reconfiguration};
use crate::contract::load::key::safety;
use crate::contract::load::names::Names;
use crate::contract::load::template;
use crate::contract::load::values::{
    flag, headers, known, many, named, outcome_key, place, pointer, pointers, request_line, text,
};
use crate::contract::{AnswerRule, Batch, Counter, Operation, Outcome, Replay, Safety};
use crate::file::{Entry, Node, Reading, json};

/// Reads an operation.
pub fn operation(entry: &Entry, names: &Names<'_>, reading: &mut Reading<'_>) -> Operation {
    let (name, node) = (entry.key.text().unwrap_or_default(), &entry.value);
    let answers = answers(node.get("answers"), Of::Request, reading);
    let body = node.get("body").map(|body| template::body(body, names, reading));
    if let Some(request) = node.get("request") {
        template::check(request, &names.of_templates(), reading);
    }
    let edited = Edited { body: body.as_ref(), answers: &answers };
    let operation = Operation {
        name: name.into(),
        request: request_line(node.get("request")),
        headers: headers(node.get("headers"), reading),
        effect: node.get("effect").and_then(|effect| known(effect, "effect", &names.effects, reading)).map(Into::into),
        repeats: node
            .get("repeats")
            .and_then(|effect| known(effect, "effect", &names.effects, reading))
            .map(Into::into),
        identity: pointer(node.get("identity")),
        marker: node
            .get("marker")
            .and_then(|marker| Some((pointer(marker.get("at"))?, marker.get("value").map(json)?))),
        safety: safety(node, reading),
        stored: stored(node.get("stored"), &answers, reading),
        changes: edits(node.get("changes"), Purpose::Change, &edited, names, reading),
        variants: edits(node.get("variants"), Purpose::Variant, &edited, names, reading),
        defects: edits(node.get("defects"), Purpose::Defect, &edited, names, reading),
        open: edits(node.get("open"), Purpose::Open, &edited, names, reading),
        reconfigure: node.get("reconfigure").map(|own| reconfiguration(own, body.as_ref(), names, reading)),
        batch: node.get("batch").and_then(|node| batch(node, names, reading)),
        safe_retry: text(node, "safe retry"),
        success: None,
        refusal: None,
        keyless: false,
        answers,
        body,
    };
    if reading.is_well(node) {
        together(&operation, node, reading);
    }
    operation
}

/// What the parts of an operation must mean together.
fn together(operation: &Operation, node: &Node, reading: &mut Reading<'_>) {
    let name = &operation.name;
    if let Safety::ByKey(rule) = &operation.safety {
        // A repeat may be answered like the first: then effects tell them apart, or the identity of what was done does.
        let told_apart = rule.replay == Replay::Acknowledged || operation.identity.is_some();
        let alike = told_apart && operation.marker.is_none();
        let needed = if alike { &[Outcome::Fresh] as &[Outcome] } else { &[Outcome::Fresh, Outcome::Replayed] };
        for outcome in needed.iter().filter(|outcome| !operation.names(**outcome)) {
            let message = format!("`{name}` has a key and no answer `{outcome}`");
            reading.wrong(
                place(node, "answers"),
                message,
                format!("add `{outcome}:`, or a retry cannot be told from the first"),
            );
        }
    }
    if operation.repeats.is_some() && operation.key().is_none() {
        let label = "leave it out, or give it a key";
        reading.wrong(place(node, "repeats"), format!("`{name}` has no key, so nothing repeats it"), label);
    }
    let replays = operation.answers.iter().filter(|rule| rule.outcome == Outcome::Replayed);
    let by_header = replays.clone().any(|rule| !rule.headers.is_empty());
    if replays.count() > 0 && operation.marker.is_none() && !by_header && !operation.has_status_for_repeats() {
        let message = format!("nothing marks what `{name}` replays");
        reading.wrong(
            place(node, "answers"),
            message,
            "add `marker:`, or a `header:` or a status of its own to the answer `replayed`",
        );
    }
}

fn stored(node: Option<&Node>, answers: &[AnswerRule], reading: &mut Reading<'_>) -> Vec<Outcome> {
    let mut stored = Vec::new();
    for node in many(node) {
        let Some(outcome) = node.text().and_then(Outcome::from_word) else { continue };
        if !answers.is_empty() && !answers.iter().any(|rule| rule.outcome == outcome) {
            let message = format!("`{outcome}` is stored and no answer is named so");
            reading.wrong(node.span, message, "name it under `answers:`");
        }
        stored.push(outcome);
    }
    stored
}

fn batch(node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> Option<Batch> {
    let of = node.get("of").and_then(|of| known(of, "operation", &names.operations, reading));
    let item_answers = answers(node.get("answers"), Of::Item, reading);
    let mut counts = Vec::new();
    for (_, entry) in named(node.get("counts")) {
        let Some(outcome) = outcome_key(&entry.key, reading) else { continue };
        if !item_answers.is_empty() && !item_answers.iter().any(|rule| rule.outcome == outcome) {
            let message = format!("`{outcome}` is counted and no item is answered so");
            reading.wrong(entry.key.span, message, "name it under the batch's `answers:`");
        }
        if let Some(at) = pointer(entry.value.get("at")) {
            counts.push(Counter { outcome, at, absent_means_zero: flag(&entry.value, "absent means zero") });
        }
    }
    Some(Batch {
        of: of?.into(),
        items: pointer(node.get("items"))?,
        results: pointer(node.get("results"))?,
        item_answers,
        envelope: pointers(node.get("envelope")),
        counts,
    })
}
