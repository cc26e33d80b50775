//! Reads a scenario as a whole: its parts as they are written, then what they must mean together.

use indexmap::IndexMap;

use crate::file::{Entry, Node, Problem, Problems, Reading, Shape, Source};
use crate::name::{AxisName, ScenarioPath};
use crate::requirement::Side;
use crate::scenario::load::shape::SHAPE;
use crate::scenario::load::{lint, steps};
use crate::scenario::{AxisDecl, AxisValues, Claim, ClaimDecl, IntentDecl, Need, PHRASES, Scenario, Slot};

/// Claims of sides that this version does not judge.
const LATER: &[&str] = &["sender must", "receiver must"];

const NO_CLAIMS: &str = "a scenario that claims nothing";

/// Reads a scenario. Its path comes from the source's name.
pub fn load(source: &Source) -> Result<Scenario, Problems> {
    let (tree, mut reading) = Reading::open(source, &Shape::Record(&SHAPE))?;
    one_side(&tree, &mut reading);
    later_sides(&tree, &mut reading);
    let scenario = scenario(&tree, source, &mut reading);
    lint::lint(&scenario, &tree, &mut reading);
    reading.close(scenario)
}

/// Claims are about a server or about a client; `both must` goes with a client's.
fn one_side(tree: &Node, reading: &mut Reading<'_>) {
    let place =
        |name: &str| tree.entries().iter().find(|entry| entry.key.text() == Some(name)).map(|entry| entry.key.span);
    match (place("server must"), place("client must"), place("both must")) {
        (None, None, _) if reading.is_well(tree) => {
            reading.wrong(tree.head(), NO_CLAIMS, "add `server must:` or `client must:`");
        }
        (Some(_), Some(client), _) => {
            let label = "a scenario is about one side: make it two, or say `both must`";
            reading.wrong(client, "claims about two sides", label);
        }
        (Some(_), None, Some(both)) => {
            reading.wrong(both, "`both must` without a client", "it goes with `client must`");
        }
        (None, None, _) | (Some(_), None, None) | (None, Some(_), _) => {}
    }
}

/// What another side must do is known and not judged yet; the file does not lack claims then.
fn later_sides(tree: &Node, reading: &mut Reading<'_>) {
    for entry in tree.entries().iter().filter(|entry| entry.key.text().is_some_and(|key| LATER.contains(&key))) {
        let message = format!("`{}` is not in this version", entry.key.text().unwrap_or_default());
        let told = Problem::new(entry.key.span, message)
            .label("only what a server or a client must do is judged: `server must`, `client must`");
        let of_key = |problem: &Problem| problem.message.starts_with("unknown field");
        reading.retell(entry.key.span, |problem| Some(if of_key(&problem) { told.clone() } else { problem }));
        reading.retell(tree.head(), |problem| (problem.message != NO_CLAIMS).then_some(problem));
    }
}

fn scenario(tree: &Node, source: &Source, reading: &mut Reading<'_>) -> Scenario {
    let text = |name: &str| tree.get(name).and_then(Node::text).unwrap_or_default().to_owned();
    let given = tree.get("given").map(Node::entries).unwrap_or_default();
    let axes = tree.get("for each").map(Node::entries).unwrap_or_default();
    Scenario {
        path: path(&source.name),
        title: text("title"),
        because: text("because"),
        needs: items(tree, "needs").iter().filter_map(|node| Need::from_word(node.text()?)).collect(),
        given: given.iter().filter_map(|entry| Some((entry.key.text()?.into(), intent(entry)))).collect(),
        when: items(tree, "when").iter().filter_map(|node| steps::step(node, reading)).collect(),
        axes: self::axes(axes, reading),
        side: if tree.get("client must").is_some() { Side::Client } else { Side::Server },
        claims: match tree.get("client must") {
            Some(_) => all_claims(tree, "client must", Side::Client, reading),
            None => all_claims(tree, "server must", Side::Server, reading),
        },
        both: all_claims(tree, "both must", Side::Server, reading),
    }
}

fn items<'n>(tree: &'n Node, name: &str) -> &'n [Node] {
    tree.get(name).map(Node::items).unwrap_or_default()
}

/// The path below the scenarios folder, without ending.
fn path(name: &str) -> ScenarioPath {
    let name = name.replace('\\', "/");
    let below = name.rsplit_once("scenarios/").map_or(name.as_str(), |(_, below)| below);
    ScenarioPath::from(below.strip_suffix(".yaml").unwrap_or(below))
}

