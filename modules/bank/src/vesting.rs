//! Vesting: coins that an account has but may not spend yet.
//!
//! The arithmetic is that of the Cosmos SDK, digit for digit, on whole seconds of Unix time. Locked
//! coins may be delegated. The locked part of a delegation is recorded, so delegating frees no
//! coins, and undelegating locks no free ones.

use crate::{Coins, CoinsError, Denom};
use keyscape::U256;

/// A vesting schedule.
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
    /// Linearly, from the start to the end.
    Continuous {
        /// The time before which nothing has vested.
        start: i64,
        /// The time at which everything has vested.
        end: i64,
    },
    /// Everything at the end.
    Delayed {
        /// The time at which everything has vested.
        end: i64,
    },
    /// In parts, each at the end of its period.
    Periodic {
        /// The start of the first period.
        start: i64,
        /// The consecutive periods.
        periods: Vec<Period>,
    },
    /// Never.
    Permanent,
}

/// A period of a periodic schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Period {
    /// The duration in seconds.
    pub length: i64,
    /// The coins that vest at its end.
    pub amount: Coins,
}

impl Period {
    fn too_short(&self, index: usize) -> String {
        let length = self.length;
        format!("period {index} lasts {length} seconds; expected 1 or more")
    }
}

/// Vesting coins, their schedule, and their delegated part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vesting {
    original: Coins,
    delegated_free: Coins,
    delegated_vesting: Coins,
    schedule: Schedule,
    /// The time at which everything has vested; 0 for never.
    end: i64,
}

/// The reason why a schedule or a vesting state is invalid, or a delegation cannot be recorded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct VestingError(String);

impl From<CoinsError> for VestingError {
    fn from(error: CoinsError) -> VestingError {
        VestingError(error.to_string())
    }
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), VestingError> {
    if holds { Ok(()) } else { Err(VestingError(otherwise())) }
}

fn ends_too_early(end: i64) -> String {
    format!("vesting ends at {end}; expected a time after 1970")
}

/// Ten to the power of 18: the precision of the share of time.
const UNIT: U256 = U256::new(1_000_000_000_000_000_000);

impl Schedule {
    /// Returns the time at which everything has vested; 0 for never. A periodic schedule ends with
    /// its last period; `None` if that exceeds 64 bits.
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

    fn check_duration(&self, end: i64) -> Result<(), VestingError> {
        ensure(end >= 0, || ends_too_early(end))?;
        match *self {
            Schedule::Continuous { start, .. } | Schedule::Periodic { start, .. } => {
                ensure(start < end, || {
                    format!("vesting ends at {end}, which is not after its start at {start}")
                })
            }
            Schedule::Delayed { .. } | Schedule::Permanent => Ok(()),
        }
    }
}

impl Vesting {
    /// Creates vesting coins with a schedule, none of them delegated.
    ///
    /// # Errors
    /// [`VestingError`] if the schedule is invalid or does not match the coins.
    pub fn new(original: Coins, schedule: Schedule) -> Result<Vesting, VestingError> {
        ensure(!original.is_empty(), || "nothing vests: name the coins that do".to_owned())?;
        let end = schedule.end().unwrap_or(i64::MAX);
        schedule.check_duration(end)?;
        if let Schedule::Periodic { start, periods } = &schedule {
            Vesting::new_periods(*start, periods)?;
        }
        // A stored end of 0 is valid in the SDK, but its messages reject it.
        ensure(end != 0 || schedule == Schedule::Permanent, || ends_too_early(end))?;
        Vesting::stored(original, Coins::none(), Coins::none(), schedule, end)
    }

    /// Checks the conditions of the SDK message on periods. Stored accounts may violate them.
    fn new_periods(start: i64, periods: &[Period]) -> Result<(), VestingError> {
        ensure(start >= 1, || format!("vesting starts at {start}; expected a time after 1970"))?;
        for (index, period) in periods.iter().enumerate() {
            ensure(period.length >= 1, || period.too_short(index))?;
            ensure(!period.amount.is_empty(), || {
                format!("nothing vests in period {index}: name the coins that do")
            })?;
        }
        Ok(())
    }

