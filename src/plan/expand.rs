//! Expands scenarios into cases. One case is one scenario in one cell of its axes, for one contract.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::contract::{Contract, Outcome, Replay};
use crate::fault::Passage;
use crate::name::{AttemptNo, CaseId, IntentName, OperationName};
use crate::plan::axes::{AxisCell, cells};
use crate::plan::case::{
    Case, Meeting, PlannedAsk, PlannedAttempt, PlannedIntent, PlannedStep, Setup, StepAction, Wanted,
};
use crate::plan::claims::planned_claims;
use crate::plan::client::lacks_of_client;
use crate::plan::credential::Abilities;
use crate::plan::intent::{PlanProblem, Stage};
use crate::plan::mint::{Seed, case_id};
use crate::plan::template::{render_json, render_text};
use crate::requirement::Side;
use crate::scenario::{Need, Scenario, Slot, StepKind};

/// What scenarios are expanded for.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The contract.
    pub contract: Arc<Contract>,
    /// What the subject can do.
    pub abilities: Abilities,
    /// The seed.
    pub seed: Seed,
}

/// The cases of one scenario, in order of its axes; none when it does not apply to the contract.
pub fn expand(scenario: &Arc<Scenario>, setting: &Setting) -> Result<Vec<Case>, Vec<PlanProblem>> {
    let contract = &setting.contract;
    if !scenario.needs.iter().all(|need| declares(contract, *need)) {
        return Ok(Vec::new());
    }
    let client = setting.abilities.client.as_ref();
    if (scenario.side == Side::Client) != client.is_some() {
        return Ok(Vec::new());
    }
    let rules = client.and_then(|client| contract.client(Some(client.kind.as_str())));
    if client.is_some() && rules.is_none() {
        return Ok(Vec::new());
    }
    let axes = cells(scenario, contract, rules).map_err(|problem| vec![problem])?;
    let namespace = setting.seed.namespace();
    let mut planned = Vec::new();
    let mut problems: Vec<PlanProblem> = Vec::new();
    for cell in axes {
        match case(scenario, setting, &namespace, cell) {
            // What no request can carry is not asked for; what is promised by another kind of client only, or not
            // governed here, leaves nothing to claim.
            Ok(None) => {}
            Ok(Some(case)) if case.claims.is_empty() => {}
            Ok(Some(case)) => planned.push(case),
            Err(found) => problems.extend(found),
        }
    }
    problems.sort_by(|a, b| (a.span, &a.message).cmp(&(b.span, &b.message)));
    problems.dedup();
    if problems.is_empty() { Ok(planned) } else { Err(problems) }
}

/// The one case of a scenario that claims nothing: for trying whether something can be worked with.
/// The error is for people.
pub fn rehearsed(scenario: &Arc<Scenario>, setting: &Setting) -> Result<Case, String> {
    let told =
        |problems: Vec<PlanProblem>| problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ");
    let case = case(scenario, setting, &setting.seed.namespace(), AxisCell::new()).map_err(told)?;
    case.ok_or_else(|| "its key cannot be carried".to_owned())
}

fn declares(contract: &Contract, need: Need) -> bool {
    let mut operations = contract.operations.values();
    match need {
        Need::StoredReplay => {
            operations.any(|operation| operation.key().is_some_and(|key| key.replay == Replay::Verbatim))
        }
        Need::Conflict => operations.any(|operation| operation.key().is_some() && operation.names(Outcome::Conflict)),
        Need::InProgress => operations.any(|operation| operation.names(Outcome::InProgress)),
        Need::Batch => operations.any(|operation| operation.batch.is_some()),
        Need::Scopes => !contract.scopes.is_empty(),
    }
}

