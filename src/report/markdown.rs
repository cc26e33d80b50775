//! The report that a person can hand on: one Markdown file that explains itself. Everything that came from a contract or
//! a subject is escaped; it cannot become markup, HTML or a row of a table.

use std::fmt::Write;

use crate::event::Stories;
use crate::judge::{RequirementReport, RunReport, Standing};
use crate::report::block::{again, binds, cited, place};
use crate::report::curl::curl_lines;
use crate::report::finding::{Finding, differences, findings};
use crate::report::moment::{Sign, lay_out};
use crate::report::tally::{incomplete, kill_score, mark, matchup, played, remark, summary, verdict};
use crate::report::timeline::moments;
use crate::report::wording::{count, visible, visible_lines};

/// The columns of a timeline.
const COLUMNS: usize = 110;

const HOW_TO_READ: &str = "\
Each *case* plays one scenario against the subject with one fault at one point of one exchange, and records both ends of
every request. A *claim* about it then **holds** (something that happened shows it), is **violated**, or is **unknown**
(nobody can say, and the reason is given; it is never counted as held). A *requirement* stands where the worst of its
claims stands:

| | standing | means |
|---|---|---|
| ✗ | fail | a binding requirement is broken |
| ! | warn | broken, but it is a *should*, or derived rather than stated by its source (fails under `--strict`) |
| ~ | waived | broken, and known to be: whoever runs this has waived it, with a reason; never a pass |
| ? | not judged | asked for, and nobody can say |
| · | reported | a probe: the source leaves it open, so it is only told what the subject does |
| ✓ | pass | every claim held, and some did; a client may give no occasion for one in some of the cases |
| · | not applicable | it was not selected, binds another side, or needs something that the contract does not declare |
";

