//! The course of one intent at a client under test: its requests in order of arrival, what each was left with, what the
//! contract says to do then, and how it ended. It concludes nothing.

use std::time::Duration;

use crate::contract::{Advice, ClientRules, Met, Operation};
use crate::fault::{Fault, Loss, Passage};
use crate::history::{CallerEnd, Ending, EntryNo, Exchange, Exit, Gate};
use crate::json::Json;
use crate::judge::verdict::Doubt;
use crate::judge::view::View;
use crate::plan::PlannedIntent;
use crate::time::{Tick, times};

/// Earlier than its time by no more than this is not early: the resolution of the timers of common platforms.
const RESOLUTION: Duration = Duration::from_millis(5);

/// The course of one intent.
pub struct Course<'a> {
    /// What was wanted.
    pub intent: &'a PlannedIntent,
    /// Its operation.
    pub operation: &'a Operation,
    /// The operation of one item, for a batch.
    pub item: Option<&'a Operation>,
    /// What the client has to keep.
    pub rules: &'a ClientRules,
    /// Its clock: waits are this share of what the contract says.
    pub scale: f64,
    /// Its requests, in order of arrival; redirected ones included.
    pub calls: Vec<Call<'a>>,
    /// How it ended; more than once when it was killed and started again.
    pub endings: Vec<(EntryNo, &'a Ending)>,
}

/// One request of a client.
pub struct Call<'a> {
    /// The entry.
    pub entry: EntryNo,
    /// The exchange.
    pub exchange: &'a Exchange,
    /// Whether it has the operation's method and path.
    pub is_asked: bool,
    /// Whether it came whole: of what is missing nothing can be said.
    pub is_whole: bool,
    /// Whether its end was seen: else the history was sealed while it was open.
    pub is_closed: bool,
    /// The key that it carries; none without one. An empty text counts as none.
    pub key: Option<Json>,
    /// What the client was left with.
    pub met: Met<'a>,
    /// Whether it was answered by a success of the operation.
    pub succeeded: bool,
    /// What the contract says to do then; none: nothing.
    pub advice: Option<Advice>,
    /// When its head came.
    pub began: Tick,
    /// Before this it cannot have been sent: its connection was not there, or this machine would have read it earlier.
    pub sent_from: Tick,
    /// Before this the client cannot have known what it met.
    pub known_from: Tick,
    /// What it met was on its way to the client, and was given to it by now.
    pub given_by: Tick,
    /// By now the client could know what it met.
    pub known_by: Tick,
}

impl<'a> Course<'a> {
    /// The course of an intent; the doubt where there is none to speak of.
    pub fn of(view: &View<'a>, intent: &PlannedIntent) -> Result<Self, Doubt> {
        let case = view.case;
        let (Some(intent), Some(rules)) = (case.intents.get(&intent.name), case.rules()) else {
            return Err(Doubt::JudgeFailed("a client without rules".to_owned()));
        };
        let operation = case.operation(intent);
        let item = operation.batch.as_ref().and_then(|batch| case.contract.operations.get(&batch.of));
        let endings: Vec<(EntryNo, &Ending)> =
            view.history.endings().filter(|(_, ending)| ending.intent == intent.name).collect();
        let grace = grace(&endings);
        let calls: Vec<Call<'a>> = view
            .history
            .exchanges()
            .filter(|(_, exchange)| exchange.intent == intent.name)
            .map(|(entry, exchange)| call(view, operation, rules, grace, entry, exchange))
            .collect();
        if endings.is_empty() {
            return Err(Doubt::Unfinished("the program was not asked".to_owned()));
        }
        let scale = case.client.as_ref().map_or(1.0, |client| client.time_scale);
        Ok(Self { intent, operation, item, rules, scale, calls, endings })
    }

    /// How it ended at last.
    pub fn ending(&self) -> Option<(EntryNo, &'a Ending)> {
        self.endings.last().copied()
    }

    /// Whether it was still at work when nobody waited any longer.
    pub fn is_endless(&self) -> bool {
        self.ending().is_some_and(|(_, ending)| ending.exit == Exit::StillAtWork)
    }

