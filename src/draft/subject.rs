//! A subject file as a draft: where the server is and who may call it, and as comments everything else that can be said.

use crate::draft::yaml::{comment, scalar};

/// What is known of a subject.
#[derive(Clone, Debug, Default)]
pub struct Drafted {
    /// The contract, as the command line names it.
    pub contract: String,
    /// The URLs of its replicas.
    pub urls: Vec<String>,
    /// Who may call.
    pub callers: Vec<Caller>,
    /// The effects of the contract.
    pub effects: Vec<String>,
    /// The hooks that its defects name.
    pub hooks: Vec<String>,
    /// Its operations.
    pub operations: Vec<String>,
}

/// Somebody who may call.
#[derive(Clone, Debug, Default)]
pub struct Caller {
    /// What the credential is called.
    pub name: String,
    /// Where it stands in the key space.
    pub scopes: Vec<(String, String)>,
    /// What it sends.
    pub headers: Vec<(String, String)>,
}

/// The text of a subject file.
pub fn subject(drafted: &Drafted) -> String {
    let mut lines = vec![
        "# The implementation under test. Look at every line with DECIDE, then: onceproof doctor --subject THIS-FILE"
            .to_owned(),
        format!("contract: {}", scalar(&drafted.contract)),
        "server:".to_owned(),
    ];
    match drafted.urls.as_slice() {
        [one] => lines.push(format!("  url: {}", scalar(one))),
        many => {
            let urls: Vec<String> = many.iter().map(|url| scalar(url)).collect();
            lines.push(format!("  urls: [{}] # replicas of one service", urls.join(", ")));
        }
    }
    lines.extend(
        [
            "  # start: ./my-api --port {port}     # then it can be killed and started again, and restarts are judged",
            "  # ready: GET /healthz               # a call that answers 2xx when it is ready",
            "  # ca: my-ca.pem                     # of https URLs: whom to trust, in place of this machine's",
            "# DECIDE: the headers of somebody who may call; write secrets as \"Bearer ${API_KEY}\", and set that variable",
            "credentials: # the first is the default; others make scopes judgeable",
        ]
        .map(str::to_owned),
    );
    for Caller { name, scopes, headers } in &drafted.callers {
        lines.push(format!("  {}:", scalar(name)));
        lines.extend(scopes.iter().map(|(scope, value)| format!("    {}: {}", scalar(scope), scalar(value))));
        match headers.is_empty() {
            true => lines.push("    headers: {} # such as { Authorization: \"Bearer ${API_KEY}\" }".to_owned()),
            false => {
                lines.push("    headers:".to_owned());
                lines.extend(headers.iter().map(|(name, value)| format!("      {}: {}", scalar(name), scalar(value))));
            }
        }
    }
    commented(&mut lines, "hooks:", "how to provoke what no call provokes", &drafted.hooks, |name| {
        format!("{}: {{ headers: {{ X-Debug: on }} }} # or command: and undo:", scalar(name))
    });
    commented(
        &mut lines,
        "observe:",
        "how to count effects without the contract's read side",
        &drafted.effects,
        |name| {
            format!("{}: {{ sql: store.db, count: \"select count(*) from things where key = {{key}}\" }}", scalar(name))
        },
    );
    commented(&mut lines, "operations:", "other words than the contract's", &drafted.operations, |name| {
        format!("{}: {{ path: /my/path }}", scalar(name))
    });
    lines.push("# settles: 2s # how long effects may take to show".to_owned());
    lines.join("\n") + "\n"
}

fn commented(lines: &mut Vec<String>, section: &str, why: &str, names: &[String], form: impl Fn(&str) -> String) {
    if !names.is_empty() {
        lines.push(format!("# {section} # {why}"));
        lines.extend(names.iter().map(|name| format!("#   {}", comment(&form(name)))));
    }
}
