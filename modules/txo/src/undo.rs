//! What operations replaced, and taking it back.
//!
//! Every operation that changes something is a **unit**: a number, the transaction that it belongs to,
//! and what each row that it changed held before. Operations write through one recorder and through
//! nothing else, so whatever they write can be taken back. Rows are written back through the same
//! function that wrote them, so counts of structures stay right.
//!
//! Two things are taken back:
//! - **Blocks**, with [`rollback_to`]: all units since a block, newest first. This is exact because
//!   nothing is left out.
//! - **A transaction**, with [`rollback`]: its units and those of every transaction that spends its
//!   outputs, and so on, newest first. This is exact because of who may change what: each row belongs to one
//!   transaction. Whatever has an outpoint as its member belongs to that output's transaction, and
//!   the rows of a spend (`h:spnd`, `z:…:spnd`, `z:by:…`) belong to the transaction that spends. An
//!   operation that changes rows of two transactions is two units. So units that stay have not
//!   touched what the units that go have changed. The rollback is a unit itself: when blocks are taken
//!   back to before it, the transaction is there again.
//!
//! Members of queues and their scores are among the rows. Leases, attempts, what was given up and
//! whether a member that is being worked on was pushed again are not: they say how far workers are, and a worker
//! that runs while blocks are taken back stays what it is.
//!
//! [`prune`] forgets units of old blocks. Transactions of which it forgets a unit are final, also those
//! that have been waiting for a block all that time: they are still taken back with the blocks that are
//! kept, but no longer by themselves. One row for each of them stays in `finals`, for ever: a key of 33 bytes
//! and no value, so 33 MB for a million transactions, and what the store needs for a row besides.
//!
//! A state that was imported without the rows of this store has no units. Its transactions are final too, and
//! the first block that begins on it is the lowest that can be taken back. Members of queues that were
//! imported stay when their transaction is taken back.
//!
//! Units are numbered one after the other, so of two optimistic transactions that change the index at the
//! same time, one is run again.

mod blocks;
mod cell;
mod recorder;
mod rollback;

pub use blocks::{begin_block, block, prune, rollback_to};
pub use cell::Space;
pub(crate) use cell::{Cell, bytes_of, key_of};
pub(crate) use recorder::Recorder;
pub use rollback::{RolledBack, rollback};
