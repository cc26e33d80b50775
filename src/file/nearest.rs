//! The known word that somebody most likely meant.
//!
//! Never guesses wildly: a word that is not close to any known one has no nearest.

/// The closest of the `known` words, or none when even the closest is too far for a slip of the hand.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = folded(word);
    let distances = known.into_iter().filter_map(|candidate| {
        let folded = folded(candidate);
        let distance = strsim::osa_distance(&word, &folded);
        (distance <= slips(&word, &folded)).then_some((distance, candidate))
    });
    let closest = distances.min_by_key(|(distance, _)| *distance);
    closest.map(|(_, candidate)| candidate)
}

/// Longer input is not a word, and comparing it would cost time.
const LONGEST: usize = 64;

/// `Content-Type` and `content_type` are the same word to a hurried hand.
fn folded(word: &str) -> String {
    word.trim().to_lowercase().replace(['-', ' '], "_")
}

/// How many slips are believable: none in `at` (it may be anything), three in `request_identity`.
fn slips(word: &str, candidate: &str) -> usize {
    let letters = word.chars().count().max(candidate.chars().count());
    match letters {
        0..=2 => 0,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = ["send", "expect", "headers", "request_identity", "at"];

    #[test]
    fn a_slip_finds_the_word() {
        for (slip, meant) in [
            ("snd", "send"),
            ("sned", "send"),
            ("expects", "expect"),
            ("heders", "headers"),
            ("Headers", "headers"),
            ("request-identity", "request_identity"),
            ("requestidentty", "request_identity"),
        ] {
            assert_eq!(nearest(slip, KNOWN), Some(meant), "{slip}");
        }
    }

    #[test]
    fn a_stranger_finds_nothing() {
        for stranger in ["", "to", "body", "recv", "retries", &"x".repeat(1_000_000)] {
            assert_eq!(nearest(stranger, KNOWN), None);
        }
    }

    #[test]
    fn the_closest_word_wins_whatever_the_order() {
        assert_eq!(nearest("arms", ["arm", "arms_", "armed"]), Some("arm"));
        assert_eq!(nearest("steps", ["stop", "step", "steps"]), Some("steps"));
    }
}
