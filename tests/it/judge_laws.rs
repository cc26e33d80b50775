//! Laws of the judge on generated histories: an honest key raises no alarm, one tampering is found by the claim that is
//! about it, and no history is judged better for being worse. A small model of one key plays the server.

mod model;

use onceproof::history::{
    CallerEnd, Entry, Exchange, HistoryReader, HistoryWriter, Observation, OriginEnd, Recorder, RunHeader,
    SealedHistory, Sight,
};
use onceproof::json::Json;
use onceproof::judge::{Verdict, judge};
use onceproof::message::{Octets, Response};
use onceproof::name::{CaseId, IntentName};
use proptest::prelude::*;

use self::model::{Fate, Played, Try, Who, json, play, response};

impl Played {
    fn sealed(&self) -> SealedHistory {
        sealed(&self.entries)
    }

    /// Each claim and its verdict.
    fn verdicts(&self) -> Vec<(String, Verdict)> {
        let named = |on: &[IntentName]| on.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
        judge(&self.case, &self.sealed())
            .verdicts
            .into_iter()
            .map(|found| (format!("{}: {}", found.claim, named(&found.on)), found.verdict))
            .collect()
    }

    /// The names of what was found by a claim.
    fn anomalies(&self, claim: &str) -> Vec<&'static str> {
        let (_, verdict) = self.verdicts().into_iter().find(|(name, _)| name == claim).expect("the claim was made");
        match verdict {
            Verdict::Violated(violation) => violation.findings().map(|evidence| evidence.anomaly.word()).collect(),
            Verdict::Holds(_) | Verdict::Unknown(_) => Vec::new(),
        }
    }

    fn exchanges(&mut self) -> impl DoubleEndedIterator<Item = &mut Exchange> {
        self.entries.iter_mut().filter_map(|entry| match entry {
            Entry::Exchange(exchange) => Some(exchange),
            Entry::Observation(_) | Entry::Action(_) | Entry::Ending(_) => None,
        })
    }

    /// The rows of `wanted` at the end.
    fn rows(&mut self) -> &mut Vec<Json> {
        let found = self.entries.iter_mut().find_map(|entry| match entry {
            Entry::Observation(Observation { of, point, sight: Sight::Seen(rows), .. })
                if of.as_str() == "wanted" && point == "end" =>
            {
                Some(rows)
            }
            Entry::Exchange(_) | Entry::Observation(_) | Entry::Action(_) | Entry::Ending(_) => None,
        });
        found.expect("read at the end")
    }

    /// The last single answer of `intent` with this text in it that began after an answer to `first` that is a success.
    fn later(&mut self, intent: &str, first: &str, text: &str) -> Option<&mut Response> {
        let done = self
            .exchanges()
            .filter(|exchange| exchange.intent.as_str() == first)
            .filter(|exchange| said(exchange).is_some_and(|answer| answer.status == 200))
            .filter_map(|exchange| Some(exchange.at_origin?.to))
            .min()?;
        let found = self.exchanges().rev().find(|exchange| {
            exchange.intent.as_str() == intent
                && exchange.at_origin.is_some_and(|shown| shown.from > done)
                && said(exchange).is_some_and(|answer| String::from_utf8_lossy(&answer.body.0).contains(text))
        })?;
        match &mut found.origin {
            OriginEnd::Answered(answers) => answers.first_mut(),
            _ => None,
        }
    }

    /// Writes other text into an answer found by [`Played::later`].
    fn altered(&self, (intent, first, text): (&str, &str, &str), instead: &str) -> Option<Played> {
        let mut copy = self.clone();
        let answer = copy.later(intent, first, text)?;
        let body = String::from_utf8_lossy(&answer.body.0).replace(text, instead);
        *answer = response(if body.contains("error") { answer.status } else { 200 }, &body);
        Some(copy)
    }
}

fn said(exchange: &Exchange) -> Option<&Response> {
    match &exchange.origin {
        OriginEnd::Answered(answers) => answers.first(),
        _ => None,
    }
}

