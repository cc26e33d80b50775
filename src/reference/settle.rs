//! The heart: how a key is claimed, when its answer is stored, and what a second copy meets. Each way to claim is one
//! function; what is done under the claim is `produce`, what a used key is answered with is `replay`.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::contract::Outcome;
use crate::reference::attempt::Attempt;
use crate::reference::call::Answer;
use crate::reference::claim::Claim;
use crate::reference::hook::Hook;
use crate::reference::policy::{Identity, Marker, NaturalUse, Recorded, ReplayBody};
use crate::reference::present;
use crate::reference::produce::{note_repeat, produce};
use crate::reference::replay::{first, is_same, on_record};
use crate::reference::setup::{CommonError, Setup};
use crate::reference::store::{End, Record, Slot, Standing, StoreError, Tables};
use crate::reference::template::unique;

/// Does what is asked for, once for each key, and answers.
pub async fn settle(setup: &Arc<Setup>, attempt: &Arc<Attempt>) -> Result<Answer, StoreError> {
    let delay = setup.policy.pace.delay();
    if !delay.is_zero() {
        tokio::time::sleep(delay).await;
    }
    let Some(slot) = attempt.slot(setup).or_else(|| natural_slot(setup, attempt)) else {
        return run(setup, attempt, without_key).await;
    };
    let claim = if attempt.looked_up { Claim::InTransaction } else { setup.policy.claim };
    let answer = match claim {
        // Where the contract has no answer for "in progress", an honest server has to let the second copy wait.
        Claim::Visible | Claim::VisibleUncompared | Claim::VisibleForEver | Claim::ShortLease
            if attempt.kept.operation.names(Outcome::InProgress) =>
        {
            visible(setup, attempt, slot).await
        }
        Claim::InTransaction
        | Claim::Visible
        | Claim::VisibleUncompared
        | Claim::VisibleForEver
        | Claim::ShortLease => {
            run(setup, attempt, move |setup, attempt, tables| match setup.policy.recorded {
                Recorded::WithTheEffect => in_transaction(setup, attempt, &slot, tables),
                Recorded::AfterTheEffect => effect_then_record(setup, attempt, &slot, tables),
            })
            .await
        }
        Claim::CheckThenAct | Claim::CheckThenInsert => check_then(setup, attempt, slot, claim).await,
    };
    answer.map(|answer| first(setup, attempt, answer))
}

/// What an attempt would be answered; nothing is kept of it.
pub async fn rehearse(setup: &Arc<Setup>, attempt: &Arc<Attempt>) -> Result<Answer, StoreError> {
    let slot = attempt.slot(setup);
    run(setup, attempt, move |setup, attempt, tables| {
        tables.transaction(|tables| {
            let known = slot.map(|slot| tables.record(&slot)).transpose()?.flatten();
            let answer = match known {
                Some(record) => on_record(setup, attempt, &record)?,
                None => produce(setup, attempt, tables)?,
            };
            Ok((End::Rollback, answer))
        })
    })
    .await
}

/// A record of an answer.
pub fn settled(setup: &Setup, attempt: &Attempt, answer: &Answer) -> Record {
    Record {
        fingerprint: attempt.fingerprint(setup).unwrap_or_default(),
        standing: Standing::Settled,
        owner: String::new(),
        since: unix_millis(),
        status: answer.status,
        headers: answer.headers.clone(),
        body: answer.body.to_string(),
    }
}

/// A record of a claim.
pub fn claimed(setup: &Setup, attempt: &Attempt) -> Record {
    Record {
        fingerprint: attempt.fingerprint(setup).unwrap_or_default(),
        standing: Standing::InProgress,
        owner: unique(&setup.replica),
        since: unix_millis(),
        status: 0,
        headers: Vec::new(),
        body: String::new(),
    }
}

async fn run(
    setup: &Arc<Setup>,
    attempt: &Arc<Attempt>,
    job: impl FnOnce(&Setup, &Attempt, &mut Tables) -> Result<Answer, StoreError> + Send + 'static,
) -> Result<Answer, StoreError> {
    let (own, attempt) = (Arc::clone(setup), Arc::clone(attempt));
    setup.store.run(move |tables| job(&own, &attempt, tables)).await
}

/// A saboteur's slot for an operation that needs no key.
fn natural_slot(setup: &Setup, attempt: &Attempt) -> Option<Slot> {
    let refuses = setup.policy.natural == NaturalUse::RefusesRepeat;
    (refuses && attempt.kept.operation.safety == crate::contract::Safety::Natural).then(|| attempt.content_slot(setup))
}

fn without_key(setup: &Setup, attempt: &Attempt, tables: &mut Tables) -> Result<Answer, StoreError> {
    tables
        .transaction(|tables| {
            thread::sleep(attempt.hook.work());
            let answer = worked(setup, attempt, tables)?;
            Ok((if answer.outcome == Outcome::Fresh { End::Commit } else { End::Rollback }, answer))
        })
        .map(|answer| first(setup, attempt, answer))
}

