//! Whether a request is one: the key against the operation's rule, the body against its types. It looks at nothing that
//! is stored.

use indexmap::IndexMap;

use crate::contract::{Forbidden, KeyPlace, KeyRule, LengthUnit, Type, TypeName};
use crate::json::{Json, Text};
use crate::reference::call::Call;
use crate::reference::policy::Grammar;

/// What is wrong with a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyDefect {
    /// It is refused, and why.
    Refused(String),
    /// It breaks the handler; only a saboteur lets it.
    Breaks,
}

/// The key of a request; none where it has none.
pub fn key(rule: &KeyRule, grammar: Grammar, body: &Json, call: &Call) -> Result<Option<String>, KeyDefect> {
    let refused = |problem: String| Err(KeyDefect::Refused(problem));
    let (place, text) = match &rule.place {
        KeyPlace::Body(place) => match body.at(place) {
            None | Some(Json::Null) => (place.to_string(), None),
            Some(Json::String(text)) => (place.to_string(), Some(text.clone())),
            Some(Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => {
                if grammar == Grammar::CrashesOnOtherTypes {
                    return Err(KeyDefect::Breaks);
                }
                return refused(format!("`{place}` must be a text"));
            }
        },
        // A field that is not of its type is as if it were not there (RFC 9651, 2.1).
        KeyPlace::Header(name) => {
            let value = call.header(name).and_then(|value| rule.syntax.read(value));
            (name.clone(), value.map(|value| Text::from(value.as_str())))
        }
    };
    let required = rule.required && grammar != Grammar::NeverRequires || grammar == Grammar::Requires;
    let Some(text) = text else {
        return if required { refused(format!("`{place}` is required")) } else { Ok(None) };
    };
    let is_none = rule.empty_is_none && text.as_str() == Some("");
    if is_none && !required {
        return Ok(None);
    }
    if let Some(problem) = forbidden(rule, &text) {
        return match grammar {
            Grammar::CrashesOnForbidden => Err(KeyDefect::Breaks),
            Grammar::Exact
            | Grammar::OtherUnit
            | Grammar::Truncates
            | Grammar::Unbounded
            | Grammar::ReplacesSurrogates
            | Grammar::CrashesOnOtherTypes
            | Grammar::Requires
            | Grammar::NeverRequires => refused(format!("`{place}` {problem}")),
        };
    }
    let Some(plain) = text.as_str() else {
        return refused(format!("`{place}` holds an unpaired surrogate"));
    };
    let (fewest, most) = rule.length.unwrap_or((1, u32::MAX));
    let most = if grammar == Grammar::Unbounded { u32::MAX } else { most };
    let length = length(plain, rule.unit, grammar);
    if !(fewest as usize..=most as usize).contains(&length) {
        return refused(format!("`{place}` has a length of {length}, which is not {fewest} to {most}"));
    }
    Ok(Some(plain.to_owned()))
}

fn forbidden(rule: &KeyRule, text: &Text) -> Option<&'static str> {
    rule.forbid.iter().find_map(|forbidden| match forbidden {
        Forbidden::Nul => text.has_nul().then_some("holds U+0000"),
        Forbidden::UnpairedSurrogate => text.has_unpaired_surrogate().then_some("holds an unpaired surrogate"),
    })
}

fn length(text: &str, unit: LengthUnit, grammar: Grammar) -> usize {
    match (unit, grammar == Grammar::OtherUnit) {
        (LengthUnit::Characters, false) | (LengthUnit::Bytes, true) => text.chars().count(),
        (LengthUnit::Bytes, false) | (LengthUnit::Characters, true) => text.len(),
    }
}

/// What is wrong with a body; none if nothing is.
pub fn body(types: &IndexMap<String, Type>, body: &Json) -> Option<String> {
    if types.is_empty() && body.is_null() {
        return None;
    }
    if body.as_object().is_none() {
        return Some("the body must be an object".to_owned());
    }
    types.iter().find_map(|(name, kind)| match body.get(name) {
        None => kind.required.then(|| format!("`{name}` is required")),
        Some(value) => (!fits(kind.is, value)).then(|| format!("`{name}` must be {}", words(kind.is))),
    })
}

fn fits(kind: TypeName, value: &Json) -> bool {
    match kind {
        TypeName::Text => value.as_str().is_some(),
        TypeName::Number => value.as_number().is_some(),
        TypeName::Flag => value.as_bool().is_some(),
        TypeName::Object => value.as_object().is_some(),
        TypeName::List => value.as_array().is_some(),
        TypeName::ListOfText => value.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some())),
        // The key has been held against its own rule before.
        TypeName::Key | TypeName::Any => true,
    }
}

fn words(kind: TypeName) -> &'static str {
    match kind {
        TypeName::Text => "a text",
        TypeName::Number => "a number",
        TypeName::Flag => "true or false",
        TypeName::Object => "an object",
        TypeName::List => "a list",
        TypeName::ListOfText => "a list of texts",
        TypeName::Key => "a key",
        TypeName::Any => "there",
    }
}
