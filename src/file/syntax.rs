//! What a file that is not YAML is told: the parser's error in our words, with a remedy.
//!
//! Unknown errors keep the parser's own words; nothing is swallowed.

use saphyr_parser::ScanError;

use crate::file::node::Span;
use crate::file::problem::Problem;

pub const TOO_DEEP: &str = "nested too deeply";
pub const TOO_DEEP_HELP: &str = "128 levels are the limit";

/// The problem for a syntax error found at byte `at` of the text.
pub fn problem(error: &ScanError, at: usize, text: &str) -> Problem {
    if let Some(tab) = indenting_tab(error, at, text) {
        let span = Span { start: tab, end: tab + 1 };
        return Problem::new(span, "a tab cannot indent YAML").help("indent with spaces");
    }
    let span = caret(at, text);
    let found = text[span.start..].chars().next();
    for (words, message, help) in KNOWN {
        if error.info().contains(words) {
            let problem = Problem::new(span, *message);
            return if help.is_empty() { problem } else { problem.help(*help) };
        }
    }
    if error.info().starts_with("unexpected character") {
        let letter = found.map_or_else(String::new, |letter| format!(" with `{letter}`"));
        return Problem::new(span, format!("unquoted text cannot begin{letter}")).help("put the text between quotes");
    }
    Problem::new(span, format!("not valid YAML: {}", error.info()))
}

/// Whether a bracket that was never closed is what commonly leads to this error.
pub fn may_be_unclosed(error: &ScanError) -> bool {
    let signs = ["',' or", "illegal placement of ':'", "expected node content", "in flow construct"];
    signs.iter().any(|sign| error.info().contains(sign))
}

/// The tab in the indentation of the line where the parser gave up, or of the next one if it speaks of tabs.
fn indenting_tab(error: &ScanError, at: usize, text: &str) -> Option<usize> {
    let at = text.floor_char_boundary(at.min(text.len()));
    let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let mut lines = text[start..].split_inclusive('\n');
    let here = lines.next().unwrap_or_default();
    let in_indent = |line: &str| {
        let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
        line[..indent].find('\t')
    };
    if let Some(tab) = in_indent(here) {
        return Some(start + tab);
    }
    let next = lines.next().filter(|_| error.info().contains("a tab"))?;
    in_indent(next).map(|tab| start + here.len() + tab)
}

const NO_TAB: &str = "a tab cannot stand here";
const NO_TAB_HELP: &str = "use spaces";

/// The parser's words, ours, and the remedy.
const KNOWN: &[(&str, &str, &str)] = &[
    ("tabs disallowed", NO_TAB, NO_TAB_HELP),
    ("tab cannot be used", NO_TAB, NO_TAB_HELP),
    ("a tab", NO_TAB, NO_TAB_HELP),
    (
        "unprintable character",
        "an invisible control character cannot stand here",
        "write it as an escape between double quotes, such as `\\x00`",
    ),
    ("recursion limit exceeded", TOO_DEEP, TOO_DEEP_HELP),
    ("unknown anchor", "this alias names no anchor above it", "text that begins with `*` needs quotes"),
    (
        "mapping values are not allowed",
        "a `key: value` cannot begin here",
        "check the indentation of this line and the one above; text that holds `: ` needs quotes",
    ),
    (
        "did not find expected key",
        "expected a `key: value` here",
        "check the indentation and the quotes of this line and the one above",
    ),
    (
        "did not find expected '-' indicator",
        "expected a `- item` here",
        "check the indentation of this line and the one above",
    ),
    ("unexpected end of stream", "this quoted text is never closed", ""),
    (
        "invalid indentation in quoted scalar",
        "this quoted text is not closed on its line",
        "close the quotes, or indent its further lines",
    ),
    ("invalid trailing content after double-quoted", "nothing may follow quoted text", ""),
    (
        "unknown escape character",
        "unknown escape in quoted text",
        "write `\\\\` for a backslash, or use single quotes, which have no escapes",
    ),
    ("expected ',' or ']'", "expected `,` or `]`", ""),
    ("expected ',' or '}'", "expected `,` or `}`", ""),
    ("did not find expected node content", "expected a value here", ""),
    ("simple key expect", "expected `:` after this key", "every line of a map is `key: value`"),
    ("simple key", "a key cannot stand here", "check the indentation of this line"),
    ("illegal placement of ':'", "a `:` cannot stand here", ""),
    ("misplaced bracket", "this bracket closes nothing", ""),
];

/// One character, or nothing at the end of a line; an error at the end of the file points behind its last word.
fn caret(at: usize, text: &str) -> Span {
    let start = text.floor_char_boundary(at.min(text.trim_end().len()));
    let letter = text[start..].chars().next().filter(|letter| !matches!(letter, '\n' | '\r'));
    let end = start + letter.map_or(0, char::len_utf8);
    Span { start, end }
}

#[cfg(test)]
mod tests {
    use crate::file::read::read;
    use crate::file::source::Source;

    /// What a user is told about the file, or `fine`.
    fn told(text: &str) -> String {
        let source = Source::new("a.yaml", text);
        read(&source).map_or_else(|problems| format!("\n{problems}\n"), |_| "fine".to_owned())
    }

    #[test]
    fn a_tab_is_shown_where_it_indents() {
        let expected = r#"
error: a tab cannot indent YAML
 --> a.yaml:2:1
  |
2 |     b: 1
  | ^^^^
  |
  = note: at a
  = help: indent with spaces
"#;
        assert_eq!(told("a:\n\tb: 1\n"), expected);
        for text in ["a:\n  - x\n \t- y\n", "a: 1\n  \tb: 2\n"] {
            assert!(told(text).contains("a tab cannot indent"), "{text}");
        }
    }

    #[test]
    fn an_unclosed_bracket_is_found_from_where_the_parser_gave_up() {
        assert_eq!(
            told("a: [1, 2\nb: c\n"),
            r#"
error: a `:` cannot stand here
 --> a.yaml:2:2
  |
2 | b: c
  |  ^ the `[` of line 1 is still open
  |
  = note: at a[1]
"#
        );
    }

    #[test]
    fn an_invisible_character_is_not_taken_for_a_tab() {
        let told = told("a: \u{0}\n");
        assert!(told.contains("an invisible control character"), "{told}");
    }
}
