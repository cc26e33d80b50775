//! Which cases a run plays: by path, pattern, requirement or case id. A selector that matches nothing is an error.

use crate::name::CaseId;
use crate::plan::case::Case;
use crate::plan::claims::matches_path;

/// What was asked for; empty asks for everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Paths, path prefixes, patterns or requirement ids.
    pub selectors: Vec<String>,
    /// Single cases, by id.
    pub cases: Vec<CaseId>,
}

/// A selector that matches nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{selector}` matches no scenario, requirement or case{}", hint.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default())]
pub struct SelectionError {
    /// The selector.
    pub selector: String,
    /// The nearest known word.
    pub hint: Option<String>,
}

impl Selection {
    /// The cases that it asks for, in the plan's order.
    pub fn apply(&self, cases: Vec<Case>) -> Result<Vec<Case>, Vec<SelectionError>> {
        let errors: Vec<SelectionError> = self
            .selectors
            .iter()
            .filter(|selector| !cases.iter().any(|case| fits(selector, case)))
            .map(|selector| SelectionError { selector: selector.clone(), hint: nearest(selector, &cases) })
            .chain(
                self.cases
                    .iter()
                    .filter(|id| !cases.iter().any(|case| case.id == **id))
                    .map(|id| SelectionError { selector: id.to_string(), hint: None }),
            )
            .collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        Ok(cases
            .into_iter()
            .filter(|case| self.selectors.is_empty() || self.selectors.iter().any(|selector| fits(selector, case)))
            .filter(|case| self.cases.is_empty() || self.cases.contains(&case.id))
            .collect())
    }
}

/// Whether a selector names this scenario: its path, a folder above it, or a pattern.
pub fn is_of(selector: &str, path: &str) -> bool {
    let selector = selector.strip_prefix("scenarios/").unwrap_or(selector);
    let selector = selector.strip_suffix(".yaml").unwrap_or(selector).trim_end_matches('/');
    path == selector
        || path.strip_prefix(selector).is_some_and(|rest| rest.starts_with('/'))
        || matches_path(selector, path)
}

fn fits(selector: &str, case: &Case) -> bool {
    is_of(selector, case.scenario.path.as_str())
        || case
            .claims
            .iter()
            .flat_map(|claim| &claim.requirements)
            .any(|id| id.as_str() == selector || (selector.contains('*') && matches_path(selector, id.as_str())))
}

fn nearest(selector: &str, cases: &[Case]) -> Option<String> {
    let known = cases.iter().flat_map(|case| {
        std::iter::once(case.scenario.path.as_str())
            .chain(case.claims.iter().flat_map(|claim| claim.requirements.iter().map(|id| id.as_str())))
    });
    crate::file::nearest(selector, known).map(str::to_owned)
}
