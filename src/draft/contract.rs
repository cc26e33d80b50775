//! A contract as a draft: what a document says of its keyed operations, in our words, with a comment at each place where
//! it says nothing and somebody has to decide. It claims no more than can be judged without an observer.

use std::fmt::Write;

use crate::draft::find::{Found, Key};
use crate::draft::yaml::{below, comment, scalar};
use crate::json::{Json, Pointer};

/// Statuses that refuse, in any API.
const REFUSING: [u16; 5] = [400, 401, 403, 404, 405];

/// The text of a contract: its requirements are one for each of these claims, by name and sentence.
pub fn contract(name: &str, title: &str, from: &str, operations: &[Found], claims: &[(&str, &str)]) -> String {
    let mut text = format!(
        "# A draft from {}: look at every line with DECIDE, and see scenarios/README.md of onceproof.\n\
         contract: {}\ntitle: {}\n\
         # DECIDE: the dimensions in which a key may be used twice, such as `scopes: [organization, environment]`\n\n\
         operations:\n",
        comment(from),
        scalar(name),
        scalar(&comment(title)),
    );
    for operation in operations {
        put(&mut text, format_args!("{}", one(operation)));
    }
    text.push_str(
        "# DECIDE: where effects are counted, and `effect: NAME` at each operation; without them nobody can say how often\n\
         # something was done, and the claims that speak of it are not judged:\n\
         # effects:\n#   thing:\n#     read: GET /things?reference={{ user }}\n#     rows: /things\n#     identity: /id\n\n\
         # DECIDE: one requirement for each sentence of your documentation. These are drafted: `derived`, so they warn, and\n\
         # fail under --strict. Make those `stated` that your source states, and name it.\n\
         requirements:\n",
    );
    for (at, (claim, says)) in claims.iter().enumerate() {
        let level = if claim.starts_with("report-") { "probe" } else { "must" };
        let grade = if level == "probe" { "probe" } else { "derived" };
        let number = at + 1;
        put(
            &mut text,
            format_args!("  DRAFT-{number:02}:\n    level: {level}\n    grade: {grade}\n    side: server\n"),
        );
        put(&mut text, format_args!("    source: drafted, no sentence of a source stands behind it\n"));
        put(&mut text, format_args!("    says: {}\n    proved by: {claim} on any\n", scalar(&as_clause(says))));
    }
    text
}

