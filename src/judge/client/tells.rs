//! What a program's ending says of the outcome, by its words or else by its exit status. Whether that is so is for the
//! claims.

use crate::history::{Ending, EntryNo, Exit, Told};
use crate::judge::client::course::Course;

/// What an ending says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// It is done.
    Success,
    /// It is not told to be done.
    NoSuccess,
    /// Nothing: it was ended, or it stays up and is silent.
    Nothing,
}

/// What the last ending of a course says.
pub fn told(course: &Course<'_>) -> Option<(EntryNo, Tells)> {
    course.ending().map(|(entry, ending)| (entry, of(ending)))
}

fn of(ending: &Ending) -> Tells {
    match (ending.told, &ending.exit) {
        (Some(Told::Success), _) | (None, Exit::Status(0)) => Tells::Success,
        (Some(Told::Failure | Told::Fallback | Told::Unknown), _) | (None, Exit::Status(_) | Exit::Signal(_)) => {
            Tells::NoSuccess
        }
        (None, Exit::StaysUp | Exit::KilledAsPlanned | Exit::StillAtWork) => Tells::Nothing,
    }
}

/// The last ending of a course in a few words, for evidence.
pub fn words(course: &Course<'_>) -> String {
    let Some((_, ending)) = course.ending() else { return "no end".to_owned() };
    match (ending.told, &ending.exit) {
        (Some(told), _) => format!("told {}", told.word()),
        (None, Exit::Status(status)) => format!("exit status {status}"),
        (None, Exit::Signal(signal)) => format!("ended by signal {signal}"),
        (None, Exit::StaysUp) => "told nothing".to_owned(),
        (None, Exit::KilledAsPlanned) => "killed as planned".to_owned(),
        (None, Exit::StillAtWork) => "still at work".to_owned(),
    }
}
