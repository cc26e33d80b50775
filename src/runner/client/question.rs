//! What a program under test is told, and how what it tells is read: variables and one JSON line in, an exit status and
//! one JSON line out. These forms are documented in the README; nothing here starts anything.

use std::path::{Path, PathBuf};

use crate::history::{Exit, Told};
use crate::json::Json;

/// What a program is asked for.
#[derive(Clone, Debug)]
pub struct Question {
    /// Where its requests go, without a slash at the end.
    pub url: String,
    /// The operation.
    pub operation: String,
    /// What is wanted: the body of a request, with the key in its place where the caller gave one.
    pub input: Json,
    /// The key that the caller gave.
    pub key: Option<String>,
    /// Whether it is to be sent without a key.
    pub unkeyed: bool,
    /// The secret of the credential.
    pub credential: Option<String>,
    /// The headers of the credential.
    pub headers: Vec<(String, String)>,
    /// A folder that outlives the program.
    pub state: PathBuf,
    /// Its clock.
    pub time_scale: f64,
    /// What the reference client mints from.
    pub bits: u64,
}

/// How a program ended, and what it told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// How it came to its end.
    pub exit: Exit,
    /// What it said of the outcome.
    pub told: Option<Told>,
    /// The end of what it wrote.
    pub wrote: String,
}

impl Question {
    /// As variables.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let mut variables = vec![
            ("ONCEPROOF_URL", self.url.clone()),
            ("ONCEPROOF_OPERATION", self.operation.clone()),
            ("ONCEPROOF_INPUT", self.input.to_string()),
            ("ONCEPROOF_STATE", self.state.display().to_string()),
            ("ONCEPROOF_TIME_SCALE", self.time_scale.to_string()),
        ];
        variables.extend(self.key.clone().map(|key| ("ONCEPROOF_KEY", key)));
        variables.extend(self.unkeyed.then(|| ("ONCEPROOF_UNKEYED", "1".to_owned())));
        variables.extend(self.credential.clone().map(|secret| ("ONCEPROOF_CREDENTIAL", secret)));
        // An operating system takes no NUL in a variable.
        variables.retain(|(_, value)| !value.contains('\0'));
        variables
    }

    /// As one line of JSON.
    pub fn line(&self) -> String {
        let text = |text: &str| Json::from(text);
        let optional = |value: &Option<String>| value.as_deref().map_or(Json::Null, Json::from);
        let members = [
            ("url", text(&self.url)),
            ("operation", text(&self.operation)),
            ("input", self.input.clone()),
            ("key", optional(&self.key)),
            ("unkeyed", Json::from(self.unkeyed)),
            ("credential", optional(&self.credential)),
            ("state", text(&self.state.display().to_string())),
            ("time_scale", Json::parse(self.time_scale.to_string().as_bytes()).unwrap_or(Json::Null)),
        ];
        Json::object(members).to_string()
    }
}

/// The outcome that a line tells; none when it is no such line.
pub fn told(line: &str) -> Option<Told> {
    let json = Json::parse(line.trim().as_bytes()).ok()?;
    Told::from_word(json.get("outcome")?.as_str()?)
}

/// The outcome that the last line of an output tells.
pub fn last_told(output: &str) -> Option<Told> {
    told(output.lines().rev().find(|line| !line.trim().is_empty())?)
}

/// The secret in the value of a credential's header: what stands after the scheme.
pub fn secret(headers: &[(String, String)]) -> Option<String> {
    let (_, value) = headers.first()?;
    Some(value.split_once(' ').map_or(value.as_str(), |(_, secret)| secret).to_owned())
}

/// A folder for an intent's state; two intents never share one.
pub fn state_of(folder: &Path, intent: &str) -> PathBuf {
    let name: String = intent.chars().map(|letter| if letter.is_alphanumeric() { letter } else { '-' }).collect();
    folder.join(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_line_tells_and_only_in_the_documented_words() {
        assert_eq!(last_told("sending\n{\"outcome\":\"success\"}\n\n"), Some(Told::Success));
        assert_eq!(last_told("{\"outcome\":\"success\"}\n{\"outcome\":\"failure\",\"why\":1}"), Some(Told::Failure));
        for silent in ["", "done", "{\"outcome\":\"success\"}\nbye", "{\"outcome\":\"ok\"}", "{\"outcome\":1}"] {
            assert_eq!(last_told(silent), None, "{silent}");
        }
    }

    #[test]
    fn a_question_is_one_line_and_its_variables_can_be_set() {
        let question = Question {
            url: "http://127.0.0.1:1".to_owned(),
            operation: "send".to_owned(),
            input: Json::parse(b"{\"text\":\"a\\u0000\\nb\"}").expect("JSON"),
            key: Some("k\0".to_owned()),
            unkeyed: false,
            credential: None,
            headers: Vec::new(),
            state: PathBuf::from("/s"),
            time_scale: 0.5,
            bits: 0,
        };
        assert_eq!(question.line().lines().count(), 1);
        assert!(question.line().contains("\"time_scale\":0.5"), "{}", question.line());
        assert!(question.variables().iter().all(|(name, value)| *name != "ONCEPROOF_KEY" && !value.contains('\0')));
    }

    #[test]
    fn the_secret_stands_after_the_scheme() {
        let header = |value: &str| vec![("Authorization".to_owned(), value.to_owned())];
        assert_eq!(secret(&header("Bearer s3")).as_deref(), Some("s3"));
        assert_eq!(secret(&header("s3")).as_deref(), Some("s3"));
        assert_eq!(secret(&[]), None);
    }
}
