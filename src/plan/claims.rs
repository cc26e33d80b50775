//! Which claims apply in a case, and which requirements each proves there. A claim that proves none is a fault of the
//! files, and is said to be one.

use glob::{MatchOptions, Pattern};
use indexmap::IndexMap;

use crate::contract::{Operation, Replay, Safety, Sameness, Waits};
use crate::name::{IntentName, RequirementId};
use crate::plan::axes::AxisCell;
use crate::plan::case::{Expectation, PlannedClaim, PlannedIntent, Wanted};
use crate::plan::intent::{PlanProblem, Stage};
use crate::requirement::{Proof, Requirement};
use crate::scenario::Claim;

/// The claims of a case, each with the requirements that it proves.
pub fn planned_claims(
    stage: &Stage<'_>,
    intents: &IndexMap<IntentName, PlannedIntent>,
) -> Result<Vec<PlannedClaim>, Vec<PlanProblem>> {
    let mut planned = Vec::new();
    let mut problems = Vec::new();
    let both = stage.abilities.client.as_ref().is_some_and(|client| client.both);
    let besides = stage.scenario.both.iter().filter(|_| both);
    for declared in stage.scenario.claims.iter().chain(besides) {
        let mut on = Vec::new();
        for slot in &declared.on {
            let name = IntentName::from(stage.filled(slot).map_err(|problem| vec![problem])?);
            match intents.contains_key(&name) {
                true => on.push(name),
                false => problems.push(PlanProblem {
                    span: slot.span,
                    message: format!("`{name}` is not given"),
                    label: "no intent".to_owned(),
                }),
            }
        }
        // The last one tells whose claim it is: in `share-key: [a, b]` it is b that is judged.
        let Some(operation) = on.last().map(|name| &stage.contract.operations[&intents[name].operation]) else {
            continue;
        };
        let is_open =
            |name: &IntentName| matches!(&intents[name].wanted, Wanted::One { expects: Expectation::Open, .. });
        // Where nothing says whether it is taken or refused, there is nothing to hold either against.
        if matches!(declared.claim, Claim::Accept | Claim::Refuse | Claim::ApplyNever) && on.iter().all(is_open) {
            continue;
        }
        if !applies(declared.claim, operation) || !is_ruled(stage, declared.claim, operation, intents, &on) {
            continue;
        }
        let (requirements, of_others) = proved(stage, declared.claim, operation);
        if requirements.is_empty() && of_others {
            continue;
        }
        if requirements.is_empty() {
            problems.push(PlanProblem {
                span: declared.span,
                message: format!(
                    "`{}` on `{}` proves no requirement of {}",
                    declared.claim, operation.name, stage.contract.name
                ),
                label: "no `proved by` line names it here".to_owned(),
            });
            continue;
        }
        planned.push(PlannedClaim { claim: declared.claim, on, requirements });
    }
    if problems.is_empty() { Ok(planned) } else { Err(problems) }
}

/// Whether a claim has a meaning for an operation.
fn applies(claim: Claim, operation: &Operation) -> bool {
    let key = operation.key();
    match claim {
        Claim::ReplayVerbatim => key.is_some_and(|rule| rule.replay == Replay::Verbatim),
        Claim::MarkReplay | Claim::LeaveFirstUnmarked => operation.marks_repeats(),
        Claim::MarkRepeatOnTheReadSide => operation.repeats.is_some(),
        Claim::RefuseConflict => key.is_some_and(|rule| rule.sameness == Sameness::Content),
        Claim::NeverConflict => key.is_some_and(|rule| rule.sameness == Sameness::KeyOnly) || operation.batch.is_some(),
        Claim::RepeatSafely => matches!(operation.safety, Safety::Natural),
        Claim::NameSafeRetry => operation.safe_retry.is_some(),
        Claim::AnswerItems | Claim::CountItems => operation.batch.is_some(),
        Claim::ApplyExactlyOnce | Claim::ApplyAtLeastOnce | Claim::ApplyNever | Claim::WriteNothingNew => {
            operation.effect.is_some() || operation.identity.is_some()
        }
        Claim::Accept
        | Claim::Refuse
        | Claim::AnswerRepeatAsSuccess
        | Claim::LeaveKeyFree
        | Claim::KeepApart
        | Claim::ShareKey
        | Claim::AnswerLosers
        | Claim::ReplayAfterLock
        | Claim::CarryRetryAfter
        | Claim::NeverFail
        | Claim::ReportSameness => true,
        Claim::CarryKey
        | Claim::ReuseKey
        | Claim::KeepGivenKey
        | Claim::MintApart
        | Claim::DeriveKey
        | Claim::Resume => key.is_some() || operation.batch.is_some(),
        Claim::ResendUndone => operation.batch.is_some(),
        Claim::Stop
        | Claim::EndAtOnce
        | Claim::Retry
        | Claim::RetryOnce
        | Claim::ServeFallback
        | Claim::HonorRetryAfter
        | Claim::BackOff
        | Claim::CapDelay
        | Claim::GiveUpWithin
        | Claim::SurfaceFailure
        | Claim::Finish
        | Claim::ShapeKey
        | Claim::ReuseBody
        | Claim::SendOnce
        | Claim::SendOnceWhenKept
        | Claim::OneAtATime
        | Claim::BoundAttempt
        | Claim::KeepPost => true,
    }
}

