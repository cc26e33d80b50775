//! What is wrong with a file: each problem with its place, all of them told at once.
//!
//! One value feeds the terminal and the JSON output, so that the two never disagree. Nothing here finds a problem.

use std::collections::BTreeSet;

use annotate_snippets::renderer::Renderer;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Snippet};
use serde_json::{Value, json};

use crate::file::node::Span;
use crate::file::source::{Lines, Source};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub span: Span,
    /// What is wrong: lower case, no full stop.
    pub message: String,
    /// Beside the caret: ``did you mean `send`?``, `found a list`; may be empty.
    pub label: String,
    /// A remedy that needs more room than the label.
    pub help: Option<String>,
    /// Where in the tree, as `when[0].send`; empty at the top.
    pub path: String,
}

/// Every problem of one file; `Display` tells them as rustc does, without colour.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problems {
    pub source: Source,
    pub list: Vec<Problem>,
}

// By hand, because thiserror would take the field `source` for a cause.
impl std::error::Error for Problems {}

impl std::fmt::Display for Problems {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.render(false))
    }
}

impl Problem {
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), label: String::new(), help: None, path: String::new() }
    }

    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    pub fn at(mut self, path: impl ToString) -> Self {
        self.path = path.to_string();
        self
    }
}

impl Problems {
    /// All problems by place. What is wrong inside an anchor is told once, not again for each of its aliases.
    pub fn new(source: &Source, mut list: Vec<Problem>) -> Self {
        list.sort_by_key(|problem| problem.span.start);
        let mut told = BTreeSet::new();
        list.retain(|problem| {
            let placeless = problem.span == Span::default();
            told.insert((problem.span, problem.message.clone())) || placeless
        });
        let source = source.clone();
        Self { source, list }
    }

    pub fn render(&self, colour: bool) -> String {
        let renderer = if colour { Renderer::styled() } else { Renderer::plain() };
        let lines = Lines::of(&self.source.text);
        let shown = self.by_place().into_iter().take(MOST_SHOWN);
        let mut parts: Vec<String> = shown.map(|problem| renderer.render(&[self.snippet(problem, &lines)])).collect();
        if self.list.len() > MOST_SHOWN {
            let more = format!("{} more problems are not shown", self.list.len() - MOST_SHOWN);
            let title = Level::ERROR.primary_title(more);
            let origin = Origin::path(self.source.name.as_str());
            parts.push(renderer.render(&[title.element(origin)]));
        }
        parts.join("\n\n")
    }

    pub fn to_json(&self) -> Value {
        let lines = Lines::of(&self.source.text);
        let told = self.by_place().into_iter().map(|problem| {
            json!({
                "file": self.source.name,
                "line": lines.at(problem.span.start).number,
                "column": lines.column(problem.span.start),
                "message": problem.message,
                "label": problem.label,
                "help": problem.help,
                "path": problem.path,
            })
        });
        told.collect()
    }

    fn by_place(&self) -> Vec<&Problem> {
        let mut sorted: Vec<&Problem> = self.list.iter().collect();
        sorted.sort_by_key(|problem| problem.span.start);
        sorted
    }

    /// Only the line of the caret is handed over: drawing stays cheap, whatever the size of the file.
    fn snippet<'a>(&'a self, problem: &'a Problem, lines: &Lines<'a>) -> Group<'a> {
        let line = lines.at(problem.span.start);
        let name = self.source.name.as_str();
        let title = Level::ERROR.primary_title(problem.message.as_str());
        let label = (!problem.label.is_empty()).then_some(problem.label.as_str());
        let mut group = if line.text.len() > LONGEST_DRAWN {
            let column = lines.column(problem.span.start);
            let origin = Origin::path(name).line(line.number).char_column(column);
            let note = label.map(|label| Level::NOTE.message(label));
            title.element(origin).elements(note)
        } else {
            let (start, end) = (line.inside(problem.span.start), line.inside(problem.span.end));
            let caret = AnnotationKind::Primary.span(start..end.max(start)).label(label);
            let snippet = Snippet::source(line.text).line_start(line.number).path(name);
            title.element(snippet.annotation(caret))
        };
        if !problem.path.is_empty() {
            group = group.element(Level::NOTE.message(format!("at {}", shortened(&problem.path))));
        }
        if let Some(help) = &problem.help {
            group = group.element(Level::HELP.message(help.as_str()));
        }
        group
    }
}

/// A path without its middle, if it would fill the terminal.
fn shortened(path: &str) -> String {
    const HALF: usize = 60;
    let length = path.chars().count();
    if length <= 2 * HALF {
        return path.to_owned();
    }
    let (first, last) = (path.chars().take(HALF), path.chars().skip(length - HALF));
    first.chain(std::iter::once('…')).chain(last).collect()
}

/// More than this on a terminal helps nobody; `to_json` has them all.
const MOST_SHOWN: usize = 200;
/// A line of more bytes was not written by hand; it is told by its place only.
const LONGEST_DRAWN: usize = 4_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(text: &str, list: Vec<Problem>) -> Problems {
        Problems { source: Source::new("a.yaml", text), list }
    }

    fn at(start: usize, end: usize) -> Problem {
        Problem::new(Span { start, end }, format!("wrong {start}"))
    }

    #[test]
    fn json_has_the_same_places_as_the_terminal_in_the_same_order() {
        let second = at(14, 15).label("found `x`").help("write y").at("ü[1]");
        let told = problems("\u{feff}é: 1\r\nü: x", vec![second, at(3, 5)]);
        let expected = serde_json::json!([
            { "file": "a.yaml", "line": 1, "column": 1, "message": "wrong 3", "label": "", "help": null, "path": "" },
            { "file": "a.yaml", "line": 2, "column": 4, "message": "wrong 14", "label": "found `x`",
              "help": "write y", "path": "ü[1]" },
        ]);
        assert_eq!(told.to_json(), expected);
        assert_eq!(
            format!("\n{told}\n"),
            r#"
error: wrong 3
 --> a.yaml:1:1
  |
1 | é: 1
  | ^

error: wrong 14
 --> a.yaml:2:4
  |
2 | ü: x
  |    ^ found `x`
  |
  = note: at ü[1]
  = help: write y
"#
        );
    }

    #[test]
    fn only_a_terminal_that_wants_colour_gets_it() {
        let told = problems("a: 1", vec![at(3, 4)]);
        assert!(told.render(true).contains('\u{1b}'));
        assert!(!told.to_string().contains('\u{1b}'));
    }

    #[test]
    fn a_span_over_several_lines_or_past_the_end_is_cut_and_never_panics() {
        let text = "a:\n  - é\n  - b\n";
        for (start, end) in [(5, 15), (8, 9), (9, 99), (99, 3), (15, 15)] {
            assert!(problems(text, vec![at(start, end)]).to_string().contains(" --> a.yaml:"));
        }
        assert!(problems(text, vec![at(5, 15)]).to_string().ends_with("2 |   - é\n  |   ^^^"));
    }

    #[test]
    fn a_very_long_line_is_told_by_its_place() {
        let told = problems(&"x".repeat(1_000_000), vec![at(999_999, 1_000_000).label("here")]);
        assert!(told.to_string().contains("--> a.yaml:1:1000000\n = note: here"));
    }
}
