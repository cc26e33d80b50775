//! From the parser's events to our own tree, refusing what our files do not need.
//!
//! A stack of open lists and maps stands for recursion, so that no depth can overflow. Aliases are copied within
//! a budget. What is refused is noted with its place and reading goes on, unless the rest could not be trusted.

use std::collections::BTreeMap;

use crate::file::node::{Entry, Kind, Node, Scalar, Span, quoted};
use crate::file::path::{item_step, key_step};
use crate::file::problem::Problem;
use crate::file::source::Lines;
use crate::file::syntax::{TOO_DEEP, TOO_DEEP_HELP};

/// Reading cannot go on: a problem has been noted, and what follows could not be trusted.
pub struct Stop;

pub struct Tree<'a> {
    lines: &'a Lines<'a>,
    open: Vec<Open>,
    anchors: BTreeMap<usize, Rated>,
    copied: usize,
    pub root: Option<Node>,
    pub problems: Vec<Problem>,
}

/// A node with what a copy of it costs and how deep it is.
#[derive(Clone)]
struct Rated {
    node: Node,
    cost: usize,
    depth: usize,
}

struct Open {
    anchor: usize,
    span: Span,
    cost: usize,
    depth: usize,
    inside: Inside,
}

enum Inside {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        /// Where each key was first seen.
        seen: BTreeMap<String, usize>,
        key: Key,
    },
}

enum Key {
    Awaited,
    Taken(Node),
    /// The value still has to be read, and is then dropped. Some refused keys have no name.
    Refused(Option<String>),
}

const DEEPEST: usize = 128;
/// What aliases may add to a file, in nodes or in 64 bytes of text: enough for people, too little for a bomb.
const MOST_COPIED: usize = 100_000;

impl<'a> Tree<'a> {
    pub fn new(lines: &'a Lines<'a>) -> Self {
        Self { lines, open: Vec::new(), anchors: BTreeMap::new(), copied: 0, root: None, problems: Vec::new() }
    }

    pub fn scalar(&mut self, span: Span, scalar: Scalar, anchor: usize) -> Result<(), Stop> {
        let cost = 1 + scalar.text.len() / 64;
        let kind = Kind::Scalar(scalar);
        let node = Node { span, kind };
        self.place(Rated { node, cost, depth: 0 }, anchor)
    }

    pub fn open_list(&mut self, span: Span, anchor: usize) -> Result<(), Stop> {
        self.open(span, anchor, Inside::List(Vec::new()))
    }

    pub fn open_map(&mut self, span: Span, anchor: usize) -> Result<(), Stop> {
        let (entries, seen) = (Vec::new(), BTreeMap::new());
        let key = Key::Awaited;
        self.open(span, anchor, Inside::Map { entries, seen, key })
    }

