//! What the courses show of a claim, put together to one verdict: what breaks it breaks the whole, and it holds only when
//! every course witnesses it. It decides nothing about a course.

use std::time::Duration;

use crate::history::EntryNo;
use crate::judge::client::course::Course;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict, Witnesses};

/// Why nobody can tell whether a request was made in spite of an answer.
pub const CROSSED: &str = "another request came while the answer was on its way";

/// What one course shows of a claim.
#[derive(Default)]
pub struct Shown {
    broken: Vec<Evidence>,
    witnesses: Vec<EntryNo>,
    doubt: Option<String>,
}

impl Shown {
    /// These entries witness it.
    pub fn witness(&mut self, entries: impl IntoIterator<Item = EntryNo>) {
        self.witnesses.extend(entries);
    }

    /// It does not hold, and these entries show it.
    pub fn broken(
        &mut self,
        anomaly: Anomaly,
        expected: impl Into<String>,
        observed: impl Into<String>,
        entries: impl IntoIterator<Item = EntryNo>,
    ) {
        self.broken.push(Evidence::new(anomaly, expected, observed, entries));
    }

    /// What it comes to; `otherwise` where it shows nothing.
    pub fn verdict(self, otherwise: impl FnOnce() -> Verdict) -> Verdict {
        Verdict::violated_or(self.broken, || match Witnesses::new(self.witnesses) {
            Some(witnesses) => Verdict::Holds(witnesses),
            None => otherwise(),
        })
    }

    /// Whatever else it shows, it cannot hold, and this is why.
    pub fn doubt(&mut self, why: &str) {
        self.doubt.get_or_insert_with(|| why.to_owned());
    }
}

/// Looks at each course; `otherwise` says why nobody can say where one shows nothing.
pub fn each(courses: &[Course<'_>], otherwise: &str, look: impl Fn(&Course<'_>, &mut Shown)) -> Verdict {
    let mut broken = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    for course in courses {
        let mut shown = Shown::default();
        look(course, &mut shown);
        let idle = shown.witnesses.is_empty().then(|| Doubt::NeverExercised(otherwise.to_owned()));
        doubt = doubt.or(shown.doubt.map(Doubt::Undecided)).or(idle);
        broken.extend(shown.broken);
        witnesses.extend(shown.witnesses);
    }
    Verdict::violated_or(broken, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, otherwise),
    })
}

/// A time, for people.
pub fn time(duration: Duration) -> String {
    if duration < Duration::from_secs(1) {
        format!("{} ms", duration.as_millis())
    } else {
        format!("{:.1} s", duration.as_secs_f64())
    }
}

/// A request or an end before its time.
pub fn early(by: Duration) -> Anomaly {
    Anomaly::Early { by: micros(by) }
}

/// A request or an end after its time.
pub fn late(by: Duration) -> Anomaly {
    Anomaly::Late { by: micros(by) }
}

fn micros(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::client::testing::{DONE, ERROR, given};

    #[test]
    fn a_claim_on_two_holds_only_when_both_witness_it() {
        let one = given(["one: { operation: send }", "two: { operation: send }"])
            .ask("one")
            .call(0)
            .answered(200, DONE)
            .tells(20, "success")
            .ask("two")
            .call(100);
        one.clone().answered(200, DONE).tells(120, "success").judged("finish: [one, two]").holds([0, 1, 2, 3]);
        one.clone()
            .answered(400, ERROR)
            .tells(120, "failure")
            .judged("finish: [one, two]")
            .unknown("never exercised: nothing was answered by a success");
        one.answered(200, DONE).tells(120, "failure").judged("finish: [one, two]").violated(["false outcome [2, 3]"]);
    }

    #[test]
    fn times_are_said_in_the_unit_that_fits() {
        assert_eq!(
            (time(Duration::from_millis(250)), time(Duration::from_millis(1250))),
            ("250 ms".into(), "1.2 s".into())
        );
    }
}