fn sealed(entries: &[Entry]) -> SealedHistory {
    let recorder = Recorder::new();
    entries.iter().cloned().for_each(|entry| recorder.add(entry));
    recorder.seal(None)
}

/// What a verdict says, without the numbers of entries.
fn spoken(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Holds(witnesses) => format!("holds {:?}", witnesses.observed),
        Verdict::Unknown(doubt) => doubt.to_string(),
        Verdict::Violated(violation) => violation
            .findings()
            .map(|found| format!("{:?} {} {}; ", found.anomaly, found.expected, found.observed))
            .collect(),
    }
}

fn tries() -> impl Strategy<Value = Try> {
    let who = prop_oneof![4 => Just(Who::Wanted), 2 => Just(Who::Changed), 1 => Just(Who::Far), 2 => Just(Who::All)];
    let fate = prop_oneof![
        5 => Just(Fate::Clear),
        1 => Just(Fate::LostBefore),
        2 => Just(Fate::LostAfter),
        1 => prop::option::of(0_usize..3).prop_map(Fate::Silent),
    ];
    (who, fate, any::<bool>(), any::<bool>()).prop_map(|(who, fate, busy, loose)| Try { who, fate, busy, loose })
}

fn steps() -> impl Strategy<Value = Vec<Vec<Try>>> {
    let step = prop_oneof![3 => prop::collection::vec(tries(), 1), 1 => prop::collection::vec(tries(), 2..4)];
    (prop::collection::vec(step, 1..6), any::<bool>()).prop_map(|(mut steps, one_content)| {
        if one_content {
            for one in steps.iter_mut().flatten().filter(|one| one.who == Who::Changed) {
                one.who = Who::Wanted;
            }
        }
        steps
    })
}

fn honest() -> impl Strategy<Value = Played> {
    (steps(), prop::option::of(0_usize..6)).prop_map(|(steps, observed)| play(&steps, observed))
}

