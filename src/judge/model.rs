//! The model of one key: unclaimed, in flight, committed. A history is accepted if some order of its attempts explains
//! every answer; attempts without an answer may have happened at any time after they were shown, or never. A key is
//! committed once and stays so, which is why one pass over sorted times decides what a search over orders would.

use crate::contract::Outcome;
use crate::judge::view::Op;
use crate::time::{Interval, Tick};

/// What is known about a key while one attempt at it was being worked on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// A success with this content was answered before this attempt was shown.
    pub committed: bool,
    /// A success with other content was answered before this attempt was shown.
    pub committed_other: bool,
    /// Some other attempt with this content may have been done before this one was answered.
    pub maybe: bool,
    /// Some other attempt with other content may have been done, or was being done, before this one was answered.
    pub maybe_other: bool,
    /// Some other attempt was being worked on at the same time.
    pub contended: bool,
}

/// One attempt as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step<'a> {
    /// What "the same request" is judged on.
    pub content: &'a str,
    /// While it could be acted on.
    pub during: Interval,
    /// What was answered.
    pub told: Told,
}

/// What was answered, as the model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// A success.
    Done,
    /// Something that leaves it open, or nothing.
    Open,
    /// Something that says it was not done.
    NotDone,
}

impl<'a> Step<'a> {
    /// From an op.
    pub fn of(op: &Op<'a>) -> Self {
        let told = if op.succeeded() {
            Told::Done
        } else if op.is_open() {
            Told::Open
        } else {
            Told::NotDone
        };
        Self { content: op.intent.content().unwrap_or_default(), during: op.during, told }
    }
}

/// What is known about the key for each step, in the order given. About linear: times are sorted once, and for each
/// content only the earliest bounds are kept.
pub fn standings(steps: &[Step<'_>]) -> Vec<Standing> {
    let bounds = Bounds::of(steps);
    steps.iter().map(|step| bounds.standing(step)).collect()
}

/// Two earliest of a kind, with their contents, so that "another one" and "one with other content" need no search.
#[derive(Default)]
struct Earliest<'a> {
    /// For each content: the two smallest ticks.
    by_content: std::collections::BTreeMap<&'a str, (Tick, Option<Tick>)>,
    /// The smallest tick of any content, its content, and the smallest tick of any other content.
    any: Option<(Tick, &'a str)>,
    other: Option<Tick>,
}

impl<'a> Earliest<'a> {
    fn add(&mut self, content: &'a str, at: Tick) {
        self.by_content
            .entry(content)
            .and_modify(|(first, second)| {
                if at < *first {
                    *second = Some(*first);
                    *first = at;
                } else if second.is_none_or(|known| at < known) {
                    *second = Some(at);
                }
            })
            .or_insert((at, None));
        match self.any {
            None => self.any = Some((at, content)),
            Some((first, known)) if at < first => {
                if known != content {
                    self.other = Some(self.other.map_or(first, |other| other.min(first)));
                }
                self.any = Some((at, content));
            }
            Some((_, known)) if known != content => {
                self.other = Some(self.other.map_or(at, |other| other.min(at)));
            }
            Some(_) => {}
        }
    }

    /// The earliest with this content, one occurrence at `own` left out.
    fn same(&self, content: &str, own: Option<Tick>) -> Option<Tick> {
        let (first, second) = self.by_content.get(content)?;
        if own == Some(*first) { *second } else { Some(*first) }
    }

    /// The earliest with other content.
    fn different(&self, content: &str) -> Option<Tick> {
        match self.any {
            Some((at, known)) if known != content => Some(at),
            Some(_) => self.other,
            None => None,
        }
    }
}

struct Bounds<'a> {
    /// Ends of successes.
    done: Earliest<'a>,
    /// Starts of what may have been done.
    possible: Earliest<'a>,
    /// Starts and ends of everything, sorted.
    starts: Vec<Tick>,
    ends: Vec<Tick>,
}

