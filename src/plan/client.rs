//! The part of the plan that is only for clients under test: what their attempts meet, which values the phrases of the
//! matrix have for a kind of client, what a client lacks. Nothing is sent here.

use std::collections::BTreeMap;

use crate::contract::{Advice, ClientRules, Contract, Operation, Outcome, RowOn, StatusSet};
use crate::fault::{Fault, Loss, Passage};
use crate::json::Json;
use crate::message::Request;
use crate::name::IntentName;
use crate::plan::case::{Case, Cell, Meeting, PlannedIntent, Wanted};
use crate::plan::credential::AbleClient;
use crate::plan::intent::{PlanProblem, Stage, problem};
use crate::scenario::Slot;

/// What stands in a call of the read side until the key that a client minted was seen.
pub const KEY_TO_BE_SEEN: &str = "[key]";

impl Case {
    /// The same case with the keys that a client minted, as they were seen on the wire.
    pub fn as_seen<'h>(&self, requests: impl Iterator<Item = (&'h IntentName, &'h Request)>) -> Case {
        let mut seen: BTreeMap<&IntentName, Json> = BTreeMap::new();
        let mut case = self.clone();
        for (name, request) in requests {
            let Some(intent) = self.intents.get(name) else { continue };
            if let Some(key) = self.operation(intent).key_in(request) {
                seen.entry(name).or_insert(key);
            }
        }
        for (name, key) in seen {
            let Some(PlannedIntent { operation, wanted, .. }) = case.intents.get_mut(name) else { continue };
            let Wanted::One { cell, reading, .. } = wanted else { continue };
            let scope = reading.as_ref().map(|reading| reading.scope.clone()).unwrap_or_default();
            *cell = Some(Cell { scope, space: operation.clone(), key: key.content_key() });
            if let (Some(reading), Some(text)) = (reading, key.as_str()) {
                reading.target = reading.target.replace(KEY_TO_BE_SEEN, &in_query(text));
                reading.key = Some(text.to_owned());
            }
        }
        case
    }
}