    /// `end` is where the closing bracket ends, if there is one.
    pub fn close(&mut self, end: Option<usize>) -> Result<(), Stop> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let (kind, last) = match open.inside {
            Inside::List(items) => {
                let last = items.last().map(|item| item.span.end);
                (Kind::List(items), last)
            }
            Inside::Map { entries, .. } => {
                let last = entries.last().map(|entry| entry.value.span.end);
                (Kind::Map(entries), last)
            }
        };
        let start = open.span.start;
        let end = end.or(last).unwrap_or(open.span.end).max(start);
        let span = Span { start, end };
        let node = Node { span, kind };
        let (cost, depth) = (open.cost, open.depth);
        self.place(Rated { node, cost, depth }, open.anchor)
    }

    pub fn alias(&mut self, span: Span, anchor: usize) -> Result<(), Stop> {
        let Some(rated) = self.anchors.get(&anchor) else {
            return self.stop(Problem::new(span, "this alias stands inside what it names"));
        };
        if self.copied + rated.cost > MOST_COPIED {
            return self.too_much(span);
        }
        if self.open.len() + rated.depth > DEEPEST {
            return self.stop(Problem::new(span, TOO_DEEP).help(TOO_DEEP_HELP));
        }
        self.copied += rated.cost;
        let mut rated = rated.clone();
        rated.node.span = span;
        self.place(rated, 0)
    }

    /// Notes a problem at the place that is being read.
    pub fn refuse(&mut self, problem: Problem) {
        let path = self.path();
        self.problems.push(problem.at(path));
    }

    /// The bracket that is being read, and its line.
    pub fn open_bracket(&self, text: &str) -> Option<(char, usize)> {
        let start = self.open.last()?.span.start;
        let bracket = text.get(start..)?.chars().next().filter(|letter| matches!(letter, '[' | '{'))?;
        Some((bracket, self.lines.at(start).number))
    }

    fn stop(&mut self, problem: Problem) -> Result<(), Stop> {
        self.refuse(problem);
        Err(Stop)
    }

    fn too_much(&mut self, span: Span) -> Result<(), Stop> {
        let problem = Problem::new(span, "the aliases of this file grow too large");
        self.stop(problem.help("write out what is meant; anchors are for short values"))
    }

    fn open(&mut self, span: Span, anchor: usize, inside: Inside) -> Result<(), Stop> {
        if self.open.len() >= DEEPEST {
            return self.stop(Problem::new(span, TOO_DEEP).help(TOO_DEEP_HELP));
        }
        self.open.push(Open { anchor, span, cost: 1, depth: 1, inside });
        Ok(())
    }

    fn place(&mut self, rated: Rated, anchor: usize) -> Result<(), Stop> {
        if anchor > 0 {
            // The copy that is kept for the aliases counts as well: anchors around anchors multiply too.
            self.copied += rated.cost;
            if self.copied > MOST_COPIED {
                return self.too_much(rated.node.span);
            }
            self.anchors.insert(anchor, rated.clone());
        }
        let Rated { node, cost, depth } = rated;
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.cost += cost;
        open.depth = open.depth.max(depth + 1);
        match &mut open.inside {
            Inside::List(items) => items.push(node),
            Inside::Map { entries, key, .. } => match std::mem::replace(key, Key::Awaited) {
                Key::Awaited => return self.key(node),
                Key::Refused(_) => {}
                Key::Taken(key) => {
                    let value = beside(&key, node);
                    entries.push(Entry { key, value });
                }
            },
        }
        Ok(())
    }

    fn key(&mut self, node: Node) -> Result<(), Stop> {
        let (key, problem) = match &node.kind {
            Kind::Scalar(scalar) if scalar.plain && scalar.text == "<<" => {
                return self.stop(
                    Problem::new(node.span, "merge keys are not supported")
                        .help("write the fields out; an alias can stand for a whole value: `key: *name`"),
                );
            }
            Kind::Scalar(scalar) if scalar.plain && scalar.text.is_empty() => {
                let problem = Problem::new(node.span, "a key is missing before this `:`");
                (Key::Refused(None), Some(problem))
            }
            Kind::Scalar(scalar) => match self.first_seen(&scalar.text, node.span.start) {
                Some(first) => {
                    let line = self.lines.at(first).number;
                    let problem =
                        Problem::new(node.span, format!("the key {} stands twice in this map", quoted(&scalar.text)));
                    let problem = problem.label(format!("first set on line {line}"));
                    (Key::Refused(Some(scalar.text.clone())), Some(problem))
                }
                None => (Key::Taken(node), None),
            },
            Kind::List(_) | Kind::Map(_) => {
                let problem = Problem::new(node.span, "a key must be text")
                    .label(format!("found {}", node.describe()))
                    .help("text that begins with `{` or `[`, such as a template, needs quotes");
                (Key::Refused(None), Some(problem))
            }
        };
        if let Some(problem) = problem {
            self.refuse(problem);
        }
        if let Some(Open { inside: Inside::Map { key: place, .. }, .. }) = self.open.last_mut() {
            *place = key;
        }
        Ok(())
    }

    /// Where the key stood before, in the map that is being read.
    fn first_seen(&mut self, text: &str, at: usize) -> Option<usize> {
        let Some(Open { inside: Inside::Map { seen, .. }, .. }) = self.open.last_mut() else {
            return None;
        };
        if let Some(first) = seen.get(text) {
            return Some(*first);
        }
        seen.insert(text.to_owned(), at);
        None
    }

    fn path(&self) -> String {
        let mut path = String::new();
        for open in &self.open {
            match &open.inside {
                Inside::List(items) => path.push_str(&item_step(items.len())),
                Inside::Map { key: Key::Awaited | Key::Refused(None), .. } => {}
                Inside::Map { key: Key::Refused(Some(key)), .. } => {
                    path.push_str(&key_step(key, path.is_empty()));
                }
                Inside::Map { key: Key::Taken(key), .. } => {
                    let key = key.text().unwrap_or_default();
                    path.push_str(&key_step(key, path.is_empty()));
                }
            }
        }
        path
    }
}

/// A value that was left out has no place of its own, so the caret goes under its key.
fn beside(key: &Node, mut value: Node) -> Node {
    if value.is_null() && value.span.start == value.span.end {
        value.span = key.span;
    }
    value
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use crate::file::read::read;
    use crate::file::source::Source;

    /// What a user is told about the file, or `fine`.
    fn told(text: &str) -> String {
        let source = Source::new("a.yaml", text);
        read(&source).map_or_else(|problems| format!("\n{problems}\n"), |_| "fine".to_owned())
    }

    #[test]
    fn a_bomb_of_aliases_is_refused_at_once() {
        let mut text = "a: &a [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, before) in ('b'..='i').zip('a'..) {
            let copies = vec![format!("*{before}"); 9].join(", ");
            text.push_str(&format!("{name}: &{name} [{copies}]\n"));
        }
        let began = Instant::now();
        assert!(told(&text).contains("the aliases of this file grow too large"));
        let fat = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(10_000));
        assert!(told(&fat).contains("the aliases of this file grow too large"));
        assert!(began.elapsed() < Duration::from_secs(2));
    }

    #[test]
    fn nesting_is_refused_beyond_128_levels_in_every_style() {
        for open in ["[", "- ", "? ", "{a: "] {
            let began = Instant::now();
            assert!(told(&open.repeat(20_000)).contains("error: nested too deeply"), "{open}");
            assert!(began.elapsed() < Duration::from_secs(2));
        }
        let nested = |levels| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(told(&nested(128)), "fine");
        assert!(told(&nested(129)).contains("128 levels are the limit"));
        let by_alias = format!("a: &a {}\nb: [*a]\n", nested(127));
        assert!(told(&by_alias).contains("nested too deeply"));
    }
}