/// A text that may be `$axis`.
pub fn slot(node: &Node) -> Option<Slot> {
    Some(Slot { text: node.text()?.to_owned(), span: node.span })
}

/// One slot, or a list of them.
pub fn slots(node: Option<&Node>) -> Vec<Slot> {
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
        variant: field("variant"),
        change: field("change"),
        defect: field("defect"),
        open: field("open"),
        spelled: field("spelled"),
        credential: field("credential"),
        items: slots(node.get("items")),
        configured: node.get("configured").and_then(Node::text) == Some("true"),
        slow: node.get("slow").and_then(Node::text) == Some("true"),
    }
}

fn axes(entries: &[Entry], reading: &mut Reading<'_>) -> IndexMap<AxisName, AxisDecl> {
    let mut axes: IndexMap<AxisName, AxisDecl> = IndexMap::new();
    for entry in entries {
        let Some(name) = entry.key.text() else { continue };
        let well = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '_' | ' ');
        if !name.chars().all(well) {
            let message = format!("`{name}` cannot be the name of an axis");
            reading.wrong(entry.key.span, message, "letters, digits, `-`, `_` and blanks");
        }
        let values = match slot(&entry.value) {
            Some(phrase) => AxisValues::Phrase(self::phrase(phrase, &axes, reading)),
            None => AxisValues::Listed(listed(entry, reading)),
        };
        axes.insert(name.into(), AxisDecl { span: entry.key.span, values });
    }
    axes
}

fn phrase(phrase: Slot, before: &IndexMap<AxisName, AxisDecl>, reading: &mut Reading<'_>) -> Slot {
    let text = phrase.text.as_str();
    if !PHRASES.contains(&text) {
        reading.unknown(phrase.span, format!("`{text}` is not a phrase"), text, PHRASES.iter().copied());
    } else if speaks_of_an_operation(text) && !before.contains_key("operation") {
        let label = "an axis `operation` has to stand before it";
        reading.wrong(phrase.span, format!("`{text}` of which operation?"), label);
    }
    phrase
}

fn speaks_of_an_operation(phrase: &str) -> bool {
    matches!(
        phrase,
        "every change"
            | "every defect"
            | "every stated defect"
            | "every open difference"
            | "every loss of the matrix"
            | "every stop of the matrix"
            | "every failure that passes"
    )
}

fn listed(entry: &Entry, reading: &mut Reading<'_>) -> Vec<Slot> {
    let values = slots(Some(&entry.value));
    if values.is_empty() && reading.is_well(&entry.value) {
        reading.wrong(entry.key.span, "an axis without values", "give at least one");
    }
    for (index, value) in values.iter().enumerate() {
        if values[..index].iter().any(|other| other.text == value.text) {
            let message = format!("the value `{}` stands twice", value.text);
            reading.wrong(value.span, message, "leave it out: its cases would be played twice");
        }
        if value.axis().is_some() {
            reading.wrong(value.span, "an axis among the values of an axis", "write the values out");
        }
    }
    values
}

fn all_claims(tree: &Node, part: &str, side: Side, reading: &mut Reading<'_>) -> Vec<ClaimDecl> {
    items(tree, part).iter().flat_map(|node| claims(node, side, reading)).collect()
}

fn claims(node: &Node, side: Side, reading: &mut Reading<'_>) -> Vec<ClaimDecl> {
    let mut declared = Vec::new();
    for entry in node.entries() {
        let word = entry.key.text().unwrap_or_default();
        match Claim::from_word(word) {
            Some(claim) if claim.side() == side => {
                declared.push(ClaimDecl { claim, on: slots(Some(&entry.value)), span: entry.key.span });
            }
            Some(claim) => {
                let message = format!("`{claim}` is a claim about a {}", claim.side());
                reading.wrong(entry.key.span, message, format!("this list is about a {side}"));
            }
            None => {
                let known = Claim::ALL.iter().filter(|claim| claim.side() == side).map(|claim| claim.word());
                reading.unknown(entry.key.span, format!("no claim `{word}`"), word, known);
            }
        }
    }
    declared
}

#[cfg(test)]
mod tests {
    use super::path;

    #[test]
    fn a_path_is_what_stands_below_the_last_scenarios_folder() {
        for (name, expected) in [
            ("scenarios/server/replay/plain.yaml", "server/replay/plain"),
            ("/my scenarios/x/scenarios/a/b.yaml", "a/b"),
            ("C:\\work\\scenarios\\server\\plain.yaml", "server/plain"),
            ("plain.yaml", "plain"),
        ] {
            assert_eq!(path(name).as_str(), expected);
        }
    }
}
