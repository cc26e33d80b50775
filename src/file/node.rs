//! A node of a YAML file: what was written, as it was spelled, and where.
//!
//! Aliases are already resolved and anchors forgotten. A node never decides what a scalar means: `1.00` stays
//! `1.00` until somebody asks for a number.

/// A range of bytes in the text of a `Source`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    pub start: usize,
    pub end: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    pub span: Span,
    pub kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    Scalar(Scalar),
    List(Vec<Node>),
    Map(Vec<Entry>),
}

/// One `key: value`; the key is always a scalar, and no key stands twice in a map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: Node,
    pub value: Node,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar {
    /// The text without quotes, escapes resolved, otherwise exactly as spelled.
    pub text: String,
    /// True when it stood without quotes: only then can it be a null, a flag or a number.
    pub plain: bool,
}

impl Node {
    pub fn get(&self, field: &str) -> Option<&Node> {
        let entry = self.entries().iter().find(|entry| entry.key.text() == Some(field));
        entry.map(|entry| &entry.value)
    }

    /// The entries of a map in the order written; empty for anything else.
    pub fn entries(&self) -> &[Entry] {
        match &self.kind {
            Kind::Map(entries) => entries,
            Kind::Scalar(_) | Kind::List(_) => &[],
        }
    }

    /// The items of a list; empty for anything else.
    pub fn items(&self) -> &[Node] {
        match &self.kind {
            Kind::List(items) => items,
            Kind::Scalar(_) | Kind::Map(_) => &[],
        }
    }

    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            Kind::Scalar(scalar) => Some(scalar),
            Kind::List(_) | Kind::Map(_) => None,
        }
    }

    /// The text of a scalar, a null's included.
    pub fn text(&self) -> Option<&str> {
        self.scalar().map(|scalar| scalar.text.as_str())
    }

    pub fn is_null(&self) -> bool {
        self.scalar().is_some_and(Scalar::is_null)
    }

    /// What a message calls this node: ``a map``, ``a list``, ``the text `x` ``, ``nothing``.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Map(_) => "a map".to_owned(),
            Kind::List(_) => "a list".to_owned(),
            Kind::Scalar(scalar) if scalar.is_null() => "nothing".to_owned(),
            Kind::Scalar(scalar) => format!("the text {}", quoted(&scalar.text)),
        }
    }

    /// Where a caret about the whole node belongs: the first key of a map, otherwise the node itself.
    pub fn head(&self) -> Span {
        self.entries().first().map_or(self.span, |entry| entry.key.span)
    }
}

impl Scalar {
    pub fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null")
    }
}

/// Text between backticks, short enough for one line and without control characters.
pub(in crate::file) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let mut shown: String = text.chars().take(LONGEST).flat_map(visible).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    format!("`{shown}`")
}

fn visible(letter: char) -> impl Iterator<Item = char> {
    let escaped = letter.is_control().then(|| letter.escape_default()).into_iter().flatten();
    let kept = (!letter.is_control()).then_some(letter);
    escaped.chain(kept)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str, plain: bool) -> Node {
        let text = text.to_owned();
        Node { span: Span::default(), kind: Kind::Scalar(Scalar { text, plain }) }
    }

    #[test]
    fn only_unquoted_text_can_be_null() {
        assert!(["", "~", "null"].map(|text| scalar(text, true).is_null()) == [true; 3]);
        assert!(["", "~", "null"].map(|text| scalar(text, false).is_null()) == [false; 3]);
    }

    #[test]
    fn a_description_is_short_and_printable() {
        assert_eq!(scalar("a\nb\u{1b}", true).describe(), r"the text `a\nb\u{1b}`");
        assert_eq!(scalar(&"é".repeat(90), true).describe(), format!("the text `{}…`", "é".repeat(40)));
    }

    #[test]
    fn a_field_is_found_by_name_and_nothing_is_found_in_a_scalar() {
        let (key, value) = (scalar("a", true), scalar("1", true));
        let map = Node { span: Span::default(), kind: Kind::Map(vec![Entry { key, value }]) };
        assert_eq!(map.get("a").and_then(Node::text), Some("1"));
        assert_eq!(map.get("b"), None);
        assert_eq!(scalar("a", true).get("a"), None);
    }
}
