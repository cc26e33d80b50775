//! The text of a file and its lines: from a byte to `line:column` and back to the line itself.
//!
//! A byte order mark belongs to no line, and a line never includes its line end.

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The path as the user gave it.
    pub name: String,
    pub text: String,
}

impl Source {
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}

/// Counted once per file, because a file can have very many problems, and all of them on one long line.
pub struct Lines<'a> {
    text: &'a str,
    starts: Vec<usize>,
    /// How many characters begin before each block of bytes.
    characters: Vec<usize>,
}

const BLOCK: usize = 1024;

/// One line of the file, without its line end.
pub struct Line<'a> {
    /// Counted from one.
    pub number: usize,
    /// The byte at which the line begins in the whole text.
    pub start: usize,
    pub text: &'a str,
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a str) -> Self {
        let first = byte_order_mark(text);
        let rest = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(first).chain(rest).collect();
        let blocks = text.as_bytes().chunks(BLOCK);
        let mut count = 0;
        let sums = blocks.map(|block| {
            count += characters(block);
            count
        });
        let characters = std::iter::once(0).chain(sums).collect();
        Self { text, starts, characters }
    }

    /// The line that holds this byte; a byte past the end belongs to the last line.
    pub fn at(&self, byte: usize) -> Line<'a> {
        let number = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts[number - 1];
        let end = self.starts.get(number).map_or(self.text.len(), |next| next - 1);
        let text = self.text.get(start..end).unwrap_or_default();
        let text = text.strip_suffix('\r').unwrap_or(text);
        Line { number, start, text }
    }

    /// The column of a byte in its line, in characters, counted from one.
    pub fn column(&self, byte: usize) -> usize {
        let line = self.at(byte);
        let byte = line.start + line.inside(byte);
        1 + self.characters_before(byte) - self.characters_before(line.start)
    }

    fn characters_before(&self, byte: usize) -> usize {
        let block = byte / BLOCK;
        self.characters[block] + characters(&self.text.as_bytes()[block * BLOCK..byte])
    }
}

impl Line<'_> {
    /// A byte of the whole text as a byte of this line, moved onto a character's first byte and into the line.
    pub fn inside(&self, byte: usize) -> usize {
        let wanted = byte.saturating_sub(self.start).min(self.text.len());
        self.text.floor_char_boundary(wanted)
    }
}

/// Characters are counted by their first bytes.
fn characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0b1100_0000) != 0b1000_0000).count()
}

/// How many bytes of byte order mark open the text.
pub fn byte_order_mark(text: &str) -> usize {
    if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_drop_their_ends() {
        let text = "\u{feff}ü: 1\r\nb: 2";
        let lines = Lines::of(text);
        let (first, last) = (lines.at(5), lines.at(99));
        assert_eq!((first.number, first.text, lines.column(5)), (1, "ü: 1", 2));
        assert_eq!((last.number, last.text, lines.column(99)), (2, "b: 2", 5));
    }

    #[test]
    fn a_column_far_into_a_long_line_is_counted_from_the_nearest_block() {
        let text = format!("{}x\n{}y", "ü".repeat(5_000), "é".repeat(3_000));
        let lines = Lines::of(&text);
        assert_eq!(lines.column(10_000), 5_001);
        assert_eq!(lines.column(text.len() - 1), 3_001);
    }

    #[test]
    fn an_empty_text_has_one_empty_line() {
        let lines = Lines::of("");
        let line = lines.at(0);
        assert_eq!((line.number, line.text, lines.column(0)), (1, "", 1));
    }
}