/// The work, and what a test hook lets break after it.
fn worked(setup: &Setup, attempt: &Attempt, tables: &mut Tables) -> Result<Answer, StoreError> {
    let answer = produce(setup, attempt, tables)?;
    let breaks = attempt.hook == Hook::FailAfter && answer.outcome == Outcome::Fresh;
    Ok(if breaks { broken(setup) } else { answer })
}

fn broken(setup: &Setup) -> Answer {
    setup.error(CommonError::Failed("a test hook broke the handler after the effect"))
}

/// Claim, effect and answer in one transaction: a second copy waits until it ends.
fn in_transaction(setup: &Setup, attempt: &Attempt, slot: &Slot, tables: &mut Tables) -> Result<Answer, StoreError> {
    tables.transaction(|tables| {
        if !attempt.looked_up && !tables.claim(slot, &claimed(setup, attempt))? {
            let Some(record) = tables.record(slot)? else {
                // Freed between the two statements: whoever had it failed, so the caller may try again.
                return Ok((End::Rollback, setup.error(CommonError::InProgress)));
            };
            let again = record.standing == Standing::Burnt
                && is_same(setup, attempt, &record)
                && !record.fingerprint.is_empty();
            if !again {
                return known(setup, attempt, slot, &record, tables);
            }
        }
        if setup.policy.identity == Identity::ContentToo
            && let Some(record) = tables.record(&attempt.content_slot(setup))?
        {
            tables.keep(slot, &record)?;
            return Ok((End::Commit, on_record(setup, attempt, &record)?));
        }
        thread::sleep(attempt.hook.work());
        let answer = worked(setup, attempt, tables)?;
        if !is_stored(attempt, &answer) {
            return Ok((End::Rollback, answer));
        }
        let record = settled(setup, attempt, &answer);
        tables.keep(slot, &record)?;
        if setup.policy.identity == Identity::ContentToo {
            tables.keep(&attempt.content_slot(setup), &record)?;
        }
        Ok((End::Commit, answer))
    })
}

/// What the contract keeps under a key. What is natural has no key, and a saboteur keeps what succeeded.
fn is_stored(attempt: &Attempt, answer: &Answer) -> bool {
    answer.outcome == Outcome::Fresh || attempt.kept.operation.stored.contains(&answer.outcome)
}

/// The answer on a record, and what is written about the repeat; a saboteur writes back more.
fn known(
    setup: &Setup,
    attempt: &Attempt,
    slot: &Slot,
    record: &Record,
    tables: &mut Tables,
) -> Result<(End, Answer), StoreError> {
    if natural_slot(setup, attempt).as_ref() == Some(slot) {
        return Ok((End::Rollback, natural_conflict(setup, attempt)));
    }
    let mut answer = on_record(setup, attempt, record)?;
    if setup.policy.replay_body == ReplayBody::TodaysAnswer && answer.outcome == Outcome::Replayed {
        present::renew(setup, attempt, &mut answer.body, tables)?;
    }
    let noted = answer.outcome == Outcome::Replayed && note_repeat(setup, attempt, tables)?;
    if setup.policy.marker == Marker::BakedIn && answer.outcome == Outcome::Replayed {
        tables.keep(slot, &Record { body: answer.body.to_string(), ..record.clone() })?;
        return Ok((End::Commit, answer));
    }
    Ok((if noted { End::Commit } else { End::Rollback }, answer))
}

/// The operation's own conflict, where it has one.
fn natural_conflict(setup: &Setup, attempt: &Attempt) -> Answer {
    let constraints = attempt.kept.reference.iter().flat_map(|reference| &reference.refuse);
    let own = constraints.into_iter().find(|constraint| constraint.outcome == Outcome::Conflict);
    own.map_or_else(
        || setup.error(CommonError::Conflict),
        |own| Answer::new(own.answer.status, own.answer.headers.clone(), own.answer.body.clone(), Outcome::Conflict),
    )
}

/// A saboteur: what fails between the two transactions leaves an effect without a record.
fn effect_then_record(
    setup: &Setup,
    attempt: &Attempt,
    slot: &Slot,
    tables: &mut Tables,
) -> Result<Answer, StoreError> {
    let answer = tables.transaction(|tables| {
        if let Some(record) = tables.record(slot)? {
            return known(setup, attempt, slot, &record, tables);
        }
        thread::sleep(attempt.hook.work());
        let answer = produce(setup, attempt, tables)?;
        Ok((if is_stored(attempt, &answer) { End::Commit } else { End::Rollback }, answer))
    })?;
    if answer.from_record || !is_stored(attempt, &answer) {
        return Ok(answer);
    }
    if attempt.hook == Hook::FailAfter {
        return Ok(broken(setup));
    }
    let record = settled(setup, attempt, &answer);
    tables.transaction(|tables| tables.keep(slot, &record).map(|()| (End::Commit, answer)))
}

