//! The undo log and rollback.
//!
//! Every operation that changes something is a **unit**: a number, its transaction, and the
//! previous value of each changed row. Operations write only through one recorder, so every write
//! can be rolled back. The rollback uses the same function as the write, so counts of structures
//! stay right.
//!
//! Two things can be rolled back:
//! - **Blocks**, with [`rollback_to`]: all units since a block, newest first. This is exact because
//!   no unit is left out.
//! - **A transaction**, with [`rollback`]: its units and those of every transaction that spends its
//!   outputs, transitively, newest first. This is exact because each row belongs to one
//!   transaction. A row with an outpoint as its member belongs to the transaction of that output.
//!   The rows of a spend (`h:spnd`, `z:…:spnd`, `z:by:…`) belong to the spending transaction. An
//!   operation that changes rows of two transactions is two units. So the remaining units have not
//!   touched the rows of the removed ones. The rollback is a unit itself: rolling back blocks to
//!   before it restores the transaction.
//!
//! Members of queues and their scores are such rows. Leases, attempts, dead members, and pushes
//! during a lease are not: they are the state of workers, which a rollback does not change.
//!
//! [`prune`] deletes the units of old blocks. Transactions that lose a unit are final, including
//! those that are still unconfirmed. They are rolled back with the blocks that are kept, but no
//! longer alone. For each of them, one row stays in `finals` forever: a key of 33 bytes without a
//! value, so 33 MB for a million transactions plus the overhead of the store.
//!
//! A state that was imported without the rows of this store has no units. Its transactions are
//! final too, and the first block that begins on it is the lowest that can be rolled back. Imported
//! members of queues stay when their transaction is rolled back.
//!
//! Units are numbered consecutively, so of two concurrent optimistic transactions that change the
//! index, one is retried.

mod blocks;
mod cell;
mod recorder;
mod rollback;

pub use blocks::{begin_block, block, prune, rollback_to};
pub use cell::Space;
pub(crate) use cell::{Cell, bytes_of, key_of};
pub(crate) use recorder::Recorder;
pub use rollback::{RolledBack, rollback};
