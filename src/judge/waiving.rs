//! Waivers held against verdicts: which violations they explain, and which of them explain nothing any more. A verdict
//! stays what it was found to be.

use crate::file::Problem;
use crate::judge::rollup::{CaseReport, ClaimVerdict};
use crate::judge::verdict::Verdict;
use crate::plan::{Waiver, WaiverKind, Waivers};

/// Notes beside each violation why it is waived, where it is.
pub fn waive(waivers: &Waivers, cases: &mut [CaseReport]) {
    for case in cases {
        for verdict in case.verdicts.iter_mut().filter(|verdict| is_violated(verdict)) {
            let covering = |id| {
                let path = case.scenario.as_str();
                waivers.list.iter().find(|waiver| waiver.covers(id, &case.id, path, verdict.claim))
            };
            verdict.waived =
                verdict.requirements.iter().filter_map(|id| Some((id.clone(), covering(id)?.shown.clone()))).collect();
        }
    }
}

/// Waivers that no longer apply, each with what became of what it names. One that names nothing of these cases is one of
/// another part, and nobody can say.
pub fn unused(waivers: &Waivers, cases: &[CaseReport]) -> Vec<Problem> {
    waivers.list.iter().filter_map(|waiver| without_use(waiver, cases)).collect()
}

fn without_use(waiver: &Waiver, cases: &[CaseReport]) -> Option<Problem> {
    let (mut held, mut violated, mut unknown) = (0_usize, 0_usize, 0_usize);
    let mut why = None;
    for case in cases {
        for verdict in &case.verdicts {
            let id = &waiver.requirement;
            if !verdict.requirements.contains(id) || !waiver.covers(id, &case.id, case.scenario.as_str(), verdict.claim)
            {
                continue;
            }
            match &verdict.verdict {
                Verdict::Holds(_) => held += 1,
                Verdict::Violated(_) => violated += 1,
                Verdict::Unknown(doubt) => {
                    unknown += 1;
                    why = why.or_else(|| Some(doubt.to_string()));
                }
            }
        }
    }
    let used = match waiver.shown.kind {
        WaiverKind::Failing => violated > 0,
        WaiverKind::Flaky => violated + held > 0,
    };
    if used || held + violated + unknown == 0 {
        return None;
    }
    let id = &waiver.requirement;
    let problem = Problem::new(waiver.place, format!("the waiver of `{id}` no longer applies"));
    Some(match (held, why) {
        (0, Some(why)) => problem.label("nothing that it names was judged").help(format!("not judged: {why}")),
        (_, _) => {
            let gaps = if unknown > 0 { format!(", {unknown} not judged") } else { String::new() };
            problem.label(format!("nothing that it names was violated: {held} held{gaps}; take it out"))
        }
    })
}

fn is_violated(verdict: &ClaimVerdict) -> bool {
    matches!(verdict.verdict, Verdict::Violated(_))
}

#[cfg(test)]
mod tests {
    use indexmap::IndexMap;

    use super::*;
    use crate::file::Source;
    use crate::history::EntryNo;
    use crate::judge::verdict::{Anomaly, Doubt, Evidence};
    use crate::scenario::Claim;

    fn held() -> Verdict {
        Verdict::holds([EntryNo(0)], "")
    }

    fn violated() -> Verdict {
        let found = Evidence {
            anomaly: Anomaly::Lost,
            expected: "one".to_owned(),
            observed: "none".to_owned(),
            shown_by: vec![EntryNo(0)],
        };
        Verdict::violated_or(vec![found], held)
    }

    fn unknown() -> Verdict {
        Verdict::Unknown(Doubt::Undecided("it could not be read".to_owned()))
    }

    fn case(id: &str, requirements: &[&str], verdict: Verdict) -> CaseReport {
        CaseReport {
            id: id.into(),
            scenario: "server/replay/plain".into(),
            title: String::new(),
            cell: IndexMap::new(),
            verdicts: vec![ClaimVerdict {
                claim: Claim::MarkReplay,
                on: Vec::new(),
                requirements: requirements.iter().map(|id| (*id).into()).collect(),
                verdict,
                waived: IndexMap::new(),
            }],
        }
    }

    fn waivers(text: &str) -> Waivers {
        Waivers::load(&Source::new("w.yaml", text), None).unwrap_or_else(|problems| panic!("{problems}"))
    }

    /// What is said of the one waiver of `R-1` of a kind, when these are the verdicts.
    fn said(kind: &str, verdicts: &[Verdict]) -> Option<String> {
        let waivers = waivers(&format!("{kind}: [{{ requirement: R-1, reason: known }}]\n"));
        let cases: Vec<CaseReport> = verdicts.iter().map(|verdict| case("a", &["R-1"], verdict.clone())).collect();
        unused(&waivers, &cases).first().map(|problem| problem.label.clone())
    }

    #[test]
    fn a_known_failing_that_is_not_violated_any_more_is_unused() {
        assert_eq!(said("known failing", &[held(), violated()]), None);
        assert_eq!(said("known failing", &[unknown(), violated()]), None);
        let label = said("known failing", &[held(), unknown()]).expect("unused");
        assert_eq!(label, "nothing that it names was violated: 1 held, 1 not judged; take it out");
        assert_eq!(said("known failing", &[unknown()]).expect("unused"), "nothing that it names was judged");
    }

    #[test]
    fn a_known_flaky_is_unused_only_when_nothing_of_it_was_judged() {
        for verdicts in [[held(), held()], [violated(), held()], [unknown(), held()]] {
            assert_eq!(said("known flaky", &verdicts), None);
        }
        assert_eq!(said("known flaky", &[unknown()]).expect("unused"), "nothing that it names was judged");
    }

    #[test]
    fn what_is_of_another_part_is_not_called_unused() {
        let waivers = waivers("known failing: [{ requirement: R-2, reason: known }]\n");
        assert!(unused(&waivers, &[case("a", &["R-1"], held())]).is_empty());
        assert!(unused(&waivers, &[]).is_empty());
    }

    #[test]
    fn a_violation_is_waived_for_the_requirement_and_the_case_that_are_named_alone() {
        let text = "known failing: [{ requirement: R-1, in: b, reason: known }]\n";
        let mut cases = [
            case("a", &["R-1", "R-2"], violated()),
            case("b", &["R-1", "R-2"], violated()),
            case("b", &["R-1"], held()),
        ];
        waive(&waivers(text), &mut cases);
        let waived =
            |at: usize| -> Vec<String> { cases[at].verdicts[0].waived.keys().map(ToString::to_string).collect() };
        assert_eq!((waived(0), waived(1), waived(2)), (vec![], vec!["R-1".to_owned()], vec![]));
        assert!(matches!(cases[1].verdicts[0].verdict, Verdict::Violated(_)), "it stays what it is");
    }
}