    /// The requests with the operation's method and path.
    pub fn asked(&self) -> impl Iterator<Item = &Call<'a>> {
        self.calls.iter().filter(|call| call.is_asked)
    }

    /// Those of them that came whole, in order.
    pub fn whole(&self) -> Vec<&Call<'a>> {
        self.asked().filter(|call| call.is_whole).collect()
    }

    /// The requests with the operation's method and path, run by run of a program that was killed as planned: what lies between two runs is not its doing.
    pub fn runs(&self) -> Vec<Vec<&Call<'a>>> {
        let mut runs = vec![Vec::new()];
        let mut kills = self.kills().peekable();
        for call in self.asked() {
            while kills.next_if(|(_, at)| *at <= call.began).is_some() {
                runs.push(Vec::new());
            }
            if let Some(run) = runs.last_mut() {
                run.push(call);
            }
        }
        runs.extend(kills.map(|_| Vec::new()));
        runs
    }

    /// When it was killed as planned.
    pub fn kills(&self) -> impl Iterator<Item = (EntryNo, Tick)> {
        let killed = self.endings.iter().filter(|(_, ending)| ending.exit == Exit::KilledAsPlanned);
        killed.map(|(entry, ending)| (*entry, ending.at.to))
    }

    /// Whether a request ended because we ended the program.
    pub fn is_ended_by_us(&self, call: &Call<'_>) -> bool {
        let ends = self.endings.iter().filter(|(_, end)| matches!(end.exit, Exit::KilledAsPlanned | Exit::StillAtWork));
        let latest = Tick(call.known_by.0.saturating_add(u64::try_from(self.grace().as_micros()).unwrap_or(u64::MAX)));
        ends.map(|(_, ending)| ending.at.to).any(|end| call.began <= end && end <= latest)
    }

    /// The wait that the schedule has after so many requests.
    pub fn own_wait(&self, requests: usize) -> Option<Duration> {
        self.rules.waits.before(u32::try_from(requests).unwrap_or(u32::MAX).saturating_add(1))
    }

    /// A wait of the contract, as this client's clock has it.
    pub fn scaled(&self, wait: Duration) -> Duration {
        times(wait, self.scale)
    }

    /// The earliest and, where one is said, the latest time that may lie between what was met and the next request.
    pub fn bounds(&self, wait: Duration) -> (Duration, Duration) {
        let wait = self.scaled(wait);
        let earliest = times(wait, 1.0 - self.rules.earlier).saturating_sub(RESOLUTION);
        (earliest, times(wait, 1.0 + self.rules.later).saturating_add(self.grace()))
    }

    /// How much later than its time something may be by no doing of the client: the time that a program takes, and what
    /// this machine was behind meanwhile.
    pub fn grace(&self) -> Duration {
        grace(&self.endings)
    }

    /// The resolution of timers: earlier by no more than this is not early.
    pub fn resolution(&self) -> Duration {
        RESOLUTION
    }
}

impl Call<'_> {
    /// The time from what it met to a later request: never less than the client waited.
    pub fn until(&self, next: &Call<'_>) -> Duration {
        next.began.since(self.known_from)
    }

    /// The same, from when it surely knew: never more than the client waited.
    pub fn at_least_until(&self, next: &Call<'_>) -> Duration {
        next.began.since(self.known_by)
    }

    /// Whether a request was sent when what this one met was with the client.
    pub fn is_before(&self, later: &Call<'_>) -> bool {
        let on_the_same = self.exchange.connection == later.exchange.connection;
        self.entry < later.entry && (on_the_same || self.given_by <= later.sent_from)
    }

    /// Whether a request came when what this one met was known here, and may have been sent before it was known to the
    /// client: nobody can say.
    pub fn is_crossed_by(&self, later: &Call<'_>) -> bool {
        self.entry < later.entry && self.known_from <= later.began && !self.is_before(later)
    }

    /// Whether one can tell when it was over: a caller that leaves is watched for only where the road stalls, or drips.
    pub fn is_end_seen(&self) -> bool {
        !matches!(self.met, Met::Timeout) || self.is_slow() && self.is_closed
    }

    /// Whether the connection was refused: then nobody sees how often it was tried.
    pub fn is_refused(&self) -> bool {
        matches!(self.exchange.caller, CallerEnd::Refused)
    }

    /// Whether the road stalls, or drips.
    pub fn is_slow(&self) -> bool {
        use Fault::{Drip, DripBody, PostCommit, PreCommit};
        let passage = &self.exchange.passage;
        matches!(passage, Passage::Faulted(Drip | DripBody | PreCommit(Loss::Stall) | PostCommit(Loss::Stall)))
    }

    /// How much earlier than its time the next request may seem by no doing of the client: who gives up by itself knew
    /// before anybody saw it leave.
    pub fn unseen(&self, course: &Course<'_>) -> Duration {
        if matches!(self.met, Met::Timeout) { course.grace() } else { Duration::ZERO }
    }

    /// What it met, for evidence.
    pub fn words(&self) -> String {
        match self.met {
            Met::Answer(answer) => format!("status {}", answer.status),
            Met::Dropped => "a lost connection".to_owned(),
            Met::Timeout => "no answer in time".to_owned(),
        }
    }
}

