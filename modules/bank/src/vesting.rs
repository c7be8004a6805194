//! Vesting: coins that an account has and may not spend yet.
//!
//! Arithmetic is that of the Cosmos SDK, digit for digit, on whole seconds of Unix time. Locked coins
//! may be delegated; what of a delegation was locked is remembered, so that delegating frees nothing
//! and undelegating locks nothing that was free.

use crate::{Coins, CoinsError, Denom};
use keyscape::U256;

/// When the coins of an account vest.
///
/// ```
/// use keyscape_bank::vesting::{Schedule, Vesting};
///
/// let schedule = Schedule::Continuous { start: 1_000, end: 2_000 };
/// let vesting = Vesting::new("100stake".parse()?, schedule)?;
/// assert_eq!(vesting.vested(1_000).to_string(), "");
/// assert_eq!(vesting.vested(1_500).to_string(), "50stake");
/// assert_eq!(vesting.locked(1_500).to_string(), "50stake");
/// assert_eq!(vesting.locked(2_000).to_string(), "");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Schedule {
    /// Second by second, after the start and until the end.
    Continuous {
        /// Nothing has vested then.
        start: i64,
        /// Everything has.
        end: i64,
    },
    /// Everything at the end.
    Delayed {
        /// Then.
        end: i64,
    },
    /// In parts, each when its period is over.
    Periodic {
        /// When the first period begins.
        start: i64,
        /// The periods, one behind the other.
        periods: Vec<Period>,
    },
    /// Never.
    Permanent,
}

/// A part of a periodic schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// How long it lasts, in seconds.
    pub length: i64,
    /// What vests when it is over.
    pub amount: Coins,
}

/// What vests, when, and what of it is delegated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vesting {
    original: Coins,
    delegated_free: Coins,
    delegated_vesting: Coins,
    schedule: Schedule,
    /// When everything has vested; 0 for never.
    end: i64,
}

/// Why a schedule or the state of vesting is none.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum VestingError {
    /// Nothing vests.
    #[error("nothing vests: name the coins that do")]
    Nothing,
    /// The end does not come after the start.
    #[error("vesting ends at {end}, which is not after its start at {start}")]
    NoTime {
        /// When it begins.
        start: i64,
        /// When it ends.
        end: i64,
    },
    /// A period of less than no time.
    #[error("the period at place {place} lasts {length} seconds; expected 0 or more")]
    Length {
        /// Its place in the list, from 0.
        place: usize,
        /// Its length.
        length: i64,
    },
    /// The periods do not end where vesting ends.
    #[error("the periods end at {sum}, but vesting ends at {end}")]
    Lengths {
        /// The start and all lengths.
        sum: i128,
        /// When vesting ends.
        end: i64,
    },
    /// The periods do not hold what vests.
    #[error("the periods hold `{sum}`, but `{original}` vests")]
    Amounts {
        /// What they hold.
        sum: Coins,
        /// What vests.
        original: Coins,
    },
    /// The amounts add up to too much.
    #[error(transparent)]
    Coins(#[from] CoinsError),
}

/// More was delegated than there is. The origin stops the program here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{amount}{denom} cannot be delegated out of {balance}{denom}")]
pub struct NotCovered {
    /// The denomination.
    pub denom: Denom<'static>,
    /// The balance before the delegation.
    pub balance: U256,
    /// The amount that was to be delegated.
    pub amount: U256,
}

/// Ten to the power of 18: how finely the share of time is counted.
const UNIT: U256 = U256::new(1_000_000_000_000_000_000);

impl Schedule {
    /// When everything has vested; 0 for never. A periodic schedule ends with its last period;
    /// `None` if that is beyond what 64 bits hold.
    #[must_use]
    pub fn end(&self) -> Option<i64> {
        match self {
            Schedule::Continuous { end, .. } | Schedule::Delayed { end } => Some(*end),
            Schedule::Periodic { start, periods } => {
                periods.iter().try_fold(*start, |end, period| end.checked_add(period.length))
            }
            Schedule::Permanent => Some(0),
        }
    }

