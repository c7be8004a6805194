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
mod balancer;
mod claims;
mod collect;
mod create;
mod growth;
mod incentives;
mod locks;
mod pools;
mod positions;
mod queries;
mod quotes;
mod swap;
mod ticks;
mod totals;
mod transfer;
mod withdraw;

use crate::Error;

pub(crate) use accumulators::{Which, places, uptime};
pub(crate) use claims::incentives_in;
pub(crate) use incentives::unpaid;
pub(crate) use queries::count_up_to;
pub(crate) use totals::is_full_range;

pub use balancer::{balancer_full_range, set_balancer_full_range};
pub use claims::{Incentives, claimable_incentives, claimable_spread_rewards};
pub use collect::{collect_incentives, collect_spread_rewards};
pub use create::{Created, NewPosition, create_position};
pub use incentives::{NewIncentive, create_incentive};
pub use locks::{Locked, begin_unlock, create_locked_position};
pub use pools::{
    NewPool, create_pool, get_params, get_pool, initialize, pool_addresses, set_params, spot_price,
};
pub use positions::get_position;
pub use queries::{
    full_range_liquidity, incentives, lock_of, pool_positions, ticks, total_liquidity,
    user_positions,
};
pub use quotes::{Quote, estimate_in, estimate_out, max_in};
pub use swap::{SwapIn, SwapOut, Swapped, swap_in, swap_out};
pub use transfer::{Authority, transfer_positions};
pub use withdraw::{Addition, add_to_position, withdraw_position};

/// Rejects the id 0, which the counter of a state without [`initialize`](initialize) issues
/// first.
fn issued(counter: &str, id: u64) -> Result<u64, Error> {
    if id > 0 { Ok(id) } else { Err(Error::corrupt(format!("`{counter}` is missing"))) }
}
