//! Text that is safe to show: control characters made visible, lines wrapped and shortened by the columns that they
//! take. It never drops a character without a mark in its place.

use tabled::grid::util::string::get_line_width;

/// `1 case`, `2 cases`.
pub fn count(number: usize, noun: &str) -> String {
    match (number, noun.strip_suffix('y')) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{number} {stem}ies"),
        (_, None) => format!("{number} {noun}s"),
    }
}

/// One line: whatever would move the cursor, reorder the text, or not be seen at all is spelled `\u{0}`; line ends are
/// spelled `\n`, so that a subject cannot draw a line of its own into our report.
pub fn visible(text: &str) -> String {
    spell(text, |c| match c {
        '\n' => Some("\\n"),
        '\r' => Some("\\r"),
        '\t' => Some("\\t"),
        _ => None,
    })
}

/// As [`visible`], but line ends and tabs stay.
pub fn visible_lines(text: &str) -> String {
    spell(text, |c| match c {
        '\n' => Some("\n"),
        '\t' => Some("\t"),
        _ => None,
    })
}

fn spell(text: &str, known: impl Fn(char) -> Option<&'static str>) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match known(c) {
            Some(spelling) => shown.push_str(spelling),
            None if is_unseen(c) => shown.extend(c.escape_unicode()),
            None => shown.push(c),
        }
    }
    shown
}

/// Whether a reader, a terminal or an XML parser would not show a character as it is.
pub fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}')
}

/// The columns that one line takes; wide characters take two, colours none.
pub fn width(line: &str) -> usize {
    get_line_width(line)
}

/// At most so many columns, with `…` where something was left out.
pub fn shorten(line: &str, columns: usize) -> String {
    if width(line) <= columns {
        return line.to_owned();
    }
    let (kept, _) = split_at(line, columns.saturating_sub(1));
    format!("{kept}…")
}

/// Filled with spaces to so many columns.
pub fn pad(line: &str, columns: usize) -> String {
    format!("{line}{}", " ".repeat(columns.saturating_sub(width(line))))
}

/// Lines of at most so many columns, broken at spaces, and inside a word only where a word is longer than a line. There
/// is always one.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(2);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !line.is_empty() && width(&line) + 1 + width(word) > columns {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        let mut rest = word;
        while width(rest) > columns {
            let (head, tail) = split_at(rest, columns);
            lines.push(head.to_owned());
            rest = tail;
        }
        line.push_str(rest);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// As many whole characters as fit into so many columns, and what is left.
fn split_at(line: &str, columns: usize) -> (&str, &str) {
    let mut taken = 0;
    for (at, c) in line.char_indices() {
        taken += width(c.encode_utf8(&mut [0; 4]));
        if taken > columns {
            return line.split_at(at);
        }
    }
    (line, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_spelled() {
        assert_eq!(visible("a\0b\u{1b}[31m\r\n\u{202e}c\u{feff}"), r"a\u{0}b\u{1b}[31m\r\n\u{202e}c\u{feff}");
        assert_eq!(visible("décision 決定 🎉"), "décision 決定 🎉");
        assert_eq!(visible_lines("a\n\tb\rc"), "a\n\tb\\u{d}c");
    }

    #[test]
    fn a_line_is_shortened_by_columns_and_not_by_characters() {
        assert_eq!(shorten("decision", 8), "decision");
        assert_eq!(shorten("decisions", 8), "decisio…");
        assert_eq!(shorten("決定決定", 8), "決定決定");
        assert_eq!(shorten("決定決定", 7), "決定決…");
        assert_eq!(shorten("決定決定", 6), "決定…");
        assert_eq!(pad("決", 4), "決  ");
    }

    #[test]
    fn lines_break_at_spaces_and_only_a_long_word_is_broken() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("a verylongword b", 6), ["a", "verylo", "ngword", "b"]);
        assert_eq!(wrap("決定決定決", 4), ["決定", "決定", "決"]);
        assert_eq!(wrap("", 4), [""]);
        assert_eq!(wrap("  ", 4), [""]);
    }

    #[test]
    fn one_is_one_and_the_others_are_many() {
        assert_eq!([count(0, "case"), count(1, "case"), count(2, "case")], ["0 cases", "1 case", "2 cases"]);
        assert_eq!(count(3, "reply"), "3 replies");
    }
}
