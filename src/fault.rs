//! What one attempt meets on its way: nothing, or one fault at one point. A small closed language that prints as it
//! parses. Nothing here touches a socket.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What one attempt meets.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Passage {
    /// Nothing: every byte passes.
    Clear,
    /// One fault.
    Faulted(Fault),
}

/// An action at a point.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The connection is refused.
    Refuse,
    /// The connection ends before any of the request is read: a new one as it is accepted, a kept one while it is idle.
    PreRequest {
        /// Reset rather than closed.
        reset: bool,
    },
    /// The request is lost before the origin is shown any of it.
    PreCommit(Loss),
    /// The origin is shown the first bytes of the request, then the connection ends.
    MidRequest {
        /// So many bytes.
        bytes: u64,
        /// Reset rather than closed.
        reset: bool,
    },
    /// The origin's whole answer was read, and is then lost.
    PostCommit(Loss),
    /// The caller is given the beginning of the answer only.
    MidResponse(Cut),
    /// The answer is given byte by byte, slowly.
    Drip,
    /// The head is given at once, and the body byte by byte, slowly.
    DripBody,
    /// The origin is shown the request twice.
    Duplicate(Copies),
    /// The request is held until the retry was answered, then shown to the origin.
    Late,
    /// The caller is redirected; the origin is shown nothing.
    Redirect(u16),
    /// The caller leaves after sending the whole request; the origin goes on.
    HangUp,
    /// The subject's process is killed while its answer is held, and then started again.
    Kill {
        /// Killed before that, when it has the request but for its last byte.
        early: bool,
    },
    /// The subject's process is asked to end while its answer is held, and then started again.
    Restart,
    /// The subject's process is stopped while it works on the request, and goes on when its retry has come.
    Pause,
}

/// How a request or an answer is lost.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Loss {
    /// The connection is closed in order (FIN).
    Drop,
    /// The connection is reset (RST).
    Reset,
    /// Nothing happens any more, until the caller gives up.
    Stall,
    /// Somebody on the way answers instead.
    Answer(Refusal),
}

/// What somebody on the way answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refusal {
    /// The status; none where it is that of the outcome.
    pub status: Option<u16>,
    /// What the contract calls such an answer, which then says what it would.
    pub outcome: Option<String>,
    /// When to come back, if it says.
    pub retry_after: Option<RetryAfter>,
}

/// The value of a `Retry-After` header.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RetryAfter {
    /// In so many seconds.
    Seconds(u64),
    /// At a date, so many seconds after the answer (before it, when negative).
    Date(i64),
    /// These very characters.
    Text(String),
}

/// Where an answer is cut, and how the connection then ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cut {
    /// The place.
    pub at: CutPlace,
    /// Reset rather than closed.
    pub reset: bool,
}

/// A place in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CutPlace {
    /// Before the status line.
    Start,
    /// Inside the head.
    Head,
    /// After the head, before the body.
    AfterHead,
    /// Inside the body.
    Body,
    /// Before the last chunk (the last byte of a body with a length).
    LastChunk,
    /// After so many bytes of the answer.
    Bytes(u64),
}

/// How a request is shown twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Copies {
    /// The second after the first was answered.
    InTurn,
    /// Both at the same time.
    AtOnce,
}

/// Where on the road a fault acts; derived, never declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FaultPoint {
    /// Before there is a connection, or a request on it.
    Connect,
    /// Before the origin is shown the request.
    PreCommit,
    /// While the origin is shown the request.
    MidRequest,
    /// After the origin's answer was read whole.
    PostCommit,
    /// While the caller is given the answer.
    MidResponse,
    /// Which copies arrive, and when.
    Delivery,
}

impl Passage {
    /// What somebody on the way answers in it.
    pub fn answer(&self) -> Option<&Refusal> {
        match self {
            Passage::Faulted(Fault::PreCommit(Loss::Answer(refusal)) | Fault::PostCommit(Loss::Answer(refusal))) => {
                Some(refusal)
            }
            Passage::Clear | Passage::Faulted(_) => None,
        }
    }
}

