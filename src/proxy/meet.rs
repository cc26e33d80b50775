//! What each passage does with a request that was read whole. Every fault of the language is here, or in `copies`; each
//! says whether it did what its name says, and a fault that did not passes the exchange on as it was.

use tokio::io::AsyncWriteExt;

use crate::fault::{Cut, Fault, Loss, Passage};
use crate::history::{Gate, OriginEnd};
use crate::message::Response;
use crate::proxy::caller::{FAREWELL, Given, Goodbye};
use crate::proxy::cut;
use crate::proxy::exchange::{Asking, Exchange, Interim};
use crate::proxy::gates::Unreleased;
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome, Seen};
use crate::proxy::substitute;
use crate::proxy::upstream::{Answer, Failure};
use crate::proxy::wire::{Asked, delivered};

impl Exchange<'_> {
    /// Does what the passage says.
    pub(super) async fn meet(&mut self, passage: &Passage, asking: &Asking) -> Outcome {
        let fault = match passage {
            Passage::Clear => return self.clear(asking, Ok(())).await,
            Passage::Faulted(fault) => fault,
        };
        match fault {
            Fault::Pause => self.stopped(asking).await,
            Fault::Refuse => self.clear(asking, Err("the connection was accepted".to_owned())).await,
            // Here its bytes were already there when the request before it was answered.
            Fault::PreRequest { reset: false } => self.lose(&Loss::Drop, asking, OriginEnd::Untouched).await,
            Fault::PreRequest { reset: true } => self.lose(&Loss::Reset, asking, OriginEnd::Untouched).await,
            Fault::PreCommit(loss) => self.lose(loss, asking, OriginEnd::Untouched).await,
            Fault::Redirect(status) => {
                let answer = substitute::redirect(*status, &asking.target());
                self.substitute(answer, asking, OriginEnd::Untouched).await
            }
            Fault::MidRequest { bytes, reset } => self.cut_request(*bytes, *reset, asking).await,
            Fault::PostCommit(loss) => match self.committed(asking).await {
                Ok(answer) => self.lose(loss, asking, answer.end()).await,
                Err(outcome) => outcome,
            },
            Fault::MidResponse(cut) => match self.committed(asking).await {
                Ok(answer) => self.cut_answer(*cut, asking, answer).await,
                Err(outcome) => outcome,
            },
            Fault::Drip => self.drip(asking, false).await,
            Fault::DripBody => self.drip(asking, true).await,
            Fault::Duplicate(copies) => self.duplicate(*copies, asking).await,
            Fault::Late => match self.gates.hold().await {
                Ok(_) => self.clear(asking, Ok(())).await,
                Err(Unreleased) => Outcome::unreleased(OriginEnd::Untouched),
            },
            Fault::HangUp => self.hang_up(asking).await,
            Fault::Kill { early: false } | Fault::Restart => self.hold_answer(asking).await,
            Fault::Kill { early: true } => self.hold_last_byte(asking).await,
        }
    }

    /// Passes everything on.
    async fn clear(&mut self, asking: &Asking, fired: Result<(), String>) -> Outcome {
        match self.fetch(asking, Interim::PassedOn).await {
            Ok(answer) => self.pass_on(asking, answer, fired).await,
            Err(failure) => {
                let shown = failure.shown_whole();
                self.mirror(failure, fired.and(shown)).await
            }
        }
    }

    /// Gives the caller the origin's whole answer.
    pub(super) async fn pass_on(&mut self, asking: &Asking, answer: Answer, fired: Result<(), String>) -> Outcome {
        let got = match self.give_answer(asking, &answer).await {
            Ok(got) => got,
            Err(got) => return Outcome { got, ..Outcome::unreleased(answer.end()) },
        };
        let asked = answer.asked;
        let mut bytes = answer.bytes;
        // A buffer that is mostly room is worth more to the next answer than as evidence.
        if bytes.len() < bytes.capacity() / 2
            && let Some(upstream) = self.upstream
        {
            let evidence = bytes.as_slice().to_vec();
            upstream.inbox.recycle(std::mem::replace(&mut bytes, evidence));
        }
        Outcome { fired, origin: Seen::Answer { bytes, asked }, got }
    }

    /// Gives the caller a whole answer, held after its head where that was asked for; what it was given, also when the
    /// hold failed.
    pub(super) async fn give_answer(&mut self, asking: &Asking, answer: &Answer) -> Result<CallerGot, CallerGot> {
        let mut given = Given { bytes: 0, left: false };
        let mut due = &[Gate::HeadToCaller, Gate::BodyToCaller][..];
        if self.gates.hold_at(Gate::HeadToCaller) {
            given = self.caller.give(&answer.bytes[..answer.head], self.limits.caller_wait).await;
            if !given.left && self.gates.pass(&[Gate::HeadToCaller]).await.is_err() {
                return Err(got(given, None, false));
            }
            due = &[Gate::BodyToCaller];
        }
        if !given.left {
            let rest = self.caller.give(&answer.bytes[given.bytes..], self.limits.caller_wait).await;
            given = Given { bytes: given.bytes + rest.bytes, left: rest.left };
        }
        let released = given.left || self.gates.pass(due).await.is_ok();
        let got = got(given, None, released && asking.keep_alive && answer.keep_alive);
        let got = CallerGot { answer: (!given.left).then_some(0), ..got };
        if released { Ok(got) } else { Err(got) }
    }

    /// Leaves the caller with what the origin left: what it did say, and the same end.
    pub(super) async fn mirror(&mut self, failure: Failure, fired: Result<(), String>) -> Outcome {
        if failure.unreleased {
            return Outcome::unreleased(failure.origin);
        }
        let mut given = Given { bytes: 0, left: false };
        if !failure.said.is_empty() {
            given = self.caller.give(&failure.said, self.limits.caller_wait).await;
            if failure.reset && !given.left {
                delivered(&self.caller.stream, self.limits.caller_wait).await;
            }
        }
        let by = if given.left { ClosedBy::Caller } else { ClosedBy::Proxy { reset: failure.reset } };
        let got = CallerGot { bytes: given.bytes as u64, ..CallerGot::nothing(by) };
        Outcome { fired, origin: failure.origin.into(), got }
    }

    /// The origin's whole success, or what the exchange ends with when there is none: then a fault that needs a commit
    /// has nothing to lose, and passes on what there is.
    async fn committed(&mut self, asking: &Asking) -> Result<Answer, Outcome> {
        match self.fetch(asking, Interim::Kept).await {
            Ok(answer) if self.gates.is_done(answer.status) => Ok(answer),
            Ok(answer) => {
                let why = no_success(&answer);
                Err(self.pass_on(asking, answer, Err(why)).await)
            }
            Err(failure) => Err(self.mirror(failure, Err("there was no whole answer to lose".to_owned())).await),
        }
    }

    /// Loses the request or the answer.
    async fn lose(&mut self, loss: &Loss, asking: &Asking, origin: OriginEnd) -> Outcome {
        let ended = |closed_by, origin: OriginEnd| Outcome {
            fired: Ok(()),
            origin: origin.into(),
            got: CallerGot::nothing(closed_by),
        };
        match loss {
            Loss::Drop => ended(ClosedBy::Proxy { reset: false }, origin),
            Loss::Reset => ended(ClosedBy::Proxy { reset: true }, origin),
            Loss::Stall => {
                // A stall outlasts most cases, and what it is has been decided.
                self.gates.draft.foresee(ended(ClosedBy::Nobody, origin.clone()), self.at_origin);
                let left = self.caller.leaves(self.limits.hold, self.limits.head).await;
                ended(if left { ClosedBy::Caller } else { ClosedBy::Proxy { reset: false } }, origin)
            }
            Loss::Answer(refusal) => {
                let says = self.gates.armament.as_ref().and_then(|armament| armament.armed.says.as_deref());
                self.substitute(substitute::refusal(refusal, says), asking, origin).await
            }
        }
    }

    /// Gives the caller an answer that is not the origin's.
    async fn substitute(&mut self, answer: Response, asking: &Asking, origin: OriginEnd) -> Outcome {
        let mut bytes = substitute::to_bytes(&answer);
        if asking.asked == Asked::HeadOnly {
            bytes.truncate(bytes.len() - answer.body.0.len());
        }
        let given = self.caller.give(&bytes, self.limits.caller_wait).await;
        if given.left {
            return Outcome { fired: caller_had_left(), origin: origin.into(), got: got(given, None, false) };
        }
        // Neither gate is held here: there is nothing between the head and the body of so small an answer.
        let passed = self.gates.pass(&[Gate::HeadToCaller, Gate::BodyToCaller]).await;
        let got = got(given, Some(answer), asking.keep_alive && passed.is_ok());
        Outcome {
            fired: passed.map(|_| ()).map_err(|Unreleased| Unreleased::WHY.to_owned()),
            origin: origin.into(),
            got,
        }
    }

    /// Shows the origin the beginning of the request, and both that it is all.
    async fn cut_request(&mut self, bytes: u64, reset: bool, asking: &Asking) -> Outcome {
        let all = asking.bytes.len();
        let Some(bytes) = usize::try_from(bytes).ok().filter(|bytes| *bytes < all) else {
            return self.clear(asking, Err(format!("the request has only {all} bytes"))).await;
        };
        if let Err(failure) = self.connect().await {
            return self.mirror(failure, Err("the origin was shown nothing of the request".to_owned())).await;
        }
        self.come_to_origin();
        let shown = self.write(asking, 0, bytes).await;
        if self.gates.pass(&[Gate::Forwarded]).await.is_err() {
            return Outcome::unreleased(OriginEnd::Partial { bytes: shown as u64 });
        }
        let origin = OriginEnd::Partial { bytes: shown as u64 }.into();
        if let Some(mut upstream) = self.upstream.take() {
            delivered(&upstream.stream, self.limits.origin_wait).await;
            if reset {
                crate::proxy::wire::reset(upstream.stream);
            } else {
                // Whoever of the two has gone already needs no end.
                let _ = upstream.stream.shutdown().await;
                let _ = self.caller.stream.shutdown().await;
                // What the origin makes of the part is over before the exchange is, if it is quick.
                Goodbye(upstream.stream).said().await;
            }
        }
        self.leave_origin();
        let fired = if shown == bytes { Ok(()) } else { Err(format!("the origin took only {shown} bytes")) };
        Outcome { fired, origin, got: CallerGot::nothing(ClosedBy::Proxy { reset }) }
    }

    /// Gives the caller the beginning of the answer.
    async fn cut_answer(&mut self, cut: Cut, asking: &Asking, answer: Answer) -> Outcome {
        let Some(place) = cut::place(cut.at, &answer) else {
            let why = format!("an answer of {} bytes cannot be cut there", answer.bytes.len());
            return self.pass_on(asking, answer, Err(why)).await;
        };
        let mut given = self.caller.give(&answer.bytes[..place], self.limits.caller_wait).await;
        if cut.reset && !given.left {
            given.left = !delivered(&self.caller.stream, self.limits.caller_wait).await;
        }
        if !given.left && place >= answer.head {
            // Stamped for the record: a hold between here and the cut would be a stall.
            let _ = self.gates.pass(&[Gate::HeadToCaller]).await;
        }
        let fired = if given.left { caller_had_left() } else { Ok(()) };
        let by = if given.left { ClosedBy::Caller } else { ClosedBy::Proxy { reset: cut.reset } };
        let got = CallerGot { bytes: given.bytes as u64, ..CallerGot::nothing(by) };
        Outcome { fired, origin: answer.end().into(), got }
    }

    /// Gives the caller the whole answer slowly.
    async fn drip(&mut self, asking: &Asking, body_only: bool) -> Outcome {
        let answer = match self.fetch(asking, Interim::PassedOn).await {
            Ok(answer) => answer,
            Err(failure) => return self.mirror(failure, Err("there was no whole answer to drip".to_owned())).await,
        };
        let (at_once, slowly) = answer.bytes.split_at(if body_only { answer.head } else { 0 });
        let mut given = Given { bytes: 0, left: false };
        if !at_once.is_empty() {
            given = self.caller.give(at_once, self.limits.caller_wait).await;
        }
        if !given.left {
            let more = self.caller.drip(slowly, self.limits.drip, self.limits.caller_wait, self.limits.head).await;
            given = Given { bytes: given.bytes + more.bytes, left: more.left };
        }
        let fired = match given.left {
            true => caller_had_left(),
            false if slowly.is_empty() => Err("the answer has no body to drip".to_owned()),
            false => Ok(()),
        };
        if !given.left && self.gates.pass(&[Gate::HeadToCaller, Gate::BodyToCaller]).await.is_err() {
            return Outcome::unreleased(answer.end());
        }
        let got = got(given, None, asking.keep_alive && answer.keep_alive);
        let got = CallerGot { answer: (!given.left).then_some(0), ..got };
        Outcome { fired, origin: answer.end().into(), got }
    }

    /// Lets the caller leave, which is its own doing, and reads the answer all the same.
    async fn hang_up(&mut self, asking: &Asking) -> Outcome {
        let fetched = self.fetch(asking, Interim::Kept).await;
        self.left_alone(asking, fetched).await
    }

    /// Reads the answer of an origin that its owner stops, and lets go on when it releases the exchange; the caller has
    /// left meanwhile. An answer that comes before is passed on.
    async fn stopped(&mut self, asking: &Asking) -> Outcome {
        match self.fetch(asking, Interim::Kept).await {
            Ok(answer) if !self.gates.is_released() => {
                let why = "it had answered before it was stopped".to_owned();
                self.pass_on(asking, answer, Err(why)).await
            }
            fetched => self.left_alone(asking, fetched).await,
        }
    }

    /// Shows the origin all but the last byte, holds that until the owner has ended the process, and loses the request.
    async fn hold_last_byte(&mut self, asking: &Asking) -> Outcome {
        let all = asking.bytes.len();
        if let Err(failure) = self.connect().await {
            return self.mirror(failure, Err("the origin was shown nothing of the request".to_owned())).await;
        }
        self.come_to_origin();
        let shown = self.write(asking, 0, all - 1).await;
        if let Some(upstream) = &self.upstream {
            delivered(&upstream.stream, self.limits.origin_wait).await;
        }
        let held = match self.gates.pass(&[Gate::AllButLast]).await {
            Ok(_) => self.gates.hold().await.map(|_| ()),
            Err(Unreleased) => Err(Unreleased),
        };
        *self.upstream = None;
        self.leave_origin();
        let fired = match held {
            Ok(()) if shown + 1 == all => Ok(()),
            Ok(()) => Err(format!("the origin took only {shown} bytes")),
            Err(Unreleased) => Err(Unreleased::WHY.to_owned()),
        };
        let got = CallerGot::nothing(ClosedBy::Proxy { reset: true });
        Outcome { fired, origin: OriginEnd::Partial { bytes: shown as u64 }.into(), got }
    }

    /// What an exchange comes to whose caller is to leave, when the origin has answered.
    async fn left_alone(&mut self, asking: &Asking, fetched: Result<Answer, Failure>) -> Outcome {
        let left = self.caller.leaves(FAREWELL, self.limits.head).await;
        let stayed = || Err("the caller did not leave".to_owned());
        match fetched {
            Ok(answer) if !left => self.pass_on(asking, answer, stayed()).await,
            Err(failure) if !left => self.mirror(failure, stayed()).await,
            Ok(answer) => {
                let origin = answer.end().into();
                Outcome { fired: Ok(()), origin, got: CallerGot::nothing(ClosedBy::Caller) }
            }
            Err(failure) => {
                let fired = failure.shown_whole();
                Outcome { fired, origin: failure.origin.into(), got: CallerGot::nothing(ClosedBy::Caller) }
            }
        }
    }

    /// Holds the whole answer until the owner has done what it does to the process, and loses it by a reset.
    async fn hold_answer(&mut self, asking: &Asking) -> Outcome {
        let answer = match self.fetch(asking, Interim::Kept).await {
            Ok(answer) => answer,
            Err(failure) => return self.mirror(failure, Err("there was no whole answer to hold".to_owned())).await,
        };
        let fired = match self.gates.hold().await {
            Ok(_) if self.gates.is_done(answer.status) => Ok(()),
            Ok(_) => Err(no_success(&answer)),
            Err(Unreleased) => Err(Unreleased::WHY.to_owned()),
        };
        let got = CallerGot::nothing(ClosedBy::Proxy { reset: true });
        Outcome { fired, origin: answer.end().into(), got }
    }
}

fn got(given: Given, substitute: Option<Response>, keep_alive: bool) -> CallerGot {
    let closed_by = match (given.left, keep_alive) {
        (true, _) => ClosedBy::Caller,
        (false, true) => ClosedBy::Nobody,
        (false, false) => ClosedBy::Proxy { reset: false },
    };
    CallerGot { bytes: given.bytes as u64, substitute, answer: None, closed_by }
}

fn no_success(answer: &Answer) -> String {
    format!("the origin answered {}, which is no success", answer.status)
}

fn caller_had_left() -> Result<(), String> {
    Err("the caller had left".to_owned())
}