fn laws() -> ProptestConfig {
    ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn an_honest_key_raises_no_alarm(played in honest()) {
        for (claim, verdict) in played.verdicts() {
            prop_assert!(verdict.rank() < 2, "{claim}: {verdict:?}");
        }
    }

    #[test]
    fn a_repeated_effect_is_a_duplicate(mut played in honest()) {
        prop_assume!(!played.rows().is_empty());
        played.rows().push(json(r#"{"thing_id":"thing-9999","size":3}"#));
        prop_assert_eq!(played.anomalies("apply-exactly-once: wanted"), ["duplicated"]);
    }

    #[test]
    fn an_acknowledged_effect_that_is_gone_is_lost(mut played in honest()) {
        let acknowledged = played.exchanges().any(|one| {
            one.intent.as_str() != "far" && said(one).is_some_and(|answer| answer.status == 200 && !answer.body.0.starts_with(br#"{"results":[{"status":"error""#))
        });
        prop_assume!(acknowledged);
        played.rows().clear();
        prop_assert_eq!(played.anomalies("apply-exactly-once: wanted"), ["lost"]);
        prop_assert_eq!(played.anomalies("apply-at-least-once: wanted, far"), ["lost"]);
    }

    #[test]
    fn an_altered_replay_diverges(played in honest()) {
        for instead in [r#""size":9"#, r#""size":3.0"#, r#""size":3,"more":null"#, r#""sise":3"#] {
            let Some(altered) = played.altered(("wanted", "wanted", r#""size":3"#), instead) else { return Ok(()) };
            prop_assert_eq!(altered.anomalies("replay-verbatim: wanted, far"), ["divergent replay"], "{}", instead);
        }
    }

    #[test]
    fn a_moved_identity_diverges(played in honest()) {
        let Some(moved) = played.altered(("wanted", "wanted", "thing-000"), "thing-900") else { return Ok(()) };
        prop_assert_eq!(moved.anomalies("replay-verbatim: wanted, far"), ["divergent replay"]);
    }

    #[test]
    fn a_marker_that_is_dropped_or_altered_is_wrong(played in honest()) {
        for instead in [r#""again":false"#, r#""again":"true""#, r#""once":true"#] {
            let Some(altered) = played.altered(("wanted", "wanted", r#""again":true"#), instead) else { return Ok(()) };
            prop_assert_eq!(altered.anomalies("mark-replay: wanted, changed, far"), ["wrong marker"], "{}", instead);
        }
    }

    #[test]
    fn a_conflict_that_is_answered_by_a_success_is_missed(played in honest()) {
        for (first, later) in [("wanted", "changed"), ("changed", "wanted")] {
            let Some(missed) = played.altered((later, first, r#""error":"other request""#), r#""thing_id":"thing-9999""#) else { continue };
            prop_assert_eq!(missed.anomalies(&format!("refuse-conflict: {later}")), ["missed conflict"]);
        }
    }

    #[test]
    fn two_identities_in_a_race_are_a_duplicate(mut played in honest()) {
        let copies: Vec<(u32, bool)> = played
            .exchanges()
            .map(|one| (one.step, matches!(one.intent.as_str(), "wanted" | "changed") && said(one).is_some_and(|answer| answer.status == 200)))
            .collect();
        let step = copies.iter().find(|(step, _)| copies.iter().filter(|copy| **copy == (*step, true)).count() > 1);
        let Some((step, _)) = step.copied() else { return Ok(()) };
        let last = played.exchanges().rev().find(|one| one.step == step && one.intent.as_str() != "far" && one.intent.as_str() != "all" && said(one).is_some_and(|answer| answer.status == 200));
        if let Some(OriginEnd::Answered(answers)) = last.map(|one| &mut one.origin) {
            answers[0] = response(200, &String::from_utf8_lossy(&answers[0].body.0).replace("thing-000", "thing-900"));
        }
        let found = played.anomalies("answer-losers: wanted, changed");
        prop_assert!(!found.is_empty() && found.iter().all(|word| *word == "duplicated"), "{found:?}");
    }

    #[test]
    fn a_worse_history_is_never_judged_better(played in honest(), order in Just([0, 1, 2, 3]).prop_shuffle()) {
        let mut worse = played;
        for which in order {
            let next = match which {
                0 | 1 => {
                    let mut copy = worse.clone();
                    copy.rows().push(json(&format!(r#"{{"thing_id":"thing-99{which}","size":3}}"#)));
                    Some(copy)
                }
                2 => worse.altered(("wanted", "wanted", r#""size":3"#), r#""size":8"#),
                _ => worse.altered(("wanted", "wanted", "thing-000"), "thing-800"),
            };
            let Some(next) = next else { continue };
            for ((claim, before), (_, after)) in worse.verdicts().iter().zip(next.verdicts()) {
                prop_assert!(after.rank() >= before.rank(), "{claim}: {before:?} became {after:?}");
            }
            worse = next;
        }
    }

    #[test]
    fn the_order_of_unrelated_entries_does_not_matter(played in honest()) {
        let far = |entry: &Entry| match entry {
            Entry::Exchange(one) => one.intent.as_str() == "far",
            Entry::Observation(seen) => seen.of.as_str() == "far",
            Entry::Action(_) | Entry::Ending(_) => false,
        };
        let (apart, own): (Vec<Entry>, Vec<Entry>) = played.entries.iter().cloned().partition(far);
        let first = Played { case: played.case.clone(), entries: apart.iter().chain(&own).cloned().collect() };
        let last = Played { case: played.case.clone(), entries: own.iter().chain(&apart).cloned().collect() };
        for (((claim, one), (_, first)), (_, last)) in played.verdicts().iter().zip(first.verdicts()).zip(last.verdicts()) {
            prop_assert_eq!(spoken(one), spoken(&first), "{}", claim);
            prop_assert_eq!(spoken(one), spoken(&last), "{}", claim);
        }
    }

    #[test]
    fn an_empty_history_and_a_part_of_one_never_hold(played in honest(), gone in any::<prop::sample::Index>()) {
        let empty = Played { case: played.case.clone(), entries: Vec::new() };
        let mut part = played.clone();
        let attempts: Vec<usize> = (0..part.entries.len()).filter(|at| matches!(part.entries[*at], Entry::Exchange(_))).collect();
        part.entries.remove(attempts[gone.index(attempts.len())]);
        for (claim, verdict) in empty.verdicts().into_iter().chain(part.verdicts()) {
            prop_assert!(verdict.rank() > 0, "{claim}: {verdict:?}");
        }
    }

    #[test]
    fn a_fault_that_did_not_fire_never_holds(mut played in honest()) {
        let Some(fault) = played.exchanges().find(|one| one.passage.to_string() != "clear").map(|one| &mut one.fault) else { return Ok(()) };
        fault.fired = false;
        for (claim, verdict) in played.verdicts() {
            prop_assert!(verdict.rank() == 1, "{claim}: {verdict:?}");
        }
    }

    #[test]
    fn a_file_reads_as_it_was_written(
        mut played in honest(),
        body in prop::collection::vec(any::<u8>(), 0..40),
        header in "[\\PC\\n\"]{0,8}",
        unfinished in prop::option::of("\\PC{0,12}"),
        row in prop::sample::select(vec![r#""\ud800""#, "1.0", "1e400", "-0", r#"{"$number":"1","a":1,"a":2}"#, "[[],null]"]),
    ) {
        played.rows().push(json(row));
        for one in played.exchanges() {
            one.request.body.0.clone_from(&body);
            one.request.headers.push((header.clone(), header.clone()));
            one.caller = CallerEnd::Unreadable { said: Octets(body.clone()), why: header.clone() };
        }
        let recorder = Recorder::new();
        played.entries.iter().cloned().for_each(|entry| recorder.add(entry));
        let history = recorder.seal(unfinished);
        let (id, other) = (played.case.id.clone(), CaseId::from("00000f"));
        let mut writer = HistoryWriter::begin(Vec::new(), header_of()).expect("begun");
        writer.add(&id, &history).expect("added");
        writer.add(&other, &sealed(&[])).expect("added");
        let file = writer.end(true).expect("ended");
        let read = HistoryReader::read(file.as_slice()).expect("read");
        prop_assert_eq!(read.run, header_of());
        prop_assert!(read.complete);
        prop_assert_eq!(read.cases, vec![(id, history), (other, sealed(&[]))]);
    }
}

fn header_of() -> RunHeader {
    RunHeader {
        version: "0".to_owned(),
        subject: "s".to_owned(),
        contract: "things".to_owned(),
        seed: 7,
        selection: vec!["a".to_owned()],
        missing: Vec::new(),
        abilities: serde_json::json!({ "replicas": 1 }),
        files: [("a.yaml".to_owned(), "é\n".to_owned())].into(),
        waivers: Some(("w.yaml".to_owned(), "known flaky: []\n".to_owned())),
    }
}

#[test]
fn an_edited_or_truncated_file_is_refused_or_says_the_same() {
    let one = |who, fate| vec![Try { who, fate, busy: false, loose: false }];
    let played = play(&[one(Who::Wanted, Fate::LostAfter), one(Who::Wanted, Fate::Clear)], Some(1));
    let mut writer = HistoryWriter::begin(Vec::new(), header_of()).expect("begun");
    writer.add(&played.case.id, &played.sealed()).expect("added");
    let file = writer.end(true).expect("ended");
    let whole = HistoryReader::read(file.as_slice()).expect("read");
    let refused = |bytes: &[u8]| HistoryReader::read(bytes).map_or(true, |read| read == whole);
    for at in 0..file.len() {
        assert!(refused(&file[..at]), "cut after {at} bytes");
        let mut edited = file.clone();
        // Another letter or digit, a case, a line end: what an editor would leave.
        edited[at] = [file[at] ^ 1, file[at] ^ 0x20, b'\n', b' ', b'0', 0xff][at % 6];
        assert!(refused(&edited), "byte {at}: {:?}", String::from_utf8_lossy(&edited[at.saturating_sub(20)..at + 1]));
        edited.clone_from(&file);
        edited.remove(at);
        assert!(refused(&edited), "without byte {at}");
    }
}
