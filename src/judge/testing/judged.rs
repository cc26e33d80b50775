//! A verdict, compared exactly: its kind, its anomalies and the entries that show it.

use crate::judge::verdict::{Anomaly, Verdict};

/// A verdict, to be compared.
pub struct Judged(pub Verdict);

impl Judged {
    /// It holds, and exactly these entries witness it.
    #[track_caller]
    pub fn holds<const N: usize>(&self, witnesses: [u32; N]) {
        let Verdict::Holds(found) = &self.0 else { panic!("expected to hold: {:#?}", self.0) };
        let mut found: Vec<u32> = found.all().map(|entry| entry.0).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found, witnesses);
    }

    /// It holds, and this was observed.
    #[track_caller]
    pub fn observed(&self, words: &str) {
        let Verdict::Holds(found) = &self.0 else { panic!("expected to hold: {:#?}", self.0) };
        assert_eq!(found.observed.as_deref(), Some(words));
    }

    /// It is violated, by exactly these findings: each an anomaly and the entries that show it, `lost [0, 1]`.
    #[track_caller]
    pub fn violated<const N: usize>(&self, findings: [&str; N]) {
        let Verdict::Violated(violation) = &self.0 else { panic!("expected to be violated: {:#?}", self.0) };
        let found: Vec<String> = violation
            .findings()
            .map(|evidence| {
                let shown: Vec<u32> = evidence.shown_by.iter().map(|entry| entry.0).collect();
                format!("{} {shown:?}", told(&evidence.anomaly))
            })
            .collect();
        assert_eq!(found, findings);
    }

    /// Nobody can say, and this is why.
    #[track_caller]
    pub fn unknown(&self, why: &str) {
        let Verdict::Unknown(doubt) = &self.0 else { panic!("expected to be unknown: {:#?}", self.0) };
        assert_eq!(doubt.to_string(), why);
    }
}

fn told(anomaly: &Anomaly) -> String {
    match anomaly {
        Anomaly::Duplicated { times } => format!("duplicated {times}"),
        Anomaly::DivergentReplay(differences) => {
            let places: Vec<String> = differences.iter().map(|difference| difference.at.to_string()).collect();
            if places.is_empty() {
                "divergent replay".to_owned()
            } else {
                format!("divergent replay {}", places.join(" "))
            }
        }
        Anomaly::Lost
        | Anomaly::Unexpected
        | Anomaly::WrongMarker
        | Anomaly::MissedConflict
        | Anomaly::WrongRefusal
        | Anomaly::Leak
        | Anomaly::Miscounted
        | Anomaly::WrongAnswer
        | Anomaly::AskedAgain
        | Anomaly::GaveUp
        | Anomaly::WrongKey
        | Anomaly::ChangedRequest
        | Anomaly::FalseOutcome => anomaly.word().to_owned(),
        // By how much is for people.
        Anomaly::Early { .. } | Anomaly::Late { .. } => anomaly.word().to_owned(),
    }
}
