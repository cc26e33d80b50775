//! Expressions and templates of a contract's `reference` section, over JSON that keeps its spelling: a text that is one
//! whole `{{ place }}` becomes the very value that stands there. It reads names; it never writes anything.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::BuildHasher;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use minijinja::value::Serde;
use minijinja::{Environment, Value};
use sha2::{Digest, Sha256};

use crate::json::Json;
use crate::reference::store::StoreError;

/// The names that expressions may use.
#[derive(Clone, Default)]
pub struct Names<'a>(BTreeMap<String, Cow<'a, Json>>);

impl<'a> Names<'a> {
    /// Adds a name without copying its value.
    pub fn with(mut self, name: &str, value: &'a Json) -> Self {
        self.0.insert(name.to_owned(), Cow::Borrowed(value));
        self
    }

    /// Sets a name.
    pub fn set(&mut self, name: &str, value: Json) {
        self.0.insert(name.to_owned(), Cow::Owned(value));
    }

    /// The value of an expression; none where it is undefined.
    pub fn value(&self, expression: &str) -> Result<Option<Json>, StoreError> {
        let expression = expression.trim();
        if let Some(found) = self.place(expression) {
            return Ok(found.cloned());
        }
        if let Some(literal) = quoted(expression) {
            return Ok(Some(Json::text(literal)));
        }
        let value = self.evaluate(expression)?;
        if value.is_undefined() {
            return Ok(None);
        }
        let plain = serde_json::to_value(&value).map_err(|error| wrong(expression, &error))?;
        Ok(Some(Json::from_serde(&plain)))
    }

    /// Whether an expression is true.
    pub fn truth(&self, expression: &str) -> Result<bool, StoreError> {
        Ok(self.evaluate(expression.trim())?.is_true())
    }

    /// A body with its templates filled. A member whose template is undefined is left out.
    pub fn fill(&self, template: &Json) -> Result<Json, StoreError> {
        Ok(self.filled(template)?.unwrap_or(Json::Null))
    }

    fn filled(&self, template: &Json) -> Result<Option<Json>, StoreError> {
        match template {
            Json::String(text) => match text.as_str() {
                Some(plain) => self.leaf(plain),
                None => Ok(Some(template.clone())),
            },
            Json::Array(items) => {
                let filled = items.iter().map(|item| self.filled(item)).collect::<Result<Vec<_>, _>>()?;
                Ok(Some(Json::Array(filled.into_iter().flatten().collect())))
            }
            Json::Object(members) => {
                let mut filled = Vec::with_capacity(members.len());
                for (name, value) in members {
                    if let Some(value) = self.filled(value)? {
                        filled.push((name.clone(), value));
                    }
                }
                Ok(Some(Json::Object(filled)))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) => Ok(Some(template.clone())),
        }
    }

    fn leaf(&self, text: &str) -> Result<Option<Json>, StoreError> {
        if !text.contains("{{") && !text.contains("{%") {
            return Ok(Some(Json::text(text)));
        }
        if let Some(expression) = whole(text) {
            return self.value(expression);
        }
        let names: BTreeMap<_, _> = self.0.iter().map(|(name, value)| (name.as_str(), value.to_serde())).collect();
        let rendered = environment().render_str(text, Value::from(Serde(names)));
        rendered.map(|text| Some(Json::text(text))).map_err(|error| wrong(text, &error))
    }

    /// The value at a plain place such as `body.a.b`: some, if the expression is one; some of some, if it is there.
    fn place(&self, expression: &str) -> Option<Option<&Json>> {
        let mut steps = expression.split('.');
        let root = self.0.get(steps.next()?)?;
        if !expression.split('.').all(is_name) {
            return None;
        }
        Some(steps.try_fold(root.as_ref(), |value, step| value.get(step)))
    }

    /// Only the names that the expression uses are handed over; a large body would cost too much otherwise.
    fn evaluate(&self, expression: &str) -> Result<Value, StoreError> {
        let compiled = environment().compile_expression(expression).map_err(|error| wrong(expression, &error))?;
        let used: BTreeMap<_, _> = compiled
            .undeclared_variables(false)
            .into_iter()
            .filter_map(|name| self.0.get(&name).map(|value| (name, value.to_serde())))
            .collect();
        compiled.eval(Value::from(Serde(used))).map_err(|error| wrong(expression, &error))
    }
}

/// The places that a template's text reads, such as `body.a`; none for a text without a template.
pub fn places_read(text: &str) -> Result<BTreeSet<String>, StoreError> {
    let template = environment().template_from_str(text).map_err(|error| wrong(text, &error))?;
    Ok(template.undeclared_variables(true).into_iter().collect())
}

/// Whether an expression can be read.
pub fn check_expression(expression: &str) -> Result<(), StoreError> {
    let compiled = environment().compile_expression(expression.trim());
    compiled.map(|_| ()).map_err(|error| wrong(expression, &error))
}