/// Whether the rules of the client under test say anything that the claim could be held against.
fn is_ruled(
    stage: &Stage<'_>,
    claim: Claim,
    operation: &Operation,
    intents: &IndexMap<IntentName, PlannedIntent>,
    on: &[IntentName],
) -> bool {
    let kind = stage.abilities.client.as_ref().map(|client| client.kind.as_str());
    let Some(rules) = kind.and_then(|kind| stage.contract.client(Some(kind))) else { return true };
    let minted = operation.batch.as_ref().map_or(&operation.name, |batch| &batch.of);
    let draws = rules.mints.contains_key(minted);
    match claim {
        Claim::CapDelay => rules.cap.is_some(),
        Claim::BoundAttempt => rules.attempt_timeout.is_some(),
        Claim::GiveUpWithin => rules.attempts.is_some(),
        Claim::BackOff => rules.waits != Waits::Unsaid,
        Claim::ShapeKey => draws,
        // A key that is drawn is not that of the fact, and one of the fact is the same for the same fact.
        Claim::DeriveKey => !draws,
        Claim::MintApart => draws || !is_one_fact(intents, on),
        _ => true,
    }
}

fn is_one_fact(intents: &IndexMap<IntentName, PlannedIntent>, on: &[IntentName]) -> bool {
    let facts: Vec<_> = on.iter().filter_map(|name| intents.get(name)).map(|intent| &intent.request.body).collect();
    facts.windows(2).any(|pair| pair[0] == pair[1])
}

/// The requirements that a claim proves here, and whether it would prove one for another kind of client.
fn proved(stage: &Stage<'_>, claim: Claim, operation: &Operation) -> (Vec<RequirementId>, bool) {
    let (path, axes) = (stage.scenario.path.as_str(), stage.axes);
    let kind = stage.abilities.client.as_ref().map(|client| &client.kind);
    let all = stage.contract.requirements.values().filter(|requirement| {
        requirement.side == claim.side()
            && requirement.proofs.iter().any(|proof| proves(proof, claim, operation, path, axes))
    });
    let (own, others): (Vec<&Requirement>, Vec<&Requirement>) = all.partition(|requirement| {
        requirement.clients.is_empty() || kind.is_some_and(|kind| requirement.clients.contains(kind))
    });
    (own.into_iter().map(|requirement| requirement.id.clone()).collect(), !others.is_empty())
}

/// Whether a line of a requirement speaks of a claim on an operation, in this scenario and cell.
pub fn proves(proof: &Proof, claim: Claim, operation: &Operation, path: &str, axes: &AxisCell) -> bool {
    proof.claim == claim.word()
        && (proof.operations.is_empty() || proof.operations.iter().any(|name| name == operation.name.as_str()))
        && proof.scenario.as_deref().is_none_or(|glob| matches_path(glob, path))
        && proof.cells.iter().all(|(axis, values)| axes.get(axis.as_str()).is_some_and(|value| values.contains(value)))
}

/// Whether a path fits a pattern: `*` within a segment, `**` across them.
pub fn matches_path(glob: &str, path: &str) -> bool {
    let options = MatchOptions { require_literal_separator: true, ..MatchOptions::new() };
    Pattern::new(glob).is_ok_and(|pattern| pattern.matches_with(path, options))
}
