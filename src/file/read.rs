//! Reads one YAML document of ours, with every problem that can be seen.
//!
//! Works on the parser's events: they keep every duplicate key, every spelling and every place, and need no
//! recursion. Never panics and never takes more than time linear in the text.

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use crate::file::check::check;
use crate::file::node::{Node, Scalar, Span};
use crate::file::places::Places;
use crate::file::problem::{Problem, Problems};
use crate::file::shape::Shape;
use crate::file::source::{Lines, Source};
use crate::file::syntax;
use crate::file::tree::{Stop, Tree};

/// The tree of the file, or everything that is wrong with its YAML.
pub fn read(source: &Source) -> Result<Node, Problems> {
    match parse(source) {
        (Some(node), problems) if problems.is_empty() => Ok(node),
        (_, problems) => Err(Problems::new(source, problems)),
    }
}

/// `read` and `check` in one: what is wrong with the YAML and with the shape is told together.
pub fn read_as(source: &Source, shape: &Shape) -> Result<Node, Problems> {
    let (node, mut problems) = parse(source);
    if let Some(node) = &node {
        check(node, shape, "", &mut problems);
    }
    match node {
        Some(node) if problems.is_empty() => Ok(node),
        _ => Err(Problems::new(source, problems)),
    }
}

/// There is a tree when the YAML could be read to its end, even if some of it had to be refused.
fn parse(source: &Source) -> (Option<Node>, Vec<Problem>) {
    let lines = Lines::of(&source.text);
    let places = Places::of(&source.text);
    let mut tree = Tree::new(&lines);
    let ended = events(&mut tree, &places);
    tree.root = tree.root.filter(|root| root.text() != Some("") || !root.is_null());
    if ended.is_ok() && tree.root.is_none() {
        let problem = Problem::new(Span::default(), "the file is empty");
        tree.problems.push(problem);
    }
    (tree.root.filter(|_| ended.is_ok()), tree.problems)
}

