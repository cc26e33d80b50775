//! One finding on the terminal: what is broken, what had to be and what was, how it came about in milliseconds, and the
//! commands that show it again. It never leaves out a number without saying so.

use anstyle::Style;

use crate::event::Story;
use crate::judge::{CaseReport, Evidence, RequirementReport, RunReport, Standing};
use crate::report::curl::curl_lines;
use crate::report::finding::{Finding, differences};
use crate::report::moment::{Sign, lay_out};
use crate::report::paint::{self, LOUD, QUIET, STRONG, paint};
use crate::report::tally::mark;
use crate::report::timeline::moments;
use crate::report::wording::{count, pad, visible, width, wrap};
use crate::requirement::Grade;

/// Findings of one case that are written out.
const EVIDENCE: usize = 6;
/// Places of a structural difference that are written out.
const PLACES: usize = 8;
/// Curl lines that are written out.
const CURLS: usize = 4;
/// Other cases that are named.
const OTHERS: usize = 24;

/// The columns before what a label says: `  expected  `.
const LABEL: usize = 12;

/// The whole block, ended by a line end.
pub fn block(report: &RunReport, finding: &Finding<'_>, columns: usize) -> String {
    let mut lines = heading(finding, columns);
    lines.extend(expected_and_observed(&finding.evidence(), columns));
    let places: Vec<String> =
        finding.evidence().into_iter().flat_map(differences).map(|place| visible(&place)).collect();
    lines.extend(labelled_list("differs", &places, PLACES, "place", columns));
    // One case may break one requirement that is waived and another that is not.
    for why in &finding.waived {
        lines.extend(labelled("waived", &visible(why), QUIET, columns));
    }
    if let Some(story) = finding.story {
        lines.extend(happened(story, columns));
    }
    lines.push(label("again", &again(report, finding)));
    let others: Vec<&str> = finding.others.iter().map(|case| case.id.as_str()).collect();
    if !others.is_empty() {
        let named = visible(&others.iter().take(OTHERS).copied().collect::<Vec<_>>().join(", "));
        let rest = if others.len() > OTHERS { ", …" } else { "" };
        let text = format!("and {}: {named}{rest}", count(others.len(), "more case"));
        lines.extend(wrap(&text, columns.saturating_sub(4)).iter().map(|line| format!("  {line}")));
    }
    lines.push(String::new());
    lines.join("\n")
}

/// One line for a finding that is not shown in full.
pub fn one_line(finding: &Finding<'_>) -> String {
    let words: Vec<&str> = finding.evidence().iter().map(|one| one.anomaly.word()).take(1).collect();
    let cases = count(finding.others.len() + 1, "case");
    format!(
        "{} {}  {}  {} ({cases})",
        sign(finding.standing),
        place(finding.case),
        cited(finding).join("   "),
        words.join("")
    )
}

/// The command that plays the case of a finding again.
pub fn again(report: &RunReport, finding: &Finding<'_>) -> String {
    match finding.story {
        Some(story) => visible(&story.again),
        None => {
            let (path, id) = (visible(finding.case.scenario.as_str()), visible(finding.case.id.as_str()));
            format!("onceproof run {path} --case {id} --seed {}", report.seed)
        }
    }
}

/// `server/replay/lost-answer [decide, post-commit reset]`.
pub fn place(case: &CaseReport) -> String {
    let cell: Vec<&str> = case.cell.values().map(String::as_str).collect();
    let path = visible(case.scenario.as_str());
    if cell.is_empty() { path } else { format!("{path} [{}]", visible(&cell.join(", "))) }
}

/// Each broken requirement with how far it binds.
pub fn cited(finding: &Finding<'_>) -> Vec<String> {
    if finding.broken.is_empty() {
        let claims: Vec<&str> = finding.claims.iter().map(|claim| claim.claim.word()).collect();
        return vec![format!("{} (cited by no requirement)", claims.join(", "))];
    }
    finding.broken.iter().map(|row| format!("{} {}", visible(row.id.as_str()), binds(row))).collect()
}

