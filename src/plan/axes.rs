//! Crosses the axes of a scenario for one contract: every cell, in order. A phrase asks the contract for its values.

use indexmap::IndexMap;

use crate::contract::{Advice, ClientRules, Contract, KeyRule, Operation, Outcome, Replay, RowOn, Safety, Sameness};
use crate::name::AxisName;
use crate::plan::client;
use crate::plan::intent::{PlanProblem, problem};
use crate::scenario::{AxisValues, Scenario};

/// The value of each axis.
pub type AxisCell = IndexMap<AxisName, String>;

/// More cells than this are a slip: nobody waits for so many cases of one scenario, and no memory holds every product.
const MOST_CELLS: usize = 2_000;

/// Every cell of the axes, in order; none when a phrase finds nothing in the contract.
pub fn cells(
    scenario: &Scenario,
    contract: &Contract,
    rules: Option<&ClientRules>,
) -> Result<Vec<AxisCell>, PlanProblem> {
    let mut cells = vec![AxisCell::new()];
    for (name, axis) in &scenario.axes {
        let mut wider = Vec::new();
        for cell in cells {
            let values: Vec<String> = match &axis.values {
                AxisValues::Listed(values) => values.iter().map(|value| value.text.clone()).collect(),
                AxisValues::Phrase(phrase) => phrase_values(&phrase.text, &cell, contract, rules)
                    .map_err(|message| problem(phrase.span, message, "cannot be filled"))?,
            };
            if wider.len() + values.len() > MOST_CELLS {
                let message = format!("the axes up to `{name}` have more than {MOST_CELLS} cells");
                return Err(problem(axis.span, message, "split the scenario, or leave values out"));
            }
            for value in values {
                let mut next = cell.clone();
                next.insert(name.clone(), value);
                wider.push(next);
            }
        }
        cells = wider;
    }
    Ok(cells)
}

fn phrase_values(
    phrase: &str,
    cell: &AxisCell,
    contract: &Contract,
    rules: Option<&ClientRules>,
) -> Result<Vec<String>, String> {
    let single = |wanted: &dyn Fn(&Operation) -> bool| -> Vec<String> {
        contract
            .operations
            .values()
            .filter(|operation| operation.batch.is_none() && wanted(operation))
            .map(|operation| operation.name.to_string())
            .collect()
    };
    let chosen = || {
        let name = cell.get("operation").ok_or_else(|| format!("`{phrase}` needs an axis `operation` before it"))?;
        contract.operations.get(name.as_str()).ok_or_else(|| format!("no operation `{name}` in {}", contract.name))
    };
    let replay = |wanted: Replay| single(&move |operation| operation.key().is_some_and(|key| key.replay == wanted));
    let required = |is_required: bool, replay: Option<Replay>| {
        single(&move |operation| {
            let wanted = |replay: Replay, key: &KeyRule| key.replay == replay;
            let rule = operation.key().filter(|key| key.required == is_required);
            rule.is_some_and(|key| replay.is_none_or(|replay| wanted(replay, key)))
        })
    };
    let told = |wanted: &dyn Fn(&Advice) -> bool| -> Result<Vec<String>, String> {
        let rules = rules.ok_or_else(|| format!("`{phrase}` is about a client"))?;
        Ok(client::advised(contract, rules, wanted))
    };
    Ok(match phrase {
        "every operation told to stop" => told(&|advice| matches!(advice, Advice::Stop | Advice::StopAnd(_)))?,
        "every operation told to retry" => told(&|advice| *advice == Advice::Retry)?,
        "every operation told to retry after" => told(&|advice| *advice == Advice::RetryAfter)?,
        "every operation told to retry once" => told(&|advice| *advice == Advice::RetryOnce)?,
        "every operation told to serve the fallback" => {
            told(&|advice| matches!(advice, Advice::Fallback | Advice::FallbackOrRetryWithKey))?
        }
        "every repeated operation" => {
            let keyed = |name: &String| contract.operations[name.as_str()].key().is_some();
            told(&|advice| *advice == Advice::Retry)?.into_iter().filter(keyed).collect()
        }
        "every stop of the matrix" => {
            client::stops(contract, rules.ok_or_else(|| format!("`{phrase}` is about a client"))?, chosen()?)
        }
        "every failure that passes" => {
            client::passing(contract, rules.ok_or_else(|| format!("`{phrase}` is about a client"))?, chosen()?)
        }
        "every operation" => single(&|operation| operation.effect.is_some()),
        "every keyed operation" => single(&|operation| operation.key().is_some()),
        "every replaying operation" => replay(Replay::Verbatim),
        "every acknowledging operation" => replay(Replay::Acknowledged),
        "every operation that requires its key" => required(true, None),
        "every replaying operation that does without a key" => required(false, Some(Replay::Verbatim)),
        "every acknowledging operation that does without a key" => required(false, Some(Replay::Acknowledged)),
        "every conflicting operation" => single(&|operation| {
            operation.names(Outcome::Conflict) && operation.key().is_some_and(|key| key.sameness == Sameness::Content)
        }),
        "every natural operation" => {
            single(&|operation| matches!(operation.safety, Safety::Natural) && operation.effect.is_some())
        }
        "every batched operation" => single(&|operation| contract.batch_of(&operation.name).is_some()),
        "every reconfigurable operation" => single(&|operation| operation.reconfigure.is_some()),
        "every operation with a safe retry" => {
            single(&|operation| operation.safe_retry.is_some() && operation.effect.is_some())
        }
        "every change" => chosen()?.changes.keys().cloned().collect(),
        "every variant" => chosen()?.variants.keys().cloned().collect(),
        "every defect" => chosen()?.defects.keys().cloned().collect(),
        "every stated defect" => {
            chosen()?.defects.iter().filter(|(_, edit)| edit.stated).map(|(name, _)| name.clone()).collect()
        }
        "every other scope" => contract.scopes.iter().map(|name| format!("other {name}")).collect(),
        "every open difference" => chosen()?.open.keys().cloned().collect(),
        "every loss of the matrix" => losses(contract, chosen()?),
        other => return Err(format!("`{other}` is not a phrase")),
    })
}

/// The passages that the retry matrix speaks of for one operation, row by row: what answers before the origin hears of
/// it, and what loses the answer of an origin that may have committed.
fn losses(contract: &Contract, operation: &Operation) -> Vec<String> {
    let mut passages: Vec<String> = Vec::new();
    let mut add = |passage: String| {
        if !passages.contains(&passage) {
            passages.push(passage);
        }
    };
    for row in &contract.retry {
        let advised = row.advice.get(&operation.name).is_some_and(|advice| *advice != Advice::NotReturned);
        if !advised {
            continue;
        }
        for on in &row.on {
            match on {
                RowOn::Answer(statuses, _) => {
                    for status in client::examples(statuses) {
                        let retry_after = if status == 429 { " retry-after 1s" } else { "" };
                        add(format!("pre-commit answer {status}{retry_after}"));
                        if status >= 500 {
                            add(format!("post-commit answer {status}"));
                        }
                    }
                }
                RowOn::Dropped => {
                    for passage in ["pre-commit drop", "post-commit drop", "post-commit reset"] {
                        add(passage.to_owned());
                    }
                }
                RowOn::Timeout => {
                    for passage in ["pre-commit stall", "post-commit stall"] {
                        add(passage.to_owned());
                    }
                }
            }
        }
    }
    passages
}
