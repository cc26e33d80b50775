//! Reads the rules of one kind of client, and holds its windows against each other: a schedule that no cap allows, a
//! timeout that no patience outlasts. What they mean for a client is decided elsewhere.

use std::time::Duration;

use crate::contract::load::names::Names;
use crate::contract::load::notation;
use crate::contract::load::shape::{DURATION, POINTER};
use crate::contract::load::values::{known, many, named, place, pointers, text, texts};
use crate::contract::{ClientRules, KeyForm, UUID, Waits};
use crate::file::{Field, Node, Reading, Record, Shape};

const SHARE: Shape = Shape::Pattern {
    says: "a share, such as 50%",
    regex_for_schema: "^[0-9]+%$",
    accepts: |text| share(text).map(|_| ()),
};
const ATTEMPTS: Shape = Shape::Pattern {
    says: "a number of requests, such as 5 or `2..10`",
    regex_for_schema: "^[0-9]+(\\.\\.[0-9]+)?$",
    accepts: |text| attempts(text).map(|_| ()),
};
const WAITS: Shape = Shape::OneOrMany(&Shape::Pattern {
    says: "`growing`, or durations such as 1s",
    regex_for_schema: "^(growing|[0-9]+(ms|s|min))$",
    accepts: |text| if text == "growing" { Ok(()) } else { notation::duration(text).map(|_| ()) },
});

/// The rules of one kind of client.
pub static CLIENT: Record = Record::new(
    "client",
    "What one kind of client has to keep; what it does after each answer stands under `retry`.",
    &[
        Field::required("title", "One line for people.", Shape::Text),
        Field::optional(
            "attempts",
            "Requests of one intent that never succeeds: as many, or fewest to most.",
            ATTEMPTS,
        ),
        Field::optional(
            "waits",
            "Before it asks again: durations, of which the last stands for all that follow, or `growing`.",
            WAITS,
        ),
        Field::optional("later", "A request may come later by this share of the wait; 50%, unless said.", SHARE),
        Field::optional("earlier", "It may come earlier by this share: jitter; 0%, unless said.", SHARE),
        Field::optional("cap", "No wait is longer, but for one that was asked for.", DURATION),
        Field::optional(
            "without retry-after",
            "How long it waits when it is told to come back, and not when.",
            DURATION,
        ),
        Field::optional("patience", "A wait that is asked for and longer may be given up as a failure.", DURATION),
        Field::optional("attempt timeout", "How long one attempt may take as a whole.", DURATION),
        Field::optional(
            "mints",
            "The form of the keys that it mints, by operation: text around `<uuid>`.",
            Shape::Map { keys: "operations", values: &Shape::Text },
        ),
        Field::optional(
            "never retries",
            "Operations that it never asks for twice, whatever `retry` says.",
            Shape::OneOrMany(&Shape::Text),
        ),
        Field::optional("may vary", "What may differ between attempts.", Shape::Record(&VARYING)),
    ],
);

static VARYING: Record = Record::new(
    "varying",
    "What may differ between attempts of one intent.",
    &[
        Field::optional("headers", "Headers, in any case.", Shape::OneOrMany(&Shape::Text)),
        Field::optional("body", "Places of the body.", Shape::OneOrMany(&POINTER)),
    ],
);

/// Reads the rules.
pub fn rules(name: &str, node: &Node, names: &Names<'_>, reading: &mut Reading<'_>) -> ClientRules {
    let duration = |field: &str| node.get(field).and_then(Node::text).and_then(|text| notation::duration(text).ok());
    let share = |field: &str, otherwise: f64| {
        node.get(field).and_then(Node::text).and_then(|text| self::share(text).ok()).unwrap_or(otherwise)
    };
    let varying = node.get("may vary");
    let rules = ClientRules {
        name: name.into(),
        title: text(node, "title").unwrap_or_default(),
        attempts: node.get("attempts").and_then(Node::text).and_then(|text| attempts(text).ok()),
        waits: waits(node.get("waits"), reading),
        later: share("later", 0.5),
        earlier: share("earlier", 0.0),
        cap: duration("cap"),
        without_retry_after: duration("without retry-after"),
        patience: duration("patience"),
        attempt_timeout: duration("attempt timeout"),
        mints: named(node.get("mints"))
            .filter_map(|(_, entry)| {
                let operation = known(&entry.key, "operation", &names.operations, reading)?;
                Some((operation.into(), form(&entry.value, reading)?))
            })
            .collect(),
        never_retries: many(node.get("never retries"))
            .into_iter()
            .filter_map(|operation| known(operation, "operation", &names.operations, reading).map(Into::into))
            .collect(),
        varying_headers: texts(varying.and_then(|varying| varying.get("headers")))
            .into_iter()
            .map(|name| name.to_ascii_lowercase())
            .collect(),
        varying_body: pointers(varying.and_then(|varying| varying.get("body"))),
    };
    if reading.is_well(node) {
        windows(&rules, node, reading);
    }
    rules
}