fn case(
    scenario: &Arc<Scenario>,
    setting: &Setting,
    namespace: &str,
    axes: AxisCell,
) -> Result<Option<Case>, Vec<PlanProblem>> {
    let contract = &setting.contract;
    let values: Vec<String> = axes.iter().map(|(name, value)| format!("{name}={value}")).collect();
    let kind = setting.abilities.client.as_ref().map(|client| client.kind.as_str());
    let parts = [contract.name.as_str(), scenario.path.as_str()]
        .into_iter()
        .chain(values.iter().map(String::as_str))
        .chain(kind);
    let id: CaseId = case_id(parts);
    let stage = Stage { scenario, axes: &axes, contract, abilities: &setting.abilities, namespace, case: &id };
    let one = |problem: PlanProblem| vec![problem];
    let (intents, mut lacks) = stage.intents().map_err(one)?;
    if intents.values().any(|intent| !intent.is_carried) {
        return Ok(None);
    }
    let mut counter = Counter { next: 0 };
    let mut steps = Vec::new();
    for step in &scenario.when {
        let actions = actions(&stage, &step.what, &intents, &mut counter, &mut lacks).map_err(one)?;
        for action in actions {
            steps.push(PlannedStep { no: u32::try_from(steps.len()).unwrap_or(u32::MAX), action });
        }
    }
    let setup = setup(&stage, &intents).map_err(one)?;
    let claims = planned_claims(&stage, &intents)?;
    let mut case = Case {
        id: id.clone(),
        contract: Arc::clone(contract),
        scenario: Arc::clone(scenario),
        cell: axes.clone(),
        intents,
        setup,
        steps,
        claims,
        lacks,
        client: setting.abilities.client.clone(),
    };
    if let Some(client) = &setting.abilities.client {
        case.lacks.extend(lacks_of_client(&case, client));
    }
    if case.client.is_none() && case.needs_process() && !setting.abilities.restarts {
        case.lacks.push("process that we can end: give its start command".to_owned());
    }
    case.lacks.sort();
    case.lacks.dedup();
    Ok(Some(case))
}

struct Counter {
    next: u32,
}

impl Counter {
    fn attempt(&mut self, intent: &IntentName, passage: Passage, replica: u32, behind_edge: bool) -> PlannedAttempt {
        let no = AttemptNo(self.next);
        self.next += 1;
        PlannedAttempt { no, intent: intent.clone(), passage, replica, behind_edge }
    }
}

