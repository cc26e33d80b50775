//! What the read side shows in a story.

use crate::history::Sight;
use crate::json::Json;
use crate::judge::testing::{Event, Move, Story};

impl Story {
    /// The rows that the read side shows for an intent.
    pub fn rows<const N: usize>(self, of: &str, rows: [&str; N]) -> Self {
        self.read(of, Sight::Seen(parsed(rows)), false)
    }

    /// The rows that the read side shows as repeats of an intent.
    pub fn repeats<const N: usize>(self, of: &str, rows: [&str; N]) -> Self {
        self.read(of, Sight::Seen(parsed(rows)), true)
    }

    /// The read side shows nothing, and why.
    pub fn blind(self, of: &str, why: &str) -> Self {
        self.read(of, Sight::Blind(why.to_owned()), false)
    }

    /// The read side shows no repeats, and why.
    pub fn blind_to_repeats(self, of: &str, why: &str) -> Self {
        self.read(of, Sight::Blind(why.to_owned()), true)
    }

    fn read(mut self, of: &str, sight: Sight, repeats: bool) -> Self {
        let open = matches!(self.steps.last(), Some(Move::Observe(_)));
        let point = if open { self.point.clone() } else { "end".to_owned() };
        self.events.push(Event::Read { of: of.to_owned(), point, sight, repeats });
        self
    }
}

fn parsed<const N: usize>(rows: [&str; N]) -> Vec<Json> {
    rows.map(|row| Json::parse(row.as_bytes()).expect("rows are JSON")).into()
}
