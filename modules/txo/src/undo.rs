//! The undo log and rollback.
//!
//! Every operation that changes something is a **unit**: a number, its transaction, and the
//! previous values of changed members of queues and of progress. Operations write only through one
//! recorder, so every write belongs to a transaction or is progress. The rollback uses the same
//! function as the write, so counts of structures stay right.
//!
//! Two things can be rolled back:
//! - **Blocks**, with [`rollback_to`]: the transactions of the removed blocks become unconfirmed.
//!   They stay known, because a block that replaces a removed one usually contains them again. The
//!   progress of sources returns to its earlier value.
//! - **A transaction**, with [`rollback`]: all its rows are deleted, and those of every transaction
//!   that spends its outputs, transitively. Outputs that depended on them leave their topics. Apart
//!   from these outputs, this is exact because each row belongs to one transaction. A row with an
//!   outpoint as its member belongs to the transaction of that output. The rows of a spend
//!   (`h:spnd`, `z:…:spnd`, `z:by:…`) belong to the spending transaction. No operation changes rows
//!   of two transactions in one unit.
//!
//! Members of queues and their scores return to their values before the units of the transaction.
//! Leases, attempts, dead members, and pushes during a lease do not: they are the state of workers.
//! White and black lists, general sets and the times of peers are decisions and observations of an
//! operator: they have no units.
//!
//! [`prune`] deletes the units of old blocks. Transactions in these blocks are final: they can no
//! longer be rolled back, moved to another block or made unconfirmed. An unconfirmed transaction is
//! never final; a confirmed spend of the same output replaces it, see
//! [`save_spend`](crate::keeper::save_spend). Members of queues that pruned units added stay when
//! their transaction is rolled back.
//!
//! A state that was imported without the rows of this store has no units. The first block that
//! begins on it is the lowest that can be rolled back, and transactions below it are final. Until
//! then, every confirmed transaction is final.
//!
//! Units are numbered consecutively, so of two concurrent optimistic transactions that change the
//! index, one is retried.

mod blocks;
mod recorder;
mod rollback;

pub(crate) use blocks::tip;
pub use blocks::{Reorganised, begin_block, block, prune, rollback_to};
pub use recorder::Space;
pub(crate) use recorder::{Recorder, bad, bytes_of, key_of};
pub use rollback::{RolledBack, is_final, rollback};
