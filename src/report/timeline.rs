//! A case's history as moments, in the order of time: both ends of every exchange, what its fault did, what was read
//! off the road. It shows what is recorded and concludes nothing.

use crate::fault::{Fault, FaultPoint, Passage};
use crate::history::{Action, CallerEnd, Commit, Ending, Entry, Exchange, Exit, Gate, Observation, OriginEnd, Sight};
use crate::report::message_line::{answer, asked, body_line};
use crate::report::moment::{Moment, Sign};
use crate::report::wording::{count, visible};
use crate::time::Tick;

/// The moments of a history, in the order of time.
pub fn moments(entries: &[Entry]) -> Vec<Moment> {
    let exchanges: Vec<&Exchange> = entries
        .iter()
        .filter_map(|entry| match entry {
            Entry::Exchange(exchange) => Some(exchange),
            Entry::Observation(_) | Entry::Action(_) | Entry::Ending(_) => None,
        })
        .collect();
    let many = exchanges.iter().any(|one| Some(&one.intent) != exchanges.first().map(|first| &first.intent));
    let mingled =
        exchanges.windows(2).any(|pair| matches!(pair, [one, next] if one.at_caller.to > next.at_caller.from));
    let mut moments = Vec::new();
    let mut number = 0;
    for entry in entries {
        match entry {
            Entry::Exchange(exchange) => {
                let earlier = exchanges[..number].iter().rev().copied().find(|one| one.intent == exchange.intent);
                number += 1;
                let label = if mingled { format!("#{number} ") } else { String::new() };
                let mut of_one = exchanged(exchange, earlier, many);
                of_one.iter_mut().for_each(|moment| moment.text.insert_str(0, &label));
                moments.append(&mut of_one);
            }
            Entry::Observation(observation) => moments.push(observed(observation, many)),
            Entry::Action(action) => moments.push(acted(action)),
            Entry::Ending(ending) => moments.extend(ended(ending, many)),
        }
    }
    // Stable: what has the same tick stays in the order in which it must have happened.
    moments.sort_by_key(|moment| moment.at);
    moments
}

fn exchanged(exchange: &Exchange, earlier: Option<&Exchange>, many: bool) -> Vec<Moment> {
    let mut moments = vec![Moment {
        at: exchange.at_caller.from,
        sign: Sign::Sent,
        text: asked(&exchange.request, exchange.key.as_deref()),
        remark: road(exchange, earlier, many),
    }];
    let fault = match &exchange.passage {
        Passage::Clear => None,
        Passage::Faulted(fault) => Some(fault),
    };
    let fired = exchange.fault.fired;
    let struck = fault.map(|fault| Moment {
        at: struck_at(exchange, fault),
        sign: Sign::Fault,
        text: match (fired, left_with(&exchange.caller)) {
            (true, Some(left)) => format!("{fault}: {left}"),
            (true, None) => fault.to_string(),
            (false, Some(_) | None) => format!("{fault} did not fire"),
        },
        remark: if !fired {
            visible(&exchange.fault.why)
        } else if exchange.origin == OriginEnd::Untouched {
            commit(exchange)
        } else {
            String::new()
        },
    });
    let mut at_origin = origin(exchange, fault.is_some() && fired);
    if fault.is_some_and(|fault| fault.point() <= FaultPoint::MidRequest) {
        moments.extend(struck);
        moments.append(&mut at_origin);
    } else {
        moments.append(&mut at_origin);
        moments.extend(struck);
    }
    let got = match &exchange.caller {
        CallerEnd::Answered(response) => Some(answer(response)),
        CallerEnd::Refused
        | CallerEnd::Cut { .. }
        | CallerEnd::TimedOut { .. }
        | CallerEnd::HungUp
        | CallerEnd::Unreadable { .. } => {
            // A fault that fired has already said what the caller was left with.
            if fault.is_some() && fired { None } else { left_with(&exchange.caller) }
        }
    };
    moments.extend(got.map(|text| Moment { at: exchange.at_caller.to, sign: Sign::Got, text, remark: String::new() }));
    moments
}

