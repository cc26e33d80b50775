//! Whether a waiver file speaks of what there is: requirements of the contract, and cases of the plan. A waiver that can
//! never apply is told before anything is sent.

use crate::contract::Contract;
use crate::file::{Problem, Problems, nearest};
use crate::plan::case::Case;
use crate::plan::credential::{AbleClient, is_judged};
use crate::plan::waiver::{Waiver, Waivers, names};
use crate::scenario::Claim;

impl Waivers {
    /// Every entry that names what the contract does not have, or that nobody could judge.
    pub fn against_contract(&self, contract: &Contract) -> Result<(), Problems> {
        self.problems(self.list.iter().filter_map(|waiver| of_contract(waiver, contract)).collect())
    }

    /// Every entry of the sides under test that no case of the whole plan could show.
    pub fn against_plan(
        &self,
        contract: &Contract,
        cases: &[Case],
        client: Option<&AbleClient>,
    ) -> Result<(), Problems> {
        let of_side = |waiver: &&Waiver| {
            contract.requirements.get(&waiver.requirement).is_some_and(|requirement| is_judged(requirement, client))
        };
        self.problems(self.list.iter().filter(of_side).filter_map(|waiver| of_plan(waiver, cases)).collect())
    }

    /// Problems of this file, if there are any.
    pub fn problems(&self, list: Vec<Problem>) -> Result<(), Problems> {
        match &self.source {
            Some(source) if !list.is_empty() => Err(Problems::new(source, list)),
            Some(_) | None => Ok(()),
        }
    }
}

fn of_contract(waiver: &Waiver, contract: &Contract) -> Option<Problem> {
    let id = &waiver.requirement;
    let Some(requirement) = contract.requirements.get(id) else {
        let problem = Problem::new(waiver.place, format!("no requirement `{id}` in {}", contract.name));
        let known = contract.requirements.keys().map(|id| id.as_str());
        return Some(match nearest(id.as_str(), known) {
            Some(near) => problem.label(format!("did you mean `{near}`?")),
            None => problem.label("`onceproof list --requirements` names them"),
        });
    };
    if let Some(why) = &requirement.not_judged {
        let problem = Problem::new(waiver.place, format!("`{id}` is never judged, so there is nothing to waive"));
        return Some(problem.label("leave this waiver out").help(why.clone()));
    }
    let (claim, place) = waiver.claim?;
    if requirement.proofs.iter().any(|proof| proof.claim == claim.word()) {
        return None;
    }
    let mut proving: Vec<&str> = requirement.proofs.iter().map(|proof| proof.claim.as_str()).collect();
    proving.dedup();
    let problem = Problem::new(place, format!("the claim `{claim}` proves nothing of `{id}`"));
    Some(problem.label(format!("it is proved by {}", proving.join(", "))))
}

fn of_plan(waiver: &Waiver, cases: &[Case]) -> Option<Problem> {
    let id = &waiver.requirement;
    let claims = |case: &Case| -> Vec<Claim> {
        let own = case.claims.iter().filter(|own| own.requirements.contains(id)).map(|own| own.claim);
        own.filter(|own| waiver.claim.is_none_or(|(claim, _)| claim == *own)).collect()
    };
    let showing: Vec<&Case> = cases.iter().filter(|case| !claims(case).is_empty()).collect();
    if showing.is_empty() {
        let problem = Problem::new(waiver.place, format!("no case of this plan could show `{id}`"));
        return Some(problem.label("there is nothing to waive"));
    }
    // Each of its places is there for something.
    let (selector, place) = waiver
        .cases
        .iter()
        .find(|(selector, _)| !showing.iter().any(|case| names(selector, &case.id, case.scenario.path.as_str())))?;
    let problem = Problem::new(*place, format!("`{selector}` is no case that could show `{id}`"));
    Some(match nearest(selector, showing.iter().map(|case| case.scenario.path.as_str())) {
        Some(near) => problem.label(format!("did you mean `{near}`?")),
        None => problem.label(format!("`onceproof list --cases {id}` names them")),
    })
}
