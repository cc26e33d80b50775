//! `onceproof explain`: what a requirement, a scenario, a case or a claim means: what is sent, what is checked, and which
//! sentence of the source asks for it. It sends nothing.

use std::fmt::Write;

use crate::cli::session::all_planned;
use crate::cli::{Failure, Library, Wanted, exit, say};
use crate::plan::{Case, PlannedAsk, PlannedAttempt, Selection, StepAction};
use crate::requirement::Requirement;
use crate::scenario::Claim;

/// Arguments of `explain`.
#[derive(clap::Args, Debug)]
pub struct Explain {
    /// A requirement's id, a scenario's path, a case's id or a claim's name.
    what: String,
    #[command(flatten)]
    wanted: Wanted,
}

impl Explain {
    /// Explains.
    pub fn go(self) -> Result<u8, Failure> {
        let library = Library::load(&self.wanted, &Library::default_contract()).map_err(Failure::input)?;
        let cases = all_planned(&library, &Selection::default())?;
        let path = self.what.strip_prefix("scenarios/").unwrap_or(&self.what);
        let path = path.strip_suffix(".yaml").unwrap_or(path);
        if let Some(requirement) = library.contract.requirements.get(self.what.as_str()) {
            say(&of_requirement(requirement, &cases));
        } else if let Some(case) = cases.iter().find(|case| case.id.as_str() == self.what) {
            say(&of_case(&library, case));
        } else if let Some(case) = cases.iter().find(|case| case.scenario.path.as_str() == path) {
            let count = cases.iter().filter(|other| other.scenario.path == case.scenario.path).count();
            say(&of_scenario(&library, case, count));
        } else if let Some(claim) = Claim::from_word(&self.what) {
            say(&format!("{claim}\n  {}", claim.says()));
        } else {
            let known = library.contract.requirements.keys().map(|id| id.as_str());
            let known =
                known.chain(cases.iter().map(|case| case.scenario.path.as_str())).chain(Claim::WORDS.iter().copied());
            let hint = crate::file::nearest(&self.what, known).map(|near| format!("; did you mean `{near}`?"));
            let hint = hint.unwrap_or_else(|| "; `onceproof list` says what there is".to_owned());
            return Err(Failure::Input(format!("`{}` is no requirement, scenario, case or claim{hint}", self.what)));
        }
        Ok(exit::OK)
    }
}

/// The kinds of client that have to keep it, where it is not all of them.
fn kinds(requirement: &Requirement) -> String {
    let kinds: Vec<&str> = requirement.clients.iter().map(|kind| kind.as_str()).collect();
    if kinds.is_empty() { String::new() } else { format!(" ({})", kinds.join(", ")) }
}

fn of_requirement(requirement: &Requirement, cases: &[Case]) -> String {
    let mut text = format!(
        "{}  {}, {}, of the {}{}\n  {}\n  source    {}\n",
        requirement.id,
        requirement.level,
        requirement.grade,
        requirement.side,
        kinds(requirement),
        requirement.says,
        requirement.source
    );
    if let Some(note) = &requirement.note {
        put(&mut text, format_args!("  open      {note}\n"));
    }
    if let Some(why) = &requirement.not_judged {
        put(&mut text, format_args!("  not judged: {why}\n"));
        return text;
    }
    put(&mut text, format_args!("  proved by\n"));
    let mut told: Vec<(String, usize)> = Vec::new();
    for case in cases {
        for claim in case.claims.iter().filter(|claim| claim.requirements.contains(&requirement.id)) {
            let line = format!("{} in {}: {}", claim.claim, case.scenario.path, case.scenario.title);
            match told.iter_mut().find(|(known, _)| *known == line) {
                Some((_, count)) => *count += 1,
                None => told.push((line, 1)),
            }
        }
    }
    for (line, count) in told {
        put(&mut text, format_args!("    {line} ({count} cases)\n"));
    }
    text
}

fn of_scenario(library: &Library, case: &Case, count: usize) -> String {
    let scenario = &case.scenario;
    let mut text = format!("{}  {count} cases\n  {}\n  {}\n\n", scenario.path, scenario.title, scenario.because.trim());
    put(&mut text, format_args!("one of them, {}\n", case.label()));
    text + &of_case(library, case)
}

fn of_case(library: &Library, case: &Case) -> String {
    let mut text = format!("case {}  {}\n\nsent\n", case.id, case.label());
    for step in &case.steps {
        match &step.action {
            StepAction::Send(attempt) => put(&mut text, format_args!("  {}\n", sent(case, attempt))),
            StepAction::AtOnce { attempts, in_turn } => {
                let how = if *in_turn { "each while those before it are at work" } else { "at once" };
                put(&mut text, format_args!("  {} {how}:\n", attempts.len()));
                for attempt in attempts.iter().take(3) {
                    put(&mut text, format_args!("    {}\n", sent(case, attempt)));
                }
                if attempts.len() > 3 {
                    put(&mut text, format_args!("    … {} more\n", attempts.len() - 3));
                }
            }
            StepAction::Restart { kill } => {
                let how = if *kill { "killed" } else { "stopped" };
                put(&mut text, format_args!("  the subject is {how} and started again on the same store\n"));
            }
            StepAction::Ask(ask) => put(&mut text, format_args!("{}", asked(ask))),
            StepAction::Observe(point) => put(&mut text, format_args!("  the effects are read ({point})\n")),
            StepAction::Reconfigure(calls) => {
                let names: Vec<&str> = calls.iter().map(|call| call.operation.as_str()).collect();
                put(&mut text, format_args!("  the configuration is changed: {}\n", names.join(", ")));
            }
        }
    }
    // Of a client alone, the effects are its server's.
    if case.client.as_ref().is_none_or(|client| client.both) {
        put(&mut text, format_args!("  the effects are read (end)\n"));
    }
    put(&mut text, format_args!("\nchecked\n"));
    for claim in &case.claims {
        let on: Vec<&str> = claim.on.iter().map(|name| name.as_str()).collect();
        put(&mut text, format_args!("  {} on {}: {}\n", claim.claim, on.join(", "), claim.claim.says()));
        for id in &claim.requirements {
            if let Some(requirement) = library.contract.requirements.get(id) {
                put(
                    &mut text,
                    format_args!("    {id} {}: {} ({})\n", requirement.level, requirement.says, requirement.source),
                );
            }
        }
    }
    text
}

fn sent(case: &Case, attempt: &PlannedAttempt) -> String {
    let Some(intent) = case.intents.get(&attempt.intent) else { return String::new() };
    let body: String = String::from_utf8_lossy(&intent.request.body.0).chars().take(160).collect();
    let replica = if attempt.replica > 0 { ", to the other replica" } else { "" };
    let edge = if attempt.behind_edge { ", behind the gateway" } else { "" };
    format!(
        "{} ({}): {} {} as {}{replica}{edge}, meets {}\n        {body}",
        attempt.intent,
        intent.operation,
        intent.request.method,
        intent.request.target,
        intent.credential,
        attempt.passage
    )
}

fn put(text: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing to a String cannot fail.
    let _ = text.write_fmt(line);
}

/// What a program is asked for, and what its attempts meet.
fn asked(ask: &PlannedAsk) -> String {
    let mut text = format!("  the program is asked for `{}`; its attempts meet, in turn:\n", ask.intent);
    for meeting in &ask.meets {
        text.push_str(&format!("    {}\n", meeting.passage));
    }
    text.push_str(&format!("    thereafter {}\n", ask.thereafter.passage));
    text
}
