//! How an answer is named: ordered rules, the first that fits names the outcome. It classifies one answer by itself;
//! whether that outcome was right is for the judge.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::json::{Json, Pointer};
use crate::message::Response;

/// What an answer amounts to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Done now.
    Fresh,
    /// Done before; the earlier answer, or an acknowledgement of the duplicate.
    Replayed,
    /// The key, or the state, belongs to another request.
    Conflict,
    /// Another copy has the key and is not done.
    InProgress,
    /// Too many requests.
    RateLimited,
    /// Outside a freshness window.
    Stale,
    /// Refused for good; nothing was done.
    Refused,
    /// Nobody can tell from the answer whether it was done.
    Unknown,
}

impl Outcome {
    /// The words that contract files use.
    pub const WORDS: &'static [&'static str] =
        &["fresh", "replayed", "conflict", "in progress", "rate limited", "stale", "refused", "unknown"];

    /// The outcome that a word names.
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "fresh" => Outcome::Fresh,
            "replayed" => Outcome::Replayed,
            "conflict" => Outcome::Conflict,
            "in progress" => Outcome::InProgress,
            "rate limited" => Outcome::RateLimited,
            "stale" => Outcome::Stale,
            "refused" => Outcome::Refused,
            "unknown" => Outcome::Unknown,
            _ => return None,
        })
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Fresh => "fresh",
            Outcome::Replayed => "replayed",
            Outcome::Conflict => "conflict",
            Outcome::InProgress => "in progress",
            Outcome::RateLimited => "rate limited",
            Outcome::Stale => "stale",
            Outcome::Refused => "refused",
            Outcome::Unknown => "unknown",
        }
    }

    /// Whether the caller may take it for done.
    pub fn is_success(self) -> bool {
        matches!(self, Outcome::Fresh | Outcome::Replayed)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// One line of an operation's `answers`.
#[derive(Clone, Debug, PartialEq)]
pub struct AnswerRule {
    /// What an answer that fits amounts to.
    pub outcome: Outcome,
    /// The statuses that fit; none fits every status (batch items have no status).
    pub status: Option<StatusSet>,
    /// Headers that it must have.
    pub headers: Vec<HeaderTest>,
    /// What its content must be like.
    pub body: BodyTest,
}

/// A header that an answer must have, and its value if that matters.
#[derive(Clone, Debug, PartialEq)]
pub struct HeaderTest {
    /// The name, in any case.
    pub name: String,
    /// The value, exactly.
    pub value: Option<String>,
}

/// What an answer's content must be like. The default fits everything.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyTest {
    /// Members that it must hold, with these very values.
    pub holds: Option<Json>,
    /// Places that must be there.
    pub has: Vec<Pointer>,
    /// Places that must not be there.
    pub lacks: Vec<Pointer>,
    /// Texts that must stand somewhere in it.
    pub says: Vec<String>,
}

/// A set of statuses: `200`, `2xx`, or a list of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatusSet {
    /// Inclusive ranges.
    pub ranges: Vec<(u16, u16)>,
}

impl StatusSet {
    /// Whether a status is in it.
    pub fn contains(&self, status: u16) -> bool {
        self.ranges.iter().any(|(low, high)| (*low..=*high).contains(&status))
    }

    /// Whether no status is in both.
    pub fn is_apart_from(&self, other: &StatusSet) -> bool {
        self.ranges.iter().all(|(low, high)| other.ranges.iter().all(|(least, most)| high < least || most < low))
    }

    /// Adds `200` or `2xx`; the error says what was expected.
    pub fn add(&mut self, word: &str) -> Result<(), String> {
        let class = word.strip_suffix("xx").and_then(|digit| digit.parse::<u16>().ok());
        let range = match (class, word.parse::<u16>()) {
            (Some(class @ 1..=5), _) => (class * 100, class * 100 + 99),
            (_, Ok(status @ 100..=599)) => (status, status),
            _ => return Err(format!("`{word}` is not a status: expected one like `200` or a class like `5xx`")),
        };
        self.ranges.push(range);
        Ok(())
    }
}

impl fmt::Display for StatusSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, (low, high)) in self.ranges.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            if low == high { write!(f, "{separator}{low}")? } else { write!(f, "{separator}{}xx", low / 100)? }
        }
        Ok(())
    }
}

impl AnswerRule {
    /// Whether a whole answer fits.
    pub fn fits(&self, answer: &Response) -> bool {
        self.status.as_ref().is_none_or(|set| set.contains(answer.status))
            && self.headers.iter().all(|test| match (answer.header(&test.name), &test.value) {
                (None, _) => false,
                (Some(_), None) => true,
                (Some(found), Some(value)) => found == value,
            })
            && (self.body == BodyTest::default() || self.body.fits(&answer.body.0, answer.json().as_ref()))
    }

    /// Whether the answer to one item of a batch fits; status and headers are the envelope's and do not count.
    pub fn fits_item(&self, item: &Json) -> bool {
        self.body == BodyTest::default() || self.body.fits(item.to_string().as_bytes(), Some(item))
    }
}

impl AnswerRule {
    /// An answer that fits: its status, and a body of what the rule asks for. `status` where a certain one is wanted.
    pub fn example(&self, status: Option<u16>) -> Option<(u16, Json)> {
        let lowest = self.status.as_ref().and_then(|set| set.ranges.first()).map_or(200, |(low, _)| *low);
        let status = status.unwrap_or(lowest);
        if self.status.as_ref().is_some_and(|set| !set.contains(status)) {
            return None;
        }
        let mut body = self.body.holds.clone().unwrap_or_else(|| Json::object(Vec::<(String, Json)>::new()));
        for place in &self.body.has {
            if body.at(place).is_none() {
                body.set(place, Json::from("example"));
            }
        }
        if !self.body.says.is_empty() {
            body.set(&Pointer::root().push("message"), Json::from(self.body.says.join(", ").as_str()));
        }
        Some((status, body))
    }
}

impl BodyTest {
    fn fits(&self, raw: &[u8], json: Option<&Json>) -> bool {
        let Some(json) = json else {
            let needs_json = self.holds.is_some() || !self.has.is_empty();
            return !needs_json && self.says.iter().all(|text| String::from_utf8_lossy(raw).contains(text.as_str()));
        };
        let spoken = json.to_string();
        self.holds.as_ref().is_none_or(|subset| json.contains(subset))
            && self.has.iter().all(|place| json.at(place).is_some())
            && self.lacks.iter().all(|place| json.at(place).is_none())
            && self.says.iter().all(|text| spoken.contains(text.as_str()))
    }
}
