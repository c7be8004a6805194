//! Ids from counters.

use crate::Error;

/// Refuses the id 0, which the counter of a state without [`initialize`](super::initialize) issues
/// first.
pub(super) fn issued(counter: &str, id: u64) -> Result<u64, Error> {
    if id > 0 { Ok(id) } else { Err(Error::corrupt(format!("`{counter}` is missing"))) }
}
