//! Waits as long as an effect may take to show, then reads until nothing changes any more. A late effect counts like any other.

use std::time::Duration;

use tokio::time::sleep;

use crate::history::Sight;

/// The pause between two readings of something that shows at once.
const SHORT: Duration = Duration::from_millis(8);

/// The most readings of something that shows at once and does not become stable.
const MOST: usize = 12;

/// Reads until two readings in a row agree; where effects may settle for a time, when that time is over: what they showed
/// before says nothing of what they come to.
pub async fn until_stable<F, R>(settles: Duration, mut read: F) -> Sight
where
    F: FnMut() -> R,
    R: Future<Output = Sight>,
{
    if !settles.is_zero() {
        sleep(settles).await;
    }
    let mut last = read().await;
    for _ in 0..MOST {
        sleep(SHORT).await;
        let next = read().await;
        if next == last {
            return next;
        }
        last = next;
    }
    last
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::time::Instant;

    use super::*;
    use crate::json::Json;

    fn rows(count: usize) -> Sight {
        Sight::Seen(vec![Json::Null; count])
    }

    #[tokio::test]
    async fn an_effect_that_comes_late_is_seen() {
        let began = Instant::now();
        let seen = until_stable(Duration::from_millis(200), || {
            let count = if began.elapsed() > Duration::from_millis(150) { 2 } else { 1 };
            async move { rows(count) }
        })
        .await;
        assert_eq!(seen, rows(2));
    }

    #[tokio::test]
    async fn what_never_becomes_stable_ends() {
        let calls = Cell::new(0_usize);
        let seen = until_stable(Duration::ZERO, || {
            calls.set(calls.get() + 1);
            let count = calls.get();
            async move { rows(count) }
        })
        .await;
        assert_eq!(seen, rows(MOST + 1));
    }
}
