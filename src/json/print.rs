//! [`Json`] to text: one printer, whose style says how to lay out, order and escape.
//! It never changes a number, and never writes what `Json::parse` would read as another value.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::{self, Write};

use crate::json::content::last_of_each_name;
use crate::json::text::Text;
use crate::json::tree::Json;

/// How to write a value.
#[derive(Clone, Copy)]
pub(in crate::json) struct Style {
    pub layout: Layout,
    pub order: Order,
    pub escapes: Escapes,
}

impl Style {
    /// No white space, nothing moved, nothing escaped without need.
    pub const COMPACT: Style = Style { layout: Layout::Compact, order: Order::Kept, escapes: Escapes::Needed };
}

/// The white space between tokens.
#[derive(Clone, Copy)]
pub(in crate::json) enum Layout {
    Compact,
    /// Two spaces a level, as most pretty printers do.
    Indented,
    /// Every white space character that JSON allows, around every token.
    Spacious,
}

/// The order of members.
#[derive(Clone, Copy)]
pub(in crate::json) enum Order {
    Kept,
    TopReversed,
    AllReversed,
    /// Sorted by name, only the last of each name: one text for one content.
    Canonical,
}

/// Which characters of strings and names are written as escapes, beyond those that must be.
#[derive(Clone, Copy)]
pub(in crate::json) enum Escapes {
    Needed,
    LettersAndDigits,
    Slash,
}

/// Compact JSON: numbers as they were spelled, unpaired surrogates and control characters as escapes.
impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_json(f, self, Style::COMPACT)
    }
}

pub(in crate::json) fn write_json(out: &mut dyn Write, json: &Json, style: Style) -> fmt::Result {
    let mut printer = Printer { out, style };
    printer.value(json, 0)?;
    printer.gap()
}

/// Writes `text` as a JSON string, quotes included.
pub(in crate::json) fn write_text(out: &mut dyn Write, text: &Text) -> fmt::Result {
    Printer { out, style: Style::COMPACT }.string(text)
}

struct Printer<'w> {
    out: &'w mut dyn Write,
    style: Style,
}

