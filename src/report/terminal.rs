//! The report on the terminal: quiet while cases are played, but for one line of progress; then what is broken, where
//! every requirement stands, and one sentence. A reader who leaves early (`| head`) is no error.

use std::io::{self, IsTerminal, Write};

use anstream::AutoStream;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::event::{Event, Listener, Stories, keep_story};
use crate::judge::{CaseReport, RunReport, Standing, Verdict};
use crate::report::block::{block, one_line};
use crate::report::finding::{Finding, findings};
use crate::report::paint::{self, LOUD, QUIET, STRONG, paint};
use crate::report::table::table;
use crate::report::tally::{incomplete, mark, matchup, summary, verdict};
use crate::report::wording::{count, visible, wrap};

/// Findings that are shown in full.
const IN_FULL: usize = 10;

/// Findings that are then named in one line each.
const NAMED: usize = 20;

/// The width where nobody knows it, and the least that a report is laid out for.
const USUAL: usize = 100;
const NARROWEST: usize = 80;

/// How a report is to look.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Look {
    /// The columns of the terminal.
    pub columns: usize,
    /// Every requirement, not only those that did not pass.
    pub verbose: bool,
    /// Where the files of this run are, if any are written.
    pub files: Option<String>,
}

impl Look {
    /// As standard output is: its width if it is a terminal, else 100 columns.
    pub fn of_stdout(verbose: bool, files: Option<String>) -> Self {
        let columns = terminal_size::terminal_size_of(io::stdout())
            .filter(|_| io::stdout().is_terminal())
            .map_or(USUAL, |(columns, _)| usize::from(columns.0));
        Self { columns, verbose, files }
    }
}

/// The listener that shows a run on a terminal: the report on one stream, progress and notes on another.
pub struct Terminal<O: Write, N: Write> {
    look: Look,
    report: Stream<O>,
    notes: Stream<N>,
    progress: ProgressBar,
    violations: usize,
    stories: Stories,
}

/// A stream that somebody reads, or has stopped reading.
struct Stream<W: Write> {
    to: W,
    closed: bool,
}

impl Terminal<AutoStream<io::Stdout>, AutoStream<io::Stderr>> {
    /// The report on standard output, progress and notes on standard error; colours where they can be seen.
    pub fn standard(look: Look) -> Self {
        let (report, notes) = (AutoStream::auto(io::stdout()), AutoStream::auto(io::stderr()));
        Self::new(look, report, notes, ProgressDrawTarget::stderr())
    }
}

impl<O: Write, N: Write> Terminal<O, N> {
    /// On any streams. They are given colours; `AutoStream` strips them where it should.
    pub fn new(look: Look, report: O, notes: N, progress: ProgressDrawTarget) -> Self {
        Self {
            look,
            report: Stream { to: report, closed: false },
            notes: Stream { to: notes, closed: false },
            progress: ProgressBar::with_draw_target(None, progress),
            violations: 0,
            stories: Stories::new(),
        }
    }

    fn note(&mut self, text: &str) -> io::Result<()> {
        let Self { progress, notes, .. } = self;
        // One writer at a time, or the bar and the note tear each other.
        progress.suspend(|| notes.say(&format!("{text}\n")))
    }

    fn finished(&mut self, case: &CaseReport) {
        if case.verdicts.iter().any(|claim| matches!(claim.verdict, Verdict::Violated(_))) {
            self.violations += 1;
            self.progress.set_message(format!(", {} violated", count(self.violations, "case")));
        }
        self.progress.inc(1);
    }
}

impl<O: Write, N: Write> Listener for Terminal<O, N> {
    fn hear(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::RunStarted { cases, .. } => {
                self.progress.set_length(u64::try_from(*cases).unwrap_or(u64::MAX));
                if let Ok(style) = ProgressStyle::with_template("{bar:24} {pos} of {len} cases{msg}") {
                    self.progress.set_style(style);
                }
                self.progress.tick();
                Ok(())
            }
            Event::Preflight(lines) => lines.iter().try_for_each(|line| self.note(&visible(line))),
            Event::Note(text) => self.note(&visible(text)),
            Event::CaseFinished(case) => {
                self.finished(&case.report);
                keep_story(&mut self.stories, case);
                Ok(())
            }
            Event::RunEnded(report) => {
                self.progress.finish_and_clear();
                self.report.say(&render_terminal(report, &self.stories, &self.look))
            }
        }
    }
}

impl<W: Write> Stream<W> {
    fn say(&mut self, text: &str) -> io::Result<()> {
        if self.closed {
            return Ok(());
        }
        match self.to.write_all(text.as_bytes()).and_then(|()| self.to.flush()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
                self.closed = true;
                Ok(())
            }
            outcome => outcome,
        }
    }
}