    /// Creates the vesting state of a stored account. Checks that periods have valid lengths and
    /// add up to the end and to the vesting coins, because the arithmetic relies on it.
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
            for (index, period) in periods.iter().enumerate() {
                ensure(period.length >= 0, || period.too_short(index))?;
                sum = sum.saturating_add(i128::from(period.length));
                amounts = amounts.plus(&period.amount)?;
            }
            ensure(sum == i128::from(end), || {
                format!("the periods end at {sum}, but vesting ends at {end}")
            })?;
            ensure(amounts == original, || {
                format!("the periods hold `{amounts}`, but `{original}` vests")
            })?;
        }
        Ok(Vesting { original, delegated_free, delegated_vesting, schedule, end })
    }

    /// Checks that gradual vesting has a positive duration and that no schedule ends before 1970.
    /// A stored schedule may be without duration; then everything has vested after the start.
    pub(crate) fn check_duration(&self) -> Result<(), VestingError> {
        self.schedule.check_duration(self.end)
    }

    /// Returns the vesting coins.
    #[must_use]
    pub fn original(&self) -> &Coins {
        &self.original
    }

    /// Returns the delegated coins that were free at the time of delegation.
    #[must_use]
    pub fn delegated_free(&self) -> &Coins {
        &self.delegated_free
    }

    /// Returns the delegated coins that were locked at the time of delegation.
    #[must_use]
    pub fn delegated_vesting(&self) -> &Coins {
        &self.delegated_vesting
    }

    /// Returns the schedule.
    #[must_use]
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Returns the time at which everything has vested; 0 for never.
    #[must_use]
    pub fn end(&self) -> i64 {
        self.end
    }

    /// Returns the vested coins.
    #[must_use]
    pub fn vested(&self, now: i64) -> Coins {
        self.of_each(|denom| self.vested_of(denom, now))
    }

    /// Returns the vested amount of one denomination.
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
            Schedule::Continuous { start, end } => vested_share(original, now, *start, *end),
            Schedule::Periodic { start, periods } => vested_periods(periods, denom, now, *start),
        }
    }

    /// Returns the amount of one denomination that has not vested yet.
    #[must_use]
    pub fn vesting_of(&self, denom: &Denom<'_>, now: i64) -> U256 {
        self.original.amount_of(denom).saturating_sub(self.vested_of(denom, now))
    }

    /// Returns the locked coins: those that have not vested yet, minus their delegated part.
    #[must_use]
    pub fn locked(&self, now: i64) -> Coins {
        self.of_each(|denom| self.locked_of(denom, now))
    }

    /// Returns the locked amount of one denomination.
    #[must_use]
    pub fn locked_of(&self, denom: &Denom<'_>, now: i64) -> U256 {
        self.vesting_of(denom, now).saturating_sub(self.delegated_vesting.amount_of(denom))
    }

    /// Records a delegation: locked coins are delegated first. `balance` returns the balance of a
    /// denomination before the delegation.
    ///
    /// # Errors
    /// If the delegation exceeds the balance, in which case the Cosmos SDK panics, or the delegated
    /// amounts overflow. Nothing has changed then.
    pub fn track_delegation(
        &mut self,
        now: i64,
        coins: &Coins,
        balance: impl Fn(&Denom<'_>) -> U256,
    ) -> Result<(), VestingError> {
        for coin in coins {
            let balance = balance(&coin.denom);
            ensure(balance >= coin.amount, || {
                format!("{coin} cannot be delegated out of {balance}{}", coin.denom)
            })?;
        }
        let locked = coins.map_amounts(|coin| self.locked_of(&coin.denom, now).min(coin.amount));
        let vesting = self.delegated_vesting.plus(&locked)?;
        self.delegated_free = self.delegated_free.plus(&coins.without(&locked))?;
        self.delegated_vesting = vesting;
        Ok(())
    }

    /// Records the end of a delegation: free coins return first. Any excess over the delegations is
    /// not recorded: it comes from rounding in slashings.
    pub fn track_undelegation(&mut self, coins: &Coins) {
        let rest = coins.without(&self.delegated_free);
        self.delegated_free = self.delegated_free.without(coins);
        self.delegated_vesting = self.delegated_vesting.without(&rest);
    }

    fn of_each(&self, amount: impl Fn(&Denom<'static>) -> U256) -> Coins {
        self.original.map_amounts(|coin| amount(&coin.denom))
    }
}

/// Returns the vested part of an amount at a time inside `start..end`.
///
/// The share of time is truncated to 36 decimals and rounded to 18; the part is rounded to an
/// integer. Both round half to even.
fn vested_share(original: U256, now: i64, start: i64, end: i64) -> U256 {
    let seconds = |from: i64, to: i64| U256::from(to.abs_diff(from));
    // 64 and 120 bits; the length is not zero because `start < now < end`.
    let share = seconds(start, now) * UNIT * UNIT / seconds(start, end);
    let share = half_even(share / UNIT, share % UNIT);
    // `original × share ÷ UNIT` without a product of more than 256 bits: `share` is at most `UNIT`,
    // so the first product is at most `original`, and the second is less than `UNIT × UNIT`.
    let (units, rest) = (original / UNIT, original % UNIT);
    let small = rest * share;
    let whole = units * share + small / UNIT;
    half_even(whole, small % UNIT)
}

/// Rounds `whole + rest ÷ UNIT`, half to even.
fn half_even(whole: U256, rest: U256) -> U256 {
    let half = UNIT / 2;
    let up = rest > half || (rest == half && whole % 2 == U256::ONE);
    if up { whole + 1 } else { whole }
}

/// Returns the amount of a denomination in the completed periods.
fn vested_periods(periods: &[Period], denom: &Denom<'_>, now: i64, start: i64) -> U256 {
    let mut left = now.abs_diff(start);
    let mut sum = U256::ZERO;
    for period in periods {
        let length = period.length.unsigned_abs();
        if left < length {
            break;
        }
        left -= length;
        // All periods together contain the original amount.
        sum = sum.saturating_add(period.amount.amount_of(denom));
    }
    sum
}
