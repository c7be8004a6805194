//! Concentrated liquidity on Keyscape, with the values of Osmosis.
//!
//! Positions provide liquidity in a range of prices. A swap moves the price through the ticks
//! between the ranges, and the positions that are in range earn its spread and the incentives of
//! the pool. Results and stored values are those of the Osmosis keeper, digit for digit; the tests
//! replay records of it. Coins move through the [bank](keyscape_bank) in the same transaction.
//!
//! ```
//! use keyscape_bank::{Address, Coins, Denom, Keeper, Permission, keeper as bank};
//! use keyscape_concentrated_liquidity::{
//!     keeper::{self, NewPool, NewPosition, SwapIn},
//!     layout::concentratedliquidity::LAYOUT,
//!     math::{Int, MAX_TICK, MIN_TICK},
//!     values::Params,
//! };
//!
//! let layouts = [&LAYOUT, &keyscape_bank::layout::bank::LAYOUT];
//! let db = keyscape::memory_with(&layouts)?;
//! let (ann, now) = (Address::new(vec![1; 20])?, 1_700_000_000_000_000_000);
//! let (eth, usdc) = (Denom::new("eth")?, Denom::new("usdc")?);
//! db.write(|tx| {
//!     bank::create_module_account(tx, "mint", &[Permission::Minter])?;
//!     let funds: Coins = "2000000eth,6000000usdc".parse()?;
//!     Keeper::default().mint(tx, "mint", &funds)?;
//!     Keeper::default().send(tx, 0, &bank::module_address("mint")?, &ann, &funds)?;
//!
//!     keeper::initialize(tx, &Params::launch(), 0, 0)?;
//!     let spread_factor = "0.003".parse()?;
//!     let new = NewPool { id: 1, token0: &eth, token1: &usdc, spacing: 100, spread_factor };
//!     keeper::create_pool(tx, now, &new)?;
//!     let tokens: Coins = "1000000eth,3000000usdc".parse()?;
//!     let new = NewPosition {
//!         owner: &ann,
//!         pool: 1,
//!         tokens: &tokens,
//!         min0: Int::ZERO,
//!         min1: Int::ZERO,
//!         lower: MIN_TICK,
//!         upper: MAX_TICK,
//!     };
//!     let position = keeper::create_position(tx, now, &new)?;
//!     let coin = "1000eth".parse()?;
//!     let swap = SwapIn {
//!         sender: &ann,
//!         pool: 1,
//!         coin: &coin,
//!         denom_out: &usdc,
//!         min_out: Int::from(2_900),
//!         price_limit: None,
//!     };
//!     assert_eq!(keeper::swap_in(tx, now, &swap)?.amount_out.to_string(), "2988");
//!     let earned = keeper::collect_spread_rewards(tx, now, &ann, &[position.id])?;
//!     assert_eq!(earned.to_string(), "2eth");
//!     Ok::<(), Box<dyn std::error::Error>>(())
//! })?;
//! assert_eq!(keyscape_concentrated_liquidity::invariants::check(&db.read()?)?, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`layout`]: the keyspaces; [`values`]: the values of rows.
//! - [`math`]: decimals, ticks and prices, liquidity, steps of swaps.
//! - [`keeper`]: the operations.
//! - [`invariants`]: the invariants of a state.
//! - [`sim`]: random operations, checked.
//!
//! # Differences from Osmosis
//!
//! - Totals of full-range liquidity and of all liquidity follow withdrawals, and spread rewards are
//!   not liquidity.
//! - The positions of an owner in one pool are those of exactly this pool id.
//! - An operation that makes the Go code panic returns an error and changes nothing.
//! - A lock has no coins. It only locks the position.
//! - A pool has no creator: the spacings and spread factors of the parameters hold for everybody.
//!   The exemptions for some creators, the switch for creation without permission, and the fee are
//!   left to the caller, as is the pool manager that issues the ids.
//! - The counters of positions, incentives and locks must be initialized; the id 0 is never issued.
//!
//! # Dust
//!
//! Every operation rounds in favour of the pool. After all positions of a pool are withdrawn, its
//! account still has less than one unit for each of these: an amount of a position that was created
//! or withdrawn, a step of a swap, a payment of a swap. A property test checks this bound. No
//! invariant can, because the state does not count operations.

mod error;
pub mod invariants;
pub mod keeper;
pub mod layout;
pub mod math;
pub mod queries;
pub mod sim;
pub mod values;

pub use error::{Error, ErrorKind, Role};