/// `must`, or `must, derived` where the source does not say it in so many words.
pub fn binds(row: &RequirementReport) -> String {
    match row.grade {
        Grade::Stated => row.level.to_string(),
        Grade::Derived => format!("{}, derived", row.level),
        Grade::Probe => "probe".to_owned(),
    }
}

fn heading(finding: &Finding<'_>, columns: usize) -> Vec<String> {
    let (place, cited) = (place(finding.case), cited(finding).join("   "));
    let left = format!("{} {}", sign(finding.standing), paint(STRONG, &place));
    let room = columns.saturating_sub(width(&left));
    if width(&cited) + 3 <= room {
        return vec![format!("{left}{}{cited}", " ".repeat(room - width(&cited)))];
    }
    let wrapped = wrap(&cited, columns.saturating_sub(2));
    std::iter::once(left).chain(wrapped.into_iter().map(|line| format!("  {line}"))).collect()
}

fn sign(standing: Option<Standing>) -> String {
    let standing = standing.unwrap_or(Standing::Reported);
    paint(paint::of(standing), mark(standing))
}

fn expected_and_observed(evidence: &[&Evidence], columns: usize) -> Vec<String> {
    let joined = |text: fn(&Evidence) -> &str| {
        let mut texts: Vec<String> = Vec::new();
        for text in evidence.iter().map(|one| visible(text(one))) {
            if !texts.contains(&text) {
                texts.push(text);
            }
        }
        texts.join("; ")
    };
    let (expected, observed) = (joined(|one| &one.expected), joined(|one| &one.observed));
    let gap = 4;
    let column = (width(&expected) + gap).max(columns / 2 - LABEL);
    if LABEL + column + "observed  ".len() + width(&observed) <= columns {
        let observed = format!("{}{}", paint(QUIET, "observed  "), paint(STRONG, &observed));
        return vec![label("expected", &format!("{}{observed}", pad(&expected, column)))];
    }
    let mut lines = Vec::new();
    for one in evidence.iter().take(EVIDENCE) {
        lines.extend(labelled("expected", &visible(&one.expected), Style::new(), columns));
        lines.extend(labelled("observed", &visible(&one.observed), STRONG, columns));
    }
    lines.extend(more(evidence.len(), EVIDENCE, "finding"));
    lines
}

fn happened(story: &Story, columns: usize) -> Vec<String> {
    let signs = |sign: Sign| match sign {
        Sign::Fault => paint(LOUD, sign.glyph()),
        Sign::Sent | Sign::Origin | Sign::Got | Sign::Seen | Sign::Action => sign.glyph().to_owned(),
    };
    let mut lines = lay_out(&moments(&story.entries), columns, signs);
    if let Some(cause) = &story.likely_cause {
        lines.extend(labelled("cause", &format!("likely: {}", visible(cause)), Style::new(), columns));
    }
    let curls = curl_lines(&story.entries);
    // Not wrapped: a line that is to be copied must stay one.
    for (number, line) in curls.iter().take(CURLS).enumerate() {
        lines.push(label(if number == 0 { "curl" } else { "" }, line));
    }
    lines.extend(more(curls.len(), CURLS, "request"));
    lines
}

fn labelled_list(name: &str, texts: &[String], most: usize, noun: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for (number, text) in texts.iter().take(most).enumerate() {
        lines.extend(labelled(if number == 0 { name } else { "" }, text, Style::new(), columns));
    }
    lines.extend(more(texts.len(), most, noun));
    lines
}

fn more(all: usize, shown: usize, noun: &str) -> Option<String> {
    (all > shown).then(|| label("", &format!("and {}", count(all - shown, &format!("more {noun}")))))
}

fn labelled(name: &str, text: &str, style: Style, columns: usize) -> Vec<String> {
    wrap(text, columns.saturating_sub(LABEL))
        .iter()
        .enumerate()
        .map(|(number, line)| label(if number == 0 { name } else { "" }, &paint(style, line)))
        .collect()
}

fn label(name: &str, text: &str) -> String {
    format!("  {}{text}", paint(QUIET, &pad(name, LABEL - 2)))
}