/// The whole report as it is written when a run has ended; with colours.
pub fn render_terminal(report: &RunReport, stories: &Stories, look: &Look) -> String {
    let columns = look.columns.max(NARROWEST);
    let mut sections = vec![format!("{}\n", paint(STRONG, &matchup(report)))];
    let banner = incomplete(report).map(|warning| format!("{}\n", paint(LOUD, &format!("! {warning}"))));
    sections.extend(banner.clone());
    // What is known is named, and takes no room from what is not.
    let (waived, findings): (Vec<Finding<'_>>, Vec<Finding<'_>>) =
        findings(report, stories).into_iter().partition(|finding| finding.standing == Some(Standing::Waived));
    sections.extend(findings.iter().take(IN_FULL).map(|finding| block(report, finding, columns)));
    if findings.len() > IN_FULL {
        let rest = findings.len() - IN_FULL;
        let mut lines = vec![format!("and {}:", count(rest, "more finding"))];
        lines.extend(findings.iter().skip(IN_FULL).take(NAMED).map(one_line));
        if rest > NAMED {
            lines.push(format!("… and {} more", rest - NAMED));
        }
        sections.push(format!("{}\n", lines.join("\n")));
    }
    sections.extend(known(&waived));
    sections.push(table(report, columns, look.verbose));
    sections.push(conclusion(report, look, columns, banner));
    sections.retain(|section| !section.is_empty());
    sections.join("\n")
}