    fn takes_time(&self, end: i64) -> Result<(), VestingError> {
        match *self {
            Schedule::Continuous { start, .. } | Schedule::Periodic { start, .. }
                if start >= end =>
            {
                Err(VestingError::NoTime { start, end })
            }
            _ => Ok(()),
        }
    }
}

impl Vesting {
    /// Coins that vest by a schedule, none of them delegated.
    ///
    /// # Errors
    /// [`VestingError`] if the schedule is none, or is not about these coins.
    pub fn new(original: Coins, schedule: Schedule) -> Result<Vesting, VestingError> {
        if original.is_empty() {
            return Err(VestingError::Nothing);
        }
        let end = schedule.end().unwrap_or(i64::MAX);
        schedule.takes_time(end)?;
        Vesting::stored(original, Coins::none(), Coins::none(), schedule, end)
    }

    /// As it is stored. What arithmetic relies on is checked.
    pub(crate) fn stored(
        original: Coins,
        delegated_free: Coins,
        delegated_vesting: Coins,
        schedule: Schedule,
        end: i64,
    ) -> Result<Vesting, VestingError> {
        if let Schedule::Periodic { start, periods } = &schedule {
            let mut sum = i128::from(*start);
            let mut amounts = Coins::none();
            for (place, period) in periods.iter().enumerate() {
                if period.length < 0 {
                    return Err(VestingError::Length { place, length: period.length });
                }
                sum = sum.saturating_add(i128::from(period.length));
                amounts = amounts.plus(&period.amount)?;
            }
            if sum != i128::from(end) {
                return Err(VestingError::Lengths { sum, end });
            }
            if amounts != original {
                return Err(VestingError::Amounts { sum: amounts, original });
            }
        }
        Ok(Vesting { original, delegated_free, delegated_vesting, schedule, end })
    }

    /// Whether what vests by and by has time for it. What is stored may not have it: then everything has
    /// vested after the start.
    pub(crate) fn takes_time(&self) -> Result<(), VestingError> {
        self.schedule.takes_time(self.end)
    }

    /// What vests.
    #[must_use]
    pub fn original(&self) -> &Coins {
        &self.original
    }

    /// What was free when it was delegated.
    #[must_use]
    pub fn delegated_free(&self) -> &Coins {
        &self.delegated_free
    }

    /// What was locked when it was delegated.
    #[must_use]
    pub fn delegated_vesting(&self) -> &Coins {
        &self.delegated_vesting
    }

