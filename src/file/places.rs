//! Places in the text: the parser counts characters, we count bytes, and we know better where a value ends.
//!
//! Only corrects what the parser reports; never looks for values on its own.

use crate::file::node::Span;
use crate::file::source::byte_order_mark;

pub struct Places<'a> {
    pub text: &'a str,
    /// The byte at which each character begins; empty when all are one byte wide.
    starts: Vec<usize>,
    offset: usize,
}

impl<'a> Places<'a> {
    pub fn of(text: &'a str) -> Self {
        let offset = byte_order_mark(text);
        let wide = !text[offset..].is_ascii();
        let characters = text[offset..].char_indices().filter(|_| wide);
        let starts = characters.map(|(at, _)| at + offset).collect();
        Self { text, starts, offset }
    }

    pub fn body(&self) -> &'a str {
        &self.text[self.offset..]
    }

    pub fn byte(&self, character: usize) -> usize {
        if self.starts.is_empty() {
            return (character + self.offset).min(self.text.len());
        }
        self.starts.get(character).copied().unwrap_or(self.text.len())
    }

    pub fn span(&self, span: saphyr_parser::Span) -> Span {
        let start = self.byte(span.start.index());
        let end = self.byte(span.end.index()).max(start);
        Span { start, end }
    }

    /// The tag alone, of a span that begins with the anchor and the tag.
    pub fn tag(&self, span: Span) -> Span {
        let inside = &self.text[span.start..span.end];
        let start = inside.find('!').unwrap_or_default();
        let length = inside[start..].find(char::is_whitespace);
        let start = span.start + start;
        Span { start, end: length.map_or(span.end, |length| start + length) }
    }

    /// Without the anchor and the tag before the value, and without the space around it.
    pub fn value(&self, span: Span) -> Span {
        let mut rest = self.text[span.start..span.end].trim_start();
        while rest.starts_with(['&', '!']) {
            let Some(gap) = rest.find(char::is_whitespace) else {
                break;
            };
            rest = rest[gap..].trim_start();
        }
        let start = span.end - rest.len();
        let end = start + rest.trim_end().len();
        Span { start, end }
    }

    /// From the opening quote to the closing one: the parser's span takes a comment behind it along.
    pub fn quotes(&self, span: Span) -> Span {
        let inside = &self.text[span.start..span.end];
        let Some(quote) = inside.chars().next() else {
            return span;
        };
        let mut escaped = false;
        let mut end = span.end;
        for (at, letter) in inside.char_indices().skip(1) {
            if escaped {
                escaped = false;
            } else if letter == '\\' && quote == '"' {
                escaped = true;
            } else if letter == quote {
                let next = inside[at + 1..].chars().next();
                if quote == '\'' && next == Some('\'') {
                    escaped = true;
                } else {
                    end = span.start + at + 1;
                    break;
                }
            }
        }
        Span { start: span.start, end }
    }

    pub fn bracket(&self, span: Span) -> Option<usize> {
        let closes = self.text[span.start..span.end].starts_with([']', '}']);
        closes.then_some(span.start + 1)
    }
}

#[cfg(test)]
mod tests {
    use crate::file::read::read;
    use crate::file::source::Source;

    #[test]
    fn spellings_styles_and_spans_survive() {
        let text = "\u{feff}é: &x \"a\\\"b\" # c\r\nn: 1.00\r\ne:\r\nt: !!str 5\r\nq: 'it''s' # d\r\nl: *x\r\n";
        let tree = read(&Source::new("a.yaml", text)).unwrap();
        let seen = tree.entries().iter().map(|entry| {
            let scalar = entry.value.scalar().unwrap();
            let span = entry.value.span;
            (scalar.text.as_str(), scalar.plain, &text[span.start..span.end])
        });
        let expected = [
            ("a\"b", false, "\"a\\\"b\""),
            ("1.00", true, "1.00"),
            ("", true, "e"),
            ("5", false, "5"),
            ("it's", false, "'it''s'"),
            ("a\"b", false, "*x"),
        ];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn spans_of_lists_and_maps_end_with_what_they_hold() {
        let text = "a: &k [1, {b: c}] # x\nd:\n  - e: f\n  # y\ng: {}\n";
        let tree = read(&Source::new("a.yaml", text)).unwrap();
        let seen = tree.entries().iter().map(|entry| &text[entry.value.span.start..entry.value.span.end]);
        assert_eq!(seen.collect::<Vec<_>>(), ["[1, {b: c}]", "- e: f", "{}"]);
    }
}
