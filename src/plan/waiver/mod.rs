//! Waivers: known failings of one subject, each with a reason. A waiver never turns a violation into a pass; it says who
//! knows of it, and it is an error once there is nothing left to waive.

mod against;
mod load;

use serde::{Deserialize, Serialize};

use crate::file::{Source, Span};
use crate::name::{CaseId, RequirementId};
use crate::plan::select::is_of;
use crate::scenario::Claim;

pub use load::SHAPE;

/// The waivers of a run; none, unless a file was given.
#[derive(Clone, Debug, Default)]
pub struct Waivers {
    /// The file, for messages.
    pub source: Option<Source>,
    /// Its entries, in order.
    pub list: Vec<Waiver>,
}

/// One known failing.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiver {
    /// The requirement that is broken.
    pub requirement: RequirementId,
    /// Where: scenario paths, patterns, or case ids; everywhere, when none is named.
    pub cases: Vec<(String, Span)>,
    /// By which claim; by any, unless named.
    pub claim: Option<(Claim, Span)>,
    /// What a report says of it.
    pub shown: Waived,
    /// Where the file says so.
    pub place: Span,
}

/// Why a violation is waived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Waived {
    /// How often it is to be expected.
    pub kind: WaiverKind,
    /// The reason.
    pub reason: String,
    /// The last day on which it is waived.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

/// How often a known failing is to be expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaiverKind {
    /// In every run.
    Failing,
    /// In some runs.
    Flaky,
}

impl Waiver {
    /// Whether it speaks of this requirement, in this case, by this claim.
    pub fn covers(&self, requirement: &RequirementId, case: &CaseId, path: &str, claim: Claim) -> bool {
        self.requirement == *requirement
            && self.claim.is_none_or(|(own, _)| own == claim)
            && (self.cases.is_empty() || self.cases.iter().any(|(selector, _)| names(selector, case, path)))
    }
}

impl std::fmt::Display for Waived {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = match self.kind {
            WaiverKind::Failing => "known failing",
            WaiverKind::Flaky => "known flaky",
        };
        match &self.until {
            Some(until) => write!(f, "{kind}, until {until}: {}", self.reason),
            None => write!(f, "{kind}: {}", self.reason),
        }
    }
}

fn names(selector: &str, case: &CaseId, path: &str) -> bool {
    case.as_str() == selector || is_of(selector, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waiver(cases: &[&str], claim: Option<Claim>) -> Waiver {
        Waiver {
            requirement: "R-1".into(),
            cases: cases.iter().map(|case| ((*case).to_owned(), Span::default())).collect(),
            claim: claim.map(|claim| (claim, Span::default())),
            shown: Waived { kind: WaiverKind::Failing, reason: "it is known".to_owned(), until: None },
            place: Span::default(),
        }
    }

    #[test]
    fn a_waiver_covers_what_it_names_and_nothing_else() {
        let path = "server/replay/plain";
        for (cases, claim, requirement, expected) in [
            (&[] as &[&str], None, "R-1", true),
            (&[], None, "R-2", false),
            (&["server/replay"], None, "R-1", true),
            (&["server/*/plain"], None, "R-1", true),
            (&["server/*"], None, "R-1", false),
            (&["server/key/**", "7f3a00"], None, "R-1", true),
            (&["7f3a"], None, "R-1", false),
            (&[], Some(Claim::MarkReplay), "R-1", true),
            (&[], Some(Claim::Accept), "R-1", false),
        ] {
            let covers = waiver(cases, claim).covers(&requirement.into(), &"7f3a00".into(), path, Claim::MarkReplay);
            assert_eq!(covers, expected, "{cases:?} {claim:?} {requirement}");
        }
    }

    #[test]
    fn what_is_shown_names_the_kind_the_day_and_the_reason() {
        let mut shown = waiver(&[], None).shown;
        assert_eq!(shown.to_string(), "known failing: it is known");
        (shown.kind, shown.until) = (WaiverKind::Flaky, Some("2027-01-31".to_owned()));
        assert_eq!(shown.to_string(), "known flaky, until 2027-01-31: it is known");
    }
}
