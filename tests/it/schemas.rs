//! The printed JSON Schemas against the files: a validator for the few keywords that they use, and nothing more.

use onceproof::file::{Record, Source, json, read, schema};
use onceproof::{contract, plan, scenario, subject};
use serde_json::Value;

use crate::files::{SUBJECT, WAIVERS, root, source, yaml_below};

/// What a value lacks to be what a schema says, at the first place; for the keywords that `onceproof schema` prints.
fn lacks(value: &Value, schema: &Value, whole: &Value) -> Option<String> {
    let object = schema.as_object()?;
    for (keyword, says) in object {
        let found = match keyword.as_str() {
            "$ref" => {
                let path = says.as_str().and_then(|text| text.strip_prefix('#')).unwrap_or_default();
                match whole.pointer(path) {
                    Some(schema) => lacks(value, schema, whole),
                    None => Some(format!("{says} leads nowhere")),
                }
            }
            "type" => {
                let types: Vec<&str> = match says {
                    Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
                    one => one.as_str().into_iter().collect(),
                };
                (!types.iter().any(|name| is_of_type(value, name))).then(|| format!("{value} is no {says}"))
            }
            "enum" => {
                let known = says.as_array().is_some_and(|words| words.contains(value));
                (!known).then(|| format!("{value} is none of {says}"))
            }
            "anyOf" => {
                let all: Vec<_> = says.as_array().into_iter().flatten().map(|one| lacks(value, one, whole)).collect();
                let any = all.iter().any(Option::is_none);
                (!any).then(|| all.into_iter().flatten().collect::<Vec<_>>().join(" or "))
            }
            "items" => value.as_array().into_iter().flatten().find_map(|item| lacks(item, says, whole)),
            "required" => says.as_array().into_iter().flatten().filter_map(Value::as_str).find_map(|name| {
                let absent = value.is_object() && value.get(name).is_none();
                absent.then(|| format!("`{name}` is missing from {value}"))
            }),
            "properties" => value.as_object().into_iter().flatten().find_map(|(name, value)| {
                let own = says.get(name)?;
                lacks(value, own, whole).map(|why| format!("{name}: {why}"))
            }),
            "additionalProperties" => value.as_object().into_iter().flatten().find_map(|(name, value)| {
                let is_property = schema.get("properties").is_some_and(|properties| properties.get(name).is_some());
                match says {
                    _ if is_property => None,
                    Value::Bool(false) => Some(format!("`{name}` is no property")),
                    other => lacks(value, other, whole).map(|why| format!("{name}: {why}")),
                }
            }),
            // The sign of a number and the spelling of a text are for the loaders.
            "minimum" | "pattern" | "propertyNames" | "description" | "title" | "$schema" | "$id" | "$defs" => None,
            other => Some(format!("the schema uses `{other}`, which this test does not know")),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_u64() || value.is_i64(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        _ => false,
    }
}

/// What the printed schema holds against a file.
fn against_schema(record: &'static Record, source: &Source) -> Option<String> {
    let tree = read(source).expect("YAML");
    // A lone surrogate is no JSON text to others; no file of ours has one outside its escapes.
    let value: Value = serde_json::from_str(&json(&tree).to_string()).expect("JSON");
    let schema = schema(record, "test");
    lacks(&value, &schema, &schema)
}

#[test]
fn the_printed_schemas_accept_every_bundled_file() {
    let contracts = yaml_below("scenarios/contracts");
    assert!(!contracts.is_empty());
    for path in contracts {
        let found = against_schema(&contract::SHAPE, &source(&path, "contract"));
        assert_eq!(found, None, "{}", path.display());
    }
    let scenarios = yaml_below("scenarios/server");
    assert!(scenarios.len() > 50);
    for path in scenarios {
        let found = against_schema(&scenario::SHAPE, &source(&path, "scenario"));
        assert_eq!(found, None, "{}", path.display());
    }
    assert_eq!(against_schema(&subject::SHAPE, &Source::new("subject.yaml", SUBJECT)), None);
    assert_eq!(against_schema(&plan::WAIVERS, &Source::new("waivers.yaml", WAIVERS)), None);
}

#[test]
fn the_printed_schemas_refuse_what_the_loaders_refuse_by_shape() {
    for (kind, record, name) in [
        ("contract", &contract::SHAPE, "contract-unknown-field"),
        ("scenario", &scenario::SHAPE, "scenario-missing-fields"),
        ("scenario", &scenario::SHAPE, "scenario-unknown-words"),
        ("subject", &subject::SHAPE, "contract-unknown-field"),
        ("waivers", &plan::WAIVERS, "waivers-entries"),
    ] {
        let path = root().join(format!("tests/malformed/{name}.yaml"));
        assert!(against_schema(record, &source(&path, name)).is_some(), "{kind}/{name}");
    }
}
