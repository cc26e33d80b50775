//! `duplicate`: the origin is shown the same bytes twice, on two connections, in turn or at once. The copies are never
//! altered, and the caller is given one answer only.

use tokio::time::Instant;

use crate::fault::Copies;
use crate::history::{Gate, OriginEnd};
use crate::message::Octets;
use crate::proxy::exchange::{Asking, Exchange, Interim};
use crate::proxy::gates::Unreleased;
use crate::proxy::limits::Limits;
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome};
use crate::proxy::upstream::{Answer, Ear, Failure, Upstream};

impl Exchange<'_> {
    /// Shows the origin the request twice.
    pub(super) async fn duplicate(&mut self, copies: Copies, asking: &Asking) -> Outcome {
        match copies {
            Copies::InTurn => self.in_turn(asking).await,
            Copies::AtOnce => self.at_once(asking).await,
        }
    }

    /// The second copy follows the first one's answer, and has its own before the caller is given the first: whatever
    /// the caller does next comes after both.
    async fn in_turn(&mut self, asking: &Asking) -> Outcome {
        let first = match self.fetch(asking, Interim::PassedOn).await {
            Ok(answer) => answer,
            Err(failure) => return self.mirror(failure, Err("the first copy was not answered".to_owned())).await,
        };
        let second = self.second_copy(asking).await;
        self.leave_origin();
        let got = self.give_answer(asking, &first).await;
        both(got, &first, second)
    }

    async fn second_copy(&self, asking: &Asking) -> Result<Answer, Failure> {
        let mut copy = Upstream::open(self.origin, self.limits.origin_wait).await?;
        let shown = copy.show(&asking.bytes, asking.asked, self.limits).await;
        copy.hear_copy(asking, shown, self.limits).await
    }

    /// Both copies are one byte short before either is whole; the caller is given the answer that is whole first.
    async fn at_once(&mut self, asking: &Asking) -> Outcome {
        let not_shown = || Err("the origin was not shown both copies".to_owned());
        if let Err(failure) = self.connect().await {
            return self.mirror(failure, not_shown()).await;
        }
        let mut copy = match Upstream::open(self.origin, self.limits.origin_wait).await {
            Ok(copy) => copy,
            Err(failure) => return self.mirror(failure, not_shown()).await,
        };
        self.come_to_origin();
        let (all, short) = (asking.bytes.len(), asking.bytes.len() - 1);
        let mut shown = self.write(asking, 0, short).await;
        let mut shown_again = copy.show(&asking.bytes[..short], asking.asked, self.limits).await;
        if shown == short && shown_again == short {
            if self.gates.pass(&[Gate::AllButLast]).await.is_err() {
                return Outcome::unreleased(OriginEnd::Partial { bytes: short as u64 });
            }
            shown = self.write(asking, short, all).await;
            shown_again += copy.show(&asking.bytes[short..], asking.asked, self.limits).await;
        }
        if self.gates.pass(&[Gate::Forwarded]).await.is_err() {
            return Outcome::unreleased(OriginEnd::Silent { said: Octets::default(), why: Unreleased::WHY.to_owned() });
        }
        let Some(mut own) = self.upstream.take() else { return Outcome::unreleased(OriginEnd::Untouched) };
        let outcome = self.first_of(asking, (&mut own, shown), (&mut copy, shown_again)).await;
        *self.upstream = Some(own);
        if shown == all && shown_again == all { outcome } else { Outcome { fired: not_shown(), ..outcome } }
    }

    async fn first_of(
        &mut self,
        asking: &Asking,
        own: (&mut Upstream, usize),
        copy: (&mut Upstream, usize),
    ) -> Outcome {
        let limits = self.limits;
        let mut own = std::pin::pin!(own.0.hear_copy(asking, own.1, limits));
        let mut copy = std::pin::pin!(copy.0.hear_copy(asking, copy.1, limits));
        let (first, first_is_own) = tokio::select! {
            biased;
            first = &mut own => (first, true),
            first = &mut copy => (first, false),
        };
        if let Ok(first) = first {
            // Only the connection that is the caller's own can go on after the answer.
            let first = Answer { keep_alive: first.keep_alive && first_is_own, ..first };
            let got = self.announce_and_give(asking, &first).await;
            let second = if first_is_own { copy.await } else { own.await };
            self.leave_origin();
            return both(got, &first, second);
        }
        let second = if first_is_own { copy.await } else { own.await };
        self.leave_origin();
        match (first, second) {
            (first, Ok(answer)) => {
                let answer = Answer { keep_alive: false, ..answer };
                let got = self.announce_and_give(asking, &answer).await;
                both(got, &answer, first)
            }
            (Err(failure), Err(_)) | (Ok(_), Err(failure)) => {
                let fired = failure.shown_whole();
                self.mirror(failure, fired).await
            }
        }
    }

    async fn announce_and_give(&mut self, asking: &Asking, answer: &Answer) -> Result<CallerGot, CallerGot> {
        if self.gates.pass(&[Gate::AnswerBegun, Gate::AnswerHead, Gate::AnswerWhole]).await.is_err() {
            return Err(CallerGot::nothing(ClosedBy::Proxy { reset: false }));
        }
        self.give_answer(asking, answer).await
    }
}

/// The end of an exchange whose first copy was answered.
fn both(got: Result<CallerGot, CallerGot>, first: &Answer, second: Result<Answer, Failure>) -> Outcome {
    let (fired, answers) = match second {
        Ok(second) => (Ok(()), [first.response(), second.response()].into_iter().flatten().collect()),
        Err(failure) => (failure.shown_whole(), first.response().into_iter().collect()),
    };
    match got {
        Ok(got) => Outcome { fired, origin: OriginEnd::Answered(answers).into(), got },
        Err(got) => Outcome { got, ..Outcome::unreleased(OriginEnd::Answered(answers)) },
    }
}

impl Upstream {
    /// Reads the answer to a copy of which the origin was shown so many bytes; nobody is told of it before it is whole.
    async fn hear_copy(&mut self, asking: &Asking, shown: usize, limits: &Limits) -> Result<Answer, Failure> {
        let until = Instant::now() + limits.origin_wait;
        let heard = self.hear(asking.asked, limits.bounds(), until, Ear::default()).await;
        heard.map_err(|failure| failure.shown_only(shown, asking.bytes.len()))
    }
}