/// The whole file.
pub fn render_markdown(report: &RunReport, stories: &Stories) -> String {
    let findings = findings(report, stories);
    let mut sections = vec![
        opening(report),
        format!("## How to read this\n\n{HOW_TO_READ}"),
        format!("## Requirements\n\n{}", requirements(report)),
        format!("## Not judged\n\n{}", not_judged(report)),
        waived(report),
        violations(report, &findings),
        format!("## The run\n\n{}", the_run(report)),
    ];
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

fn opening(report: &RunReport) -> String {
    let (standing, sentence) = verdict(report);
    let mut text = format!("# onceproof: {}\n\n", inline(&matchup(report)));
    if let Some(warning) = incomplete(report) {
        put(&mut text, format_args!("> **! {}**\n\n", inline(&warning)));
    }
    put(&mut text, format_args!("**{} {}**\n\n{}\n", mark(standing), inline(&sentence), inline(&summary(report))));
    text
}

fn requirements(report: &RunReport) -> String {
    if report.requirements.is_empty() {
        return "The contract has none.\n".to_owned();
    }
    let mut text =
        "| | id | level | grade | side | standing | held | violated | unknown | says | source |\n".to_owned();
    text.push_str("|---|---|---|---|---|---|---:|---:|---:|---|---|\n");
    for row in &report.requirements {
        let id = inline(row.id.as_str());
        let (says, source) = (inline(&row.says), inline(&row.source));
        let shown = match (&row.remark, row.standing) {
            (Some(remark), Standing::Reported) => format!("{says}<br>*{}*", inline(remark)),
            (Some(_) | None, _) => says,
        };
        let RequirementReport { level, grade, side, standing, held, violated, unknown, .. } = row;
        let sign = mark(*standing);
        put(&mut text, format_args!("| {sign} | {id} | {level} | {grade} | {side} | {standing} "));
        put(&mut text, format_args!("| {held} | {violated} | {unknown} | {shown} | {source} |\n"));
    }
    text
}

fn not_judged(report: &RunReport) -> String {
    let mut text = String::new();
    for row in report.requirements.iter().filter(|row| row.standing == Standing::NotJudged) {
        let why = remark(row).unwrap_or_default();
        put(&mut text, format_args!("- **{}** {}: {}\n", inline(row.id.as_str()), inline(&row.says), inline(why)));
    }
    if text.is_empty() { "Nothing that was asked for.\n".to_owned() } else { text }
}

/// What is known to be broken, and why that is let stand; and what is waived without need.
fn waived(report: &RunReport) -> String {
    let mut text = String::new();
    for row in report.requirements.iter().filter(|row| row.waived > 0) {
        let why = remark(row).unwrap_or_default();
        put(&mut text, format_args!("- **{}** {}: {}\n", inline(row.id.as_str()), inline(&row.says), inline(why)));
    }
    for unused in &report.unused_waivers {
        put(&mut text, format_args!("- **!** {}\n", inline(unused)));
    }
    if text.is_empty() { text } else { format!("## Waived\n\n{text}") }
}

fn violations(report: &RunReport, findings: &[Finding<'_>]) -> String {
    if findings.is_empty() {
        let played = count(report.cases.len(), "case");
        return format!("## Violations\n\nNone in the {played} of this run.\n");
    }
    let violations: Vec<String> = findings.iter().map(|finding| violation(report, finding)).collect();
    format!("## Violations\n\n{}", violations.join("\n"))
}

fn violation(report: &RunReport, finding: &Finding<'_>) -> String {
    let sign = mark(finding.standing.unwrap_or(Standing::Reported));
    let mut text = format!("### {sign} {}\n\n", inline(&place(finding.case)));
    let (id, title) = (inline(finding.case.id.as_str()), inline(&finding.case.title));
    put(&mut text, format_args!("Case {id}: {title}\n\nBreaks:\n\n"));
    if finding.broken.is_empty() {
        put(&mut text, format_args!("- {}\n", inline(&cited(finding).join("; "))));
    }
    for row in &finding.broken {
        let (id, says, source) = (inline(row.id.as_str()), inline(&row.says), inline(&row.source));
        put(&mut text, format_args!("- **{id}** ({}) {says} *({source})*\n", binds(row)));
    }
    if !finding.waived.is_empty() {
        put(&mut text, format_args!("\nWaived: {}.\n", inline(finding.waived.join("; ").trim_end_matches('.'))));
    }
    text.push_str("\n| what | expected | observed |\n|---|---|---|\n");
    for one in finding.evidence() {
        let (expected, observed) = (inline(&one.expected), inline(&one.observed));
        put(&mut text, format_args!("| {} | {expected} | {observed} |\n", one.anomaly.word()));
    }
    let places: Vec<String> = finding.evidence().into_iter().flat_map(differences).collect();
    if !places.is_empty() {
        put(&mut text, format_args!("\nWhere the answers differ:\n\n{}", fenced("text", &places)));
    }
    let mut shell = Vec::new();
    if let Some(story) = finding.story {
        let lines = lay_out(&moments(&story.entries), COLUMNS, |sign: Sign| sign.glyph().to_owned());
        put(&mut text, format_args!("\nWhat happened:\n\n{}", fenced("text", &lines)));
        if let Some(cause) = &story.likely_cause {
            put(&mut text, format_args!("\nLikely cause: {}.\n", inline(cause.trim_end_matches('.'))));
        }
        shell = curl_lines(&story.entries);
    }
    shell.insert(0, again(report, finding));
    put(&mut text, format_args!("\nAgain, and by hand:\n\n{}", fenced("sh", &shell)));
    if !finding.others.is_empty() {
        let ids: Vec<String> = finding.others.iter().map(|case| format!("{} ({})", case.id, place(case))).collect();
        let ids = inline(&ids.join(", "));
        put(&mut text, format_args!("\nThe same in {}: {ids}.\n", count(finding.others.len(), "more case")));
    }
    text
}

fn the_run(report: &RunReport) -> String {
    let yes = |truth: bool| if truth { "yes" } else { "no" }.to_owned();
    let rows = [
        ("contract", report.contract.clone()),
        ("subject", report.subject.clone()),
        ("seed", report.seed.to_string()),
        ("onceproof", env!("CARGO_PKG_VERSION").to_owned()),
        ("self-proof", kill_score(report)),
        ("cases played", played(report)),
        ("played to its end", yes(report.complete)),
        ("strict", yes(report.strict)),
    ];
    let mut text = "| | |\n|---|---|\n".to_owned();
    for (name, value) in rows {
        put(&mut text, format_args!("| {name} | {} |\n", inline(&value)));
    }
    text
}

/// Text that stays text inside a paragraph, a heading or a cell.
fn inline(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in visible(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '!' | '$' => escaped.extend(['\\', c]),
            other => escaped.push(other),
        }
    }
    escaped
}

/// Lines as code, inside a fence that is longer than any in them.
fn fenced(language: &str, lines: &[String]) -> String {
    let text = visible_lines(&lines.join("\n"));
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}{language}\n{text}\n{fence}\n")
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes everything that displays");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::Anomaly;
    use crate::report::example::{case, found, requirement, run, stories};

    #[test]
    fn a_report_explains_itself() {
        let text = render_markdown(&run(), &stories());
        assert_eq!(text, render_markdown(&run(), &stories()));
        insta::with_settings!({ filters => vec![(env!("CARGO_PKG_VERSION"), "[version]")] }, {
            insta::assert_snapshot!(text);
        });
    }

    #[test]
    fn nothing_becomes_markup_or_another_row() {
        let evil = "a | b\n| c | <img src=x onerror=alert(1)> **x** [y](z) `q` \0 決";
        let mut report = run();
        report.requirements = vec![requirement("R|1", Standing::Fail)];
        report.requirements[0].says = evil.to_owned();
        report.cases = vec![case("1", &["R|1"], found(Anomaly::Lost, evil, evil))];
        let text = render_markdown(&report, &Stories::new());
        let says = r"a \| b\\n\| c \| &lt;img src=x onerror=alert(1)&gt; \*\*x\*\* \[y\](z) \`q\` \\u{0} 決";
        let row =
            format!("| ✗ | R\\|1 | must | stated | server | fail | 0 | 0 | 0 | {says} | 001, replay table, row 1 |\n");
        assert!(text.contains(&row), "{text}");
        assert!(text.contains(&format!("| lost | {says} | {says} |\n")), "{text}");
        assert!(!text.contains("<img") && !text.contains('\0'));
    }

    #[test]
    fn a_fence_is_longer_than_any_inside() {
        assert_eq!(
            fenced("text", &["a ```` b".to_owned(), "c\u{1b}".to_owned()]),
            "`````text\na ```` b\nc\\u{1b}\n`````\n"
        );
    }

    #[test]
    fn a_run_that_was_ended_or_had_no_cases_says_so_on_top() {
        let mut report = run();
        (report.complete, report.planned) = (false, 467);
        let top = |report: &RunReport| {
            render_markdown(report, &Stories::new()).lines().take(5).collect::<Vec<_>>().join("\n")
        };
        insta::assert_snapshot!(top(&report), @r"
        # onceproof: curious against http://127.0.0.1:8080

        > **! INCOMPLETE: 6 of 467 cases played; nothing here speaks for the others**

        **✗ not conformant: 2 requirements are broken**
        ");
        (report.complete, report.planned) = (true, 0);
        report.cases.clear();
        report.requirements.clear();
        insta::assert_snapshot!(top(&report), @r"
        # onceproof: curious against http://127.0.0.1:8080

        **? nothing was judged: this run says nothing about the subject**

        0 requirements; 0 cases; seed 7731; kill score 31 of 31
        ");
        assert!(render_markdown(&report, &Stories::new()).contains("None in the 0 cases of this run."));
    }
}
