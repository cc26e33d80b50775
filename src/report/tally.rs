//! A run in a few words: the counts of its standings, and the one sentence that goes on top. It agrees with the exit
//! code and never says more than was judged.

use crate::judge::{RequirementReport, RunReport, Standing};
use crate::report::wording::{count, visible};

/// Every standing, as summaries count them.
const ORDER: [Standing; 7] = [
    Standing::Pass,
    Standing::Fail,
    Standing::Warn,
    Standing::Waived,
    Standing::NotJudged,
    Standing::Reported,
    Standing::NotApplicable,
];

/// The sign that stands before a requirement, a case or a run.
pub fn mark(standing: Standing) -> &'static str {
    match standing {
        Standing::Fail => "✗",
        Standing::Warn => "!",
        Standing::Waived => "~",
        Standing::NotJudged => "?",
        Standing::Pass => "✓",
        Standing::Reported | Standing::NotApplicable => "·",
    }
}

/// How many requirements have a standing.
pub fn with(report: &RunReport, standing: Standing) -> usize {
    report.requirements.iter().filter(|row| row.standing == standing).count()
}

/// What there is to say about where a requirement stands; a gap always has a reason.
pub fn remark(row: &RequirementReport) -> Option<&str> {
    match (&row.remark, row.standing) {
        (Some(remark), _) => Some(remark),
        (None, Standing::NotJudged) => Some("no case that was played could show it"),
        (None, Standing::Fail | Standing::Warn | Standing::Waived | Standing::Reported) => None,
        (None, Standing::Pass | Standing::NotApplicable) => None,
    }
}

/// What a run amounts to, and the sentence for it. It follows the exit code.
pub fn verdict(report: &RunReport) -> (Standing, String) {
    let (failed, warned, gaps) =
        (with(report, Standing::Fail), with(report, Standing::Warn), with(report, Standing::NotJudged));
    let are = |number: usize| if number == 1 { "is" } else { "are" };
    if failed > 0 {
        return (Standing::Fail, format!("not conformant: {} {} broken", count(failed, "requirement"), are(failed)));
    }
    let waived = with(report, Standing::Waived);
    if report.exit_code() != 0 {
        let judged = with(report, Standing::Pass) + warned + waived + with(report, Standing::Reported);
        return if !report.unused_waivers.is_empty() {
            let waivers = count(report.unused_waivers.len(), "waiver");
            let apply = if report.unused_waivers.len() == 1 { "applies" } else { "apply" };
            (Standing::NotJudged, format!("no conclusion: {waivers} no longer {apply}"))
        } else if judged == 0 {
            (Standing::NotJudged, "nothing was judged: this run says nothing about the subject".to_owned())
        } else if !report.complete {
            (Standing::NotJudged, "no conclusion: the run was ended before all cases were played".to_owned())
        } else {
            let gaps_are = format!("{} {} not judged", count(gaps, "requirement"), are(gaps));
            (Standing::NotJudged, format!("no conclusion under --strict: {gaps_are}"))
        };
    }
    let but = if gaps == 0 { String::new() } else { format!("; {} not judged", count(gaps, "requirement")) };
    if warned > 0 {
        let known = if waived == 0 { String::new() } else { format!("; {} waived", count(waived, "requirement")) };
        return (Standing::Warn, format!("conformant, with {}{known}{but}", count(warned, "warning")));
    }
    if waived > 0 {
        let known = count(waived, "requirement");
        let conformant = match with(report, Standing::Pass) {
            0 => format!("nothing that was judged held; {known} waived"),
            _ => format!("conformant but for {known} waived"),
        };
        return (Standing::Waived, format!("{conformant}{but}"));
    }
    if with(report, Standing::Pass) == 0 {
        // Probes alone bind nobody: what they saw is worth reading, and no praise.
        return (Standing::Reported, format!("nothing that binds was judged; only probes reported{but}"));
    }
    (Standing::Pass, if gaps == 0 { "conformant".to_owned() } else { format!("conformant in what was judged{but}") })
}

/// The warning that belongs on top of everything else, when the run was ended early.
pub fn incomplete(report: &RunReport) -> Option<String> {
    let played = report.cases.len();
    (!report.complete).then(|| {
        format!("INCOMPLETE: {played} of {} played; nothing here speaks for the others", count(report.planned, "case"))
    })
}

/// `41 requirements: 38 pass, 1 warn, 2 not judged; 467 cases; seed 7731; kill score 31 of 31`.
pub fn summary(report: &RunReport) -> String {
    let standings: Vec<String> = ORDER
        .into_iter()
        .map(|standing| (with(report, standing), standing))
        .filter(|(number, _)| *number > 0)
        .map(|(number, standing)| format!("{number} {standing}"))
        .collect();
    let requirements = match standings.is_empty() {
        true => count(0, "requirement"),
        false => format!("{}: {}", count(report.requirements.len(), "requirement"), standings.join(", ")),
    };
    let strict = if report.strict { "; strict" } else { "" };
    format!("{requirements}; {}; seed {}{strict}; {}", played(report), report.seed, kill_score(report))
}

