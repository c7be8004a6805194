//! PAW on Keyscape: a compute market, an exchange and a price oracle, with the keys of the PAW
//! state document.
//!
//! The three parts share one store and one [bank](keyscape_bank): every operation moves its coins
//! in the same transaction.
//!
//! ```
//! use keyscape::U256;
//! use keyscape_bank::{Coins, Keeper, Permission, keeper as bank};
//! use keyscape_paw::{Account, Block, Params, Token, keeper::{self, dex}, layout::paw::LAYOUT};
//!
//! let layouts = [&LAYOUT, &keyscape_bank::layout::bank::LAYOUT];
//! let db = keyscape::memory_with(&layouts)?;
//! let (ann, governance) = (Account::new(vec![1; 20])?, Account::new(vec![9; 20])?);
//! let (atom, paw) = (Token::new("uatom")?, Token::new("upaw")?);
//! let block = Block { height: 1, time: 1_700_000_000 };
//! db.write(|tx| {
//!     keeper::initialize(tx, &Params::launch(&governance, &paw, vec![Token::new("BTC")?]))?;
//!     bank::create_module_account(tx, "mint", &[Permission::Minter])?;
//!     let funds: Coins = "2000000uatom,6000000upaw".parse()?;
//!     Keeper::default().mint(tx, "mint", &funds)?;
//!     let address = keyscape_bank::Address::new(ann.as_bytes().to_vec())?;
//!     Keeper::default().send(tx, 0, &bank::module_address("mint")?, &address, &funds)?;
//!
//!     let deposit = |amount: u64| U256::from(amount);
//!     let (pool, _) = dex::create_pool(
//!         tx, block, &ann, (&atom, deposit(1_000_000)), (&paw, deposit(3_000_000)),
//!     )?;
//!     let order = dex::Swap {
//!         pool, trader: &ann, token_in: &atom, amount_in: deposit(1_000), min_out: deposit(2_900),
//!     };
//!     assert_eq!(dex::swap(tx, block, &order)?, dex::Outcome::Done(deposit(2_988)));
//!     // The fee of the providers is 0.25 % of the amount in, and belongs to the only provider.
//!     let fees = dex::claim_fees(tx, block, pool, &ann)?;
//!     assert_eq!((fees.a, fees.b), (deposit(2), deposit(0)));
//!     keeper::end_block(tx, block)?;
//!     Ok::<(), Box<dyn std::error::Error>>(())
//! })?;
//! assert_eq!(keyscape_paw::invariants::check(&db.read()?)?, []);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - [`layout`]: the keyspaces; [`values`]: the values of rows.
//! - [`keeper`]: the operations, in the parts [`compute`](keeper::compute), [`dex`](keeper::dex),
//!   [`oracle`](keeper::oracle) and [`ibc`](keeper::ibc).
//! - [`number`]: the bounds of numbers.
//! - [`invariants`]: the invariants of a state.
//! - [`sim`]: random operations, checked.
//!
//! # Differences from the origin
//!
//! - Document and code have one table of keys, which is proved to be disjoint. No other row has the
//!   key of the emergency pause.
//! - A request creates its escrow, and every state of an escrow ends at its expiry.
//! - The circuit breaker compares the price after a swap with that at the beginning of a window. A
//!   pause is an outcome that is committed, and ends by itself.
//! - Fees are parts of the amount in. The account of the pool holds them, and providers claim them
//!   in proportion to their shares. Deposits and shares are in two keyspaces with one meaning each.
//! - Oracle votes are committed and revealed. A penalty never exceeds its cap. The weight of a vote
//!   is the stake of its validator at the tally. A vote without one of the assets is a miss.
//! - A pool always keeps the minimum reserve, as in the origin: the last provider cannot remove it.
//! - Outgoing packet counters are rows of their own, which no pruning deletes.
//! - Disputes are resolved by governance; votes on disputes and appeals, rate limits,
//!   zero-knowledge circuits, limit orders and swap commitments of the origin are not in the state
//!   document and not implemented.

mod error;
pub mod invariants;
pub mod keeper;
pub mod layout;
pub mod number;
pub mod queries;
pub mod sim;
pub mod values;

pub use error::{Error, ErrorKind};
pub use keeper::{Block, Params};
pub use layout::paw::{Account, Token};
