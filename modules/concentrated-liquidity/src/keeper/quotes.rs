//! Computation of swaps without writing, and quotes.

use crate::{
    Error, ErrorKind, Role,
    keeper::{
        accounts, accumulators,
        incentives::{self, Accrued, spread_scale},
        pools,
    },
    layout::concentratedliquidity::{Accumulator, TICKS, Ticks, TicksPool},
    math::{self, BigDec, Dec, Int, Step, SwapMath},
    values::{DecCoins, Pool, TickInfo},
};
use keyscape::{Scan, U256, store::Read};
use keyscape_bank::{Coin, Denom, keeper as bank};

/// The number of steps without effect after which a swap is rejected.
const MAX_EMPTY_STEPS: u32 = 100;

/// The side of a swap whose amount the caller fixes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    In,
    Out,
}

/// A swap to compute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Request<'a> {
    pub(super) denom_in: &'a str,
    pub(super) denom_out: &'a str,
    pub(super) amount: Int,
    pub(super) side: Side,
    pub(super) price_limit: Option<BigDec>,
}

/// The changes of a swap.
#[derive(Debug)]
pub(super) struct Outcome {
    /// The amounts of the whole swap. Zero until the swap is finished.
    pub(super) quote: Quote,
    /// The spread of all steps.
    pub(super) spread: Dec,
    /// The reward of one unit of liquidity, scaled as the accumulator is.
    pub(super) growth: Dec,
    pub(super) tick: i64,
    pub(super) liquidity: Dec,
    pub(super) sqrt_price: BigDec,
    /// The ticks that were crossed, as they are afterwards.
    pub(super) crossed: Vec<(i64, TickInfo)>,
    /// The incentives until now, if a tick was crossed.
    pub(super) accrued: Option<Accrued>,
}

/// The amounts that a swap would move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quote {
    /// The amount in, including the spread.
    pub amount_in: Int,
    /// The amount out.
    pub amount_out: Int,
}

/// Returns the amounts of a swap with an exact amount in.
///
/// # Errors
/// As [`swap_in`](super::swap_in), but without errors of payments.
pub fn estimate_out(
    state: &(impl Read + ?Sized),
    pool: u64,
    coin: &Coin,
    denom_out: &Denom<'_>,
) -> Result<Quote, Error> {
    estimate(state, pool, &coin.denom, denom_out, coin.amount, Side::In)
}

/// Returns the amounts of a swap with an exact amount out.
///
/// # Errors
/// As [`estimate_out`].
pub fn estimate_in(
    state: &(impl Read + ?Sized),
    pool: u64,
    denom_in: &Denom<'_>,
    coin: &Coin,
) -> Result<Quote, Error> {
    estimate(state, pool, denom_in, &coin.denom, coin.amount, Side::Out)
}

fn estimate(
    state: &(impl Read + ?Sized),
    pool: u64,
    denom_in: &Denom<'_>,
    denom_out: &Denom<'_>,
    amount: U256,
    side: Side,
) -> Result<Quote, Error> {
    let pool = pools::get_pool(state, pool)?;
    let (denom_in, denom_out) = (denom_in.as_str(), denom_out.as_str());
    let request =
        Request { denom_in, denom_out, amount: Int::from(amount), side, price_limit: None };
    Ok(run(state, &pool, &request, None)?.quote)
}

/// Returns the largest swap that crosses at most `max_ticks` ticks.
///
/// # Errors
/// [`PoolNotFound`](ErrorKind::PoolNotFound), [`NoPrice`](ErrorKind::NoPrice),
/// [`DenomNotInPool`](ErrorKind::DenomNotInPool), [`PastTick`](ErrorKind::PastTick).
pub fn max_in(
    state: &(impl Read + ?Sized),
    pool: u64,
    denom_in: &Denom<'_>,
    max_ticks: u64,
) -> Result<Quote, Error> {
    let pool = pools::get_pool(state, pool)?;
    pools::check_price(&pool)?;
    let denom_in = denom_in.as_str();
    let other = if denom_in == pool.token0 { &pool.token1 } else { &pool.token0 };
    check_denoms(&pool, denom_in, other)?;
    let balance =
        bank::get_balance(state, &accounts::account(&pool.address)?, &accounts::denom(other)?)?;
    let amount = Int::from(balance);
    let request =
        Request { denom_in, denom_out: other, amount, side: Side::Out, price_limit: None };
    let mut run = Run::new(state, &pool, &request, None)?;
    for _ in 0..max_ticks {
        let Some(next) = run.next_tick()? else { break };
        let step = run.step(&next)?;
        run.add_step(&step)?;
        run.cross_if_reached(state, next)?;
        if step.amount_out.is_zero() {
            break;
        }
    }
    let amount_out = Dec::from_int(amount)?.minus(run.remaining)?.truncate()?;
    Ok(Quote { amount_in: run.calculated.ceil()?.truncate()?, amount_out })
}