fn events(tree: &mut Tree<'_>, places: &Places<'_>) -> Result<(), Stop> {
    let mut parser = Parser::new_from_str(places.body());
    while let Some(event) = parser.next_event() {
        let (event, span) = match event {
            Ok(found) => found,
            Err(error) => {
                let at = places.byte(error.marker().index());
                let mut problem = syntax::problem(&error, at, places.text);
                let bracket = tree.open_bracket(places.text);
                if let Some((bracket, line)) = bracket.filter(|_| syntax::may_be_unclosed(&error)) {
                    problem = problem.label(format!("the `{bracket}` of line {line} is still open"));
                }
                tree.refuse(problem);
                return Err(Stop);
            }
        };
        let whole = places.span(span);
        let span = places.value(whole);
        match event {
            Event::Nothing | Event::StreamStart | Event::DocumentEnd => {}
            Event::StreamEnd => break,
            Event::DocumentStart(_) if tree.root.is_some() => {
                let problem = Problem::new(span, "a second document begins here");
                tree.refuse(problem.help("a file holds one document; move the other to its own file"));
                return Err(Stop);
            }
            Event::DocumentStart(_) => {}
            Event::Alias(anchor) => tree.alias(span, anchor)?,
            Event::Scalar(text, style, anchor, tag) => {
                let text = text.into_owned();
                let (span, plain) = match style {
                    ScalarStyle::Plain if text.is_empty() => (Span { end: whole.start, ..whole }, true),
                    ScalarStyle::Plain => (span, true),
                    ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted => (places.quotes(span), false),
                    ScalarStyle::Literal | ScalarStyle::Folded => (whole, false),
                };
                let is_text = refuse_tag(tree, tag.as_deref(), places.tag(whole), true);
                let plain = plain && !is_text;
                tree.scalar(span, Scalar { text, plain }, anchor)?;
            }
            Event::SequenceStart(anchor, tag) => {
                refuse_tag(tree, tag.as_deref(), places.tag(whole), false);
                tree.open_list(span, anchor)?;
            }
            Event::MappingStart(anchor, tag) => {
                refuse_tag(tree, tag.as_deref(), places.tag(whole), false);
                tree.open_map(span, anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => tree.close(places.bracket(span))?,
        }
    }
    Ok(())
}

/// Tags would change what a value means behind the reader's back; only `!!str` is harmless, and says "text".
fn refuse_tag(tree: &mut Tree<'_>, tag: Option<&Tag>, place: Span, scalar: bool) -> bool {
    let Some(tag) = tag else {
        return false;
    };
    let is_text = scalar && tag.is_yaml_core_schema() && tag.suffix == "str";
    if !is_text {
        let problem = Problem::new(place, "tags are not supported");
        tree.refuse(problem.help("write the value without its `!` tag"));
    }
    is_text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a user is told about the file, or `fine`.
    fn told(text: &str) -> String {
        let source = Source::new("a.yaml", text);
        read(&source).map_or_else(|problems| format!("\n{problems}\n"), |_| "fine".to_owned())
    }

    #[test]
    fn a_key_that_stands_twice_is_told_at_its_second_place_in_every_map() {
        let text = "a: 1\nfree:\n  x: 1\n  \"x\": 2 # again\na: 3\n";
        assert_eq!(
            told(text),
            r#"
error: the key `x` stands twice in this map
 --> a.yaml:4:3
  |
4 |   "x": 2 # again
  |   ^^^ first set on line 3
  |
  = note: at free

error: the key `a` stands twice in this map
 --> a.yaml:5:1
  |
5 | a: 3
  | ^ first set on line 1
"#
        );
    }

    #[test]
    fn an_empty_file_is_told_so_whatever_fills_it() {
        for text in ["", "\n", "# nothing\n", "---\n", "\u{feff}", "\u{feff}# x\r\n"] {
            assert!(told(text).contains("error: the file is empty\n --> a.yaml:1:1"), "{text:?}");
        }
    }

    #[test]
    fn a_second_document_is_refused_at_its_first_line() {
        assert_eq!(
            told("a: 1\n---\nb: 2\n"),
            r#"
error: a second document begins here
 --> a.yaml:2:1
  |
2 | ---
  | ^^^
  |
  = help: a file holds one document; move the other to its own file
"#
        );
    }

    #[test]
    fn what_our_files_do_not_need_is_refused_with_the_remedy() {
        for (text, message) in [
            ("a: &x {b: 1}\nc:\n  <<: *x\n", "merge keys are not supported\n --> a.yaml:3:3"),
            ("a: !foo b\n", "tags are not supported\n --> a.yaml:1:4"),
            ("a: {{ base }}\n", "a key must be text\n --> a.yaml:1:5"),
            ("a: 1\n: 2\n", "a key is missing before this `:`\n --> a.yaml:2:1"),
            ("a: &a [*a]\n", "this alias stands inside what it names\n --> a.yaml:1:8"),
            ("a: *b\n", "this alias names no anchor above it\n --> a.yaml:1:4"),
            ("a: @b\n", "unquoted text cannot begin with `@`\n --> a.yaml:1:4"),
            ("a: b: c\n", "a `key: value` cannot begin here\n --> a.yaml:1:5"),
            ("a: \"b\n", "this quoted text is never closed\n --> a.yaml:1:4"),
            ("a: [b\n\n", "expected `,` or `]`\n --> a.yaml:1:6"),
        ] {
            let told = told(text);
            assert!(told.contains(message), "{text}{told}");
        }
    }

    #[test]
    fn the_caret_counts_bytes_and_the_column_counts_characters() {
        assert_eq!(
            told("größe: {ü: \"€\", ü: 1}\r\n"),
            r#"
error: the key `ü` stands twice in this map
 --> a.yaml:1:17
  |
1 | größe: {ü: "€", ü: 1}
  |                 ^ first set on line 1
  |
  = note: at größe
"#
        );
    }

    #[test]
    fn no_bytes_make_it_panic() {
        const PIECES: [&str; 40] = [
            "a",
            "b: ",
            "- ",
            "? ",
            ": ",
            "[",
            "]",
            "{",
            "}",
            ",",
            "\n",
            "\n  ",
            "\n    ",
            "\r\n",
            "\t",
            "\"",
            "'",
            "&a ",
            "*a",
            "<<: *a",
            "!t ",
            "!!str ",
            "|",
            ">-",
            "|2\n",
            "#",
            " #",
            "---\n",
            "...\n",
            "%YAML 1.2\n",
            "é",
            "€",
            "\u{1f980}",
            "\u{feff}",
            "\\",
            "\\u00",
            "~",
            "\0",
            "\u{85}",
            "\r",
        ];
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut random = move |below: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as usize % below
        };
        for _ in 0..20_000 {
            let length = random(40);
            let pieces: String = (0..length).map(|_| PIECES[random(PIECES.len())]).collect();
            let bytes: Vec<u8> = (0..length).map(|_| random(256) as u8).collect();
            for text in [pieces, String::from_utf8_lossy(&bytes).into_owned()] {
                let source = Source::new("a.yaml", text);
                let problems = match read_as(&source, &Shape::List(&Shape::Count)) {
                    Ok(_) => continue,
                    Err(problems) => problems,
                };
                assert!(!problems.render(true).is_empty());
                for problem in &problems.list {
                    let Span { start, end } = problem.span;
                    assert!(source.text.get(start..end).is_some(), "{source:?} {problem:?}");
                }
                assert!(problems.to_json().is_array());
            }
        }
    }
}
