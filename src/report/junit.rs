//! The report as JUnit XML, for machines that count tests: a suite for each scenario, a test for each claim of a case,
//! and one suite for the requirements and the run itself. Only what fails the run fails here, and every time is zero,
//! because reports get compared.

use std::time::Duration;

use indexmap::IndexMap;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite, XmlString};

use crate::event::{Stories, Story};
use crate::judge::{CaseReport, ClaimVerdict, Evidence, RequirementReport, RunReport, Standing, Verdict};
use crate::report::finding::{differences, evidence, standing_of};
use crate::report::moment::{Sign, lay_out};
use crate::report::tally::{incomplete, matchup, remark, summary, verdict};
use crate::report::timeline::moments;
use crate::report::wording::{visible, visible_lines};

/// The columns of a timeline inside a failure.
const COLUMNS: usize = 120;

/// The whole file.
pub fn render_junit(report: &RunReport, stories: &Stories) -> Result<String, quick_junit::SerializeError> {
    let mut junit = Report::new(line(&format!("onceproof: {}", matchup(report))));
    junit.set_time(Duration::ZERO);
    let mut scenarios: IndexMap<&str, Vec<&CaseReport>> = IndexMap::new();
    for case in &report.cases {
        scenarios.entry(case.scenario.as_str()).or_default().push(case);
    }
    for (path, cases) in scenarios {
        let mut suite = suite(path);
        for case in cases {
            let tests = case.verdicts.iter().map(|claim| claim_test(report, case, claim, stories.get(&case.id)));
            suite.add_test_cases(tests);
        }
        junit.add_test_suite(suite);
    }
    junit.add_test_suite(requirements(report));
    junit.to_string()
}

fn claim_test(report: &RunReport, case: &CaseReport, claim: &ClaimVerdict, story: Option<&Story>) -> TestCase {
    let on: Vec<&str> = claim.on.iter().map(|intent| intent.as_str()).collect();
    let cell: Vec<&str> = case.cell.values().map(String::as_str).collect();
    let name = format!("{}: {} [{}] {}", claim.claim, on.join(", "), cell.join(", "), case.id);
    let standing = standing_of(report, claim);
    let binds = standing == Some(Standing::Fail);
    let reasons: Vec<String> = claim.waived.iter().map(|(id, why)| format!("{id} waived, {why}")).collect();
    let status = match &claim.verdict {
        Verdict::Holds(_) => TestCaseStatus::success(),
        Verdict::Unknown(doubt) => skipped(&doubt.to_string()),
        Verdict::Violated(_) if binds => {
            let words: Vec<&str> = evidence(claim).take(1).map(|one| one.anomaly.word()).collect();
            let messages: Vec<String> = evidence(claim).map(in_words).collect();
            unsuccessful(NonSuccessKind::Failure, &words.join(""), &messages.join("; "), &told(claim, story))
        }
        // No success: what is known to be broken is broken.
        Verdict::Violated(_) if standing == Some(Standing::Waived) => skipped(&reasons.join("; ")),
        Verdict::Violated(_) => TestCaseStatus::success(),
    };
    let mut test = test(&name, case.scenario.as_str(), status);
    let ids: Vec<&str> = claim.requirements.iter().map(|id| id.as_str()).collect();
    test.add_property(property("case", case.id.as_str())).add_property(property("requirements", &ids.join(" ")));
    for reason in &reasons {
        test.add_property(property("waived", reason));
    }
    match &claim.verdict {
        Verdict::Holds(witnesses) => {
            test.set_assertions(witnesses.all().count());
            if let Some(observed) = &witnesses.observed {
                test.set_system_out(text(&format!("observed: {observed}")));
            }
        }
        Verdict::Violated(_) if !binds => {
            test.set_system_out(text(&format!("violated, but it does not fail the run\n{}", told(claim, story))));
        }
        Verdict::Violated(_) | Verdict::Unknown(_) => {}
    }
    test
}

/// What is to be read about a violated claim.
fn told(claim: &ClaimVerdict, story: Option<&Story>) -> String {
    let mut lines = Vec::new();
    for one in evidence(claim) {
        lines.push(format!("{}: {}", one.anomaly.word(), in_words(one)));
        lines.extend(differences(one).iter().map(|place| format!("  differs {}", visible(place))));
    }
    if let Some(story) = story {
        lines.extend(lay_out(&moments(&story.entries), COLUMNS, |sign: Sign| sign.glyph().to_owned()));
        lines.extend(story.likely_cause.iter().map(|cause| format!("likely cause: {}", visible(cause))));
        lines.push(format!("again: {}", visible(&story.again)));
    }
    lines.join("\n")
}

fn in_words(evidence: &Evidence) -> String {
    format!("expected {}, observed {}", visible(&evidence.expected), visible(&evidence.observed))
}

