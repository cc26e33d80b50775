//! `apply-exactly-once`: acknowledged means one effect, unacknowledged at most one. Where no effect can be read, the
//! identities that were answered decide.

use crate::judge::effects::{identities, tally};
use crate::judge::rivals::rivals;
use crate::judge::verdict::{Anomaly, Doubt, Evidence, Verdict};
use crate::judge::view::View;
use crate::plan::PlannedIntent;

/// Checks the claim.
pub fn check(view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let mut findings = Vec::new();
    let mut witnesses = Vec::new();
    let mut doubt = None;
    for intent in on {
        let tally = tally(view, intent, &[]);
        let attempts: Vec<_> = rivals(view, intent).iter().map(|(op, _)| op.entry).collect();
        match tally.seen {
            Ok(seen) => {
                let count = seen.rows.len();
                let expected = bounds(tally.least, tally.most);
                let shown = || attempts.iter().copied().chain(seen.entries.iter().copied());
                if count > tally.most {
                    let times = u32::try_from(count).unwrap_or(u32::MAX);
                    let anomaly = if tally.most == 0 { Anomaly::Unexpected } else { Anomaly::Duplicated { times } };
                    findings.push(Evidence::new(anomaly, expected, effects(count), shown()));
                } else if count < tally.least {
                    findings.push(Evidence::new(Anomaly::Lost, expected, effects(count), shown()));
                } else if tally.most > 0 {
                    witnesses.extend(shown());
                }
            }
            Err(blind) => {
                let known = identities(view, rivals(view, intent).into_iter().map(|(op, _)| op));
                match known.as_slice() {
                    [] => doubt = Some(Doubt::Blind(blind)),
                    [(_, entry)] if attempts.len() > 1 => witnesses.push(*entry),
                    [_] => doubt = Some(Doubt::Blind(blind)),
                    several => {
                        let times = u32::try_from(several.len()).unwrap_or(u32::MAX);
                        let ids: Vec<&str> = several.iter().map(|(identity, _)| identity.as_str()).collect();
                        findings.push(Evidence::new(
                            Anomaly::Duplicated { times },
                            "one identity in every answer",
                            ids.join(", "),
                            several.iter().map(|(_, entry)| *entry),
                        ));
                    }
                }
            }
        }
    }
    Verdict::violated_or(findings, || match doubt {
        Some(doubt) => Verdict::Unknown(doubt),
        None => Verdict::holds(witnesses, "the origin was never shown it, or refused it"),
    })
}

/// How often it has to be there, in words.
pub fn bounds(least: usize, most: usize) -> String {
    match (least, most) {
        (0, 0) => "no effect".to_owned(),
        (least, most) if least == most => effects(least),
        (0, most) => format!("at most {}", effects(most)),
        (least, most) => format!("{least} to {}", effects(most)),
    }
}

/// So many effects, in words.
pub fn effects(count: usize) -> String {
    match count {
        0 => "no effect".to_owned(),
        1 => "1 effect".to_owned(),
        count => format!("{count} effects"),
    }
}