/// The claim is committed first, so that others see it; it has a lease, and an owner who is checked at the end.
async fn visible(setup: &Arc<Setup>, attempt: &Arc<Attempt>, slot: Slot) -> Result<Answer, StoreError> {
    let mine = claimed(setup, attempt);
    let (record, place) = (mine.clone(), slot.clone());
    let met = run_for(setup, attempt, move |setup, attempt, tables| {
        tables.transaction(|tables| {
            let lock = Slot { space: format!("locked {}", place.space), ..place.clone() };
            let for_ever = setup.policy.claim == Claim::VisibleForEver;
            if for_ever && tables.record(&lock)?.is_some() {
                return Ok((End::Rollback, Some(setup.error(CommonError::InProgress))));
            }
            if tables.claim(&place, &record)? {
                return Ok((End::Commit, None));
            }
            let Some(known_record) = tables.record(&place)? else {
                return Ok((End::Rollback, Some(setup.error(CommonError::InProgress))));
            };
            let lease = i64::try_from(setup.policy.claim.lease().as_millis()).unwrap_or(i64::MAX);
            let ended = known_record.standing == Standing::InProgress
                && unix_millis().saturating_sub(known_record.since) > lease
                && is_same(setup, attempt, &known_record);
            if ended {
                tables.keep(&place, &record)?;
                return Ok((End::Commit, None));
            }
            // Another payload is no copy: it meets its conflict and locks nothing.
            if for_ever && known_record.standing == Standing::InProgress && is_same(setup, attempt, &known_record) {
                tables.keep(&lock, &known_record)?;
                return Ok((End::Commit, Some(on_record(setup, attempt, &known_record)?)));
            }
            known(setup, attempt, &place, &known_record, tables).map(|(end, answer)| (end, Some(answer)))
        })
    })
    .await?;
    if let Some(answer) = met {
        return Ok(answer);
    }
    pause(attempt.hook.work()).await;
    run(setup, attempt, move |setup, attempt, tables| {
        let checks_owner = setup.policy.claim != Claim::ShortLease;
        let answer = tables.transaction(|tables| {
            let is_mine = tables.record(&slot)?.is_some_and(|record| record.owner == mine.owner);
            if checks_owner && !is_mine {
                return Ok((End::Rollback, setup.error(CommonError::InProgress)));
            }
            let answer = worked(setup, attempt, tables)?;
            if !is_stored(attempt, &answer) {
                return Ok((End::Rollback, answer));
            }
            tables.keep(&slot, &settled(setup, attempt, &answer))?;
            Ok((End::Commit, answer))
        });
        if !answer.as_ref().is_ok_and(|answer| is_stored(attempt, answer)) {
            tables.transaction(|tables| {
                if tables.record(&slot)?.is_some_and(|record| record.owner == mine.owner) {
                    tables.release(&slot)?;
                }
                Ok((End::Commit, ()))
            })?;
        }
        answer
    })
    .await
}

/// Saboteurs: nothing holds the key between the look and the store.
async fn check_then(
    setup: &Arc<Setup>,
    attempt: &Arc<Attempt>,
    slot: Slot,
    claim: Claim,
) -> Result<Answer, StoreError> {
    let place = slot.clone();
    let met = run_for(setup, attempt, move |setup, attempt, tables| {
        tables.transaction(|tables| match tables.record(&place)? {
            Some(record) => known(setup, attempt, &place, &record, tables).map(|(end, answer)| (end, Some(answer))),
            None => Ok((End::Rollback, None)),
        })
    })
    .await?;
    if let Some(answer) = met {
        return Ok(answer);
    }
    pause(claim.stretch() + attempt.hook.work()).await;
    run(setup, attempt, move |setup, attempt, tables| {
        tables.transaction(|tables| {
            if claim == Claim::CheckThenInsert && !tables.claim(&slot, &claimed(setup, attempt))? {
                let answer = setup.error(CommonError::Failed("the key violates a unique constraint"));
                return Ok((End::Rollback, Answer { from_record: true, ..answer }));
            }
            let answer = worked(setup, attempt, tables)?;
            if !is_stored(attempt, &answer) {
                return Ok((End::Rollback, answer));
            }
            tables.keep(&slot, &settled(setup, attempt, &answer))?;
            Ok((End::Commit, answer))
        })
    })
    .await
}

async fn run_for<T: Send + 'static>(
    setup: &Arc<Setup>,
    attempt: &Arc<Attempt>,
    job: impl FnOnce(&Setup, &Attempt, &mut Tables) -> Result<T, StoreError> + Send + 'static,
) -> Result<T, StoreError> {
    let (own, attempt) = (Arc::clone(setup), Arc::clone(attempt));
    setup.store.run(move |tables| job(&own, &attempt, tables)).await
}

async fn pause(time: Duration) {
    if !time.is_zero() {
        tokio::time::sleep(time).await;
    }
}

/// Milliseconds of the Unix clock; the lease has to be read by other replicas.
pub fn unix_millis() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
