//! `onceproof list`: what there is. It sends nothing.

use std::collections::BTreeMap;
use std::sync::Arc;

use tabled::builder::Builder;
use tabled::settings::peaker::Priority;
use tabled::settings::{Style, Width};

use crate::cli::session::all_planned;
use crate::cli::{Failure, Library, Wanted, exit, say};
use crate::plan::{Case, Selection};

/// Arguments of `list`.
#[derive(clap::Args, Debug)]
pub struct List {
    /// Scenarios by path or pattern, or requirements by id.
    selectors: Vec<String>,
    #[command(flatten)]
    wanted: Wanted,
    /// List requirements, not scenarios.
    #[arg(long)]
    requirements: bool,
    /// List every case of the scenarios.
    #[arg(long, conflicts_with = "requirements")]
    cases: bool,
}

impl List {
    /// Lists.
    pub fn go(self) -> Result<u8, Failure> {
        let library = Library::load(&self.wanted, &Library::default_contract()).map_err(Failure::input)?;
        let selection = Selection { selectors: self.selectors.clone(), cases: Vec::new() };
        let cases = all_planned(&library, &selection)?;
        match (self.requirements, self.cases) {
            (true, _) => say(&requirements(&library, &cases)),
            (false, true) => {
                let lines: Vec<String> = cases.iter().map(|case| format!("{}  {}", case.id, case.label())).collect();
                say(&lines.join("\n"));
            }
            (false, false) => say(&scenarios(&cases)),
        }
        Ok(exit::OK)
    }
}

fn scenarios(cases: &[Case]) -> String {
    let mut counts: BTreeMap<String, (usize, Arc<crate::scenario::Scenario>)> = BTreeMap::new();
    for case in cases {
        let entry = counts.entry(case.scenario.path.to_string()).or_insert_with(|| (0, Arc::clone(&case.scenario)));
        entry.0 += 1;
    }
    let mut builder = Builder::default();
    builder.push_record(["scenario", "cases", "title"]);
    for (path, (count, scenario)) in &counts {
        builder.push_record([path.clone(), count.to_string(), scenario.title.clone()]);
    }
    format!("{}\n{} scenarios, {} cases", table(builder), counts.len(), cases.len())
}

fn requirements(library: &Library, cases: &[Case]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for id in cases.iter().flat_map(|case| &case.claims).flat_map(|claim| &claim.requirements) {
        *counts.entry(id.as_str()).or_insert(0) += 1;
    }
    let mut builder = Builder::default();
    builder.push_record(["requirement", "level", "grade", "claims", "says"]);
    for requirement in library.contract.requirements.values() {
        let claims = match (&requirement.not_judged, counts.get(requirement.id.as_str())) {
            (Some(_), _) => "none".to_owned(),
            (None, count) => count.copied().unwrap_or_default().to_string(),
        };
        let says = match &requirement.not_judged {
            Some(why) => format!("{} (not judged: {why})", requirement.says),
            None => requirement.says.clone(),
        };
        let cells =
            [requirement.id.to_string(), requirement.level.to_string(), requirement.grade.to_string(), claims, says];
        builder.push_record(cells);
    }
    format!("{}\n{} requirements of {}", table(builder), library.contract.requirements.len(), library.contract.name)
}

fn table(builder: Builder) -> String {
    let columns = terminal_size::terminal_size().map_or(100, |(width, _)| usize::from(width.0));
    let mut table = builder.build();
    table.with(Style::blank()).with(Width::wrap(columns).priority(Priority::max(true)).keep_words(true));
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