    /// When it vests.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// When everything has vested; 0 for never.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.end
    }

    /// What has vested.
    #[must_use]
    pub fn vested(&self, now: i64) -> Coins {
        self.of_each(|denom| self.vested_of(denom, now))
    }

    /// What has vested of one denomination.
    #[must_use]
    pub fn vested_of(&self, denom: &Denom<'_>, now: i64) -> U256 {
        let original = self.original.amount_of(denom);
        match &self.schedule {
            Schedule::Permanent => U256::ZERO,
            Schedule::Delayed { end } if now < *end => U256::ZERO,
            Schedule::Continuous { start, .. } | Schedule::Periodic { start, .. }
                if now <= *start =>
            {
                U256::ZERO
            }
            _ if now >= self.end => original,
            Schedule::Delayed { .. } => original,
            Schedule::Continuous { start, end } => share(original, now, *start, *end),
            Schedule::Periodic { start, periods } => over(periods, denom, now, *start),
        }
    }

    /// What has not vested yet.
    #[must_use]
    pub fn vesting_of(&self, denom: &Denom<'_>, now: i64) -> U256 {
        self.original.amount_of(denom).saturating_sub(self.vested_of(denom, now))
    }

    /// What the account must keep: what has not vested yet, without what of it is delegated.
    #[must_use]
    pub fn locked(&self, now: i64) -> Coins {
        self.of_each(|denom| self.locked_of(denom, now))
    }

    /// What the account must keep of one denomination.
    #[must_use]
    pub fn locked_of(&self, denom: &Denom<'_>, now: i64) -> U256 {
        self.vesting_of(denom, now).saturating_sub(self.delegated_vesting.amount_of(denom))
    }

    /// Notes a delegation: what is locked is delegated first. `balance` says what the account had of
    /// a denomination before.
    ///
    /// # Errors
    /// [`TrackError::NotCovered`] if more is delegated than there was, [`TrackError::Coins`] if the
    /// delegated amounts leave 256 bits. Then nothing has changed.
    pub fn track_delegation(
        &mut self,
        now: i64,
        coins: &Coins,
        balance: impl Fn(&Denom<'_>) -> U256,
    ) -> Result<(), TrackError> {
        for coin in coins {
            let (denom, amount) = (&coin.denom, coin.amount);
            let had = balance(denom);
            if had < amount {
                let denom = denom.clone();
                return Err(NotCovered { denom, balance: had, amount }.into());
            }
        }
        let locked = coins.each(|coin| self.locked_of(&coin.denom, now).min(coin.amount));
        let vesting = self.delegated_vesting.plus(&locked)?;
        self.delegated_free = self.delegated_free.plus(&coins.without(&locked))?;
        self.delegated_vesting = vesting;
        Ok(())
    }

    /// Notes the end of a delegation: what was free comes back first. What is more than was delegated
    /// is not accounted for: it comes from rounding when delegations were slashed.
    pub fn track_undelegation(&mut self, coins: &Coins) {
        let rest = coins.without(&self.delegated_free);
        self.delegated_free = self.delegated_free.without(coins);
        self.delegated_vesting = self.delegated_vesting.without(&rest);
    }

    fn of_each(&self, amount: impl Fn(&Denom<'static>) -> U256) -> Coins {
        self.original.each(|coin| amount(&coin.denom))
    }
}

/// Why a delegation could not be noted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// More was delegated than there was.
    #[error(transparent)]
    NotCovered(#[from] NotCovered),
    /// The delegated amounts leave 256 bits.
    #[error(transparent)]
    Coins(#[from] CoinsError),
}

/// The part of an amount that has vested at a time inside `start..end`.
///
/// The share of time is cut to 36 decimals and rounded to 18; the part is rounded to an integer;
/// halves go to the even neighbour both times.
fn share(original: U256, now: i64, start: i64, end: i64) -> U256 {
    let seconds = |from: i64, to: i64| U256::from(to.abs_diff(from));
    // 64 and 120 bits; the length is not zero because `start < now < end`.
    let share = seconds(start, now) * UNIT * UNIT / seconds(start, end);
    let share = half_even(share / UNIT, share % UNIT);
    // `original × share ÷ UNIT` without a product of more than 256 bits: `share` is at most `UNIT`, so
    // the first product is at most `original`, and the second less than `UNIT × UNIT`.
    let (units, rest) = (original / UNIT, original % UNIT);
    let small = rest * share;
    let whole = units * share + small / UNIT;
    half_even(whole, small % UNIT)
}

/// Rounds `whole + rest ÷ UNIT`, halves to the even neighbour.
fn half_even(whole: U256, rest: U256) -> U256 {
    let half = UNIT / 2;
    let up = rest > half || (rest == half && whole % 2 == U256::ONE);
    if up { whole + 1 } else { whole }
}

/// What of a denomination the periods that are over hold.
fn over(periods: &[Period], denom: &Denom<'_>, now: i64, start: i64) -> U256 {
    let mut left = now.abs_diff(start);
    let mut sum = U256::ZERO;
    for period in periods {
        let length = period.length.unsigned_abs();
        if left < length {
            break;
        }
        left -= length;
        // All periods together hold the original amount.
        sum = sum.saturating_add(period.amount.amount_of(denom));
    }
    sum
}