/// A text as it stands in a query.
fn in_query(text: &str) -> String {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    text.bytes().map(|byte| if plain(&byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

impl Stage<'_> {
    /// What an attempt meets; an answer that is named by its outcome says what the contract's answer of that name does.
    pub fn meeting(&self, intent: &PlannedIntent, slot: &Slot) -> Result<Meeting, PlanProblem> {
        let bad = |message: String| problem(slot.span, message, "not a passage");
        let mut passage = self.filled(slot)?.parse::<Passage>().map_err(|found| bad(found.to_string()))?;
        if let Passage::Faulted(
            fault @ (Fault::Late
            | Fault::Duplicate(_)
            | Fault::HangUp
            | Fault::Pause
            | Fault::Restart
            | Fault::Kill { early: true }),
        ) = &passage
        {
            return Err(bad(format!("`{fault}` cannot be met by a client under test")));
        }
        let operation = &self.contract.operations[&intent.operation];
        let mut says = answer_mut(&mut passage)
            .filter(|refusal| refusal.status.is_some_and(is_refusal))
            .and_then(|_| operation.refusal.as_ref().map(ToString::to_string));
        if let Some(refusal) = answer_mut(&mut passage)
            && let Some(word) = &refusal.outcome
        {
            if word == PARTLY_DONE {
                let (status, body) = partly_done(operation, self.contract, intent)
                    .ok_or_else(|| bad(format!("`{}` cannot be done in part", operation.name)))?;
                refusal.status = Some(status);
                return Ok(Meeting { passage, says: Some(body.to_string()) });
            }
            let outcome = Outcome::from_word(word).ok_or_else(|| bad(format!("no outcome `{word}`")))?;
            let example = operation.example(outcome, refusal.status).ok_or_else(|| {
                bad(format!("`{}` of {} names no such answer `{word}`", operation.name, self.contract.name))
            })?;
            refusal.status = Some(example.0);
            says = Some(example.1.to_string());
        }
        Ok(Meeting { passage, says })
    }
}

/// Whether a status refuses a request for good: the others of its class pass by themselves.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400..=499) && !matches!(status, 408 | 409 | 425 | 429)
}

/// The answer to a batch whose first item is done, and whose others are not and may be asked for again.
const PARTLY_DONE: &str = "partly done";

fn partly_done(operation: &Operation, contract: &Contract, intent: &PlannedIntent) -> Option<(u16, Json)> {
    let batch = operation.batch.as_ref()?;
    let Wanted::Batch(items) = &intent.wanted else { return None };
    let of = |outcome: Outcome| {
        let rules = batch.item_answers.iter().filter(|rule| rule.outcome == outcome);
        rules.filter_map(|rule| rule.example(None)).next().map(|(_, body)| body)
    };
    // What the matrix says to ask for again, of one item alone.
    let single = contract.operations.get(&batch.of)?;
    let open = [Outcome::InProgress, Outcome::Unknown, Outcome::RateLimited];
    let undone = open.into_iter().filter(|outcome| single.names(*outcome)).find_map(of)?;
    let done = of(Outcome::Fresh)?;
    let results = (0..items.len()).map(|at| if at == 0 { done.clone() } else { undone.clone() }).collect();
    let (status, mut body) = operation.example(Outcome::Fresh, None)?;
    body.set(&batch.results, Json::Array(results));
    Some((status, body))
}

fn answer_mut(passage: &mut Passage) -> Option<&mut crate::fault::Refusal> {
    match passage {
        Passage::Faulted(Fault::PreCommit(Loss::Answer(refusal)) | Fault::PostCommit(Loss::Answer(refusal))) => {
            Some(refusal)
        }
        Passage::Clear | Passage::Faulted(_) => None,
    }
}

/// What a client lacks to play a case.
pub fn lacks_of_client(case: &Case, client: &AbleClient) -> Vec<String> {
    let mut lacks = Vec::new();
    let killed = case.asks().any(|(_, ask)| {
        ask.meets.iter().any(|meeting| meeting.passage == Passage::Faulted(Fault::Kill { early: false }))
    });
    if killed && !client.persists {
        lacks.push("memory over its own end: say `persists` if it has one".to_owned());
    }
    for intent in case.intents.values() {
        let known = client.operations.is_empty() || client.operations.contains(&intent.operation);
        if !known {
            lacks.push(format!("operation `{}`", intent.operation));
        }
    }
    lacks
}

/// The operations for which a row of the matrix gives such advice to this kind of client; batches are asked for by item.
pub fn advised(contract: &Contract, rules: &ClientRules, wanted: impl Fn(&Advice) -> bool) -> Vec<String> {
    let single = contract.operations.values().filter(|operation| operation.batch.is_none());
    single
        .filter(|operation| {
            let mut rows = contract.retry.iter().filter_map(|row| row.advice.get(&operation.name));
            rows.any(|advice| wanted(&rules.effective(advice, &operation.name)))
        })
        .map(|operation| operation.name.to_string())
        .collect()
}

/// The answers that end the matter for an operation, as passages.
pub fn stops(contract: &Contract, rules: &ClientRules, operation: &Operation) -> Vec<String> {
    let mut passages = Vec::new();
    for (on, advice) in rows(contract, rules, operation) {
        if let (RowOn::Answer(statuses, outcome), Advice::Stop | Advice::StopAnd(_)) = (on, advice) {
            for status in examples(statuses) {
                let named = outcome.map(|outcome| format!(" {outcome}")).unwrap_or_default();
                push(&mut passages, format!("pre-commit answer {status}{named}"));
            }
        }
    }
    passages
}

/// The failures after which this kind of client asks again without being told when, as passages.
pub fn passing(contract: &Contract, rules: &ClientRules, operation: &Operation) -> Vec<String> {
    let mut passages = Vec::new();
    for (on, advice) in rows(contract, rules, operation) {
        if advice != Advice::Retry {
            continue;
        }
        match on {
            RowOn::Answer(statuses, outcome) => {
                for status in examples(statuses) {
                    let named = outcome.map(|outcome| format!(" {outcome}")).unwrap_or_default();
                    push(&mut passages, format!("pre-commit answer {status}{named}"));
                }
            }
            RowOn::Dropped => {
                for passage in [
                    "pre-commit drop",
                    "pre-commit reset",
                    "post-commit drop",
                    "post-commit reset",
                    "mid-response cut head",
                    "mid-response cut body",
                ] {
                    push(&mut passages, passage.to_owned());
                }
            }
            RowOn::Timeout => push(&mut passages, "pre-commit stall".to_owned()),
        }
    }
    passages
}

fn rows<'a>(
    contract: &'a Contract,
    rules: &'a ClientRules,
    operation: &'a Operation,
) -> impl Iterator<Item = (&'a RowOn, Advice)> {
    contract.retry.iter().flat_map(move |row| {
        let advice = row.advice.get(&operation.name).map(|advice| rules.effective(advice, &operation.name));
        row.on.iter().filter_map(move |on| Some((on, advice.clone()?)))
    })
}

fn push(passages: &mut Vec<String>, passage: String) {
    if !passages.contains(&passage) {
        passages.push(passage);
    }
}

