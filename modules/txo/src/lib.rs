//! A transaction-output index on Keyscape, with the keys of the 1Sat store reference.
//!
//! Operations save outputs with their events, spend and confirm them, admit them to topics, and
//! process them through queues. Searches join sorted sets. Everything can be rolled back: a
//! transaction with all transactions that spend its outputs, or all blocks above a height.
//!
//! - [`layout`]: the keys, proved at compile time.
//! - [`event`], [`symbol`], [`score`]: the parts of keys: event patterns, free text in them, and
//!   exact scores next to the documented ones; [`merkle_path`]: scores from merkle paths.
//! - [`keeper`]: the operations. Each takes a transaction, is atomic, and reads no clock.
//! - [`search`]: unions, intersections and differences, with bounds, pages and balances;
//!   notification of saved outputs.
//! - [`undo`]: blocks, rollback, and its depth.
//! - [`worker`]: threads that process a queue.
//! - [`invariants`]: the invariants.
//! - [`sim`]: random operations with checks.
//! - [`error`]: errors; [`values`]: the values of rows in the undo store.
//!
//! ```
//! use keyscape_txo::{
//!     error::Error,
//!     invariants,
//!     keeper::{NewOutput, confirm, save_output, save_spend},
//!     layout::txo::{self, Address, Event, Outpoint, Txid},
//!     score,
//!     search::{Key, OutputQuery, balance, page},
//!     undo,
//! };
//!
//! let db = keyscape::memory(&txo::LAYOUT)?;
//! let ann: Address = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa".parse()?;
//! let (first, second) = (Txid([1; 32]), Txid([2; 32]));
//!
//! db.write(|tx| {
//!     undo::begin_block(tx, 850_000)?;
//!     for vout in 0..2 {
//!         let mut new = NewOutput::new(Outpoint { txid: first, vout }, 500, score::seen(7));
//!         new.owners.push(ann.clone());
//!         new.events.push("sym:FOO:spnd".into()); // chosen by the creator of the token
//!         let saved = save_output(tx, &new)?;
//!         assert!(saved.rejected.is_empty());
//!     }
//!     confirm(tx, first, (850_000, 12).into())?;
//!     undo::begin_block(tx, 850_001)?;
//!     save_spend(tx, Outpoint { txid: first, vout: 0 }, second, score::confirmed(850_001, 3))
//! })?;
//!
//! let state = db.read()?;
//! let owned = OutputQuery::of(Key::Event(Event::Own { owner: ann.clone() }));
//! assert_eq!(balance(&state, &owned)?.satoshis, 500);
//! let newest = page(&state, &owned.clone().unspent().reverse(), 10)?;
//! assert_eq!(newest.hits[0].score, score::confirmed(850_000, 12));
//! assert!(invariants::check(&state)?.is_empty());
//!
//! // Block 850001 is replaced: its transactions are unconfirmed again.
//! let removed = db.write(|tx| undo::rollback_to(tx, 850_000, 9))?;
//! assert_eq!(removed.orphaned, [second]);
//! // The spending transaction is rejected for good.
//! db.write(|tx| undo::rollback(tx, second))?;
//! assert_eq!(balance(&db.read()?, &owned)?.satoshis, 1_000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod error;
pub mod event;
pub mod invariants;
pub mod keeper;
pub mod layout;
pub mod merkle_path;
pub mod queries;
pub mod score;
pub mod search;
pub mod sim;
pub mod symbol;
pub mod undo;
pub mod values;
pub mod worker;
