//! A file that is being read: everything that is wrong with it so far, its shape and its meaning alike, so that both are
//! told at once. It knows no kind of file, and it never gives a value out while anything is wrong.

use crate::file::check::check;
use crate::file::nearest::nearest;
use crate::file::node::{Node, Span};
use crate::file::problem::{Problem, Problems};
use crate::file::read::{read, read_as};
use crate::file::shape::Shape;
use crate::file::source::Source;

/// What is wrong with a file so far.
pub struct Reading<'s> {
    source: &'s Source,
    /// Against the shape. Nothing more is said of these places: it would be the same mistake told twice.
    malformed: Vec<Problem>,
    /// Against the meaning.
    wrong: Vec<Problem>,
}

impl<'s> Reading<'s> {
    /// The tree of a file, even if it has not the shape; what is no YAML of ours ends here.
    pub fn open(source: &'s Source, shape: &Shape) -> Result<(Node, Self), Problems> {
        let tree = read(source).map_err(|unread| read_as(source, shape).err().unwrap_or(unread))?;
        let mut malformed = Vec::new();
        check(&tree, shape, "", &mut malformed);
        Ok((tree, Self { source, malformed, wrong: Vec::new() }))
    }

    /// Notes a problem.
    pub fn wrong(&mut self, place: Span, message: impl Into<String>, label: impl Into<String>) {
        self.add(Problem::new(place, message).label(label));
    }

    /// Notes a problem that has more to say.
    pub fn add(&mut self, problem: Problem) {
        self.wrong.push(problem);
    }

    /// Notes that a word is none of those known: with the nearest of them, or all.
    pub fn unknown<'w>(
        &mut self,
        place: Span,
        message: impl Into<String>,
        word: &str,
        known: impl Iterator<Item = &'w str> + Clone,
    ) {
        let problem = Problem::new(place, message);
        if let Some(near) = nearest(word, known.clone()) {
            return self.add(problem.label(format!("did you mean `{near}`?")));
        }
        let known: Vec<&str> = known.collect();
        // Some words have commas in them.
        let listed = known.join(if known.iter().any(|word| word.contains(',')) { "; " } else { ", " });
        self.add(match known.len() {
            0 => problem.label("none is declared"),
            _ if listed.len() <= LONGEST_LABEL => problem.label(format!("known are {listed}")),
            _ => problem.help(format!("known are {listed}")),
        });
    }

    /// Says of the problem with the shape at this place what `told` makes of it instead.
    pub fn retell(&mut self, place: Span, told: impl Fn(Problem) -> Option<Problem>) {
        let (here, elsewhere) = self.malformed.drain(..).partition(|problem: &Problem| problem.span == place);
        self.malformed = elsewhere;
        self.malformed.extend(Vec::into_iter(here).filter_map(told));
    }

    /// Whether a node has its shape, down to its leaves. Where it has not, nothing follows from what is missing in it.
    pub fn is_well(&self, node: &Node) -> bool {
        let inside =
            |place: Span| node.span.start <= place.start && place.start < node.span.end.max(node.span.start + 1);
        !self.malformed.iter().any(|problem| inside(problem.span))
    }

    /// Where a part of a scalar's text stands, or the whole scalar where escapes or line ends hide it.
    pub fn part(&self, node: &Node, part: &str) -> Span {
        let Some(text) = node.text() else { return node.span };
        let written = self.source.text.get(node.span.start..node.span.end).unwrap_or_default();
        let offset = part.as_ptr().addr().wrapping_sub(text.as_ptr().addr());
        match written.find(text) {
            Some(at) if offset + part.len() <= text.len() => {
                let start = node.span.start + at + offset;
                Span { start, end: start + part.len() }
            }
            Some(_) | None => node.span,
        }
    }

    /// The value, if nothing is wrong.
    pub fn close<T>(self, value: T) -> Result<T, Problems> {
        let mut problems = self.malformed;
        let known: Vec<Span> = problems.iter().map(|problem| problem.span).collect();
        problems.extend(self.wrong.into_iter().filter(|problem| !known.contains(&problem.span)));
        if problems.is_empty() { Ok(value) } else { Err(Problems::new(self.source, problems)) }
    }
}

/// A longer list stands below the line instead of beside the caret.
const LONGEST_LABEL: usize = 60;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::shape::{Field, Record};

    static FILE: Record = Record::new(
        "file",
        "A file.",
        &[Field::optional("count", "How many.", Shape::Count), Field::optional("word", "A word.", Shape::Text)],
    );

    fn told(text: &str, wrong: impl Fn(&Node, &mut Reading<'_>)) -> String {
        let source = Source::new("a.yaml", text);
        let (tree, mut reading) = Reading::open(&source, &Shape::Record(&FILE)).expect("a tree");
        wrong(&tree, &mut reading);
        reading.close(()).map_or_else(|problems| problems.to_string(), |()| "fine".to_owned())
    }

    #[test]
    fn shape_and_meaning_are_told_together_and_one_place_once() {
        let told = told("count: few\nword: snd it\n", |tree, reading| {
            assert!(!reading.is_well(tree) && !reading.is_well(&tree.entries()[0].value));
            assert!(reading.is_well(&tree.entries()[1].value));
            reading.wrong(tree.entries()[0].value.span, "too few", "");
            let word = &tree.entries()[1].value;
            let part = &word.text().expect("text")[..3];
            reading.unknown(reading.part(word, part), "no word `snd`", part, ["send", "meet"].into_iter());
        });
        assert_eq!(
            format!("\n{told}\n"),
            r#"
error: expected a whole number, 0 or more
 --> a.yaml:1:8
  |
1 | count: few
  |        ^^^ found the text `few`
  |
  = note: at count

error: no word `snd`
 --> a.yaml:2:7
  |
2 | word: snd it
  |       ^^^ did you mean `send`?
"#
        );
    }

    #[test]
    fn a_part_is_found_inside_quotes_and_not_behind_escapes() {
        for (text, start, end) in
            [("word: \"a bc\"\n", 9, 11), ("word: 'a bc'\n", 9, 11), ("word: \"\\x61 bc\"\n", 6, 15)]
        {
            told(text, |tree, reading| {
                let node = &tree.entries()[0].value;
                let part = &node.text().expect("text")[2..];
                assert_eq!(reading.part(node, part), Span { start, end }, "{text}");
            });
        }
    }
}