impl Printer<'_> {
    fn value(&mut self, json: &Json, depth: usize) -> fmt::Result {
        match json {
            Json::Null => self.token("null"),
            Json::Bool(true) => self.token("true"),
            Json::Bool(false) => self.token("false"),
            Json::Number(number) => self.token(number.as_str()),
            Json::String(text) => {
                self.gap()?;
                self.string(text)
            }
            Json::Array(items) => self.array(items, depth),
            Json::Object(members) => self.object(members, depth),
        }
    }

    fn array(&mut self, items: &[Json], depth: usize) -> fmt::Result {
        self.token("[")?;
        for (index, item) in items.iter().enumerate() {
            self.separate(index, depth + 1)?;
            self.value(item, depth + 1)?;
        }
        self.close("]", items.is_empty(), depth)
    }

    fn object(&mut self, members: &[(Text, Json)], depth: usize) -> fmt::Result {
        self.token("{")?;
        for (index, (name, value)) in self.arranged(members, depth).into_iter().enumerate() {
            self.separate(index, depth + 1)?;
            self.gap()?;
            self.string(name)?;
            self.token(":")?;
            if let Layout::Indented = self.style.layout {
                self.out.write_char(' ')?;
            }
            self.value(value, depth + 1)?;
        }
        self.close("}", members.is_empty(), depth)
    }

    fn arranged<'a>(&self, members: &'a [(Text, Json)], depth: usize) -> Vec<(&'a Text, &'a Json)> {
        match self.style.order {
            Order::AllReversed => reversed(members),
            Order::TopReversed if depth == 0 => reversed(members),
            Order::Kept | Order::TopReversed => members.iter().map(|(name, value)| (name, value)).collect(),
            Order::Canonical => last_of_each_name(members).into_iter().collect(),
        }
    }

    fn separate(&mut self, index: usize, depth: usize) -> fmt::Result {
        if index > 0 {
            self.token(",")?;
        }
        self.line(depth)
    }

    fn close(&mut self, bracket: &str, empty: bool, depth: usize) -> fmt::Result {
        if !empty {
            self.line(depth)?;
        }
        self.token(bracket)
    }

    fn token(&mut self, token: &str) -> fmt::Result {
        self.gap()?;
        self.out.write_str(token)
    }

    fn gap(&mut self) -> fmt::Result {
        match self.style.layout {
            Layout::Compact | Layout::Indented => Ok(()),
            Layout::Spacious => self.out.write_str("\t\r\n "),
        }
    }

    fn line(&mut self, depth: usize) -> fmt::Result {
        match self.style.layout {
            Layout::Compact | Layout::Spacious => Ok(()),
            Layout::Indented => write!(self.out, "\n{:width$}", "", width = 2 * depth),
        }
    }

    fn string(&mut self, text: &Text) -> fmt::Result {
        self.out.write_char('"')?;
        for point in text.code_points() {
            match point {
                Ok(character) => self.character(character)?,
                Err(lone) => self.unit(lone)?,
            }
        }
        self.out.write_char('"')
    }

    fn character(&mut self, character: char) -> fmt::Result {
        match (character, self.style.escapes) {
            ('"', _) => self.out.write_str("\\\""),
            ('\\', _) => self.out.write_str("\\\\"),
            ('\n', _) => self.out.write_str("\\n"),
            ('\r', _) => self.out.write_str("\\r"),
            ('\t', _) => self.out.write_str("\\t"),
            ('\0'..='\u{1f}' | '\u{7f}', _) => self.units(character),
            ('/', Escapes::Slash) => self.out.write_str("\\/"),
            (letter, Escapes::LettersAndDigits) if letter.is_alphanumeric() => self.units(letter),
            (plain, Escapes::Needed | Escapes::LettersAndDigits | Escapes::Slash) => self.out.write_char(plain),
        }
    }

    fn units(&mut self, character: char) -> fmt::Result {
        character.encode_utf16(&mut [0; 2]).iter().try_for_each(|unit| self.unit(*unit))
    }

    fn unit(&mut self, unit: u16) -> fmt::Result {
        write!(self.out, "\\u{unit:04x}")
    }
}

/// The names in reverse; members that share a name keep their order, or another one would be the last and be read:
/// `{"a":1,"b":2,"a":3}` becomes `{"a":1,"b":2,"a":3}`, not `{"a":3,"b":2,"a":1}`.
fn reversed(members: &[(Text, Json)]) -> Vec<(&Text, &Json)> {
    let mut waiting: BTreeMap<&Text, VecDeque<&Json>> = BTreeMap::new();
    for (name, value) in members {
        waiting.entry(name).or_default().push_back(value);
    }
    let next_of = |(name, _): &'_ (Text, Json)| waiting.get_mut(name)?.pop_front();
    let values: Vec<&Json> = members.iter().rev().filter_map(next_of).collect();
    members.iter().rev().map(|(name, _)| name).zip(values).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::{prop_assert_eq, proptest};

    use crate::json::arbitrary::json;
    use crate::json::text::Text;
    use crate::json::tree::Json;

    #[test]
    fn control_characters_quotes_and_unpaired_surrogates_are_escaped_and_nothing_else() {
        let text = Json::String(Text::from_utf16(&[0, 0x1f, 0x22, 0x5c, 0x0a, 0x2f, 0xe9, 0xd800]));
        assert_eq!(text.to_string(), r#""\u0000\u001f\"\\\n/é\ud800""#);
    }

    #[test]
    fn an_unpaired_high_surrogate_before_a_pair_stays_unpaired() {
        let text = Json::String(Text::from_utf16(&[0xd83d, 0xd83d, 0xde00]));
        assert_eq!(text.to_string(), r#""\ud83d😀""#);
    }

    proptest! {
        #[test]
        fn parsing_what_was_printed_gives_the_same_tree(tree in json()) {
            prop_assert_eq!(Json::parse(tree.to_string().as_bytes()), Ok(tree));
        }
    }
}
