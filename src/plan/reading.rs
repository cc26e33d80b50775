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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::contract::{self, Contract};
    use crate::file::Source;
    use crate::plan::{Abilities, AbleCredential, Case, Expectation, Seed, Setting, Wanted, expand};
    use crate::scenario::{self, Claim};

    fn contract() -> Contract {
        let text = include_str!("../judge/things.yaml");
        contract::load(&Source::new("things.yaml", text), Claim::WORDS).expect("the contract loads")
    }

    fn planned(given: &str, claim: &str) -> Case {
        let text = format!(
            "title: a story\nbecause: it is told\ngiven:\n  one: {{ operation: send }}\n  other: {given}\n\
             when:\n  - at once: [one, other]\nserver must:\n  - {claim}\n"
        );
        let scenario = scenario::load(&Source::new("scenarios/server/story.yaml", text)).expect("the scenario loads");
        let credential = |name: &str, room: &str| AbleCredential {
            name: name.into(),
            scope: [("owner".into(), "ada".to_owned()), ("room".into(), room.to_owned())].into(),
        };
        let abilities = Abilities {
            host: "127.0.0.1".to_owned(),
            credentials: vec![credential("first", "red"), credential("elsewhere", "blue")],
            replicas: 1,
            restarts: false,
            edge: false,
            hooks: Vec::new(),
            operations: Default::default(),
            client: None,
        };
        let setting = Setting { contract: Arc::new(contract()), abilities, seed: Seed(7) };
        let cases = expand(&Arc::new(scenario), &setting).unwrap_or_else(|problems| panic!("{problems:?}"));
        cases.into_iter().next().expect("one case")
    }

    fn room(case: &Case, intent: &str) -> String {
        let Wanted::One { body, .. } = &case.intents[intent].wanted else { panic!("one thing") };
        body.get("room").map_or_else(|| "none".to_owned(), ToString::to_string)
    }

    #[test]
    fn a_request_names_the_scope_of_who_asks_also_where_its_content_is_that_of_another() {
        for (given, expected) in [
            ("{ same as: one, credential: other room }", "\"blue\""),
            ("{ operation: send, credential: other room }", "\"blue\""),
            ("{ same as: one }", "\"red\""),
            ("{ same as: one, credential: none }", "\"red\""),
            ("{ same as: one, credential: unknown }", "\"red\""),
        ] {
            let case = planned(given, "accept: [one, other]");
            assert_eq!((room(&case, "one").as_str(), room(&case, "other").as_str()), ("\"red\"", expected), "{given}");
        }
    }

    #[test]
    fn repeats_are_read_only_where_a_claim_speaks_of_them_and_a_key_names_them() {
        let claim = "mark-repeat-on-the-read-side: [one, other]";
        let case = planned("{ same as: one, key: fresh }", claim);
        let labels: Vec<String> = case.intents.values().filter_map(|own| Some(own.repeats()?.label())).collect();
        assert!(
            labels.len() == 2 && labels.iter().all(|label| label.starts_with("repeats in /sent?id=k-")),
            "{labels:?}"
        );
        assert!(planned("{ operation: send, key: none }", claim).intents["other"].repeats().is_none());
        assert!(planned("{ operation: send, key: an object }", claim).intents["other"].repeats().is_none());
        assert!(planned("{ same as: one }", "accept: [one, other]").intents["one"].repeats().is_none());
    }

    #[test]
    fn an_empty_key_may_be_none() {
        let case = planned("{ operation: send, key: empty }", "accept: [one, other]");
        let other = &case.intents["other"];
        assert!(other.cell().is_none());
        assert!(matches!(&other.wanted, Wanted::One { expects: Expectation::Accepted, .. }));
    }
}
