//! The case of a story: its scenario as a text, planned for the made-up contract as any other.

use std::sync::Arc;

use crate::contract;
use crate::file::Source;
use crate::judge::client::testing::Story;
use crate::name::{ClientName, CredentialName};
use crate::plan::{Abilities, AbleClient, AbleCredential, Case, Seed, Setting, expand};
use crate::scenario::{self, Claim};

/// The made-up contract.
const ERRANDS: &str = include_str!("../errands.yaml");

/// The one case; none where the plan leaves the claim out.
pub fn case(story: &Story, claim: &str) -> Option<Case> {
    let contract = contract::load(&Source::new("errands.yaml", ERRANDS), Claim::WORDS)
        .unwrap_or_else(|problems| panic!("{problems}"));
    let scenario = scenario::load(&Source::new("scenarios/client/story.yaml", text(story, claim)))
        .unwrap_or_else(|problems| panic!("{problems:?}"));
    let kind = ClientName::from(story.kind);
    let client = AbleClient { persists: story.persists, time_scale: story.scale, ..AbleClient::plain(kind) };
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
    let cases = expand(&Arc::new(scenario), &setting).unwrap_or_else(|problems| panic!("{problems:?}"));
    assert!(cases.len() < 2, "a story is one case");
    cases.into_iter().next()
}

fn text(story: &Story, claim: &str) -> String {
    let ask = |intent: &String| {
        let meets: Vec<String> =
            story.calls().filter(|made| made.intent == *intent).map(|made| format!("'{}'", made.passage)).collect();
        let meets = if meets.is_empty() { "clear".to_owned() } else { meets.join(", ") };
        format!("  - send: {intent}\n    meets: [{meets}]\n")
    };
    let when: String = story.asks.iter().map(ask).collect();
    let given: String = story.given.iter().map(|line| format!("  {line}\n")).collect();
    format!("title: a story\nbecause: it is told\ngiven:\n{given}when:\n{when}client must:\n  - {claim}\n")
}

#[cfg(test)]
mod tests {
    use crate::judge::client::testing::{Story, given};

    const SAME: &str = "same as: one";

    fn two(kind: &'static str, intents: [&str; 2]) -> Story {
        let [one, two] = intents;
        let both = given([&format!("one: {{ {one} }}"), &format!("two: {{ {two} }}")]);
        both.kind(kind).ask("one").ask("two")
    }

    #[track_caller]
    fn check(kind: &'static str, intents: [&str; 2], claim: &str, expected: bool) {
        assert_eq!(two(kind, intents).is_planned(claim), expected, "{claim} of a {kind} client on {intents:?}");
    }

    #[test]
    fn a_claim_is_planned_only_where_a_rule_speaks_of_it() {
        for (claim, kinds) in [
            ("cap-delay: two", ["steady"].as_slice()),
            ("bound-attempt: two", &["steady"]),
            ("give-up-within: two", &["steady", "growing"]),
            ("back-off: two", &["steady", "growing"]),
            ("shape-key: two", &["steady"]),
            ("reuse-key: two", &["steady", "growing", "bare"]),
        ] {
            for kind in ["steady", "growing", "bare"] {
                check(kind, ["operation: send", SAME], claim, kinds.contains(&kind));
            }
        }
    }

    #[test]
    fn a_minted_key_is_apart_and_a_derived_one_is_of_its_fact() {
        check("steady", ["operation: send", SAME], "derive-key: [one, two]", false);
        check("steady", ["operation: send", SAME], "mint-apart: [one, two]", true);
        check("steady", ["operation: note", SAME], "derive-key: [one, two]", true);
        check("steady", ["operation: note", SAME], "mint-apart: [one, two]", false);
        check("steady", ["operation: note", "operation: note"], "mint-apart: [one, two]", true);
        check("steady", ["operation: pay", "operation: note"], "mint-apart: [one, two]", true);
        check("steady", ["operation: note", SAME], "shape-key: two", false);
        // Nothing is minted by a kind of which nothing is said.
        check("bare", ["operation: send", SAME], "derive-key: [one, two]", true);
        check("bare", ["operation: send", SAME], "mint-apart: [one, two]", false);
    }

    #[test]
    fn the_items_of_a_batch_are_minted_as_those_alone() {
        let many = |kind, operation: &str| {
            let one = format!("one: {{ operation: {operation} }}");
            let all = format!("all: {{ operation: {operation}, items: [one] }}");
            given([one.as_str(), all.as_str()]).kind(kind).ask("all").is_planned("shape-key: all")
        };
        assert!(many("steady", "send"));
        assert!(!many("steady", "pay") && !many("growing", "send"));
    }
}
