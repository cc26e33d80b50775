//! The requirements of a run as a table on the terminal, worst first. What passed and what does not apply are only
//! counted, unless all is wanted; what is left out is always counted.

use tabled::builder::Builder;
use tabled::settings::object::Columns;
use tabled::settings::{Alignment, Modify, Padding, Style};

use crate::judge::{RequirementReport, RunReport, Standing};
use crate::report::block::binds;
use crate::report::paint::{self, QUIET, paint};
use crate::report::tally::{mark, remark, with};
use crate::report::wording::{count, visible, width, wrap};

const HEADINGS: [&str; 7] = ["requirement", "level", "standing", "held", "violated", "unknown", "says"];

/// The same where the words would leave the sentences no room.
const NARROW_HEADINGS: [&str; 7] = ["requirement", "level", "standing", "✓", "✗", "?", "says"];

/// What the words take.
const ROOMY: usize = 100;

/// What a sentence gets at least, even if the table is then wider than the terminal.
const NARROWEST: usize = 20;

/// The table and the lines that count what it leaves out.
pub fn table(report: &RunReport, columns: usize, verbose: bool) -> String {
    let mut rows: Vec<&RequirementReport> =
        report.requirements.iter().filter(|row| verbose || !is_collapsed(row.standing)).collect();
    rows.sort_by_key(|row| std::cmp::Reverse((row.standing, row.level, row.grade)));
    let mut text = if rows.is_empty() { String::new() } else { drawn(&rows, columns) };
    if !verbose {
        for standing in [Standing::Pass, Standing::NotApplicable] {
            let number = with(report, standing);
            if number > 0 {
                let sign = paint(paint::of(standing), mark(standing));
                text.push_str(&format!("{sign} {standing}: {}\n", count(number, "requirement")));
            }
        }
    }
    text
}

fn is_collapsed(standing: Standing) -> bool {
    match standing {
        Standing::Pass | Standing::NotApplicable => true,
        Standing::Fail | Standing::Warn | Standing::NotJudged | Standing::Waived | Standing::Reported => false,
    }
}

fn drawn(rows: &[&RequirementReport], columns: usize) -> String {
    let headings = if columns < ROOMY { NARROW_HEADINGS } else { HEADINGS };
    // A long id is broken, so that it does not take what the sentence needs.
    let cells: Vec<[String; 6]> = rows.iter().map(|row| narrow_cells(row, columns / 5)).collect();
    let taken: usize = (0..6)
        .map(|at| {
            let widest = cells.iter().flat_map(|row| row[at].lines()).map(width).max().unwrap_or(0);
            widest.max(width(headings[at])) + GAP
        })
        .sum();
    let room = columns.saturating_sub(taken).max(NARROWEST);
    let mut builder = Builder::default();
    builder.push_record(headings.map(|heading| paint(QUIET, heading)));
    for (row, narrow) in rows.iter().zip(cells) {
        builder.push_record(narrow.into_iter().chain([sentence(row, room)]));
    }
    let mut table = builder.build();
    table
        .with(Style::empty())
        .with(Padding::new(0, GAP, 0, 0))
        .with(Modify::new(Columns::new(3..6)).with(Alignment::right()))
        .with(Modify::new(Columns::last()).with(Padding::zero()));
    let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    format!("{}\n", lines.join("\n"))
}

/// Between two columns.
const GAP: usize = 2;

fn narrow_cells(row: &RequirementReport, widest_id: usize) -> [String; 6] {
    let style = paint::of(row.standing);
    let id: Vec<String> = wrap(&visible(row.id.as_str()), widest_id)
        .into_iter()
        .enumerate()
        .map(
            |(at, line)| {
                if at == 0 { format!("{} {line}", paint(style, mark(row.standing))) } else { format!("  {line}") }
            },
        )
        .collect();
    [
        id.join("\n"),
        binds(row),
        paint(style, row.standing.word()),
        row.held.to_string(),
        row.violated.to_string(),
        row.unknown.to_string(),
    ]
}

fn sentence(row: &RequirementReport, room: usize) -> String {
    let mut lines = wrap(&visible(&row.says), room);
    if let Some(remark) = remark(row) {
        let remark = wrap(&visible(remark), room.saturating_sub(2));
        lines.extend(remark.iter().map(|line| paint(QUIET, &format!("  {line}"))));
    }
    lines.join("\n")
}