/// A sentence as requirements are worded.
fn as_clause(sentence: &str) -> String {
    let mut letters = sentence.trim_end_matches('.').chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

fn one(operation: &Found) -> String {
    let mut text = format!("  {}:\n", operation.name);
    for name in &operation.sampled {
        put(
            &mut text,
            format_args!("    # DECIDE: {} was given a sample in the request: one that exists?\n", comment(name)),
        );
    }
    put(&mut text, format_args!("    request: {}\n", scalar(&format!("{} {}", operation.method, operation.path))));
    if !operation.headers.is_empty() {
        let headers =
            Json::object(operation.headers.iter().map(|(name, value)| (name.clone(), Json::text(value.as_str()))));
        put(&mut text, format_args!("    headers:{}\n", below(&headers, 6)));
    }
    let (body, user) = with_user(operation);
    if user.is_none() {
        text.push_str(
            "    # DECIDE: no text in this body could name a user; `reference` is made up, so that requests differ\n",
        );
    }
    text.push_str("    # DECIDE: guessed from the schema: is this a request that succeeds?\n");
    put(&mut text, format_args!("    body:{}\n", below(&body, 6)));
    if let Some(identity) = &operation.identity {
        put(
            &mut text,
            format_args!("    identity: {} # of what was done, in the answer\n", scalar(&pointer(&[identity]))),
        );
    }
    key(operation, &mut text);
    answers(operation, &mut text);
    edits(operation, &body, user.as_deref().unwrap_or("reference"), &mut text);
    text.push('\n');
    text
}

fn key(operation: &Found, text: &mut String) {
    if operation.may_trace {
        text.push_str(
            "    # DECIDE: is this the key that makes a retry safe? Request ids are often for tracing alone\n",
        );
    }
    if let Some(format) = &operation.format {
        put(
            text,
            format_args!(
                "    # DECIDE: its format is `{}`, and ours are plain texts: does it accept them?\n",
                comment(format)
            ),
        );
    }
    text.push_str("    key:\n");
    match &operation.key {
        Key::Header(name) => put(text, format_args!("      header: {}\n", scalar(name))),
        Key::Member(name) => put(text, format_args!("      at: {}\n", scalar(&pointer(&[name])))),
    }
    match operation.length {
        (least, Some(most)) if most > 0 && least.unwrap_or(1) <= most => {
            put(text, format_args!("      length: {}..{most} characters\n", least.unwrap_or(1).max(1)));
        }
        _ => {
            text.push_str("      # DECIDE: its bounds, such as `length: 1..255 characters`; the document states none\n")
        }
    }
    text.push_str(
        "      same request: content # DECIDE: or `key only`, where another request under a known key is no conflict\n\
         \x20     # DECIDE: `verbatim`, with a `marker:` and an answer `replayed`, where a retry brings the first answer back, marked\n\
         \x20     replay: acknowledged\n",
    );
}

fn answers(operation: &Found, text: &mut String) {
    let has = |status: &str| operation.statuses.iter().any(|known| known == status);
    let of = |first: char| -> Vec<u16> {
        let all = operation.statuses.iter().filter(|status| status.starts_with(first));
        all.filter_map(|status| status.parse().ok()).collect()
    };
    let success = of('2');
    let success = if success.is_empty() { "2xx".to_owned() } else { listed(&success) };
    // What the IETF's draft says of the header, where the document does not say otherwise.
    let (conflict, in_progress) = match (has("409"), has("422")) {
        (true, false) => (409, None),
        (false, _) | (true, true) => (422, Some(409)),
    };
    text.push_str("    answers: # the first that fits names the outcome\n");
    put(text, format_args!("      fresh: {{ status: {success} }}\n"));
    let said = if has(&conflict.to_string()) { "is it this?" } else { "the document does not say" };
    put(
        text,
        format_args!("      conflict: {{ status: {conflict} }} # DECIDE: another request under a known key: {said}\n"),
    );
    if let Some(status) = in_progress {
        put(
            text,
            format_args!("      in progress: {{ status: {status} }} # DECIDE: while the first is still being done\n"),
        );
    }
    text.push_str("      rate limited: { status: 429 }\n");
    let mut refused: Vec<u16> = REFUSING.into_iter().chain(of('4')).filter(|status| *status != 429).collect();
    refused.retain(|status| *status != conflict && Some(*status) != in_progress);
    refused.sort_unstable();
    refused.dedup();
    put(text, format_args!("      refused: {{ status: {} }}\n", listed(&refused)));
    text.push_str(
        "      unknown: { status: 5xx }\n    stored: [fresh] # DECIDE: the outcomes that are kept under the key\n",
    );
}

/// The changes and defects that scenarios ask for by name.
fn edits(operation: &Found, body: &Json, user: &str, text: &mut String) {
    let other = other_member(body, user);
    let (changed, value) = other.clone().unwrap_or_else(|| ("note".to_owned(), Json::text("a")));
    text.push_str("    changes: # each is another valid request; DECIDE: are they?\n");
    let place = |name: &str| scalar(&pointer(&[name]));
    put(text, format_args!("      field changed: {{ set: {{ {}: {} }} }}\n", place(&changed), differing(&value)));
    put(text, format_args!("      user changed: {{ set: {{ {}: \"{{{{ user }}}}-b\" }} }}\n", place(user)));
    text.push_str("    defects: # each is refused; DECIDE: by which status?\n");
    let (broken, wrong) = match &other {
        Some((name, Json::String(_))) => (name.as_str(), "7"),
        Some((name, _)) => (name.as_str(), "\"of the wrong type\""),
        None => (user, "7"),
    };
    put(text, format_args!("      400 wrong type: {{ set: {{ {}: {wrong} }}, outcome: refused }}\n", place(broken)));
    if operation.is_secured {
        text.push_str("      401 without a credential: { credential: none, outcome: refused }\n");
    }
    text.push_str(
        "      429 by hook: { hook: answer 429, outcome: rate limited, status: 429 } # a hook of the subject file\n",
    );
}

/// The body with its user in it, and the member that holds it; none where one had to be made up.
fn with_user(operation: &Found) -> (Json, Option<String>) {
    let mut body = operation.body.clone().unwrap_or_else(|| Json::object(Vec::<(String, Json)>::new()));
    let texts: Vec<String> = body
        .as_object()
        .unwrap_or_default()
        .iter()
        .filter(|(_, value)| value.as_str() == Some("text"))
        .filter_map(|(name, _)| name.as_str().map(str::to_owned))
        .collect();
    let likely = ["user", "customer", "account", "reference", "name", "description", "note"];
    let meant = likely.iter().find_map(|word| texts.iter().find(|name| name.to_ascii_lowercase().contains(word)));
    let member = meant.or(texts.first()).cloned();
    let name = member.clone().unwrap_or_else(|| "reference".to_owned());
    body.set(&Pointer::root().push(name.as_str()), Json::text("{{ user }}"));
    (body, member)
}

/// A member that can be changed, apart from the user's: a number before a text before anything else.
fn other_member(body: &Json, user: &str) -> Option<(String, Json)> {
    let members = body.as_object()?.iter().filter(|(name, _)| name.as_str() != Some(user));
    let members: Vec<(String, &Json)> =
        members.filter_map(|(name, value)| Some((name.as_str()?.to_owned(), value))).collect();
    let first = |fits: fn(&Json) -> bool| members.iter().find(|(_, value)| fits(value));
    let found = first(|value| value.as_number().is_some()).or_else(|| first(|value| value.as_str().is_some()))?;
    Some((found.0.clone(), found.1.clone()))
}

fn differing(value: &Json) -> String {
    match value {
        Json::Number(_) if value.as_u64() == Some(2) => "3".to_owned(),
        Json::Number(_) => "2".to_owned(),
        _ => Json::text(format!("{}-b", value.as_str().unwrap_or("a"))).to_string(),
    }
}

fn listed(statuses: &[u16]) -> String {
    match statuses {
        [one] => one.to_string(),
        many => format!("[{}]", many.iter().map(u16::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn pointer(names: &[&str]) -> String {
    names.iter().fold(Pointer::root(), |place, name| place.push(*name)).to_string()
}

fn put(text: &mut String, what: std::fmt::Arguments<'_>) {
    text.write_fmt(what).expect("a string takes everything that displays");
}
