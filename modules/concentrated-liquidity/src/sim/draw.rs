//! Random choices, and the accounts, pools and positions to choose from.

use crate::{
    keeper,
    math::{self, MAX_TICK, MIN_TICK},
    values::{Pool, Position},
};
use keyscape::{U256, store::Read};
use keyscape_bank::{Address, Coin, Denom};
use keyscape_sim::{Fault, Random};

/// The number of accounts.
pub(super) const ACCOUNTS: u8 = 6;
/// The initial balance of each account in every denomination.
pub(super) const FUNDS: &str = "1000000000000000000000000000000";
/// The denominations.
pub(super) const DENOMS: [&str; 4] = ["atom", "eth", "osmo", "usdc"];
/// The pools. Decimal and hexadecimal readings of their ids differ, and one contains the byte `7c`.
pub(super) const POOLS: [u64; 3] = [10, 16, 124];
/// The largest number of positions in a pool.
const MOST_POSITIONS: usize = 40;

/// The time of the first block, in nanoseconds since 1970.
const START: i64 = 1_700_000_000_000_000_000;

/// The random choices of a block.
pub(super) struct Draw {
    random: Random,
    pub(super) now: i64,
}

impl Draw {
    pub(super) fn new(seed: u64, height: u64) -> Draw {
        let seconds = i64::try_from(height).unwrap_or(i64::MAX).saturating_mul(7_211);
        let now = START.saturating_add(seconds.saturating_mul(1_000_000_000));
        Draw { random: Random::new(seed, height), now }
    }

    /// Returns a number below `bound`, or 0.
    pub(super) fn below(&mut self, bound: u64) -> u64 {
        self.random.below(bound)
    }

    pub(super) fn pick<T: Clone>(&mut self, list: &[T]) -> Option<T> {
        self.random.pick(list)
    }

    pub(super) fn account_at(&self, index: u8) -> Result<Address<'static>, Fault> {
        Ok(Address::new(vec![index + 1; 20])?)
    }

    pub(super) fn account(&mut self) -> Result<Address<'static>, Fault> {
        let index = u8::try_from(self.below(ACCOUNTS.into())).unwrap_or(0);
        self.account_at(index)
    }

    /// Draws an amount from 1 to below 10^21, with a random number of digits.
    pub(super) fn amount(&mut self) -> U256 {
        let digits = self.below(21);
        let mut amount = U256::ONE + U256::from(self.below(9));
        for _ in 0..digits {
            amount = amount * 10 + U256::from(self.below(10));
        }
        amount
    }

    pub(super) fn denom(&mut self, text: &str) -> Result<Denom<'static>, Fault> {
        Ok(Denom::new(text.to_owned())?)
    }

    pub(super) fn coin(&mut self, denom: &str) -> Result<Coin, Fault> {
        let amount = self.amount();
        Ok(Coin { denom: self.denom(denom)?, amount })
    }

    pub(super) fn pool(&mut self, state: &(impl Read + ?Sized)) -> Result<Pool, Fault> {
        let id = self.pick(&POOLS).unwrap_or_default();
        Ok(keeper::get_pool(state, id)?)
    }

    /// Returns a range around the price, or the full one.
    pub(super) fn range(&mut self, pool: &Pool) -> (i64, i64) {
        if self.below(4) == 0 {
            return (MIN_TICK, MAX_TICK);
        }
        let mut end = |sign: i64| {
            let digits = u32::try_from(1 + self.below(6)).unwrap_or(1);
            let far = i64::try_from(self.below(10_u64.pow(digits))).unwrap_or(0);
            let tick = (pool.tick + sign * far).clamp(MIN_TICK, MAX_TICK - 1_000);
            math::round_down_to_spacing(tick, pool.spacing).unwrap_or(MIN_TICK).max(MIN_TICK)
        };
        let (lower, upper) = (end(-1), end(1));
        let spacing = i64::try_from(pool.spacing).unwrap_or(1);
        (lower.min(upper), lower.max(upper) + spacing)
    }

    /// Returns a position of any pool.
    pub(super) fn position(
        &mut self,
        state: &(impl Read + ?Sized),
    ) -> Result<Option<(Position, Address<'static>)>, Fault> {
        let pool = self.pool(state)?.id;
        let ids = keeper::pool_positions(state, pool)?;
        let Some(id) = self.pick(&ids) else { return Ok(None) };
        let position = keeper::get_position(state, id)?;
        let owner = Address::new(position.owner.as_bytes().to_vec());
        Ok(Some((position, owner?)))
    }

    /// Whether a pool can have more positions.
    pub(super) fn has_room(&self, state: &(impl Read + ?Sized), pool: u64) -> Result<bool, Fault> {
        Ok(keeper::pool_positions(state, pool)?.len() < MOST_POSITIONS)
    }

    /// Returns both tokens of a pool in a random order.
    pub(super) fn tokens(
        &mut self,
        pool: &Pool,
    ) -> Result<(Denom<'static>, Denom<'static>), Fault> {
        let (token0, token1) = (self.denom(&pool.token0)?, self.denom(&pool.token1)?);
        Ok(if self.below(2) == 0 { (token0, token1) } else { (token1, token0) })
    }
}