fn check_denoms(pool: &Pool, denom_in: &str, denom_out: &str) -> Result<(), Error> {
    for (denom, role) in [(denom_out, Role::Out), (denom_in, Role::In)] {
        if denom != pool.token0 && denom != pool.token1 {
            let denom = denom.to_owned();
            return Err(ErrorKind::DenomNotInPool { denom, pool: pool.id, role }.into());
        }
    }
    if denom_in == denom_out {
        return Err(ErrorKind::SameDenom(denom_in.to_owned()).into());
    }
    Ok(())
}

/// Computes a swap. With a time, growth and crossed ticks are computed too.
pub(super) fn run(
    state: &(impl Read + ?Sized),
    pool: &Pool,
    request: &Request<'_>,
    now: Option<i64>,
) -> Result<Outcome, Error> {
    pools::check_price(pool)?;
    check_denoms(pool, request.denom_in, request.denom_out)?;
    let mut run = Run::new(state, pool, request, now)?;
    let mut empty = 0;
    while run.remaining > Dec::SMALLEST && run.after.sqrt_price != run.limit {
        let next = run.next_tick()?.ok_or(ErrorKind::OutOfTicks(pool.id))?;
        let start = run.after.sqrt_price;
        let step = run.step(&next)?;
        let moved = !step.amount_in.is_zero() || !step.amount_out.is_zero();
        if step.sqrt_price == start && moved {
            let (amount_in, amount_out) = (Box::new(step.amount_in), Box::new(step.amount_out));
            return Err(ErrorKind::NoProgress { amount_in, amount_out }.into());
        }
        run.add_step(&step)?;
        let crossed = run.cross_if_reached(state, next)?;
        if !crossed && step.sqrt_price != start {
            run.after.tick = math::sqrt_price_to_tick(step.sqrt_price)?;
        }
        let fixed = match request.side {
            Side::In => step.amount_in,
            Side::Out => step.amount_out,
        };
        if fixed.is_zero() {
            if empty >= MAX_EMPTY_STEPS {
                return Err(ErrorKind::TooManyEmptySteps(pool.id).into());
            }
            empty += 1;
        }
    }
    run.finish()
}

/// A tick ahead of the price.
struct Next {
    tick: i64,
    sqrt_price: BigDec,
    info: TickInfo,
}

/// A swap that is being computed.
struct Run<'t, 'r> {
    pool: &'r Pool,
    request: &'r Request<'r>,
    math: SwapMath,
    limit: BigDec,
    now: Option<i64>,
    /// 10^27, or one in old pools. Missing if growth is not computed.
    scale: Option<Dec>,
    /// The value of the spread accumulator before the swap. Empty if growth is not computed.
    spread_value: DecCoins,
    scan: Scan<'t, Ticks, TicksPool>,
    /// The last tick that was read from the scan, if no step has reached it.
    ahead: Option<Next>,
    /// The rest of the fixed amount.
    remaining: Dec,
    /// The amount of the other side so far.
    calculated: Dec,
    /// The pool after the steps so far.
    after: Outcome,
}

impl<'t, 'r> Run<'t, 'r> {
    fn new(
        state: &'t (impl Read + ?Sized),
        pool: &'r Pool,
        request: &'r Request<'r>,
        now: Option<i64>,
    ) -> Result<Run<'t, 'r>, Error> {
        let zero_for_one = request.denom_in == pool.token0;
        let math = SwapMath { zero_for_one, spread_factor: pool.spread_factor };
        let price_limit = request.price_limit.unwrap_or(BigDec::ZERO);
        let limit = math::sqrt_price_limit(price_limit, zero_for_one)
            .map_err(|_| ErrorKind::PriceLimit(Box::new(price_limit)))?;
        math.check_limit(limit, pool.sqrt_price)?;
        let (scale, spread_value) = match now {
            None => (None, DecCoins::default()),
            Some(_) => {
                let content = accumulators::get(state, Accumulator::Spread { pool: pool.id })?;
                (Some(spread_scale(state, pool.id)?), content.value)
            }
        };
        let ticks = TICKS.prefix_pool(pool.id);
        let scan = if zero_for_one {
            ticks.range(..=pool.tick).reverse().scan(state)?
        } else {
            let above = (std::ops::Bound::Excluded(pool.tick), std::ops::Bound::Unbounded);
            ticks.range(above).scan(state)?
        };
        Ok(Run {
            pool,
            request,
            math,
            limit,
            now,
            scale,
            spread_value,
            scan,
            ahead: None,
            remaining: Dec::from_int(request.amount)?,
            calculated: Dec::ZERO,
            after: Outcome {
                quote: Quote::default(),
                spread: Dec::ZERO,
                growth: Dec::ZERO,
                tick: pool.tick,
                liquidity: pool.liquidity,
                sqrt_price: pool.sqrt_price,
                crossed: Vec::new(),
                accrued: None,
            },
        })
    }