/// The start and the end of a program under test.
fn ended(ending: &Ending, many: bool) -> [Moment; 2] {
    let of = if many { visible(ending.intent.as_str()) } else { String::new() };
    let exit = match ending.exit {
        Exit::Status(status) => format!("the program ended with status {status}"),
        Exit::Signal(signal) => format!("the program was ended by signal {signal}"),
        Exit::StaysUp => "the program answered".to_owned(),
        Exit::KilledAsPlanned => "the program was killed, as planned".to_owned(),
        Exit::StillAtWork => "the program was still at work, and was ended".to_owned(),
    };
    let told = ending.told.map_or_else(|| "and told nothing".to_owned(), |told| format!("and told {}", told.word()));
    let wrote = match ending.wrote.trim().lines().last() {
        Some(line) if ending.told.is_none() || ending.exit != Exit::Status(0) => visible(line),
        Some(_) | None => String::new(),
    };
    [
        Moment { at: ending.at.from, sign: Sign::Action, text: "the program is asked".to_owned(), remark: of },
        Moment { at: ending.at.to, sign: Sign::Action, text: format!("{exit} {told}"), remark: wrote },
    ]
}

fn road(exchange: &Exchange, earlier: Option<&Exchange>, many: bool) -> String {
    let mut words = vec![format!("conn {}", exchange.connection)];
    if exchange.request_on_connection > 1 {
        words.push(format!("request {} on it", exchange.request_on_connection));
    }
    if exchange.replica > 0 {
        words.push(format!("replica {}", exchange.replica + 1));
    }
    if let Some(earlier) = earlier {
        let same = earlier.request.body == exchange.request.body;
        words.push(if same { "same body" } else { "other body" }.to_owned());
    }
    if many {
        words.push(visible(exchange.intent.as_str()));
    }
    words.join(", ")
}

fn origin(exchange: &Exchange, faulted: bool) -> Vec<Moment> {
    let stamps: Vec<Tick> =
        exchange.gates.iter().filter(|stamp| stamp.gate == Gate::AnswerWhole).map(|stamp| stamp.at).collect();
    let end = exchange.at_origin.map_or(exchange.at_caller.to, |interval| interval.to);
    let remark = || if faulted { commit(exchange) } else { String::new() };
    let one = |text: String| vec![Moment { at: end, sign: Sign::Origin, text, remark: remark() }];
    match &exchange.origin {
        OriginEnd::Untouched if faulted => Vec::new(),
        OriginEnd::Untouched => one("origin was shown nothing".to_owned()),
        OriginEnd::Unreachable(why) => one(format!("origin could not be reached: {}", visible(why))),
        OriginEnd::Partial { bytes } => one(format!("origin was shown the first {bytes} bytes of it")),
        OriginEnd::Silent { said, why } if said.0.is_empty() => one(format!("origin said nothing: {}", visible(why))),
        OriginEnd::Silent { said, why } => {
            one(format!("origin did not answer whole: {}; it said {}", visible(why), body_line(&said.0)))
        }
        OriginEnd::Unreadable { said, why } => {
            one(format!("origin answered no HTTP: {}; it said {}", visible(why), body_line(&said.0)))
        }
        OriginEnd::Answered(answers) => {
            // What passed untouched is shown once, as what the caller got.
            if let (CallerEnd::Answered(got), [said], false) = (&exchange.caller, answers.as_slice(), faulted)
                && (got.status, &got.body) == (said.status, &said.body)
            {
                return Vec::new();
            }
            let at = |number: usize| stamps.get(number).copied().unwrap_or(end);
            let moment = |(number, said)| Moment {
                at: at(number),
                sign: Sign::Origin,
                text: format!("origin answered {}", answer(said)),
                remark: remark(),
            };
            answers.iter().enumerate().map(moment).collect()
        }
    }
}