/// `467 cases`, or `12 of 467 cases` when some were not played.
pub fn played(report: &RunReport) -> String {
    let played = report.cases.len();
    if played == report.planned && report.complete {
        count(played, "case")
    } else {
        format!("{played} of {}", count(report.planned, "case"))
    }
}

/// What the self-proof of this version scored.
pub fn kill_score(report: &RunReport) -> String {
    match report.kill_score {
        Some((caught, all)) => format!("kill score {caught} of {all}"),
        None => "kill score not known".to_owned(),
    }
}

/// `things against http://127.0.0.1:8080`.
pub fn matchup(report: &RunReport) -> String {
    format!("{} against {}", visible(&report.contract), visible(&report.subject))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::{requirement, run};

    fn check(standings: &[Standing], change: impl FnOnce(&mut RunReport), mark: &str, sentence: &str) {
        let mut report = run();
        report.cases.clear();
        report.planned = 0;
        report.requirements =
            standings.iter().enumerate().map(|(at, standing)| requirement(&format!("R-{at}"), *standing)).collect();
        change(&mut report);
        let (standing, said) = verdict(&report);
        assert_eq!((super::mark(standing), said.as_str()), (mark, sentence));
        assert_eq!(report.exit_code() == 0, !matches!(standing, Standing::Fail | Standing::NotJudged));
    }

    #[test]
    fn the_sentence_follows_the_exit_code() {
        use Standing::{Fail, NotApplicable, NotJudged, Pass, Reported, Waived, Warn};
        let as_is = |_: &mut RunReport| {};
        check(&[Pass, NotApplicable], as_is, "✓", "conformant");
        check(&[Pass, NotJudged], as_is, "✓", "conformant in what was judged; 1 requirement not judged");
        check(&[Pass, Warn, Warn], as_is, "!", "conformant, with 2 warnings");
        check(&[Warn, NotJudged], as_is, "!", "conformant, with 1 warning; 1 requirement not judged");
        check(&[Pass, Fail, Warn], as_is, "✗", "not conformant: 1 requirement is broken");
        check(&[Pass, Waived, Waived], as_is, "~", "conformant but for 2 requirements waived");
        check(&[Waived], as_is, "~", "nothing that was judged held; 1 requirement waived");
        check(&[Pass, Waived, Warn], as_is, "!", "conformant, with 1 warning; 1 requirement waived");
        check(&[Pass, Waived, Fail], as_is, "✗", "not conformant: 1 requirement is broken");
        let stale = |run: &mut RunReport| run.unused_waivers = vec!["w.yaml:1: it no longer applies".to_owned()];
        check(&[Pass], stale, "?", "no conclusion: 1 waiver no longer applies");
        check(&[Fail], stale, "✗", "not conformant: 1 requirement is broken");
        check(&[Reported], as_is, "·", "nothing that binds was judged; only probes reported");
        let nothing = "nothing was judged: this run says nothing about the subject";
        check(&[], as_is, "?", nothing);
        check(&[NotJudged, NotApplicable], as_is, "?", nothing);
        check(
            &[Pass],
            |run| run.complete = false,
            "?",
            "no conclusion: the run was ended before all cases were played",
        );
        check(&[Fail], |run| run.complete = false, "✗", "not conformant: 1 requirement is broken");
        check(
            &[Pass, NotJudged],
            |run| run.strict = true,
            "?",
            "no conclusion under --strict: 1 requirement is not judged",
        );
    }

    #[test]
    fn the_summary_counts_what_there_is() {
        let mut report = run();
        insta::assert_snapshot!(summary(&report), @"7 requirements: 1 pass, 2 fail, 1 warn, 1 not judged, 1 reported, 1 not applicable; 6 cases; seed 7731; kill score 31 of 31");
        report.complete = false;
        report.planned = 467;
        report.kill_score = None;
        insta::assert_snapshot!(summary(&report), @"7 requirements: 1 pass, 2 fail, 1 warn, 1 not judged, 1 reported, 1 not applicable; 6 of 467 cases; seed 7731; kill score not known");
        insta::assert_snapshot!(incomplete(&report).unwrap_or_default(), @"INCOMPLETE: 6 of 467 cases played; nothing here speaks for the others");
        report.requirements.clear();
        report.cases.clear();
        insta::assert_snapshot!(summary(&report), @"0 requirements; 0 of 467 cases; seed 7731; kill score not known");
    }
}