/// What the windows must mean together.
fn windows(rules: &ClientRules, node: &Node, reading: &mut Reading<'_>) {
    let mut wrong = |field: &str, message: String, label: &str| reading.wrong(place(node, field), message, label);
    if let (Waits::Schedule(waits), Some(cap)) = (&rules.waits, rules.cap)
        && let Some(wait) = waits.iter().find(|wait| **wait > cap)
    {
        wrong("cap", format!("a wait of {wait:?} is longer than the cap of {cap:?}"), "raise it, or shorten `waits`");
    }
    if let (Some(patience), Some(wait)) = (rules.patience, rules.without_retry_after)
        && wait > patience
    {
        let message = format!("it waits {wait:?} without being told to, and gives up what is longer than {patience:?}");
        wrong("patience", message, "raise it, or shorten `without retry-after`");
    }
    if let (Waits::Schedule(waits), Some((_, most))) = (&rules.waits, rules.attempts)
        && waits.len() as u64 > u64::from(most.saturating_sub(1))
    {
        let message = format!("{} waits between at most {most} requests", waits.len());
        wrong("waits", message, "leave out the last, or raise `attempts`");
    }
    if rules.attempt_timeout == Some(Duration::ZERO) {
        wrong("attempt timeout", "no attempt can be made in no time".to_owned(), "give it longer");
    }
    if rules.earlier >= 1.0 {
        wrong("earlier", "a wait that may be left out is no wait".to_owned(), "less than 100%");
    }
}

fn waits(node: Option<&Node>, reading: &mut Reading<'_>) -> Waits {
    let words: Vec<&Node> = many(node);
    match words.iter().position(|node| node.text() == Some("growing")) {
        Some(_) if words.len() == 1 => Waits::Growing,
        Some(at) => {
            if let Some(node) = words.get(at) {
                reading.wrong(node.span, "`growing` stands alone", "leave it out, or the durations");
            }
            Waits::Growing
        }
        None if words.is_empty() => Waits::Unsaid,
        None => Waits::Schedule(
            words.into_iter().filter_map(|node| node.text().and_then(|text| notation::duration(text).ok())).collect(),
        ),
    }
}

fn form(node: &Node, reading: &mut Reading<'_>) -> Option<KeyForm> {
    let text = node.text()?.to_owned();
    if !text.contains(UUID) {
        reading.wrong(node.span, format!("every key would be `{text}`"), format!("put `{UUID}` where the UUID goes"));
        return None;
    }
    Some(KeyForm { text })
}

/// `50%`.
fn share(text: &str) -> Result<f64, String> {
    let digits = text.strip_suffix('%').and_then(|digits| digits.parse::<u16>().ok());
    digits.map(|share| f64::from(share) / 100.0).ok_or_else(|| format!("`{text}` is not a share"))
}

/// `5` or `2..10`.
fn attempts(text: &str) -> Result<(u32, u32), String> {
    let wrong = || format!("`{text}` is not a number of requests");
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (least, most) = (least.parse().map_err(|_| wrong())?, most.parse().map_err(|_| wrong())?);
    match (least, most) {
        (0, _) => Err("an intent without any request".to_owned()),
        (least, most) if least > most => Err(format!("the range {least}..{most} is empty")),
        (_, most) if most > 1_000 => Err(format!("{most} requests of one intent are not waited for")),
        bounds => Ok(bounds),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::contract::{ClientRules, Waits, load};
    use crate::file::Source;

    fn loaded(rules: &str) -> Result<ClientRules, String> {
        let text = format!(
            "contract: shop\ntitle: A shop\noperations:\n  pay:\n    request: PUT /payments\n    natural: true\n    \
             answers: {{ fresh: {{ status: 200 }} }}\nclients:\n  app: {{ title: An app, {rules} }}\n"
        );
        let contract = load(&Source::new("shop.yaml", text), &["accept"]).map_err(|problems| problems.to_string())?;
        Ok(contract.clients["app"].clone())
    }

    #[test]
    fn windows_that_just_fit_are_well() {
        for rules in [
            "waits: [1s, 60s], cap: 60s",
            "waits: [1s, 2s, 4s, 8s], attempts: 5",
            "waits: [1s], attempts: 2..2",
            "without retry-after: 60s, patience: 60s",
            "attempt timeout: 1ms, earlier: 99%",
            "waits: growing, attempts: 1, cap: 1s",
        ] {
            loaded(rules).unwrap_or_else(|problems| panic!("{rules}: {problems}"));
        }
    }

    #[test]
    fn windows_that_just_do_not_fit_are_refused() {
        for (rules, told) in [
            ("waits: [1s, 61s], cap: 60s", "longer than the cap"),
            ("waits: [1s, 2s, 4s, 8s, 16s], attempts: 5", "5 waits between at most 5 requests"),
            ("waits: [1s], attempts: 1", "1 waits between at most 1 requests"),
            ("without retry-after: 61s, patience: 60s", "gives up what is longer"),
            ("attempt timeout: 0s", "in no time"),
            ("earlier: 100%", "no wait"),
        ] {
            let problems = loaded(rules).expect_err(rules);
            assert!(problems.contains(told), "{rules}: {problems}");
        }
    }

    #[test]
    fn what_is_not_said_is_not_ruled_but_for_the_tolerance() {
        let rules = loaded("attempts: 2..10").expect("rules");
        assert_eq!((rules.attempts, rules.waits, rules.cap), (Some((2, 10)), Waits::Unsaid, None));
        assert_eq!((rules.later, rules.earlier), (0.5, 0.0));
        assert_eq!((rules.patience, rules.attempt_timeout, rules.without_retry_after), (None, None, None));
        let one = loaded("waits: 2s, later: 10%, earlier: 20%").expect("rules");
        assert_eq!(one.waits, Waits::Schedule(vec![Duration::from_secs(2)]));
        assert_eq!((one.later, one.earlier, one.attempts), (0.1, 0.2, None));
    }
}