fn actions(
    stage: &Stage<'_>,
    step: &StepKind,
    intents: &IndexMap<IntentName, PlannedIntent>,
    counter: &mut Counter,
    lacks: &mut Vec<String>,
) -> Result<Vec<StepAction>, PlanProblem> {
    let number = |slot: Option<&Slot>| match slot {
        None => Ok(1),
        Some(slot) => {
            stage.filled(slot)?.parse::<u32>().ok().filter(|count| (1..=256).contains(count)).ok_or_else(|| {
                PlanProblem {
                    span: slot.span,
                    message: "expected a number from 1 to 256".to_owned(),
                    label: String::new(),
                }
            })
        }
    };
    let intent = |slot: &Slot| {
        let name = IntentName::from(stage.filled(slot)?);
        match intents.get(&name) {
            Some(_) => Ok(name),
            None => Err(PlanProblem {
                span: slot.span,
                message: format!("`{name}` is not given"),
                label: "no intent".to_owned(),
            }),
        }
    };
    match step {
        StepKind::Send { intent: slot, meets, thereafter, .. } if stage.abilities.client.is_some() => {
            let name = intent(slot)?;
            let meets = meets.iter().map(|meets| stage.meeting(&intents[&name], meets)).collect::<Result<_, _>>()?;
            let clear = || Ok(Meeting { passage: Passage::Clear, says: None });
            let thereafter = thereafter.as_ref().map_or_else(clear, |slot| stage.meeting(&intents[&name], slot))?;
            Ok(vec![StepAction::Ask(PlannedAsk { intent: name, meets, thereafter })])
        }
        StepKind::Send { intent: slot, meets, times, other_replica, behind_edge, .. } => {
            if *other_replica && stage.abilities.replicas < 2 {
                lacks.push("second replica".to_owned());
            }
            if *behind_edge && !stage.abilities.edge {
                lacks.push("gateway that we can put in front of it".to_owned());
            }
            let name = intent(slot)?;
            let mut sends = Vec::new();
            for _ in 0..number(times.as_ref())? {
                for meets in meets {
                    let passage = stage.filled(meets)?.parse::<Passage>().map_err(|bad| PlanProblem {
                        span: meets.span,
                        message: bad.to_string(),
                        label: "not a passage".to_owned(),
                    })?;
                    sends.push(StepAction::Send(counter.attempt(
                        &name,
                        passage,
                        u32::from(*other_replica),
                        *behind_edge,
                    )));
                }
            }
            Ok(sends)
        }
        StepKind::AtOnce { intents: slots, copies, in_turn } => {
            let mut attempts = Vec::new();
            for _ in 0..number(copies.as_ref())? {
                for slot in slots {
                    attempts.push(counter.attempt(&intent(slot)?, Passage::Clear, 0, false));
                }
            }
            Ok(vec![StepAction::AtOnce { attempts, in_turn: *in_turn }])
        }
        StepKind::Restart { how } => match stage.filled(how)?.as_str() {
            "kill" => Ok(vec![StepAction::Restart { kill: true }]),
            "stop" => Ok(vec![StepAction::Restart { kill: false }]),
            other => Err(PlanProblem {
                span: how.span,
                message: format!("`{other}` is not a way to restart: expected stop or kill"),
                label: String::new(),
            }),
        },
        StepKind::Observe { point } => Ok(vec![StepAction::Observe(point.clone())]),
        StepKind::Reconfigure { intent: slot } => {
            let name = intent(slot)?;
            let operation = &stage.contract.operations[&intents[&name].operation];
            let change = operation.reconfigure.as_ref().map(|own| own.change.as_slice()).unwrap_or_default();
            if change.is_empty() {
                return Err(PlanProblem {
                    span: slot.span,
                    message: format!("`{}` of {} says no way to reconfigure it", operation.name, stage.contract.name),
                    label: String::new(),
                });
            }
            Ok(vec![StepAction::Reconfigure(setups(stage, &intents[&name], change)?)])
        }
    }
}

/// The calls that give configured intents a configuration of their own.
fn setup(stage: &Stage<'_>, intents: &IndexMap<IntentName, PlannedIntent>) -> Result<Vec<Setup>, PlanProblem> {
    let mut calls: Vec<Setup> = Vec::new();
    for (name, decl) in &stage.scenario.given {
        let intent = &intents[name];
        let configured = decl.configured && matches!(intent.wanted, Wanted::One { .. });
        let before = stage.contract.operations[&intent.operation].reconfigure.as_ref().map(|own| own.before.as_slice());
        if let (true, Some(before)) = (configured, before) {
            for call in setups(stage, intent, before)? {
                if !calls.contains(&call) {
                    calls.push(call);
                }
            }
        }
    }
    Ok(calls)
}

fn setups(stage: &Stage<'_>, intent: &PlannedIntent, names: &[OperationName]) -> Result<Vec<Setup>, PlanProblem> {
    let span = stage.scenario.given.get(&intent.name).map_or_else(Default::default, |decl| decl.span);
    let bad = |message: String| PlanProblem { span, message, label: "its configuration cannot be written".to_owned() };
    names
        .iter()
        .map(|name| {
            let operation = &stage.contract.operations[name];
            let scope = stage.abilities.scope_of(&intent.credential);
            let names = stage.names(&format!("u-{}-{}", stage.namespace, stage.case), None, &scope);
            let body = operation.body.as_ref().map(|body| render_json(body, &names)).transpose().map_err(bad)?;
            let target = render_text(&operation.request.target, &names).map_err(bad)?;
            let bytes = body.map(|body| body.to_string().into_bytes());
            Ok(Setup {
                operation: name.clone(),
                request: stage.request(operation, &operation.request.method, &target, &[], bytes),
                credential: intent.credential.clone(),
            })
        })
        .collect()
}
