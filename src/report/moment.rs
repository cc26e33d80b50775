//! One line of a timeline, and how lines are laid out under each other: milliseconds since the first, a sign, what
//! happened, what there is to say about it. It leaves out lines only in the middle, and says how many.

use std::time::Duration;

use crate::report::wording::{count, pad, shorten, width};
use crate::time::Tick;

/// One line of a timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// When.
    pub at: Tick,
    /// What kind of thing happened.
    pub sign: Sign,
    /// What happened.
    pub text: String,
    /// What there is to say about it; may be empty.
    pub remark: String,
}

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The caller sent.
    Sent,
    /// The origin was shown, and said, something.
    Origin,
    /// A fault struck.
    Fault,
    /// The caller was left with something.
    Got,
    /// An effect was read.
    Seen,
    /// Something was done to the subject.
    Action,
}

/// More moments than this are left out in the middle.
const MOST: usize = 24;

impl Sign {
    /// The character for it.
    pub fn glyph(self) -> &'static str {
        match self {
            Sign::Sent => "→",
            Sign::Origin => "●",
            Sign::Fault => "✂",
            Sign::Got => "←",
            Sign::Seen => "◦",
            Sign::Action => "◆",
        }
    }
}

/// The lines of a timeline, each at most so many columns; `paint` writes the signs.
pub fn lay_out(moments: &[Moment], columns: usize, paint: impl Fn(Sign) -> String) -> Vec<String> {
    let room = columns.saturating_sub("     0.0ms  →  ".chars().count()).max(30);
    let remarked = || moments.iter().filter(|moment| !moment.remark.is_empty());
    let widest = remarked().map(|moment| width(&moment.text)).max().unwrap_or(0);
    let remark = remarked().map(|moment| width(&moment.remark)).max().unwrap_or(0).min(room / 2);
    let text = widest.min(room.saturating_sub(remark + 3));
    let start = moments.first().map_or(Tick(0), |moment| moment.at);
    let line = |moment: &Moment| {
        let said = if moment.remark.is_empty() {
            shorten(&moment.text, room)
        } else {
            let said = pad(&shorten(&moment.text, text), text);
            format!("{said}   {}", shorten(&moment.remark, room.saturating_sub(text + 3)))
        };
        format!("{:>8}ms  {}  {said}", milliseconds(moment.at.since(start)), paint(moment.sign))
    };
    if moments.len() <= MOST {
        return moments.iter().map(line).collect();
    }
    let (head, tail) = (&moments[..MOST * 2 / 3], &moments[moments.len() - MOST / 3..]);
    let left_out = moments.len() - head.len() - tail.len();
    let gap = format!("        …     {} more, all in history.ndjson", count(left_out, "line"));
    head.iter().map(line).chain([gap]).chain(tail.iter().map(line)).collect()
}

fn milliseconds(since: Duration) -> String {
    let tenths = (since.as_micros() + 50) / 100;
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::Entry;
    use crate::report::example::{exchange, story};
    use crate::report::timeline::moments;

    #[test]
    fn a_long_history_is_cut_in_the_middle_and_says_so() {
        let entries: Vec<Entry> = (0..40).map(|at| Entry::Exchange(exchange(at, u64::from(at) * 10_000))).collect();
        let lines = lay_out(&moments(&entries), 100, |sign| sign.glyph().to_owned());
        assert_eq!(lines.len(), MOST + 1);
        assert_eq!(lines[16], "        …     56 lines more, all in history.ndjson");
    }

    #[test]
    fn no_line_is_wider_than_it_may_be() {
        let Entry::Exchange(mut wide) = story().entries.remove(0) else { panic!("an exchange comes first") };
        wide.request.target = "/決".repeat(200);
        wide.fault.why = "決".repeat(200);
        for columns in [60, 80, 100, 200] {
            for line in lay_out(&moments(&[Entry::Exchange(wide.clone())]), columns, |sign| sign.glyph().to_owned()) {
                assert!(width(&line) <= columns, "{line}");
            }
        }
    }
}
