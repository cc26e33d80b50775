//! Reads a scenario file. Every problem that can be known at once is told at once; a file with any is refused.

mod lint;
mod shape;

use indexmap::IndexMap;

use crate::file::{Entry, Node, Problem, Problems, Source, nearest, read_as};
use crate::name::{IntentName, ScenarioPath};
use crate::requirement::Side;
use crate::scenario::{
    AxisDecl, AxisValues, Claim, ClaimDecl, IntentDecl, Need, PHRASES, Scenario, Slot, StepDecl, StepKind,
};

pub use shape::SHAPE;

/// Reads a scenario. Its path comes from the source's name.
pub fn load(source: &Source) -> Result<Scenario, Problems> {
    let tree = read_as(source, &crate::file::Shape::Record(&SHAPE))?;
    let mut problems = Vec::new();
    let scenario = scenario(&tree, source, &mut problems);
    lint::lint(&scenario, &mut problems);
    if problems.is_empty() { Ok(scenario) } else { Err(Problems::new(source, problems)) }
}

fn scenario(tree: &Node, source: &Source, problems: &mut Vec<Problem>) -> Scenario {
    let text = |name: &str| tree.get(name).and_then(Node::text).unwrap_or_default().to_owned();
    let list = |name: &str| tree.get(name).map(Node::items).unwrap_or_default();
    let given: IndexMap<IntentName, IntentDecl> = tree
        .get("given")
        .map(Node::entries)
        .unwrap_or_default()
        .iter()
        .filter_map(|entry| Some((entry.key.text()?.into(), intent(entry))))
        .collect();
    Scenario {
        path: path(&source.name),
        title: text("title"),
        because: text("because"),
        needs: list("needs").iter().filter_map(|node| Need::from_word(node.text()?)).collect(),
        given,
        when: list("when").iter().filter_map(|node| step(node, problems)).collect(),
        axes: tree
            .get("for each")
            .map(Node::entries)
            .unwrap_or_default()
            .iter()
            .filter_map(|entry| Some((entry.key.text()?.into(), axis(entry, problems))))
            .collect(),
        side: Side::Server,
        claims: list("server must").iter().flat_map(|node| claims(node, problems)).collect(),
    }
}

/// The path below the scenarios folder, without ending.
fn path(name: &str) -> ScenarioPath {
    let below = name.rsplit_once("scenarios/").map_or(name, |(_, below)| below);
    ScenarioPath::from(below.strip_suffix(".yaml").unwrap_or(below))
}

fn slot(node: &Node) -> Option<Slot> {
    Some(Slot { text: node.text()?.to_owned(), span: node.span })
}

fn slots(node: Option<&Node>) -> Vec<Slot> {
    match node {
        None => Vec::new(),
        Some(node) if node.text().is_some() => slot(node).into_iter().collect(),
        Some(node) => node.items().iter().filter_map(slot).collect(),
    }
}

fn intent(entry: &Entry) -> IntentDecl {
    let node = &entry.value;
    let field = |name: &str| node.get(name).and_then(slot);
    IntentDecl {
        span: entry.key.span,
        operation: field("operation"),
        same_as: field("same as"),
        same_key_as: field("same key as"),
        key: field("key"),
        change: field("change"),
        defect: field("defect"),
        open: field("open"),
        spelled: field("spelled"),
        credential: field("credential"),
        items: slots(node.get("items")),
        configured: node.get("configured").and_then(Node::text) == Some("true"),
    }
}

fn step(node: &Node, problems: &mut Vec<Problem>) -> Option<StepDecl> {
    let kinds: Vec<&str> = ["send", "at once", "restart", "observe", "reconfigure"]
        .into_iter()
        .filter(|kind| node.get(kind).is_some())
        .collect();
    if kinds.len() != 1 {
        let message = if kinds.is_empty() { "a step that does nothing" } else { "a step that does several things" };
        problems.push(
            Problem::new(node.head(), message)
                .label("give one of `send`, `at once`, `restart`, `observe` and `reconfigure`"),
        );
        return None;
    }
    let kind = kinds.first()?;
    for entry in node.entries() {
        let name = entry.key.text().unwrap_or_default();
        let fits = match name {
            "meets" | "times" | "to" | "behind" => *kind == "send",
            "copies" => *kind == "at once",
            other => other == *kind,
        };
        if !fits {
            problems.push(
                Problem::new(entry.key.span, format!("`{name}` does not go with `{kind}`")).label("leave it out"),
            );
        }
    }
    let clear = || vec![Slot { text: "clear".to_owned(), span: node.span }];
    let what = match *kind {
        "send" => StepKind::Send {
            intent: slot(node.get("send")?)?,
            meets: node.get("meets").map_or_else(clear, |meets| slots(Some(meets))),
            times: node.get("times").and_then(slot),
            other_replica: node.get("to").is_some(),
            behind_edge: node.get("behind").is_some(),
        },
        "at once" => {
            StepKind::AtOnce { intents: slots(node.get("at once")), copies: node.get("copies").and_then(slot) }
        }
        "restart" => StepKind::Restart { how: slot(node.get("restart")?)? },
        "observe" => StepKind::Observe { point: node.get("observe")?.text()?.to_owned() },
        _ => StepKind::Reconfigure { intent: slot(node.get("reconfigure")?)? },
    };
    Some(StepDecl { span: node.head(), what })
}

fn axis(entry: &Entry, problems: &mut Vec<Problem>) -> AxisDecl {
    let node = &entry.value;
    let values = match slot(node) {
        Some(phrase) => {
            if !PHRASES.contains(&phrase.text.as_str()) {
                let near = nearest(&phrase.text, PHRASES.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                let label = near.unwrap_or_else(|| format!("a list of values, or one of: {}", PHRASES.join("; ")));
                problems.push(Problem::new(phrase.span, format!("`{}` is not a phrase", phrase.text)).label(label));
            }
            AxisValues::Phrase(phrase)
        }
        None => {
            let values = slots(Some(node));
            if values.is_empty() {
                problems.push(Problem::new(entry.key.span, "an axis without values").label("give at least one"));
            }
            AxisValues::Listed(values)
        }
    };
    AxisDecl { span: entry.key.span, values }
}

fn claims(node: &Node, problems: &mut Vec<Problem>) -> Vec<ClaimDecl> {
    let mut declared = Vec::new();
    for entry in node.entries() {
        let word = entry.key.text().unwrap_or_default();
        match Claim::from_word(word) {
            Some(claim) => declared.push(ClaimDecl { claim, on: slots(Some(&entry.value)), span: entry.key.span }),
            None => {
                let near = nearest(word, Claim::WORDS.iter().copied()).map(|near| format!("did you mean `{near}`?"));
                let label = near.unwrap_or_else(|| "`onceproof explain CLAIM` says what each means".to_owned());
                problems.push(Problem::new(entry.key.span, format!("no claim `{word}`")).label(label));
            }
        }
    }
    declared
}