fn requirements(report: &RunReport) -> TestSuite {
    let mut suite = suite("requirements");
    suite.add_property(property("contract", &report.contract));
    suite.add_property(property("subject", &report.subject));
    suite.add_property(property("seed", &report.seed.to_string()));
    suite.add_property(property("strict", &report.strict.to_string()));
    suite.add_test_cases(report.requirements.iter().map(|row| requirement_test(report, row)));
    // A run that says nothing must not look like one in which nothing failed.
    let (standing, sentence) = verdict(report);
    let status = match (incomplete(report), standing) {
        (Some(warning), _) => unsuccessful(NonSuccessKind::Error, "incomplete", &warning, &sentence),
        (None, Standing::NotJudged) => unsuccessful(NonSuccessKind::Error, "not judged", &sentence, ""),
        (None, Standing::Fail | Standing::Warn | Standing::Waived) => TestCaseStatus::success(),
        (None, Standing::Reported | Standing::Pass | Standing::NotApplicable) => TestCaseStatus::success(),
    };
    let mut run = test("the run was played to its end and judged", "requirements", status);
    let lines = [sentence, summary(report)].into_iter().chain(report.unused_waivers.iter().cloned());
    run.set_system_out(text(&lines.collect::<Vec<_>>().join("\n")));
    suite.add_test_case(run);
    suite
}

fn requirement_test(report: &RunReport, row: &RequirementReport) -> TestCase {
    let counts = format!("{} held, {} violated, {} unknown", row.held, row.violated, row.unknown);
    let why = remark(row).unwrap_or_default();
    let status = match row.standing {
        Standing::Pass | Standing::Warn | Standing::Reported => TestCaseStatus::success(),
        Standing::NotApplicable => skipped(row.standing.word()),
        Standing::Waived => skipped(why),
        Standing::NotJudged if report.strict => unsuccessful(NonSuccessKind::Error, "not judged", why, &counts),
        Standing::NotJudged => skipped(why),
        Standing::Fail => unsuccessful(NonSuccessKind::Failure, "broken", &row.says, &counts),
    };
    let mut test = test(&format!("{}: {}", row.id, row.says), "requirements", status);
    test.add_property(property("standing", row.standing.word()));
    test.add_property(property("level", row.level.word()));
    test.add_property(property("grade", row.grade.word()));
    test.add_property(property("source", &row.source));
    test.set_system_out(text(&match remark(row) {
        Some(remark) => format!("{}: {counts}\n{}", row.standing, visible(remark)),
        None => format!("{}: {counts}", row.standing),
    }));
    test
}

fn suite(name: &str) -> TestSuite {
    let mut suite = TestSuite::new(line(name));
    suite.set_time(Duration::ZERO);
    suite
}

fn test(name: &str, class: &str, status: TestCaseStatus) -> TestCase {
    let mut test = TestCase::new(line(name), status);
    test.set_classname(line(class)).set_time(Duration::ZERO);
    test
}

fn skipped(why: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::skipped();
    status.set_message(line(why));
    status
}

fn unsuccessful(kind: NonSuccessKind, word: &str, message: &str, description: &str) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(line(word)).set_message(line(message));
    if !description.is_empty() {
        status.set_description(text(description));
    }
    status
}

fn property(name: &str, value: &str) -> Property {
    Property::new(line(name), line(value))
}

/// quick-junit drops control characters without a word; so they are spelled before it sees them.
fn line(text: &str) -> XmlString {
    XmlString::new(visible(text))
}

