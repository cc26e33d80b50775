//! One block of the kill matrix: the rows of one contract and one side, what each broke, and what they come to. It judges
//! nothing; it reads reports.

use std::collections::BTreeSet;

use crate::cli::Library;
use crate::judge::RunReport;
use crate::name::RequirementId;
use crate::requirement::{Level, Requirement, Side};

/// One row of the matrix.
pub struct Row {
    /// The kind of fault; `H…` for honest variants.
    pub kind: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Requirements that were violated, those that bind first.
    pub broken: Vec<(RequirementId, Level)>,
    /// Requirements that no case of it could judge. One that some case judged is no gap: on a busy machine a race may not
    /// overlap, and says so.
    pub gaps: Vec<RequirementId>,
    /// Why it breaks nothing that the contract promises, if it does not.
    pub allowed: Option<String>,
}

impl Row {
    /// From what was found when it was judged; a client more than once, as each kind of client.
    pub fn new(library: &Library, kind: &'static str, name: &'static str, reports: &[RunReport]) -> Self {
        let rows = || reports.iter().flat_map(|report| &report.requirements);
        let broken: BTreeSet<(RequirementId, Level)> =
            rows().filter(|row| row.violated > 0).map(|row| (row.id.clone(), row.level)).collect();
        let mut broken: Vec<(RequirementId, Level)> = broken.into_iter().collect();
        broken.sort_by(|(a, first), (b, second)| (second, a).cmp(&(first, b)));
        let judged: BTreeSet<&RequirementId> =
            rows().filter(|row| row.held + row.violated > 0).map(|row| &row.id).collect();
        let unjudged = rows().filter(|row| row.unknown > 0 && !judged.contains(&row.id));
        let gaps: BTreeSet<RequirementId> = unjudged.map(|row| row.id.clone()).collect();
        let reasons = library.contract.reference.as_ref().map(|reference| &reference.lets_pass);
        let allowed = reasons.and_then(|reasons| reasons.get(name)).cloned();
        Self { kind, name, broken, gaps: gaps.into_iter().collect(), allowed }
    }

    fn is_honest(&self) -> bool {
        self.kind.starts_with('H')
    }

    /// As it should be: a saboteur is caught by something that binds, an honest variant by nothing at all. One that the
    /// contract lets pass may be either.
    pub fn is_well(&self) -> bool {
        let binding = self.broken.iter().any(|(_, level)| *level >= Level::Should);
        match (self.is_honest(), &self.allowed) {
            (true, _) => self.broken.is_empty(),
            // Caught or not, by chance or by a probe: nothing is promised, so nothing is asked.
            (false, Some(_)) => true,
            (false, None) => binding,
        }
    }
}

/// The block of one side; `whole` says that every row there is was judged.
pub fn render(library: &Library, side: Side, matrix: &[Row], whole: bool) -> String {
    let count = |honest: bool| matrix.iter().filter(move |row| row.is_honest() == honest && row.allowed.is_none());
    let caught = count(false).filter(|row| row.is_well()).count();
    let passed = count(true).filter(|row| row.is_well()).count();
    let mut lines = vec![format!(
        "{}: {caught} of {} saboteurs caught, {passed} of {} honest variants pass",
        heading(library, side),
        count(false).count(),
        count(true).count()
    )];
    lines.push(String::new());
    for row in matrix {
        if let (Some(why), true) = (&row.allowed, row.is_well()) {
            lines.push(format!("{:<4} {:<32} let pass: {why}", row.kind, row.name));
            continue;
        }
        let verdict = match (row.is_honest() || row.allowed.is_some(), row.is_well()) {
            (true, true) => "passes",
            (true, false) => "FALSE ALARM",
            (false, true) => "caught by",
            (false, false) => "NOT CAUGHT",
        };
        let ids: Vec<String> = row.broken.iter().map(|(id, level)| mark(id, *level)).collect();
        lines.push(format!("{:<4} {:<32} {verdict} {}", row.kind, row.name, ids.join(" ")).trim_end().to_owned());
    }
    let idle: Vec<&str> = library
        .contract
        .requirements
        .values()
        .filter(|requirement: &&Requirement| requirement.side == side && requirement.not_judged.is_none())
        .filter(|requirement| !matrix.iter().any(|row| row.broken.iter().any(|(id, _)| *id == requirement.id)))
        .map(|requirement| requirement.id.as_str())
        .collect();
    lines.push(String::new());
    // A part of the table says nothing about what the whole catches.
    if whole {
        lines.push(match idle.is_empty() {
            true => "every requirement that is judged caught someone".to_owned(),
            false => format!("caught nobody: {}", idle.join(" ")),
        });
    }
    let honest: Vec<&Row> = matrix.iter().filter(|row| row.is_honest()).collect();
    let gaps: BTreeSet<&str> = honest
        .iter()
        .flat_map(|row| row.gaps.iter().map(RequirementId::as_str))
        .filter(|id| honest.iter().all(|row| row.gaps.iter().any(|gap| gap.as_str() == *id)))
        .collect();
    if !honest.is_empty() {
        lines.push(match gaps.is_empty() {
            true => "every requirement is judged on some honest variant".to_owned(),
            false => format!("judged on no honest variant: {}", gaps.into_iter().collect::<Vec<_>>().join(" ")),
        });
    }
    lines.join("\n") + "\n"
}

/// What the block is of.
pub fn heading(library: &Library, side: Side) -> String {
    match side {
        Side::Client => format!("{} clients", library.contract.name),
        Side::Server | Side::Sender | Side::Receiver => library.contract.name.clone(),
    }
}

/// A probe only reports: it is told from what binds.
fn mark(id: &RequirementId, level: Level) -> String {
    if level >= Level::Should { id.to_string() } else { format!("({id})") }
}
