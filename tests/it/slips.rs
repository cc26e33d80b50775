//! Slips of a hand, an editor or a disk in files that were well: whatever they become, they are told or taken, at once.

use std::sync::Arc;

use onceproof::file::{Problems, Source};
use onceproof::scenario::{self, Claim, Scenario};
use onceproof::{contract, plan, subject};

use crate::files::{SUBJECT, WAIVERS, curious, environment, source, yaml_below};

/// Xorshift: the same files in every run.
pub struct Random(pub u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or_default() % most.max(1)
    }
}

/// One to three slips of a hand, an editor or a disk.
pub fn mutated(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let lines: Vec<Vec<u8>> = bytes.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
        let (at, line) = (random.below(bytes.len()), random.below(lines.len()));
        match random.below(7) {
            0 => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => bytes.truncate(at),
            2 => bytes = [&lines[..line], &lines[(line + 1).min(lines.len())..]].concat().concat(),
            3 => {
                let mut twice = lines.clone();
                twice.extend(lines.get(line).cloned());
                bytes = twice.concat();
            }
            4 => {
                let mut moved = lines.clone();
                moved.swap(line, random.below(lines.len()));
                bytes = moved.concat();
            }
            // A word in another's place: most of these are still YAML, and reach the checks of the meaning.
            5 => {
                let text = String::from_utf8_lossy(&bytes).into_owned();
                let words: Vec<&str> = text
                    .split(|letter: char| !letter.is_alphanumeric() && letter != '$')
                    .filter(|word| !word.is_empty())
                    .collect();
                if let (Some(old), Some(new)) =
                    (words.get(random.below(words.len())), words.get(random.below(words.len())))
                {
                    bytes = text.replacen(old, new, 1 + random.below(3)).into_bytes();
                }
            }
            _ => {
                let piece =
                    ["\t", "\r", "\u{0}", "*a", "&a ", "{{", "}", "$", "- ", ": ", "99999999999", "é", "[", "~"];
                let piece = piece[random.below(piece.len())].bytes();
                bytes.splice(at..at, piece);
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn no_slip_in_any_file_makes_a_loader_or_the_plan_panic_or_hang() {
    let began = std::time::Instant::now();
    let mut random = Random(0x0bad_5eed_1234_5678);
    let (curious, text) = curious();
    let scenarios: Vec<Source> =
        yaml_below("scenarios/server").iter().map(|path| source(path, &path.display().to_string())).collect();
    let loaded: Vec<(Arc<Scenario>, Source)> = scenarios
        .iter()
        .map(|source| (Arc::new(scenario::load(source).expect("bundled scenarios are well")), source.clone()))
        .collect();
    let mut refused = [0, 0, 0, 0];
    let mut wrong = |which: usize, problems: &Problems| {
        refused[which] += 1;
        assert!(!problems.render(true).is_empty());
        for problem in &problems.list {
            let text = &problems.source.text;
            assert!(text.get(problem.span.start..problem.span.end).is_some(), "{problem:?} is no place in\n{text}");
        }
    };
    for round in 0..2_000 {
        let original = &scenarios[random.below(scenarios.len())];
        let source = Source::new(original.name.clone(), mutated(&original.text, &mut random));
        match scenario::load(&source) {
            Ok(scenario) => {
                let found = plan::check_scenarios(&curious, &[(Arc::new(scenario), source)]);
                found.iter().for_each(|problems| wrong(0, problems));
            }
            Err(problems) => wrong(0, &problems),
        }
        let source = Source::new("subject.yaml", mutated(SUBJECT, &mut random));
        match subject::load(&source, &environment, &[]).and_then(|_| subject::against(&source, &curious)) {
            Ok(()) => {}
            Err(problems) => wrong(1, &problems),
        }
        let source = Source::new("waivers.yaml", mutated(WAIVERS, &mut random));
        let today = Some(jiff::civil::date(2026, 12, 1));
        match plan::Waivers::load(&source, today).and_then(|waivers| waivers.against_contract(&curious)) {
            Ok(()) => {}
            Err(problems) => wrong(3, &problems),
        }
        // The contract is fifty times as long.
        if round % 10 == 0 {
            let source = Source::new("curious.yaml", mutated(&text.text, &mut random));
            match contract::load(&source, Claim::WORDS) {
                Ok(contract) => {
                    let some = &loaded[random.below(loaded.len())];
                    let found = plan::check(&Arc::new(contract), &source, std::slice::from_ref(some));
                    found.iter().for_each(|problems| wrong(2, problems));
                }
                Err(problems) => wrong(2, &problems),
            }
        }
    }
    assert!(refused[3] > 1_000, "too few slips were seen: {refused:?}");
    assert!(refused[0] > 1_000 && refused[1] > 1_000 && refused[2] > 100, "too few slips were seen: {refused:?}");
    assert!(began.elapsed() < std::time::Duration::from_secs(120), "{:?}", began.elapsed());
}