/// Whether every template in a body can be read.
pub fn check_templates(body: &Json) -> Result<(), StoreError> {
    match body {
        Json::String(text) => {
            let text = text.to_string_lossy();
            environment().template_from_str(&text).map(|_| ()).map_err(|error| wrong(&text, &error))
        }
        Json::Array(items) => items.iter().try_for_each(check_templates),
        Json::Object(members) => members.iter().try_for_each(|(_, value)| check_templates(value)),
        Json::Null | Json::Bool(_) | Json::Number(_) => Ok(()),
    }
}

/// An id that no replica gives twice.
pub fn unique(prefix: &str) -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static CHANCE: OnceLock<RandomState> = OnceLock::new();
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let seed = (COUNT.fetch_add(1, Ordering::Relaxed), since, std::process::id());
    let chance = CHANCE.get_or_init(RandomState::new);
    format!("{prefix}_{:016x}{:08x}", chance.hash_one(seed), chance.hash_one((seed, "more")) as u32)
}

/// The inside of a text that is one whole `{{ … }}`.
fn whole(text: &str) -> Option<&str> {
    let inside = text.trim().strip_prefix("{{")?.strip_suffix("}}")?;
    (!inside.contains("{{") && !inside.contains("}}")).then_some(inside)
}

/// The text of a plain literal such as `'open'`.
fn quoted(expression: &str) -> Option<&str> {
    let inside = expression.strip_prefix('\'')?.strip_suffix('\'')?;
    (!inside.contains(['\'', '\\'])).then_some(inside)
}

fn is_name(step: &str) -> bool {
    step.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && step.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

fn environment() -> &'static Environment<'static> {
    static ENVIRONMENT: OnceLock<Environment<'static>> = OnceLock::new();
    ENVIRONMENT.get_or_init(|| {
        let mut environment = Environment::new();
        environment.add_function("id", |prefix: String| unique(&prefix));
        environment.add_function("pick", pick);
        environment.add_function("seconds", seconds);
        environment
    })
}

/// The seconds of a point in time (RFC 3339) since 1970; undefined, where it is none.
fn seconds(text: Value) -> Value {
    let stamp = text.as_str().and_then(|text| text.parse::<jiff::Timestamp>().ok());
    stamp.map_or(Value::UNDEFINED, |stamp| Value::from(stamp.as_microsecond() as f64 / 1e6))
}

/// The same choice for the same text, at every replica.
fn pick(list: Value, text: String) -> Result<Value, minijinja::Error> {
    let choices: Vec<Value> = list.try_iter()?.collect();
    let hash = Sha256::digest(text.as_bytes());
    let number = hash.iter().take(4).fold(0_usize, |number, byte| number << 8 | usize::from(*byte));
    Ok(choices.get(number % choices.len().max(1)).cloned().unwrap_or_default())
}

fn wrong(expression: &str, error: &dyn std::fmt::Display) -> StoreError {
    StoreError::Template(format!("the contract's expression `{expression}` does not work: {error}"))
}

#[cfg(test)]
mod tests {
    use crate::json::Json;
    use crate::reference::template::{Names, unique};

    fn check(template: &str, expected: &str) {
        let body: Json = r#"{"n":1.50,"list":["b","a"],"deep":{"x":[1e3]},"text":"t","no":null}"#.parse().unwrap();
        let names = Names::default().with("body", &body).with("row", &Json::Null);
        let filled = names.fill(&template.parse().unwrap()).unwrap();
        assert_eq!(filled.to_string(), expected, "{template}");
    }

    #[test]
    fn a_whole_place_keeps_the_spelling_of_what_stands_there() {
        check(
            r#"{"a":"{{ body.n }}","b":"{{ body.deep }}","c":"{{body.no}}"}"#,
            r#"{"a":1.50,"b":{"x":[1e3]},"c":null}"#,
        );
    }

    #[test]
    fn a_member_of_an_undefined_place_is_left_out() {
        check(r#"{"a":"{{ body.none }}","b":1}"#, r#"{"b":1}"#);
    }

    #[test]
    fn other_texts_are_rendered_and_other_expressions_evaluated() {
        check(
            r#"["{{ body.text }}-1","{{ body.list|sort }}","{{ 'x' if row else 'y' }}","plain"]"#,
            r#"["t-1",["a","b"],"y","plain"]"#,
        );
    }

    #[test]
    fn a_choice_is_stable_and_an_id_is_not() {
        check(r#""{{ pick(body.list, 'u1') == pick(body.list, 'u1') }}""#, "true");
        assert_ne!(unique("x"), unique("x"));
    }

    #[test]
    fn a_broken_expression_is_an_error_that_names_it() {
        let error = Names::default().truth("1 +").unwrap_err().to_string();
        assert!(error.contains("`1 +`"), "{error}");
    }
}
