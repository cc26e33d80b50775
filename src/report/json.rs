//! The verdicts as a file for programs, and back: `onceproof-verdicts/1`. What is read is what was written; nothing is
//! judged anew here.

use serde::{Deserialize, Serialize};

use crate::judge::RunReport;

/// What the file says that it is.
pub const FORMAT: &str = "onceproof-verdicts/1";

#[derive(Serialize)]
struct Written<'a> {
    format: &'static str,
    #[serde(flatten)]
    report: &'a RunReport,
}

#[derive(Deserialize)]
struct Header {
    format: Option<String>,
}

/// Why a file of verdicts could not be written or read.
#[derive(Debug, thiserror::Error)]
pub enum VerdictsError {
    /// It is something else.
    #[error("not a file of verdicts: its `format` is {found}, expected \"{FORMAT}\"; is it from another version?")]
    Format {
        /// What it says that it is.
        found: String,
    },
    /// It says that it is one, and is not.
    #[error("not readable as {FORMAT}: {0}")]
    Malformed(#[source] serde_json::Error),
    /// It could not be put into JSON.
    #[error("the verdicts cannot be written as JSON: {0}")]
    Unwritable(#[source] serde_json::Error),
}

/// The whole file.
pub fn render_json(report: &RunReport) -> Result<String, VerdictsError> {
    let mut text =
        serde_json::to_string_pretty(&Written { format: FORMAT, report }).map_err(VerdictsError::Unwritable)?;
    text.push('\n');
    Ok(text)
}

/// The run that a file holds.
pub fn read_json(text: &str) -> Result<RunReport, VerdictsError> {
    let header: Header = serde_json::from_str(text).map_err(VerdictsError::Malformed)?;
    match header.format.as_deref() {
        Some(FORMAT) => serde_json::from_str(text).map_err(VerdictsError::Malformed),
        Some(other) => Err(VerdictsError::Format { found: format!("{other:?}") }),
        None => Err(VerdictsError::Format { found: "missing".to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::example::{case, divergent, run};

    #[test]
    fn what_is_written_is_read_back() {
        let mut report = run();
        for change in [
            |_: &mut RunReport| {},
            |report: &mut RunReport| report.cases = vec![case("決\0|", &["R"], divergent())],
            |report: &mut RunReport| (report.seed, report.kill_score, report.complete) = (u64::MAX, None, false),
            |report: &mut RunReport| (report.cases, report.requirements) = (Vec::new(), Vec::new()),
        ] {
            change(&mut report);
            let text = render_json(&report).expect("written");
            assert!(
                text.starts_with("{\n  \"format\": \"onceproof-verdicts/1\",\n  \"contract\": \"curious\",\n"),
                "{text}"
            );
            assert_eq!(read_json(&text).expect("read"), report);
        }
    }

    #[test]
    fn what_is_no_file_of_verdicts_is_refused_by_its_format_first() {
        let refused = |text: &str| read_json(text).expect_err(text).to_string();
        insta::assert_snapshot!(refused(r#"{"format":"onceproof-verdicts/2"}"#), @r#"not a file of verdicts: its `format` is "onceproof-verdicts/2", expected "onceproof-verdicts/1"; is it from another version?"#);
        insta::assert_snapshot!(refused("{}"), @r#"not a file of verdicts: its `format` is missing, expected "onceproof-verdicts/1"; is it from another version?"#);
        insta::assert_snapshot!(refused(r#"{"format":"onceproof-verdicts/1"}"#), @"not readable as onceproof-verdicts/1: missing field `contract` at line 1 column 33");
        insta::assert_snapshot!(refused("no"), @"not readable as onceproof-verdicts/1: expected ident at line 1 column 2");
    }
}