fn text(text: &str) -> XmlString {
    XmlString::new(visible_lines(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Anomaly;
    use crate::report::example::{case, found, requirement, run, stories};

    fn check(report: &RunReport, stories: &Stories) -> Report {
        let xml = render_junit(report, stories).expect("quick-junit writes what it is given");
        assert_eq!(Some(xml.as_str()), render_junit(report, stories).ok().as_deref());
        Report::deserialize_from_str(&xml).expect("well-formed")
    }

    fn counts(report: &Report) -> (usize, usize, usize, usize) {
        (report.tests, report.failures, report.errors, report.skipped)
    }

    #[test]
    fn what_fails_the_run_fails_and_what_only_warns_does_not() {
        let junit = check(&run(), &stories());
        let suites: Vec<&str> = junit.test_suites.iter().map(|suite| suite.name.as_str()).collect();
        let lost = "server/replay/lost-answer";
        assert_eq!(
            suites,
            [lost, "server/replay/verbatim", "server/scope/two-keys", "server/key/absent", "requirements"]
        );
        // Three cases with two claims each and two requirements fail; the warning does not; a gap and another side skip.
        assert_eq!(counts(&junit), (17, 8, 0, 3));
    }

    #[test]
    fn a_failure_tells_the_whole_story() {
        let mut report = run();
        report.cases.truncate(1);
        report.planned = 1;
        report.requirements.truncate(1);
        report.cases[0].verdicts.truncate(1);
        insta::assert_snapshot!(render_junit(&report, &stories()).expect("written"), @r#"
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites name="onceproof: curious against http://127.0.0.1:8080" tests="3" skipped="0" failures="2" errors="0" time="0.000">
            <testsuite name="server/replay/lost-answer" tests="1" skipped="0" errors="0" failures="1" time="0.000">
                <testcase name="apply-exactly-once: wanted [decide, post-commit reset] 7f3a" classname="server/replay/lost-answer" time="0.000">
                    <properties>
                        <property name="case" value="7f3a"/>
                        <property name="requirements" value="CUR-DEC-01"/>
                    </properties>
                    <failure message="expected 1 decision, observed 2 decisions (dec_41, dec_42)" type="duplicated">duplicated: expected 1 decision, observed 2 decisions (dec_41, dec_42)
             0.0ms  →  POST /v1/decide  key k-91                      conn 3
            11.8ms  ●  origin answered 200 {&quot;decision_id&quot;:&quot;dec_41&quot;}   commit proof: effect seen
            12.1ms  ✂  post-commit reset: reset before the first byte
            62.4ms  →  POST /v1/decide  key k-91                      conn 4, same body
            71.0ms  ←  200 {&quot;decision_id&quot;:&quot;dec_42&quot;}
            80.3ms  ◦  2 rows of decision read                        at end
        likely cause: keys are forgotten as soon as the answer is out
        again: onceproof run server/replay/lost-answer --case 7f3a --seed 7731</failure>
                </testcase>
            </testsuite>
            <testsuite name="requirements" tests="2" skipped="0" errors="0" failures="1" time="0.000">
                <properties>
                    <property name="contract" value="curious"/>
                    <property name="subject" value="http://127.0.0.1:8080"/>
                    <property name="seed" value="7731"/>
                    <property name="strict" value="false"/>
                </properties>
                <testcase name="CUR-DEC-01: a decide under one key is done once, however often it is sent" classname="requirements" time="0.000">
                    <properties>
                        <property name="standing" value="fail"/>
                        <property name="level" value="must"/>
                        <property name="grade" value="stated"/>
                        <property name="source" value="001, replay table, row 1"/>
                    </properties>
                    <failure message="a decide under one key is done once, however often it is sent" type="broken">20 held, 3 violated, 0 unknown</failure>
                    <system-out>fail: 20 held, 3 violated, 0 unknown</system-out>
                </testcase>
                <testcase name="the run was played to its end and judged" classname="requirements" time="0.000">
                    <system-out>not conformant: 1 requirement is broken
        1 requirement: 1 fail; 1 case; seed 7731; kill score 31 of 31</system-out>
                </testcase>
            </testsuite>
        </testsuites>
        "#);
    }

    #[test]
    fn control_characters_and_markup_survive_visibly() {
        let mut report = run();
        report.requirements = vec![requirement("R<1>\u{1}", Standing::Fail)];
        let verdict = found(Anomaly::WrongAnswer, "a | \u{0}\u{1b}[31m", "<![CDATA[ ]]> & 決定\u{ffff}\n");
        report.cases = vec![case("1", &["R<1>\u{1}"], verdict)];
        let junit = check(&report, &Stories::new());
        let test = &junit.test_suites[0].test_cases[0];
        let TestCaseStatus::NonSuccess { message: Some(message), .. } = &test.status else { panic!("{test:?}") };
        let shown = r"expected a | \u{0}\u{1b}[31m, observed <![CDATA[ ]]> & 決定\u{ffff}\n";
        assert_eq!(message.as_str(), shown);
        assert!(junit.test_suites[1].test_cases[0].name.as_str().starts_with(r"R<1>\u{1}: "));
    }

    #[test]
    fn a_run_that_says_nothing_is_an_error_and_not_a_success() {
        let mut report = run();
        report.requirements.retain(|row| matches!(row.standing, Standing::Pass | Standing::NotJudged));
        report.cases.clear();
        report.planned = 0;
        assert_eq!(counts(&check(&report, &Stories::new())), (3, 0, 0, 1));
        report.strict = true;
        assert_eq!(counts(&check(&report, &Stories::new())), (3, 0, 2, 0));
        report.strict = false;
        report.complete = false;
        assert_eq!(counts(&check(&report, &Stories::new())), (3, 0, 1, 1));
        report.complete = true;
        report.requirements.clear();
        assert_eq!(counts(&check(&report, &Stories::new())), (1, 0, 1, 0));
    }
}