/// Each single status, and of a class some that are seldom named one by one.
pub fn examples(statuses: &StatusSet) -> Vec<u16> {
    statuses
        .ranges
        .iter()
        .flat_map(|(low, high)| if low == high { vec![*low] } else { vec![low + 3, low + 4] })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::contract::{self, Advice, ClientRules, Contract};
    use crate::file::Source;
    use crate::json::Json;
    use crate::message::{Framing, Request, Response};
    use crate::name::{ClientName, CredentialName, IntentName};
    use crate::plan::client::{advised, in_query, passing, stops};
    use crate::plan::{Abilities, AbleClient, AbleCredential, Case, Seed, Setting, expand};
    use crate::scenario::{self, Claim};

    fn errands() -> Contract {
        let text = include_str!("../judge/client/errands.yaml");
        contract::load(&Source::new("errands.yaml", text), Claim::WORDS).expect("the contract loads")
    }

    fn steady(contract: &Contract) -> ClientRules {
        contract.client(Some("steady")).expect("its rules").clone()
    }

    /// The cases of an ask for `wanted`, which meets this.
    fn planned(contract: Contract, given: &str, meets: &str, axes: &str) -> Result<Vec<Case>, String> {
        let text = format!(
            "title: a story\nbecause: it is told\ngiven:\n{given}when:\n  - send: wanted\n    \
             meets: [{meets}]\n{axes}client must:\n  - finish: wanted\n"
        );
        let scenario = scenario::load(&Source::new("scenarios/client/story.yaml", text)).expect("the scenario loads");
        let kind = contract.clients.keys().next().cloned().unwrap_or_else(|| ClientName::from("none"));
        let client = AbleClient { persists: true, ..AbleClient::plain(kind) };
        let abilities = Abilities {
            host: "127.0.0.1".to_owned(),
            credentials: vec![AbleCredential { name: CredentialName::from("own"), scope: Default::default() }],
            replicas: 1,
            restarts: false,
            edge: false,
            hooks: Vec::new(),
            operations: Default::default(),
            client: Some(client),
        };
        let setting = Setting { contract: Arc::new(contract), abilities, seed: Seed(7) };
        expand(&Arc::new(scenario), &setting)
            .map_err(|problems| problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; "))
    }

    /// What the attempts of the only ask of a case meet: the passage, and what it says.
    fn met(case: &Case) -> Vec<(String, Option<String>)> {
        let asked = case.asks().flat_map(|(_, ask)| &ask.meets);
        asked.map(|meeting| (meeting.passage.to_string(), meeting.says.clone())).collect()
    }

    const SEND: &str = "  wanted: { operation: send }\n";
    const MANY: &str = "  one: { operation: send }\n  two: { operation: send }\n  three: { operation: send }\n  \
                        wanted: { operation: send, items: [one, two, three] }\n";

    #[test]
    fn an_answer_that_is_named_says_what_the_contract_says() {
        let meets = "pre-commit answer in progress, pre-commit answer 409 conflict, pre-commit answer 503, clear";
        let cases = planned(errands(), SEND, meets, "").expect("cases");
        let [case] = cases.as_slice() else { panic!("one case") };
        let met = met(case);
        let passages: Vec<&str> = met.iter().map(|(passage, _)| passage.as_str()).collect();
        assert!(passages[0].starts_with("pre-commit answer 409"), "{passages:?}");
        assert!(passages[1].starts_with("pre-commit answer 409"), "{passages:?}");
        let send = &case.contract.operations["send"];
        for (at, outcome) in [(0, "in progress"), (1, "conflict")] {
            let says = met[at].1.as_deref().expect("it says something");
            let (headers, framing) = (Vec::new(), Framing::Length);
            let response = Response { status: 409, headers, body: says.into(), framing, wire_length: 0 };
            assert_eq!(send.outcome(&response).map(|outcome| outcome.to_string()).as_deref(), Some(outcome), "{says}");
        }
        assert_eq!((&met[2].1, &met[3].1), (&None, &None));
    }

    #[test]
    fn an_answer_that_the_contract_does_not_have_is_told() {
        let told = |meets: &str| planned(errands(), SEND, meets, "").expect_err(meets);
        assert!(told("pre-commit answer sent").contains("no outcome `sent`"));
        assert!(told("pre-commit answer 418 conflict").contains("names no such answer `conflict`"));
        assert!(told("late").contains("cannot be met by a client under test"));
        assert!(told("pre-commit answer partly done").contains("cannot be done in part"));
    }

    #[test]
    fn a_batch_is_done_in_part_by_its_first_item_alone() {
        // Only where an item may be undone and asked for again.
        assert!(planned(errands(), MANY, "pre-commit answer partly done", "").is_err());
        let text = include_str!("../judge/client/errands.yaml").replacen(
            "        refused: { body: { status: error } }\n",
            "        refused: { body: { status: error } }\n        unknown: { body: { status: later } }\n",
            1,
        );
        let contract = contract::load(&Source::new("errands.yaml", text), Claim::WORDS)
            .unwrap_or_else(|problems| panic!("{problems}"));
        let cases = planned(contract, MANY, "pre-commit answer partly done, clear", "").expect("cases");
        let says = met(&cases[0])[0].1.clone().expect("it says something");
        let said: Json = says.parse().expect("JSON");
        let statuses: Vec<String> = said
            .at(&"/results".parse().expect("a pointer"))
            .and_then(Json::as_array)
            .expect("results")
            .iter()
            .map(|result| result.at(&"/status".parse().expect("a pointer")).expect("a status").to_string())
            .collect();
        assert_eq!(statuses, ["\"ok\"", "\"later\"", "\"later\""]);
    }

    #[test]
    fn the_stops_of_the_matrix_are_its_answers_that_end_the_matter() {
        let (contract, rules) = (errands(), steady(&errands()));
        let of = |name: &str| stops(&contract, &rules, &contract.operations[name]);
        assert_eq!(of("send"), ["pre-commit answer 400", "pre-commit answer 404", "pre-commit answer 409 conflict"]);
        assert_eq!(of("pay"), ["pre-commit answer 400", "pre-commit answer 404"]);
        assert!(of("look").is_empty());
    }

    #[test]
    fn the_failures_that_pass_are_those_after_which_it_asks_again_by_itself() {
        let (contract, rules) = (errands(), steady(&errands()));
        let of = |name: &str| passing(&contract, &rules, &contract.operations[name]);
        let send = of("send");
        assert_eq!(send[..2], ["pre-commit answer 503", "pre-commit answer 504"]);
        assert!(send.contains(&"post-commit reset".to_owned()) && send.contains(&"pre-commit stall".to_owned()));
        assert!(send.iter().all(|passage| !passage.contains("429")), "told when, not by itself");
        assert!(of("look").is_empty());
    }

    #[test]
    fn who_never_retries_stops_where_others_ask_again() {
        let (contract, mut rules) = (errands(), steady(&errands()));
        rules.never_retries = vec!["send".into()];
        let send = &contract.operations["send"];
        assert!(passing(&contract, &rules, send).is_empty());
        let stops = stops(&contract, &rules, send);
        for stop in ["409 in progress", "429", "503"] {
            assert!(stops.contains(&format!("pre-commit answer {stop}")), "{stop} in {stops:?}");
        }
        assert_eq!(advised(&contract, &rules, |advice| *advice == Advice::RetryOnce), ["pay"]);
    }

    #[test]
    fn a_phrase_of_the_matrix_is_one_case_for_each_of_its_passages() {
        let axes = "for each:\n  operation: [send]\n  end: every stop of the matrix\n";
        let cases = planned(errands(), "  wanted: { operation: $operation }\n", "$end", axes).expect("cases");
        let met: Vec<String> = cases.iter().map(|case| met(case)[0].0.clone()).collect();
        assert_eq!(met.len(), 3, "{met:?}");
    }

    #[test]
    fn a_key_that_was_minted_is_known_as_it_was_first_seen() {
        let cases = planned(errands(), SEND, "clear", "").expect("cases");
        let [case] = cases.as_slice() else { panic!("one case") };
        let name = IntentName::from("wanted");
        let carrying = |key: Option<&str>| -> Request {
            let mut request = case.intents[&name].request.clone();
            let mut body = request.json().expect("a body");
            body.set(&"/id".parse().expect("a pointer"), key.map_or(Json::Null, Json::text));
            request.body = body.to_string().as_str().into();
            request
        };
        assert_eq!(case.intents[&name].cell(), None);
        let seen = [carrying(Some("a")), carrying(Some("b"))];
        let other = IntentName::from("other");
        let all = seen.iter().map(|request| (&name, request)).chain([(&other, &seen[1])]);
        let known = case.as_seen(all);
        let cell = known.intents[&name].cell().expect("a place in the key space");
        assert_eq!((cell.space.as_str(), cell.key.as_str()), ("send", Json::text("a").content_key().as_str()));
        assert_eq!(known.intents.len(), 1);
        assert_eq!(case.as_seen(std::iter::empty()).intents, case.intents);
    }

    #[test]
    fn a_key_in_a_query_is_escaped() {
        assert_eq!(in_query("a-B_9.~"), "a-B_9.~");
        assert_eq!(in_query("a b/ü&"), "a%20b%2F%C3%BC%26");
    }
}