impl Fault {
    /// Where on the road it acts.
    pub fn point(&self) -> FaultPoint {
        match self {
            Fault::Refuse | Fault::PreRequest { .. } => FaultPoint::Connect,
            Fault::PreCommit(_) | Fault::Redirect(_) => FaultPoint::PreCommit,
            Fault::MidRequest { .. } | Fault::Kill { early: true } => FaultPoint::MidRequest,
            Fault::PostCommit(_) | Fault::Kill { early: false } | Fault::Restart => FaultPoint::PostCommit,
            Fault::MidResponse(_) | Fault::Drip | Fault::DripBody => FaultPoint::MidResponse,
            Fault::Duplicate(_) | Fault::Late | Fault::HangUp | Fault::Pause => FaultPoint::Delivery,
        }
    }

    /// Whether it needs the origin to have answered with a success before it acts.
    pub fn needs_commit(&self) -> bool {
        match self.point() {
            FaultPoint::PostCommit | FaultPoint::MidResponse => !matches!(self, Fault::Drip | Fault::DripBody),
            FaultPoint::Connect | FaultPoint::PreCommit | FaultPoint::MidRequest | FaultPoint::Delivery => false,
        }
    }

    /// Whether it is done to the subject's process.
    pub fn is_of_process(&self) -> bool {
        matches!(self, Fault::Kill { .. } | Fault::Restart | Fault::Pause)
    }
}

/// Every way to write a passage, for messages.
pub const GRAMMAR: &str = "clear | refuse | pre-request (drop | reset) | (pre-commit|post-commit) (drop | reset | stall | answer STATUS \
[OUTCOME] [retry-after (Ns | date ±Ns | \"TEXT\")]) | mid-request cut N [reset] | mid-response cut (start | head | after-head | body | \
last-chunk | N) [reset] | drip [body] | duplicate [at once] | late | redirect STATUS | hang-up | kill [early] | restart | pause";

/// First words of a passage, for the nearest known one.
pub const FIRST_WORDS: &[&str] = &[
    "clear",
    "refuse",
    "pre-request",
    "pre-commit",
    "post-commit",
    "mid-request",
    "mid-response",
    "drip",
    "duplicate",
    "late",
    "redirect",
    "hang-up",
    "kill",
    "restart",
    "pause",
];

/// Why a passage could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not a passage: {why}")]
pub struct BadPassage {
    /// What was given.
    pub given: String,
    /// What is wrong with it.
    pub why: String,
}

impl FromStr for Passage {
    type Err = BadPassage;

    fn from_str(given: &str) -> Result<Self, Self::Err> {
        let words: Vec<&str> = given.split_whitespace().collect();
        passage(&words).map_err(|why| BadPassage { given: given.to_owned(), why })
    }
}

fn passage(words: &[&str]) -> Result<Passage, String> {
    let fault = match words {
        ["clear"] => return Ok(Passage::Clear),
        ["refuse"] => Fault::Refuse,
        ["pre-request", "drop"] => Fault::PreRequest { reset: false },
        ["pre-request", "reset"] => Fault::PreRequest { reset: true },
        ["pre-commit", rest @ ..] => Fault::PreCommit(loss(rest)?),
        ["post-commit", rest @ ..] => Fault::PostCommit(loss(rest)?),
        ["mid-request", "cut", bytes] => Fault::MidRequest { bytes: number(bytes)?, reset: false },
        ["mid-request", "cut", bytes, "reset"] => Fault::MidRequest { bytes: number(bytes)?, reset: true },
        ["mid-response", "cut", place] => Fault::MidResponse(Cut { at: cut_place(place)?, reset: false }),
        ["mid-response", "cut", place, "reset"] => Fault::MidResponse(Cut { at: cut_place(place)?, reset: true }),
        ["drip"] => Fault::Drip,
        ["drip", "body"] => Fault::DripBody,
        ["duplicate"] => Fault::Duplicate(Copies::InTurn),
        ["duplicate", "at", "once"] => Fault::Duplicate(Copies::AtOnce),
        ["late"] => Fault::Late,
        ["redirect", status] => match self::status(status)? {
            status @ 300..=399 => Fault::Redirect(status),
            other => return Err(format!("a redirect has a status from 300 to 399, not {other}")),
        },
        ["hang-up"] => Fault::HangUp,
        ["kill"] => Fault::Kill { early: false },
        ["kill", "early"] => Fault::Kill { early: true },
        ["restart"] => Fault::Restart,
        ["pause"] => Fault::Pause,
        [] => return Err(format!("expected {GRAMMAR}")),
        [first, ..] if FIRST_WORDS.contains(first) => {
            return Err(format!("what follows `{first}` is not known; expected {GRAMMAR}"));
        }
        [first, ..] => return Err(format!("`{first}` is not known; expected {GRAMMAR}")),
    };
    Ok(Passage::Faulted(fault))
}