fn known(waived: &[Finding<'_>]) -> Option<String> {
    let lines: Vec<String> = waived.iter().flat_map(|finding| [one_line(finding), reasons(finding)]).collect();
    (!lines.is_empty()).then(|| format!("{}\n", lines.join("\n")))
}

fn reasons(finding: &Finding<'_>) -> String {
    finding.waived.iter().map(|why| format!("    waived: {}", visible(why))).collect::<Vec<_>>().join("\n")
}

fn conclusion(report: &RunReport, look: &Look, columns: usize, banner: Option<String>) -> String {
    let (standing, sentence) = verdict(report);
    // Once more at the end, where people look, because the beginning may have scrolled away.
    let mut text = banner.unwrap_or_default();
    text.push_str(&format!("{}\n", paint(paint::of(standing), &format!("{} {sentence}", mark(standing)))));
    report.unused_waivers.iter().for_each(|unused| text.push_str(&format!("! {}\n", visible(unused))));
    wrap(&summary(report), columns).iter().for_each(|line| text.push_str(&format!("{line}\n")));
    if let Some(files) = &look.files {
        text.push_str(&format!("{}\n", paint(QUIET, &format!("files in {}", visible(files)))));
    }
    text
}

#[cfg(test)]
mod tests {
    use anstream::adapter::strip_str;

    use super::*;
    use crate::event::FinishedCase;
    use crate::judge::Anomaly;
    use crate::report::example::{case, duplicated, found, requirement, run, stories};
    use crate::report::wording::{is_unseen, width};

    fn shown(report: &RunReport, stories: &Stories, columns: usize) -> String {
        let look = Look { columns, verbose: false, files: Some("reports/http-127.0.0.1-8080/latest".to_owned()) };
        strip_str(&render_terminal(report, stories, &look)).to_string()
    }

    fn with(standings: &[Standing]) -> RunReport {
        let mut report = run();
        report.requirements =
            standings.iter().enumerate().map(|(at, standing)| requirement(&format!("R-{at}"), *standing)).collect();
        report.cases.clear();
        report.planned = 0;
        report
    }

    #[test]
    fn a_broken_subject_is_shown_with_all_that_it_takes() {
        insta::assert_snapshot!(shown(&run(), &stories(), 110));
    }

    #[test]
    fn a_conformant_subject_takes_four_lines() {
        insta::assert_snapshot!(shown(&with(&[Standing::Pass]), &Stories::new(), 100), @r"
        curious against http://127.0.0.1:8080

        ✓ pass: 1 requirement

        ✓ conformant
        1 requirement: 1 pass; 0 cases; seed 7731; kill score 31 of 31
        files in reports/http-127.0.0.1-8080/latest
        ");
    }

    #[test]
    fn a_run_without_cases_says_that_it_says_nothing() {
        insta::assert_snapshot!(shown(&with(&[]), &Stories::new(), 100), @r"
        curious against http://127.0.0.1:8080

        ? nothing was judged: this run says nothing about the subject
        0 requirements; 0 cases; seed 7731; kill score 31 of 31
        files in reports/http-127.0.0.1-8080/latest
        ");
        insta::assert_snapshot!(shown(&with(&[Standing::NotJudged]), &Stories::new(), 100), @r"
        curious against http://127.0.0.1:8080

        requirement  level  standing    held  violated  unknown  says
        ? R-0        must   not judged     0         0        0  it is done once
                                                                   no case that was played could show it

        ? nothing was judged: this run says nothing about the subject
        1 requirement: 1 not judged; 0 cases; seed 7731; kill score 31 of 31
        files in reports/http-127.0.0.1-8080/latest
        ");
    }

    #[test]
    fn warnings_alone_are_no_failure() {
        insta::assert_snapshot!(shown(&with(&[Standing::Pass, Standing::Warn]), &Stories::new(), 100), @r"
        curious against http://127.0.0.1:8080

        requirement  level          standing  held  violated  unknown  says
        ! R-1        must, derived  warn         0         0        0  it is done once
        ✓ pass: 1 requirement

        ! conformant, with 1 warning
        2 requirements: 1 pass, 1 warn; 0 cases; seed 7731; kill score 31 of 31
        files in reports/http-127.0.0.1-8080/latest
        ");
    }

    #[test]
    fn a_run_that_was_ended_says_so_first_and_last() {
        let mut report = with(&[Standing::Pass]);
        (report.complete, report.planned) = (false, 467);
        insta::assert_snapshot!(shown(&report, &Stories::new(), 100), @r"
        curious against http://127.0.0.1:8080

        ! INCOMPLETE: 0 of 467 cases played; nothing here speaks for the others

        ✓ pass: 1 requirement

        ! INCOMPLETE: 0 of 467 cases played; nothing here speaks for the others
        ? no conclusion: the run was ended before all cases were played
        1 requirement: 1 pass; 0 of 467 cases; seed 7731; kill score 31 of 31
        files in reports/http-127.0.0.1-8080/latest
        ");
    }

    #[test]
    fn ten_findings_are_shown_in_full_and_the_others_are_named() {
        let mut report = with(&[Standing::Fail; 12]);
        report.cases = (0..12).map(|at| case(&format!("c{at}"), &[&format!("R-{at}")], duplicated())).collect();
        let text = shown(&report, &Stories::new(), 100);
        assert_eq!(text.matches("  expected  ").count(), 10);
        assert!(
            text.contains(
                "and 2 more findings:\n✗ server/replay/lost-answer [decide]  R-10 must  duplicated (1 case)\n"
            ),
            "{text}"
        );
    }

    #[test]
    fn everything_fits_and_nothing_a_subject_says_moves_the_cursor() {
        let mut report = run();
        let evil = "決定\u{1b}[2J\u{202e}|\r\n\0 and a\u{7}".repeat(12);
        let id = "LONG-".repeat(12);
        report.requirements = vec![requirement(&id, Standing::Fail), requirement(&evil, Standing::Warn)];
        report.requirements[0].says.clone_from(&evil);
        report.requirements[0].remark = Some(evil.clone());
        report.cases = vec![case("1", &[&id, &evil], found(Anomaly::Lost, &evil, &evil))];
        (report.contract, report.subject) = (evil.clone(), evil.clone());
        report.cases[0].cell.insert("kind".into(), evil);
        for columns in [80, 100, 160] {
            let text = shown(&report, &stories(), columns);
            assert!(!text.chars().any(|c| c != '\n' && is_unseen(c)));
            let table = text.split("requirement ").nth(1).unwrap_or_default();
            assert!(table.lines().all(|line| width(line) <= columns), "{table}");
        }
    }

    /// A stream that fails as it is told to.
    struct Failing(io::ErrorKind);

    impl Write for Failing {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_who_left_is_no_error_and_a_full_disk_is() {
        let look = Look { columns: 100, verbose: false, files: None };
        for (kind, is_error) in [(io::ErrorKind::BrokenPipe, false), (io::ErrorKind::StorageFull, true)] {
            let mut terminal = Terminal::new(look.clone(), Failing(kind), Failing(kind), ProgressDrawTarget::hidden());
            assert_eq!(terminal.hear(&Event::Note("hear".into())).is_err(), is_error);
            assert_eq!(terminal.hear(&Event::RunEnded(Box::new(run()))).is_err(), is_error);
        }
    }

    #[test]
    fn a_run_is_quiet_until_it_has_ended() {
        let look = Look { columns: 160, verbose: true, files: None };
        let (mut report, mut notes) = (Vec::new(), Vec::new());
        let mut terminal = Terminal::new(look, &mut report, &mut notes, ProgressDrawTarget::hidden());
        let finished = |case: &CaseReport| FinishedCase { report: case.clone(), story: stories().remove(&case.id) };
        let (contract, subject) = (run().contract, run().subject);
        let mut events = vec![Event::RunStarted { contract, subject, seed: 1, cases: 6 }];
        events.push(Event::Preflight(vec!["ready after\t12 ms".into()]));
        events.extend(run().cases.iter().map(|case| Event::CaseFinished(Box::new(finished(case)))));
        events.push(Event::RunEnded(Box::new(run())));
        events.iter().for_each(|event| terminal.hear(event).expect("memory takes everything"));
        assert_eq!(terminal.violations, 4);
        drop(terminal);
        assert_eq!(String::from_utf8_lossy(&notes), "ready after\\t12 ms\n");
        let report = String::from_utf8_lossy(&report);
        let look = Look { columns: 160, verbose: true, files: None };
        assert_eq!(report, render_terminal(&run(), &stories(), &look));
        assert!(report.contains("a decide without a key is refused"));
    }
}
