//! Databases and transactions on any engine.
//!
//! A **database** holds the stores of a layout, and one commit covers all of them. A
//! **transaction** is an overlay on one fixed state of a database.
//!
//! - Users open a [`Db`] with an engine, read [`Snapshot`]s and write through [`Tx`]. Both
//!   implement [`Read`]. None of these types is generic over the engine.
//! - Engines implement [`Database`], [`Session`] and [`Cursor`]. [`ConflictLog`] and [`WriteGate`]
//!   help with conflicts. [`Memory`] is an engine.
//!
//! - A [`Subscription`] reports commits as they happen.
//! - A [`Layout`] is saved in its database, and compared when the database is opened again.
//!
//! Keys are bytes in this crate, without a meaning.
//!
//! ```
//! use keyscape_store::{Db, KeyRange, Memory, Read, ReadExt, Spaces, StoreError, StoreId};
//!
//! const BANK: StoreId = StoreId::of("bank");
//! const AUTH: StoreId = StoreId::of("auth");
//! let db = Db::new(Memory::new(Spaces::new(["bank", "auth"])?));
//!
//! db.write(|tx| {
//!     tx.put(AUTH, b"alice", b"")?;
//!     tx.put(BANK, b"alice/atom", b"5")?;
//!     tx.put(BANK, b"alice/osmo", b"7")
//! })?;
//!
//! let snapshot = db.read()?;
//! assert!(snapshot.contains(AUTH, b"alice")?);
//! assert_eq!(snapshot.rows(BANK, KeyRange::prefix(b"alice/"))?.to_vec()?.len(), 2);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod changes;
mod checkpoint;
mod commit_id;
mod conflict;
mod database;
mod db;
mod error;
mod gate;
mod key;
mod layout;
mod limits;
mod memory;
mod meter;
mod range;
mod read;
mod read_set;
mod rows;
mod snapshot;
mod space;
mod tx;
mod watch;

pub use changes::{Change, Changes, StoreChanges};
pub use checkpoint::Checkpoint;
pub use commit_id::CommitId;
pub use conflict::{ConflictLog, LogGuard};
pub use database::{Commit, Cursor, Database, Durability, Mode, Revision, Session};
pub use db::Db;
pub use error::{Hex, Limited, StoreError, StoreErrorKind};
pub use gate::{WriteGate, WritePass};
pub use key::compare_keys;
pub use layout::{
    Admission, BuildError, BuildPhase, BuildState, IndexInfo, IndexSource, KeyspaceInfo, Layout,
    LayoutError, MIGRATION, SavedMigration, SavedText, UnbuiltIndex, Unfit, replace_layout,
    saved_stores, saved_texts,
};
pub use limits::Limits;
pub use memory::{Memory, memory, memory_with};
pub use meter::{Count, Counter, Meter, Operation, OverBudget};
pub use range::{Direction, KeyRange, Row, Stop, prefix_end};
pub use read::{Read, ReadExt};
pub use read_set::ReadSet;
pub use rows::{OwnedRow, Rows};
pub use snapshot::{ReadState, Snapshot};
pub use space::{SpaceError, Spaces, StoreId};
pub use tx::Tx;
pub use watch::{Committed, Publication, Subscription, Watchers};
