//! The operations of the system.
//!
//! Every operation is atomic: if it fails, it has written nothing in this module or in the bank,
//! and the transaction can continue. The cost of an operation depends only on the rows that it
//! touches. A swap reads the crossed ticks and the next one, regardless of the number of positions
//! and ticks in the pool.
//!
//! `now` is the time of the block, in nanoseconds since 1970.

mod accounts;
mod accumulators;
mod incentives;
mod locks;
mod pools;
mod positions;
mod quotes;
mod rewards;
mod swap;
mod ticks;
mod totals;
mod withdraw;

use crate::Error;

pub(crate) use accumulators::{get as get_accumulator, uptimes};
pub(crate) use incentives::unpaid;
pub(crate) use pools::pool_owners;
pub(crate) use positions::{count_up_to, positions_in};
pub(crate) use rewards::incentives_at_last_update;
pub(crate) use totals::is_full_range;

pub use incentives::{NewIncentive, create_incentive, incentives};
pub use locks::{Locked, begin_unlock, create_locked_position, lock_of};
pub use pools::{
    NewPool, create_pool, get_params, get_pool, initialize, pool_addresses, set_params, spot_price,
};
pub use positions::{
    Authority, Created, NewPosition, create_position, get_position, pool_positions,
    transfer_positions, user_positions,
};
pub use quotes::{Quote, estimate_in, estimate_out, max_in};
pub use rewards::{
    Incentives, claimable_incentives, claimable_spread_rewards, collect_incentives,
    collect_spread_rewards,
};
pub use swap::{SwapIn, SwapOut, Swapped, swap_in, swap_out};
pub use ticks::ticks;
pub use totals::{
    balancer_full_range, full_range_liquidity, set_balancer_full_range, total_liquidity,
};
pub use withdraw::{Addition, add_to_position, withdraw_position};

/// Rejects the id 0, which a counter issues first if [`initialize`] has not set it.
fn issued(counter: &str, id: u64) -> Result<u64, Error> {
    if id > 0 { Ok(id) } else { Err(Error::corrupt(format!("`{counter}` is missing"))) }
}
