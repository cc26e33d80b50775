//! Where the effect of an intent is read, and where its repeats are: calls of the read side, written out.

use std::collections::BTreeMap;

use crate::contract::{KeyPlace, Operation};
use crate::json::Json;
use crate::name::{EffectName, ScopeName};
use crate::plan::case::Reading;
use crate::plan::client::KEY_TO_BE_SEEN;
use crate::plan::credential::CredentialUse;
use crate::plan::intent::{Draft, PlanProblem, Stage, problem};
use crate::plan::template::render_text;
use crate::scenario::{Claim, IntentDecl};

impl Stage<'_> {
    /// Where an effect of an intent is read.
    pub(in crate::plan) fn reading(
        &self,
        draft: &Draft,
        effect: Option<&EffectName>,
        decl: &IntentDecl,
        credential: &CredentialUse,
        scope: &BTreeMap<ScopeName, String>,
    ) -> Result<Option<Reading>, PlanProblem> {
        let Some(effect) = effect.and_then(|name| self.contract.effects.get(name)) else {
            return Ok(None);
        };
        let mut names = self.names(&draft.user, draft.key.as_ref(), scope);
        let rule = self.contract.operations[&draft.operation].key().filter(|_| self.abilities.client.is_some());
        if let Some(rule) = rule {
            // A client under test mints it, so it is filled when it was seen.
            names.0.entry("key".to_owned()).or_insert_with(|| KEY_TO_BE_SEEN.to_owned());
            if let KeyPlace::Body(place) = &rule.place
                && let [member] = place.tokens()
            {
                names.0.entry(member.to_string_lossy()).or_insert_with(|| KEY_TO_BE_SEEN.to_owned());
            }
        }
        for body in [&draft.plain, &draft.body].into_iter().flatten() {
            for (member, value) in body.as_object().unwrap_or_default() {
                if let (Some(member), Some(value)) = (member.as_str(), value.as_str()) {
                    names.0.insert(member.to_owned(), value.to_owned());
                }
            }
        }
        let target = render_text(&effect.read.request.target, &names)
            .map_err(|why| problem(decl.span, why, "the read side's template cannot be filled"))?;
        Ok(Some(Reading {
            effect: effect.name.clone(),
            target,
            // Nobody reads nothing: what a stranger may have left is looked for as the first credential.
            scope: match credential {
                CredentialUse::Named(_) => scope.clone(),
                CredentialUse::Nobody | CredentialUse::Stranger => {
                    self.abilities.credentials.first().map(|first| first.scope.clone()).unwrap_or_default()
                }
            },
            key: draft.key.as_ref().and_then(Json::as_str).map(str::to_owned),
            user: draft.user.clone(),
            of_repeats: false,
        }))
    }

    /// Where the repeats of an intent are read: only where a scenario speaks of them, and a key names them.
    pub(in crate::plan) fn repeats(
        &self,
        draft: &Draft,
        operation: &Operation,
        decl: &IntentDecl,
        credential: &CredentialUse,
        scope: &BTreeMap<ScopeName, String>,
    ) -> Result<Option<Reading>, PlanProblem> {
        let claimed = self.scenario.claims.iter().any(|declared| declared.claim == Claim::MarkRepeatOnTheReadSide);
        let named = draft.key.as_ref().is_some_and(|key| key.as_str().is_some());
        if !claimed || !named {
            return Ok(None);
        }
        let reading = self.reading(draft, operation.repeats.as_ref(), decl, credential, scope)?;
        Ok(reading.map(|reading| Reading { of_repeats: true, ..reading }))
    }
}