fn commit(exchange: &Exchange) -> String {
    let (known, why) = match exchange.fault.commit {
        Commit::Committed => ("commit proof", "committed"),
        Commit::NotCommitted => ("not committed", "not committed"),
        Commit::Unknown => ("commit not known", "commit not known"),
    };
    match exchange.fault.why.as_str() {
        "" => why.to_owned(),
        said => format!("{known}: {}", visible(said)),
    }
}

/// What a caller without an answer was left with.
fn left_with(caller: &CallerEnd) -> Option<String> {
    let answered = |bytes: &u64| match bytes {
        0 => "before the first byte".to_owned(),
        1 => "after 1 byte of the answer".to_owned(),
        bytes => format!("after {bytes} bytes of the answer"),
    };
    Some(match caller {
        CallerEnd::Answered(_) => return None,
        CallerEnd::Refused => "connection refused".to_owned(),
        CallerEnd::Cut { after, reset: true } => format!("reset {}", answered(after)),
        CallerEnd::Cut { after, reset: false } => format!("closed {}", answered(after)),
        CallerEnd::TimedOut { after } => format!("the caller gave up waiting {}", answered(after)),
        CallerEnd::HungUp => "the caller left".to_owned(),
        CallerEnd::Unreadable { said, why } => format!("no HTTP: {}; it was {}", visible(why), body_line(&said.0)),
    })
}

fn struck_at(exchange: &Exchange, fault: &Fault) -> Tick {
    if !matches!(exchange.caller, CallerEnd::Answered(_)) {
        return exchange.at_caller.to;
    }
    let gate = match fault.point() {
        FaultPoint::Connect | FaultPoint::PreCommit | FaultPoint::Delivery => Gate::RequestWhole,
        FaultPoint::MidRequest => Gate::Forwarded,
        FaultPoint::PostCommit => Gate::AnswerWhole,
        FaultPoint::MidResponse => Gate::HeadToCaller,
    };
    let stamp = exchange.gates.iter().find(|stamp| stamp.gate == gate);
    let otherwise =
        if fault.point() <= FaultPoint::MidRequest { exchange.at_caller.from } else { exchange.at_caller.to };
    stamp.map_or(otherwise, |stamp| stamp.at)
}

fn observed(observation: &Observation, many: bool) -> Moment {
    let effect = visible(observation.effect.as_str());
    let text = match &observation.sight {
        Sight::Seen(rows) => format!("{} of {effect} read", count(rows.len(), "row")),
        Sight::Blind(why) => format!("{effect} could not be read: {}", visible(why)),
    };
    let of = if many { format!(", {}", visible(observation.of.as_str())) } else { String::new() };
    Moment { at: observation.at, sign: Sign::Seen, text, remark: format!("at {}{of}", visible(&observation.point)) }
}

