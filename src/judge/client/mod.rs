//! The claims about a client under test, one file for each. They read its requests as they came on the wire and what it
//! told at its end; what its origin did counts only where it is what the client was left with.

mod course;

use crate::fault::{Fault, Passage};
use crate::history::CallerEnd;
use crate::history::{Exchange, Exit, SealedHistory};
use crate::judge::verdict::{Doubt, Verdict};
use crate::judge::view::View;
use crate::plan::{Case, PlannedIntent};
use crate::scenario::Claim;

pub use course::Course;

/// Checks one claim about a client.
pub fn check(claim: Claim, view: &View<'_>, on: &[&PlannedIntent]) -> Verdict {
    let courses: Result<Vec<Course<'_>>, Doubt> = on.iter().map(|intent| Course::of(view, intent)).collect();
    let courses = match courses {
        Ok(courses) => courses,
        Err(doubt) => return Verdict::Unknown(doubt),
    };
    let _ = courses;
    Verdict::Unknown(Doubt::JudgeFailed(format!("`{claim}` is no claim about a client")))
}

/// What puts every claim of a client's case in doubt. That a client made fewer attempts than were foreseen does not: that
/// is its doing, and judged.
pub fn doubt(case: &Case, history: &SealedHistory) -> Option<Doubt> {
    for (_, exchange) in history.exchanges() {
        if exchange.passage != Passage::Clear && !exchange.fault.fired && !left_by_itself(exchange) {
            return Some(Doubt::FaultDidNotFire(format!("{}: {}", exchange.passage, exchange.fault.why)));
        }
    }
    let asked = case.asks().count();
    let answered = history.endings().filter(|(_, ending)| ending.exit != Exit::KilledAsPlanned).count();
    (answered < asked).then(|| Doubt::Unfinished(format!("the program was asked {asked} times and ended {answered}")))
}

/// A client that leaves in the middle of a slow answer does what it should.
fn left_by_itself(exchange: &Exchange) -> bool {
    matches!(exchange.passage, Passage::Faulted(Fault::Drip | Fault::MidResponse(_)))
        && matches!(exchange.caller, CallerEnd::TimedOut { .. })
}