impl<'a> Bounds<'a> {
    fn of(steps: &[Step<'a>]) -> Self {
        let mut done = Earliest::default();
        let mut possible = Earliest::default();
        for step in steps {
            if step.told == Told::Done {
                done.add(step.content, step.during.to);
            }
            if step.told != Told::NotDone {
                possible.add(step.content, step.during.from);
            }
        }
        let mut starts: Vec<Tick> = steps.iter().map(|step| step.during.from).collect();
        let mut ends: Vec<Tick> = steps.iter().map(|step| step.during.to).collect();
        starts.sort_unstable();
        ends.sort_unstable();
        Self { done, possible, starts, ends }
    }

    fn standing(&self, step: &Step<'a>) -> Standing {
        let Interval { from, to } = step.during;
        let before = |tick: Option<Tick>, bound: Tick| tick.is_some_and(|tick| tick < bound);
        let until = |tick: Option<Tick>, bound: Tick| tick.is_some_and(|tick| tick <= bound);
        let own_start = (step.told != Told::NotDone).then_some(from);
        // Everything that began by our end and had not ended before our start, but for ourselves.
        let begun = self.starts.partition_point(|tick| *tick <= to);
        let over = self.ends.partition_point(|tick| *tick < from);
        Standing {
            committed: before(self.done.same(step.content, None), from),
            committed_other: before(self.done.different(step.content), from),
            maybe: until(self.possible.same(step.content, own_start), to),
            maybe_other: until(self.possible.different(step.content), to),
            contended: begun.saturating_sub(over) > 1,
        }
    }
}

impl Standing {
    /// Whether this outcome can be explained; markers are not looked at.
    pub fn explains(self, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Fresh => !self.committed && !self.committed_other,
            Outcome::Replayed => self.maybe && !self.committed_other,
            Outcome::Conflict => self.maybe_other,
            Outcome::InProgress => self.contended,
            Outcome::RateLimited | Outcome::Stale | Outcome::Refused | Outcome::Unknown => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn step(content: &'static str, from: u64, to: u64, told: Told) -> Step<'static> {
        Step { content, during: Interval { from: Tick(from), to: Tick(to) }, told }
    }

    #[test]
    fn a_repeat_after_the_answer_is_known_to_follow_a_commit() {
        let steps = [step("a", 0, 5, Told::Done), step("a", 6, 9, Told::Done)];
        let found = standings(&steps);
        assert!(!found[0].committed && found[1].committed && !found[1].contended);
    }

    #[test]
    fn a_repeat_that_overlaps_may_be_either() {
        let steps = [step("a", 0, 5, Told::Done), step("a", 4, 9, Told::Done)];
        let found = standings(&steps);
        assert!(!found[1].committed && found[1].maybe && found[1].contended && found[0].contended);
    }

    #[test]
    fn a_lost_attempt_may_have_been_done_at_any_later_time() {
        let steps =
            [step("a", 0, u64::MAX, Told::Open), step("a", 50, 60, Told::Done), step("b", 70, 80, Told::NotDone)];
        let found = standings(&steps);
        assert!(found[1].explains(Outcome::Fresh) && found[1].explains(Outcome::Replayed));
        assert!(found[2].committed_other && found[2].explains(Outcome::Conflict));
    }

    #[test]
    fn a_conflict_before_anything_was_shown_has_no_explanation() {
        let steps = [step("b", 0, 3, Told::NotDone), step("a", 4, 9, Told::Done)];
        assert!(!standings(&steps)[0].explains(Outcome::Conflict));
    }

    /// Every order of the steps that respects their times, with every choice of which open ones happened: the answers
    /// that each step can have been given by an honest key.
    fn by_search(steps: &[Step<'_>], at: usize, outcome: Outcome) -> bool {
        fn places(steps: &[Step<'_>], used: &mut Vec<usize>, check: &mut dyn FnMut(&[usize]) -> bool) -> bool {
            if check(used) {
                return true;
            }
            for next in 0..steps.len() {
                let ready = !used.contains(&next)
                    && (0..steps.len()).all(|other| {
                        used.contains(&other)
                            || other == next
                            || steps[other].during.to >= steps[next].during.from
                            || steps[other].told == Told::Open
                    });
                if ready {
                    used.push(next);
                    if places(steps, used, check) {
                        return true;
                    }
                    used.pop();
                }
            }
            false
        }
        let mut used = Vec::new();
        places(steps, &mut used, &mut |order| {
            if !order.contains(&at) || order.last() != Some(&at) {
                return false;
            }
            // Everything that has to come before `at` by its times is in the order already.
            let complete = (0..steps.len()).all(|other| {
                order.contains(&other)
                    || steps[other].during.to >= steps[at].during.from
                    || steps[other].told == Told::Open
            });
            let earlier: Vec<&Step<'_>> = order[..order.len() - 1].iter().map(|index| &steps[*index]).collect();
            let winner = earlier.iter().find(|step| step.told != Told::NotDone).map(|step| step.content);
            complete
                && match outcome {
                    Outcome::Fresh => winner.is_none(),
                    Outcome::Replayed => winner == Some(steps[at].content),
                    Outcome::Conflict => winner.is_some_and(|content| content != steps[at].content),
                    _ => unreachable!("only these are searched"),
                }
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// What a search over all orders can explain, the one pass explains too: it never raises a false alarm.
        #[test]
        fn the_one_pass_explains_all_that_a_search_over_orders_explains(
            raw in prop::collection::vec((0_u64..12, 0_u64..6, 0_usize..2, 0_usize..3), 1..6)
        ) {
            let steps: Vec<Step<'static>> = raw.iter().map(|(from, length, content, told)| {
                let told = [Told::Done, Told::Open, Told::NotDone][*told];
                let to = if told == Told::Open { u64::MAX } else { from + length };
                step(["a", "b"][*content], *from, to, told)
            }).collect();
            let found = standings(&steps);
            for at in 0..steps.len() {
                for outcome in [Outcome::Fresh, Outcome::Replayed, Outcome::Conflict] {
                    if steps[at].told != Told::NotDone && by_search(&steps, at, outcome) {
                        let relevant = match outcome { Outcome::Conflict => continue, other => other };
                        // Two contents that both succeeded are no honest key; only one content's claims are compared.
                        if steps.iter().filter(|step| step.told == Told::Done).any(|step| step.content != steps[at].content) { continue; }
                        prop_assert!(found[at].explains(relevant), "{steps:?} at {at}: {outcome}");
                    }
                    if steps[at].told == Told::NotDone && outcome == Outcome::Conflict && by_search(&steps, at, outcome) {
                        prop_assert!(found[at].explains(outcome), "{steps:?} at {at}: {outcome}");
                    }
                }
            }
        }
    }
}