/// Whether its connection ended as planned before a request came on it.
fn is_unread(exchange: &Exchange) -> bool {
    matches!(exchange.passage, Passage::Faulted(Fault::PreRequest { .. })) && exchange.request_on_connection == 0
}

/// Whether its connection had carried a request before.
fn is_kept(view: &View<'_>, entry: EntryNo, exchange: &Exchange) -> bool {
    let others = view.history.exchanges().filter(|(other, _)| *other < entry);
    others.map(|(_, other)| other).any(|other| other.connection == exchange.connection)
}

fn grace(endings: &[(EntryNo, &Ending)]) -> Duration {
    Duration::from_micros(endings.iter().map(|(_, ending)| ending.grace.0).max().unwrap_or_default())
}

fn call<'a>(
    view: &View<'a>,
    operation: &'a Operation,
    rules: &'a ClientRules,
    grace: Duration,
    entry: EntryNo,
    exchange: &'a Exchange,
) -> Call<'a> {
    let met = match &exchange.caller {
        CallerEnd::Answered(answer) => Met::Answer(answer),
        CallerEnd::TimedOut { .. } => Met::Timeout,
        CallerEnd::Refused | CallerEnd::Cut { .. } | CallerEnd::HungUp | CallerEnd::Unreadable { .. } => Met::Dropped,
    };
    let target = exchange.request.target.as_str();
    let path = |target: &str| target.split('?').next().unwrap_or_default().to_owned();
    let wanted = view.case.intents.get(&exchange.intent).map(|intent| path(&intent.request.target));
    // Nobody sees what a connection was for that was refused, or ended before a request on it was read; it was the
    // program's only reason to connect. One that was kept is missed by nobody.
    let is_tried =
        matches!(exchange.caller, CallerEnd::Refused) || is_unread(exchange) && !is_kept(view, entry, exchange);
    let is_asked = is_tried
        || exchange.request.method == operation.request.method && wanted.is_none_or(|wanted| wanted == path(target));
    let succeeded = match met {
        Met::Answer(answer) => operation.outcome(answer).is_some_and(|outcome| outcome.is_success()),
        Met::Dropped | Met::Timeout => false,
    };
    let stamp = |gates: &[Gate]| {
        let stamps = exchange.gates.iter().filter(|stamp| gates.contains(&stamp.gate));
        stamps.map(|stamp| stamp.at).max()
    };
    let began = stamp(&[Gate::RequestHead]).unwrap_or(exchange.at_caller.from);
    // Who gave up by itself knew when it left.
    let left = matches!(met, Met::Timeout);
    let ended = exchange.at_caller.to;
    let known_from = if left { ended } else { stamp(&[Gate::RequestWhole, Gate::AnswerWhole]).unwrap_or(began) };
    // Only the first request of a connection can be no older than that.
    let opened = match exchange.request_on_connection {
        1 => stamp(&[Gate::Accepted]).unwrap_or(began),
        _ => Tick::default(),
    };
    let lag = u64::try_from(grace.as_micros()).unwrap_or(u64::MAX);
    Call {
        entry,
        exchange,
        is_asked,
        is_closed: stamp(&[Gate::Closed]).is_some(),
        is_whole: stamp(&[Gate::RequestWhole]).is_some(),
        key: operation.key_in(&exchange.request),
        met,
        succeeded,
        advice: view.case.contract.advice(rules, operation, met),
        began,
        sent_from: opened.max(Tick(began.0.saturating_sub(lag))),
        known_from,
        given_by: stamp(&[Gate::HeadToCaller, Gate::BodyToCaller]).map_or(known_from, |given| given.max(known_from)),
        known_by: ended,
    }
}
