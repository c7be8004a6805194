//! Limits of an approval, and the intervals after which they start again.

use crate::{
    layout::badges::Kind,
    values::{BadMessage, ResetTimeIntervals, number},
};
use keyscape::U256;

/// Limits by kind of tracker, and the tracker that they use.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    limits: [U256; 4],
    pub(crate) tracker: String,
    reset: Option<(U256, U256)>,
}

impl Limits {
    /// Returns the limit of a kind; 0 is unlimited.
    pub(crate) fn of(&self, kind: Kind) -> U256 {
        let [overall, to, from, initiator] = self.limits;
        match kind {
            Kind::Overall => overall,
            Kind::To => to,
            Kind::FromType => from,
            Kind::InitiatedBy => initiator,
        }
    }

    pub(super) fn new(
        limits: [&String; 4],
        tracker: &str,
        reset: Option<&ResetTimeIntervals>,
    ) -> Result<Limits, BadMessage> {
        let [a, b, c, d] = limits;
        let reset = match reset {
            None => None,
            Some(reset) => {
                let (start, length) = (number(&reset.start_time)?, number(&reset.interval_length)?);
                (start > U256::ZERO && length > U256::ZERO).then_some((start, length))
            }
        };
        let limits = [number(a)?, number(b)?, number(c)?, number(d)?];
        Ok(Limits { limits, tracker: tracker.to_owned(), reset })
    }

    /// Whether an interval has started since a tracker was last changed.
    pub(super) fn is_reset(&self, updated: U256, now: U256) -> bool {
        self.reset.is_some_and(|(start, length)| {
            let passed = now.checked_sub(start).and_then(|passed| passed.checked_rem(length));
            // The current interval started `passed` ago.
            passed.is_some_and(|passed| now - passed > updated)
        })
    }
}
