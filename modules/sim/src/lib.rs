//! Runs a simulated system block by block on a database, and continues after an interruption.
//!
//! Each block is one commit, which includes the progress of the run, so a killed run continues
//! after the last committed block. A system must take its random choices from the seed and the
//! block number, and its knowledge from the database. Then the same seed gives the same [`Digest`],
//! on any engine, in one run or in many.
//!
//! The blocks of a module draw their choices from [`Random`], and run operations with [`done`] and
//! [`refused`]. The invariants of a module collect their findings in [`Breaches`].
//!
//! ```
//! use keyscape::store::{Layout, Read, Tx};
//! use keyscape_sim::{Fault, Plan, System, Tally, run};
//!
//! keyscape::layout!(r#"
//! store counters
//! map counters = {id: u8} -> u64be
//!     scan all
//! "#);
//!
//! struct Counters;
//!
//! impl System for Counters {
//!     fn name(&self) -> &'static str {
//!         "counters"
//!     }
//!     fn layouts(&self) -> Vec<&'static Layout<'static>> {
//!         vec![&counters::LAYOUT]
//!     }
//!     fn begin(&self, _: &mut Tx<'_>, _: u64) -> Result<(), Fault> {
//!         Ok(())
//!     }
//!     fn block(&self, tx: &mut Tx<'_>, seed: u64, height: u64) -> Result<Tally, Fault> {
//!         counters::COUNTERS.put(tx, 1, seed ^ height)?;
//!         Ok(Tally { done: 1, refused: 0 })
//!     }
//!     fn broken(&self, _: &dyn Read) -> Result<Vec<String>, Fault> {
//!         Ok(Vec::new())
//!     }
//! }
//!
//! let layouts = keyscape_sim::layouts(&[&Counters]);
//! let db = keyscape::memory_with(&layouts)?;
//! let outcome = run(&db, &Counters, Plan::new(7, 100), |_| ())?;
//! assert_eq!((outcome.reached.height, outcome.reached.done, outcome.state.rows), (100, 100, 1));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[doc(hidden)]
pub use keyscape::{Error as AccessError, store};

mod breaches;
mod digest;
mod operation;
mod random;
mod run;
mod system;

pub use breaches::{Breaches, Broken, MAX_LISTED, joined, readable};
pub use digest::{Digest, State, state_of};
pub use keyscape::store::Hex;
pub use operation::{OperationError, Unexpected, attempt, check, done, refused, same};
pub use random::Random;
pub use run::{Outcome, Plan, Reached, SimError, layouts, run};
pub use system::{Chain, Fault, System, Tally};

keyscape::layout!("sim.keys");
