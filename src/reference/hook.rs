//! Test hooks: what a request may ask of the reference server by the header `Onceproof-Hook`, so that a harness can
//! provoke what it has no other way to provoke. A hook never makes a dishonest server honest, or the other way round.

use std::time::Duration;

/// The header that arms a hook for one request.
pub const HOOK_HEADER: &str = "Onceproof-Hook";

/// What a request asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Hook {
    /// Nothing.
    #[default]
    None,
    /// `answer 403`: that answer, before anything is looked at.
    Answer(u16),
    /// `fail before the commit`: the handler breaks when all is checked and nothing is written.
    FailBefore,
    /// `fail after the effect`: the handler breaks when all is written and nothing is answered.
    FailAfter,
    /// `work 50ms`: the handler takes that long while it holds the claim; `slow`: long enough for others to come meanwhile.
    Work(Duration),
}

/// How long that is.
const SLOW: Duration = Duration::from_millis(200);

impl Hook {
    /// Reads the header's value.
    pub fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let unknown = || {
            format!(
                "`{HOOK_HEADER}: {text}` is not known; write `answer 403`, `fail before the commit`, \
                 `fail after the effect`, `slow` or `work 50ms`"
            )
        };
        if let Some(status) = text.strip_prefix("answer ") {
            return status
                .parse()
                .ok()
                .filter(|status| (200..600).contains(status))
                .map(Hook::Answer)
                .ok_or_else(unknown);
        }
        if let Some(time) = text.strip_prefix("work ") {
            let millis = time.strip_suffix("ms").and_then(|millis| millis.parse().ok());
            return millis.map(|millis| Hook::Work(Duration::from_millis(millis))).ok_or_else(unknown);
        }
        match text {
            "fail before the commit" => Ok(Hook::FailBefore),
            "fail after the effect" => Ok(Hook::FailAfter),
            "slow" => Ok(Hook::Work(SLOW)),
            _ => Err(unknown()),
        }
    }

    /// How long the handler works besides.
    pub fn work(self) -> Duration {
        match self {
            Hook::Work(time) => time,
            Hook::None | Hook::Answer(_) | Hook::FailBefore | Hook::FailAfter => Duration::ZERO,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use crate::reference::hook::Hook;

    #[test]
    fn every_hook_is_read_and_another_one_is_told() {
        assert_eq!(Hook::parse("answer 429"), Ok(Hook::Answer(429)));
        assert_eq!(Hook::parse("work 50ms"), Ok(Hook::Work(Duration::from_millis(50))));
        assert_eq!(Hook::parse("fail before the commit"), Ok(Hook::FailBefore));
        assert_eq!(Hook::parse("fail after the effect"), Ok(Hook::FailAfter));
        for unknown in ["answer 42", "work 5s", "answer", ""] {
            assert!(Hook::parse(unknown).is_err(), "{unknown}");
        }
    }
}
