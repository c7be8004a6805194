//! Limits of timeouts, and pauses between attempts.

use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    thread,
    time::{Duration, Instant},
};

const FIRST_PAUSE: Duration = Duration::from_millis(1);
/// The number of times that `FIRST_PAUSE` is doubled. The longest pause is 128 milliseconds.
const LAST_DOUBLING: u32 = 7;
const RETRY_PAUSE: Duration = Duration::from_millis(20);

/// Limits a timeout to a range that servers and clients accept: at least a millisecond, at most a
/// week. Servers read a timeout of zero as no timeout.
///
/// ```
/// use keyscape_store_remote::bounded;
/// use std::time::Duration;
///
/// assert_eq!(bounded(Duration::ZERO), Duration::from_millis(1));
/// assert_eq!(bounded(Duration::MAX), Duration::from_secs(7 * 24 * 60 * 60));
/// ```
#[must_use]
pub fn bounded(time: Duration) -> Duration {
    time.clamp(Duration::from_millis(1), Duration::from_secs(7 * 24 * 60 * 60))
}

/// Waits for a random time before another attempt: at most a few milliseconds at first, twice as
/// long each time. Random pauses separate clients that conflicted with each other.
///
/// ```
/// keyscape_store_remote::pause(1);
/// ```
pub fn pause(attempt: u32) {
    let max = FIRST_PAUSE * 2_u32.pow(attempt.min(LAST_DOUBLING));
    let random = RandomState::new().build_hasher().finish() % 1_000;
    thread::sleep(max * u32::try_from(random).unwrap_or_default() / 1_000);
}

/// Repeats an attempt until it succeeds, fails with an error that is not `is_temporary`, or reaches
/// the timeout.
///
/// # Errors
/// The error of the last attempt.
pub fn retry_until<T, E>(
    timeout: Duration,
    is_temporary: impl Fn(&E) -> bool,
    mut attempt: impl FnMut() -> Result<T, E>,
) -> Result<T, E> {
    let begin = Instant::now();
    loop {
        match attempt() {
            Err(error) if is_temporary(&error) && begin.elapsed() < timeout => {
                thread::sleep(RETRY_PAUSE);
            }
            outcome => return outcome,
        }
    }
}