    /// Returns the next tick in the direction of the swap.
    fn next_tick(&mut self) -> Result<Option<Next>, Error> {
        if let Some(next) = self.ahead.take() {
            return Ok(Some(next));
        }
        let Some(row) = self.scan.next_row()? else { return Ok(None) };
        let (tick, info) = (row.key.tick, row.value()?);
        Ok(Some(Next { tick, sqrt_price: math::tick_to_sqrt_price(tick)?, info }))
    }

    /// Computes the step to the next tick or the limit.
    fn step(&self, next: &Next) -> Result<Step, Error> {
        let target = self.math.target(next.sqrt_price, self.limit);
        let step = match self.request.side {
            Side::In => SwapMath::out_given_in,
            Side::Out => SwapMath::in_given_out,
        };
        Ok(step(&self.math, self.after.sqrt_price, target, self.after.liquidity, self.remaining)?)
    }

    /// Adds a step to the sums.
    fn add_step(&mut self, step: &Step) -> Result<(), Error> {
        if let Some(scale) = self.scale {
            let scaled = if scale == Dec::ONE {
                step.spread
            } else {
                let too_large = |_| ErrorKind::SpreadTooLarge(Box::new(step.spread));
                step.spread.mul_truncate(scale).map_err(too_large)?
            };
            self.after.spread = self.after.spread.plus(step.spread)?;
            if !self.after.liquidity.is_zero() {
                self.after.growth =
                    self.after.growth.plus(scaled.quo_truncate(self.after.liquidity)?)?;
            }
        }
        self.after.sqrt_price = step.sqrt_price;
        let paid = step.amount_in.plus(step.spread)?;
        let (fixed, calculated) = match self.request.side {
            Side::In => (paid, step.amount_out),
            Side::Out => (step.amount_out, paid),
        };
        self.remaining = self.remaining.minus(fixed)?;
        self.calculated = self.calculated.plus(calculated)?;
        Ok(())
    }

    /// Crosses the next tick if the price has reached it. Otherwise the tick stays the next one.
    /// Returns whether the tick was crossed.
    fn cross_if_reached(
        &mut self,
        state: &(impl Read + ?Sized),
        next: Next,
    ) -> Result<bool, Error> {
        if next.sqrt_price == self.after.sqrt_price {
            self.cross(state, next)?;
            return Ok(true);
        }
        // Rounding can move the price past the tick.
        if (next.sqrt_price > self.after.sqrt_price) == self.math.zero_for_one {
            return Err(ErrorKind::PastTick(next.tick).into());
        }
        self.ahead = Some(next);
        Ok(false)
    }

    /// Crosses a tick: growth so far changes to the other side of the tick.
    fn cross(&mut self, state: &(impl Read + ?Sized), next: Next) -> Result<(), Error> {
        let Next { tick, mut info, .. } = next;
        let net = if self.math.zero_for_one { info.net.negated() } else { info.net };
        if let Some(now) = self.now {
            let accrued = match self.after.accrued.take() {
                Some(accrued) => accrued,
                None => incentives::accrue(state, now, self.pool)?,
            };
            let growth = DecCoins::one(self.request.denom_in, self.after.growth);
            let value = self.spread_value.plus(&growth)?;
            info.spread = value.minus(&info.spread)?.not_negative()?;
            for (growth, content) in info.uptimes.iter_mut().zip(&accrued.uptimes) {
                *growth = content.value.minus(growth)?.not_negative()?;
            }
            self.after.accrued = Some(accrued);
        }
        self.after.crossed.push((tick, info));
        self.after.liquidity = self.after.liquidity.plus(net)?;
        self.after.tick = if self.math.zero_for_one { tick - 1 } else { tick };
        Ok(())
    }

    /// Returns the outcome with the whole amounts of the swap.
    fn finish(self) -> Result<Outcome, Error> {
        let request = self.request;
        if self.remaining.is_negative() {
            let over = Box::new(self.remaining.absolute());
            return Err(match request.side {
                Side::In => ErrorKind::Overcharged(over).into(),
                Side::Out => ErrorKind::Overpaid(over).into(),
            });
        }
        let fixed = Dec::from_int(request.amount)?.minus(self.remaining)?;
        let (amount_in, amount_out) = match request.side {
            Side::In => (fixed.ceil()?, self.calculated),
            Side::Out => (self.calculated.ceil()?, fixed),
        };
        let (amount_in, amount_out) = (amount_in.truncate()?, amount_out.truncate()?);
        Ok(Outcome { quote: Quote { amount_in, amount_out }, ..self.after })
    }
}