fn loss(words: &[&str]) -> Result<Loss, String> {
    match words {
        ["drop"] => Ok(Loss::Drop),
        ["reset"] => Ok(Loss::Reset),
        ["stall"] => Ok(Loss::Stall),
        ["answer", first, ..] => {
            let (words, retry_after) = match words.iter().position(|word| *word == "retry-after") {
                Some(at) => (&words[1..at], self::retry_after(&words[at..])?),
                None => (&words[1..], None),
            };
            let (status, outcome) = match (words, first.chars().all(|letter| letter.is_ascii_digit())) {
                ([status, outcome @ ..], true) => (Some(self::status(status)?), outcome),
                (outcome, _) => (None, outcome),
            };
            let wrong = |word: &&str| !word.chars().all(|letter| letter.is_ascii_lowercase());
            if let Some(word) = outcome.iter().find(|word| wrong(word)) {
                return Err(format!("`{word}` is neither a status from 100 to 599 nor an outcome"));
            }
            let outcome = (!outcome.is_empty()).then(|| outcome.join(" "));
            if status.is_none() && outcome.is_none() {
                return Err("expected `answer STATUS`".to_owned());
            }
            Ok(Loss::Answer(Refusal { status, outcome, retry_after }))
        }
        _ => Err("expected drop, reset, stall or `answer STATUS`".to_owned()),
    }
}

fn retry_after(words: &[&str]) -> Result<Option<RetryAfter>, String> {
    let bad = || "expected `retry-after 2s`, `retry-after date +5s` or `retry-after \"TEXT\"`".to_owned();
    match words {
        [] => Ok(None),
        ["retry-after", "date", offset] => {
            let seconds = offset.strip_suffix('s').and_then(|text| text.parse().ok()).ok_or_else(bad)?;
            Ok(Some(RetryAfter::Date(seconds)))
        }
        ["retry-after", rest @ ..] if rest.first().is_some_and(|first| first.starts_with('"')) => {
            let text = rest.join(" ");
            let inner = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).ok_or_else(bad)?;
            Ok(Some(RetryAfter::Text(inner.to_owned())))
        }
        ["retry-after", delay] => {
            let seconds = delay.strip_suffix('s').and_then(|text| text.parse().ok()).ok_or_else(bad)?;
            Ok(Some(RetryAfter::Seconds(seconds)))
        }
        _ => Err(bad()),
    }
}

fn status(text: &str) -> Result<u16, String> {
    match text.parse() {
        Ok(status @ 100..=599) => Ok(status),
        _ => Err(format!("`{text}` is not a status from 100 to 599")),
    }
}

fn number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a number of bytes"))
}

fn cut_place(text: &str) -> Result<CutPlace, String> {
    Ok(match text {
        "start" => CutPlace::Start,
        "head" => CutPlace::Head,
        "after-head" => CutPlace::AfterHead,
        "body" => CutPlace::Body,
        "last-chunk" => CutPlace::LastChunk,
        bytes => CutPlace::Bytes(bytes.parse().map_err(|_| {
            format!(
                "`{text}` is not a place in an answer: start, head, after-head, body, last-chunk or a number of bytes"
            )
        })?),
    })
}

