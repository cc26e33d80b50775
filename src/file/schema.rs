//! Prints a declared shape as JSON Schema, draft 2020-12, for editors.
//!
//! The schema is never read back. Where the two can differ at all it is the looser one: `check` has the last word.

use serde_json::{Map, Value, json};

use crate::file::shape::{Record, Shape};

/// The schema of a whole file; every record stands once in `$defs`, so records may hold themselves.
pub fn schema(root: &Record, id: &str) -> Value {
    let mut defs = Map::new();
    define(root, &mut defs);
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": id,
        "title": root.name,
        "description": root.doc,
        "$ref": reference(root),
        "$defs": defs,
    })
}

fn reference(record: &Record) -> String {
    format!("#/$defs/{}", record.name)
}

fn define(record: &Record, defs: &mut Map<String, Value>) {
    if defs.contains_key(record.name) {
        return;
    }
    // Its place is taken before its fields are looked at: they may lead back to it.
    defs.insert(record.name.to_owned(), Value::Null);
    let mut properties = Map::new();
    for field in record.fields {
        let property = with_doc(described(&field.shape, defs), field.doc);
        properties.insert(field.name.to_owned(), property);
    }
    let required = record.fields.iter().filter(|field| field.required);
    let required: Vec<&str> = required.map(|field| field.name).collect();
    let mut definition = json!({
        "type": "object",
        "description": record.doc,
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty() {
        definition["required"] = json!(required);
    }
    defs.insert(record.name.to_owned(), definition);
}

fn described(shape: &Shape, defs: &mut Map<String, Value>) -> Value {
    match shape {
        Shape::Text => json!({ "type": SCALAR }),
        Shape::Word(words) => json!({ "enum": spellings(words) }),
        Shape::Flag => json!({ "type": "boolean" }),
        Shape::Count => json!({ "type": "integer", "minimum": 0 }),
        Shape::Json => json!({}),
        Shape::List(inner) => json!({ "type": "array", "items": described(inner, defs) }),
        Shape::OneOrMany(inner) => {
            let one = described(inner, defs);
            json!({ "anyOf": [one, { "type": "array", "items": one }] })
        }
        Shape::Map { keys, values } => json!({
            "type": "object",
            "propertyNames": { "description": keys },
            "additionalProperties": described(values, defs),
        }),
        Shape::Record(record) => {
            define(record, defs);
            json!({ "$ref": reference(record) })
        }
        Shape::Either(shapes) => {
            let all: Vec<Value> = shapes.iter().map(|one| described(one, defs)).collect();
            json!({ "anyOf": all })
        }
        Shape::Pattern { says, regex_for_schema, .. } => json!({
            "type": SCALAR,
            "pattern": regex_for_schema,
            "description": says,
        }),
    }
}

/// Unquoted `1.00` is text to us, but a number to an editor.
const SCALAR: [&str; 3] = ["string", "number", "boolean"];

/// An unquoted `200` or `true` is one of our words, but an editor sees a number or a boolean.
fn spellings(words: &[&str]) -> Vec<Value> {
    let mut values = Vec::new();
    for word in words {
        values.push(json!(word));
        if let Ok(other @ (Value::Bool(_) | Value::Number(_))) = serde_json::from_str(word) {
            values.push(other);
        }
    }
    values
}

fn with_doc(mut value: Value, doc: &str) -> Value {
    let says = value.get("description").and_then(Value::as_str);
    let text = says.map_or_else(|| doc.to_owned(), |says| format!("{doc} ({says})"));
    value["description"] = Value::String(text);
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::shape::Field;

    static STEP: Record = Record::new(
        "step",
        "One request.",
        &[
            Field::required("send", "the request", Shape::Text),
            Field::optional("status", "the answer", Shape::Word(&["200", "any"])),
            Field::optional("then", "what follows", Shape::OneOrMany(&Shape::Record(&STEP))),
            Field::optional("headers", "more", Shape::Map { keys: "header names", values: &Shape::Text }),
            Field::optional("times", "how often", Shape::Either(&[Shape::Count, Shape::List(&Shape::Flag)])),
            Field::optional("body", "the body", Shape::Json),
            Field::optional("wait", "how long", WAIT),
        ],
    );

    const WAIT: Shape = Shape::Pattern { says: "such as 5ms", regex_for_schema: "ms$", accepts: |_| Ok(()) };

    #[test]
    fn a_record_prints_every_field_with_its_doc_and_refers_to_itself() {
        let scalar = json!(["string", "number", "boolean"]);
        let step = json!({ "$ref": "#/$defs/step" });
        let properties = json!({
            "send": { "type": scalar, "description": "the request" },
            "status": { "enum": ["200", 200, "any"], "description": "the answer" },
            "then": { "anyOf": [step, { "type": "array", "items": step }], "description": "what follows" },
            "headers": {
                "type": "object",
                "propertyNames": { "description": "header names" },
                "additionalProperties": { "type": scalar },
                "description": "more",
            },
            "times": {
                "anyOf": [{ "type": "integer", "minimum": 0 }, { "type": "array", "items": { "type": "boolean" } }],
                "description": "how often",
            },
            "body": { "description": "the body" },
            "wait": { "type": scalar, "pattern": "ms$", "description": "how long (such as 5ms)" },
        });
        let expected = json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "$id": "https://example.test/step.json",
            "title": "step",
            "description": "One request.",
            "$ref": "#/$defs/step",
            "$defs": { "step": {
                "type": "object",
                "description": "One request.",
                "additionalProperties": false,
                "properties": properties,
                "required": ["send"],
            } },
        });
        let printed = schema(&STEP, "https://example.test/step.json");
        // As text, because editors show the fields in the declared order.
        assert_eq!(printed.to_string(), expected.to_string());
    }
}
