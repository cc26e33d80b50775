//! `Expect: 100-continue` on a clear passage: the head is shown to the origin before the body has come, so that the
//! origin itself says whether it wants it. The proxy says nothing of its own here.

use tokio::time::Instant;

use crate::history::{Gate, OriginEnd};
use crate::proxy::exchange::{Asking, Exchange, Interim};
use crate::proxy::gates::Unreleased;
use crate::proxy::outcome::{CallerGot, ClosedBy, Outcome};
use crate::proxy::wire::{AnswerHead, Asked, Head, Parser, Progress, RequestHead};

/// What happened first after the head was shown.
enum Next {
    /// The body is whole; so long is the request.
    Body(usize),
    /// The origin answered, or closed, without the body.
    Answer,
    /// The body will not come.
    Lost(String, ClosedBy),
}

impl Exchange<'_> {
    /// Plays an exchange whose head has come and whose body waits for the origin's word.
    pub(super) async fn early(&mut self, mut parser: Parser<RequestHead>) -> Outcome {
        if let Err(failure) = self.connect().await {
            self.write_down_part(&parser);
            return self.mirror(failure, Err("the origin was shown nothing of the request".to_owned())).await;
        }
        let head = parser.head().map_or(0, Head::length);
        let asked = parser.head().map_or(Asked::Whole, |head| head.asked);
        self.come_to_origin();
        let shown = self.show_head(head, asked).await;
        let next = if shown == head { self.body_or_answer(&mut parser, asked).await } else { Next::Answer };
        match next {
            Next::Body(length) => {
                let bytes = self.caller.inbox.take(length);
                match self.write_down(parser.head(), bytes) {
                    Some(asking) => self.with_body(asking, shown).await,
                    None => Outcome::unreleased(OriginEnd::Partial { bytes: shown as u64 }),
                }
            }
            Next::Answer => match self.write_down_part(&parser) {
                Some(asking) => self.without_body(asking, shown).await,
                None => Outcome::unreleased(OriginEnd::Partial { bytes: shown as u64 }),
            },
            Next::Lost(why, closed_by) => {
                self.write_down_part(&parser);
                self.leave_origin();
                let origin = OriginEnd::Partial { bytes: shown as u64 };
                Outcome { fired: Err(why), origin: origin.into(), got: CallerGot::nothing(closed_by) }
            }
        }
    }

    async fn with_body(&mut self, asking: Asking, shown: usize) -> Outcome {
        if self.gates.pass(&[Gate::RequestWhole]).await.is_err() {
            return Outcome::unreleased(OriginEnd::Partial { bytes: shown as u64 });
        }
        let shown = match self.show(&asking, shown).await {
            Ok(shown) => shown,
            Err(failure) => return self.mirror(failure, Err(Unreleased::WHY.to_owned())).await,
        };
        self.finish_early(asking, shown).await
    }

    /// The origin's answer stands for the whole request, and the connection ends with it: whether the body still comes
    /// is not known.
    async fn without_body(&mut self, asking: Asking, shown: usize) -> Outcome {
        let part = Asking { keep_alive: false, ..asking };
        self.finish_early(part, shown).await
    }

    async fn finish_early(&mut self, asking: Asking, shown: usize) -> Outcome {
        match self.hear(&asking, shown, Interim::PassedOn).await {
            Ok(answer) => self.pass_on(&asking, answer, Ok(())).await,
            Err(failure) => {
                let shown = failure.shown_whole();
                self.mirror(failure, shown).await
            }
        }
    }

    /// Passes interim answers on until the body is whole or the origin has begun its final answer.
    async fn body_or_answer(&mut self, parser: &mut Parser<RequestHead>, asked: Asked) -> Next {
        let until = Instant::now() + self.limits.caller_wait;
        let Some(upstream) = &mut *self.upstream else { return Next::Answer };
        let mut answer = Parser::<AnswerHead>::new(asked, self.limits.bounds());
        loop {
            tokio::select! {
                biased;
                read = self.caller.inbox.fill(&mut self.caller.stream) => {
                    if !matches!(read, Ok(1..)) {
                        return Next::Lost("the caller left before its request was whole".to_owned(), ClosedBy::Caller);
                    }
                    match parser.advance(self.caller.inbox.bytes()) {
                        Ok(Progress::Whole(length)) => return Next::Body(length),
                        Ok(Progress::More) => {}
                        Err(bad) => return Next::Lost(bad.to_string(), ClosedBy::Proxy { reset: false }),
                    }
                }
                read = upstream.inbox.fill(&mut upstream.stream) => {
                    if !matches!(read, Ok(1..)) {
                        return Next::Answer;
                    }
                    while let Ok(Progress::Whole(length)) = answer.advance(upstream.inbox.bytes())
                        && answer.head().is_some_and(AnswerHead::is_interim)
                    {
                        let interim = upstream.inbox.take(length);
                        self.caller.give(&interim, self.limits.caller_wait).await;
                        answer = Parser::new(asked, self.limits.bounds());
                    }
                    if !upstream.inbox.bytes().is_empty() && (answer.head().is_some() || answer.advance(upstream.inbox.bytes()).is_err()) {
                        return Next::Answer;
                    }
                }
                () = tokio::time::sleep_until(until) => {
                    let why = format!("the request was not whole within {:?}", self.limits.caller_wait);
                    return Next::Lost(why, ClosedBy::Proxy { reset: false });
                }
            }
        }
    }

    async fn show_head(&mut self, head: usize, asked: Asked) -> usize {
        let Some(upstream) = &mut *self.upstream else { return 0 };
        let bytes = self.caller.inbox.bytes().get(..head).unwrap_or_default();
        upstream.show(bytes, asked, self.limits).await
    }

    /// Records a request whose body did not all come.
    fn write_down_part(&mut self, parser: &Parser<RequestHead>) -> Option<Asking> {
        let came = self.caller.inbox.take(usize::MAX);
        self.write_down(parser.head(), came)
    }
}
