//! Reads a waiver file. What day it is is told, not looked up; whether a contract has what it names is asked elsewhere.

use jiff::civil::Date;

use crate::file::{Field, Node, Problems, Reading, Record, Shape, Source};
use crate::plan::waiver::{Waived, Waiver, WaiverKind, Waivers};
use crate::scenario::Claim;

/// A waiver file.
pub static SHAPE: Record = Record::new(
    "waivers",
    "Known failings of one subject, each with a reason.",
    &[
        Field::optional(
            "known failing",
            "What is violated in every run; once it is not, its entry is an error.",
            Shape::List(&Shape::Record(&WAIVER)),
        ),
        Field::optional(
            "known flaky",
            "What is violated in some runs; an entry whose requirement was not judged at all is an error.",
            Shape::List(&Shape::Record(&WAIVER)),
        ),
    ],
);

static WAIVER: Record = Record::new(
    "waiver",
    "One known failing.",
    &[
        Field::required("requirement", "The requirement that is broken, by its id.", Shape::Text),
        Field::optional(
            "in",
            "Where: scenario paths, patterns of them, or case ids; everywhere, unless said.",
            Shape::OneOrMany(&Shape::Text),
        ),
        Field::optional("claim", "The claim that is violated; any, unless said.", Shape::Text),
        Field::required("reason", "Why it is known and left so: for whoever reads the report.", Shape::Text),
        Field::optional(
            "until",
            "The last day on which it is waived (UTC), such as 2027-01-31; from the next on it is an error.",
            Shape::Pattern {
                says: "a day, such as 2027-01-31",
                regex_for_schema: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$",
                accepts: |text| day(text).map(|_| ()).ok_or_else(|| format!("`{text}` is no day")),
            },
        ),
    ],
);

fn day(text: &str) -> Option<Date> {
    // Other spellings of a day are accepted by the library, and by no schema.
    text.parse::<Date>().ok().filter(|day| day.to_string() == text)
}

impl Waivers {
    /// Reads a file. Entries whose day is over are errors, unless no day is told: a history is judged as it was then.
    pub fn load(source: &Source, today: Option<Date>) -> Result<Self, Problems> {
        let (tree, mut reading) = Reading::open(source, &Shape::Record(&SHAPE))?;
        let mut list = Vec::new();
        for (field, kind) in [("known failing", WaiverKind::Failing), ("known flaky", WaiverKind::Flaky)] {
            for node in tree.get(field).map(Node::items).unwrap_or_default() {
                list.extend(waiver(node, kind, today, &mut reading));
            }
        }
        reading.close(Self { source: Some(source.clone()), list })
    }
}

fn waiver(node: &Node, kind: WaiverKind, today: Option<Date>, reading: &mut Reading<'_>) -> Option<Waiver> {
    let (requirement, reason) = (node.get("requirement")?, node.get("reason")?);
    if reason.text().is_some_and(|text| text.trim().is_empty()) {
        reading.wrong(reason.span, "a waiver without a reason", "say why it is known and left so");
    }
    let until = node.get("until").and_then(Node::text);
    if let (Some(last), Some(today), Some(place)) = (until.and_then(day), today, node.get("until"))
        && last < today
    {
        let message = format!("this waiver expired: its last day was {last}");
        reading.wrong(place.span, message, "mend what it waives, or decide anew until when");
    }
    if let Some(claim) = node.get("claim")
        && let Some(word) = claim.text().filter(|word| Claim::from_word(word).is_none())
    {
        reading.unknown(claim.span, format!("no claim `{word}`"), word, Claim::WORDS.iter().copied());
    }
    let cases = node.get("in");
    let one = cases.into_iter().filter(|node| node.text().is_some());
    let cases = one
        .chain(cases.map(Node::items).unwrap_or_default())
        .filter_map(|node| Some((node.text()?.to_owned(), node.span)));
    Some(Waiver {
        requirement: requirement.text()?.into(),
        cases: cases.collect(),
        claim: node.get("claim").and_then(|node| Some((Claim::from_word(node.text()?)?, node.span))),
        shown: Waived { kind, reason: reason.text()?.trim().to_owned(), until: until.map(str::to_owned) },
        place: requirement.span,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiver_holds_to_the_end_of_its_last_day_and_in_a_history_for_ever() {
        let text = "known flaky: [{ requirement: R-1, reason: known, until: 2026-12-01 }]\n";
        let source = Source::new("w.yaml", text);
        let on = |day| Waivers::load(&source, Some(jiff::civil::date(2026, 12, day)));
        assert_eq!(on(1).expect("its last day").list.len(), 1);
        assert!(
            on(2).expect_err("it is over").to_string().contains("this waiver expired: its last day was 2026-12-01")
        );
        assert!(Waivers::load(&source, None).is_ok());
    }
}