fn acted(action: &Action) -> Moment {
    let text = match &action.failed {
        None => visible(&action.what),
        Some(why) => format!("{} failed: {}", visible(&action.what), visible(why)),
    };
    Moment { at: action.at, sign: Sign::Action, text, remark: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{FaultRecord, GateStamp};
    use crate::message::{Octets, Response};
    use crate::report::example::{exchange, story};
    use crate::report::moment::lay_out;
    use crate::time::Interval;

    fn check(entries: Vec<Entry>, expected: &[&str]) {
        let lines = lay_out(&moments(&entries), 100, |sign| sign.glyph().to_owned());
        assert_eq!(lines, expected);
    }

    fn met(passage: &str, commit: Commit, origin: OriginEnd, caller: CallerEnd) -> Entry {
        let fault = FaultRecord { fired: true, commit, why: String::new() };
        let passage = passage.parse().expect("a passage");
        Entry::Exchange(Exchange { passage, fault, origin, caller, ..exchange(0, 5_000) })
    }

    #[test]
    fn both_ends_are_shown_and_what_passed_untouched_only_once() {
        check(
            story().entries,
            &[
                "     0.0ms  →  POST /v1/decide  key k-91                      conn 3",
                "    11.8ms  ●  origin answered 200 {\"decision_id\":\"dec_41\"}   commit proof: effect seen",
                "    12.1ms  ✂  post-commit reset: reset before the first byte",
                "    62.4ms  →  POST /v1/decide  key k-91                      conn 4, same body",
                "    71.0ms  ←  200 {\"decision_id\":\"dec_42\"}",
                "    80.3ms  ◦  2 rows of decision read                        at end",
            ],
        );
    }

    #[test]
    fn an_answer_from_the_way_is_not_taken_for_the_origin_s() {
        let refusal = match exchange(0, 0).caller {
            CallerEnd::Answered(response) => CallerEnd::Answered(Response { status: 429, ..response }),
            other => other,
        };
        check(
            vec![met("pre-commit answer 429", Commit::NotCommitted, OriginEnd::Untouched, refusal)],
            &[
                "     0.0ms  →  POST /v1/decide  key k-91   conn 3",
                "     0.0ms  ✂  pre-commit answer 429       not committed",
                "     8.6ms  ←  429 {\"decision_id\":\"dec_42\"}",
            ],
        );
    }

    #[test]
    fn a_fault_that_did_not_fire_says_so_and_hides_nothing() {
        let Entry::Exchange(mut missed) = story().entries.remove(0) else { panic!("an exchange comes first") };
        missed.fault = FaultRecord { fired: false, commit: Commit::Unknown, why: "the origin answered 503".into() };
        check(
            vec![Entry::Exchange(missed)],
            &[
                "     0.0ms  →  POST /v1/decide  key k-91        conn 3",
                "    11.8ms  ●  origin answered 200 {\"decision_id\":\"dec_41\"}",
                "    12.1ms  ✂  post-commit reset did not fire   the origin answered 503",
                "    12.1ms  ←  reset before the first byte",
            ],
        );
    }

    #[test]
    fn exchanges_at_the_same_time_are_told_apart() {
        let rival = Exchange { intent: "rival".into(), connection: 2, replica: 1, ..exchange(1, 3_000) };
        let at_origin = Some(Interval { from: Tick(0), to: Tick(9_000) });
        let silent = OriginEnd::Silent { said: Octets::default(), why: "10 s passed".into() };
        let late = Exchange { origin: silent, caller: CallerEnd::TimedOut { after: 0 }, at_origin, ..exchange(0, 0) };
        check(
            vec![Entry::Exchange(late), Entry::Exchange(rival)],
            &[
                "     0.0ms  →  #1 POST /v1/decide  key k-91   conn 3, wanted",
                "     3.0ms  →  #2 POST /v1/decide  key k-91   conn 2, replica 2, rival",
                "     8.6ms  ←  #1 the caller gave up waiting before the first byte",
                "     9.0ms  ●  #1 origin said nothing: 10 s passed",
                "    11.6ms  ←  #2 200 {\"decision_id\":\"dec_42\"}",
            ],
        );
    }

    #[test]
    fn a_duplicate_has_two_answers() {
        let Entry::Exchange(mut twice) =
            met("duplicate", Commit::Committed, OriginEnd::Untouched, exchange(0, 0).caller)
        else {
            panic!("an exchange")
        };
        if let CallerEnd::Answered(answer) = &twice.caller {
            twice.origin = OriginEnd::Answered(vec![answer.clone(), answer.clone()]);
        }
        let stamp = |at, order| GateStamp { gate: Gate::AnswerWhole, at: Tick(at), order };
        twice.gates = vec![stamp(7_000, 1), stamp(8_000, 2)];
        let whys: Vec<String> =
            moments(&[Entry::Exchange(twice)]).iter().map(|one| format!("{} {}", one.at.0, one.text)).collect();
        let answered = r#"origin answered 200 {"decision_id":"dec_42"}"#;
        assert_eq!(whys[1..3], [format!("7000 {answered}"), format!("8000 {answered}")]);
    }
}