impl fmt::Display for Passage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Passage::Clear => f.write_str("clear"),
            Passage::Faulted(fault) => fault.fmt(f),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Refuse => f.write_str("refuse"),
            Fault::PreCommit(loss) => write!(f, "pre-commit {loss}"),
            Fault::PreRequest { reset } => f.write_str(if *reset { "pre-request reset" } else { "pre-request drop" }),
            Fault::MidRequest { bytes, reset } => {
                write!(f, "mid-request cut {bytes}{}", if *reset { " reset" } else { "" })
            }
            Fault::PostCommit(loss) => write!(f, "post-commit {loss}"),
            Fault::MidResponse(cut) => {
                write!(f, "mid-response cut {}{}", cut.at, if cut.reset { " reset" } else { "" })
            }
            Fault::Drip => f.write_str("drip"),
            Fault::DripBody => f.write_str("drip body"),
            Fault::Duplicate(Copies::InTurn) => f.write_str("duplicate"),
            Fault::Duplicate(Copies::AtOnce) => f.write_str("duplicate at once"),
            Fault::Late => f.write_str("late"),
            Fault::Redirect(status) => write!(f, "redirect {status}"),
            Fault::HangUp => f.write_str("hang-up"),
            Fault::Kill { early: false } => f.write_str("kill"),
            Fault::Kill { early: true } => f.write_str("kill early"),
            Fault::Restart => f.write_str("restart"),
            Fault::Pause => f.write_str("pause"),
        }
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Drop => f.write_str("drop"),
            Loss::Reset => f.write_str("reset"),
            Loss::Stall => f.write_str("stall"),
            Loss::Answer(Refusal { status, outcome, retry_after }) => {
                f.write_str("answer")?;
                if let Some(status) = status {
                    write!(f, " {status}")?;
                }
                if let Some(outcome) = outcome {
                    write!(f, " {outcome}")?;
                }
                match retry_after {
                    None => Ok(()),
                    Some(RetryAfter::Seconds(seconds)) => write!(f, " retry-after {seconds}s"),
                    Some(RetryAfter::Date(seconds)) => write!(f, " retry-after date {seconds:+}s"),
                    Some(RetryAfter::Text(text)) => write!(f, " retry-after \"{text}\""),
                }
            }
        }
    }
}

impl fmt::Display for CutPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CutPlace::Start => f.write_str("start"),
            CutPlace::Head => f.write_str("head"),
            CutPlace::AfterHead => f.write_str("after-head"),
            CutPlace::Body => f.write_str("body"),
            CutPlace::LastChunk => f.write_str("last-chunk"),
            CutPlace::Bytes(bytes) => write!(f, "{bytes}"),
        }
    }
}

impl Serialize for Passage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Passage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_passage_prints_as_it_parses() {
        for text in [
            "clear",
            "refuse",
            "pre-request drop",
            "pre-request reset",
            "pre-commit drop",
            "pre-commit reset",
            "pre-commit stall",
            "pre-commit answer 429",
            "pre-commit answer 429 retry-after 2s",
            "post-commit answer 503 retry-after date +5s",
            "pre-commit answer 409 in progress retry-after 1s",
            "pre-commit answer fresh",
            "post-commit answer 503 retry-after date -5s",
            "post-commit answer 503 retry-after \"+3 x\"",
            "mid-request cut 10",
            "mid-request cut 10 reset",
            "post-commit drop",
            "mid-response cut head",
            "mid-response cut 20 reset",
            "mid-response cut last-chunk",
            "drip",
            "drip body",
            "duplicate",
            "duplicate at once",
            "late",
            "redirect 307",
            "hang-up",
            "kill",
            "kill early",
            "restart",
            "pause",
        ] {
            assert_eq!(text.parse::<Passage>().map(|passage| passage.to_string()), Ok(text.to_owned()));
        }
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_what_was_expected() {
        for text in [
            "",
            "post-comit drop",
            "pre-request stall",
            "post-commit",
            "pre-commit answer 99",
            "mid-response cut tail",
            "redirect 200",
            "pre-commit answer 429 retry-after 2",
            "clear clear",
        ] {
            let error = text.parse::<Passage>().expect_err(text);
            assert!(
                error.why.contains("expected") || error.why.contains("not a") || error.why.contains("redirect"),
                "{error}"
            );
        }
    }
}
