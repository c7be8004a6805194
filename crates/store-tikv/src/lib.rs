//! Keyscape databases on TiKV. Tested against PD and unistore, which speak TiKV's protocol.
//!
//! ```no_run
//! use keyscape_store::{Layout, ReadExt, StoreId};
//!
//! const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
//! let db = keyscape_store_tikv::open("tikv://pd1,pd2,pd3/shop", &SHOP)?;
//! db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
//! assert!(db.read()?.contains(StoreId::of("shop"), b"ink")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Addresses
//!
//! `tikv://HOST:PORT,…/NAME` lists the placement drivers. The default port is 2379. A cluster
//! contains several databases with different names; the default name is `keyscape`. Connections are
//! not encrypted.
//!
//! # Keys
//!
//! Every key begins with `keyscape`, a NUL, the name of the database and a NUL. A row continues
//! with a byte, the name of its space, a NUL and the key of the row. Its value begins with a byte
//! `0`, because TiKV has no empty values. Read rows through this crate.
//!
//! # Transactions
//!
//! TiKV isolates snapshots. This crate makes transactions serializable:
//!
//! - A commit locks every key that the transaction has read. It fails if another commit wrote one
//!   of them in the meantime.
//! - Each space has eight version keys. A commit writes one of them for each space that it writes.
//!   A transaction that has read a range, or more than 64 keys, locks all version keys of the space
//!   instead. **Ranges and writes of one space therefore contend**, even if the keys are far apart.
//! - If only the version keys or other unread keys changed, the engine reads the same keys and
//!   ranges again. If the rows are still the same, the commit continues on the newer state.
//! - [`Mode::Write`](keyscape_store::Mode::Write) locks eight keys, of which every other commit
//!   needs one, so all other writers wait.
//!
//! [`Durability`](keyscape_store::Durability) makes no difference: TiKV replicates every commit
//! before it answers.
//!
//! # Lost answers
//!
//! Each commit writes its id. If the answer to a commit is lost, the engine locks the id and reads
//! it. If the id is missing, the engine writes it as a fence, which prevents a later commit of the
//! old transaction. So the caller learns the outcome: either the commit succeeded, or nothing is
//! written and the transaction can run again.
//! [`CommitUnknown`](keyscape_store::StoreErrorKind::CommitUnknown) remains only if the cluster
//! does not answer within [`Options::resolve_timeout`].
//!
//! # Garbage collection
//!
//! TiKV keeps old versions of rows until a program moves the safe point of the cluster. TiDB moves
//! it; this crate does not. A snapshot older than the safe point fails.

mod address;
mod client;
mod commit;
mod database;
mod error;
mod exclusive;
mod ids;
mod names;
mod options;
mod session;

pub use database::Tikv;
pub use options::Options;

use keyscape_store::{Db, Layout, LayoutError, Spaces, StoreError};

/// The name of the engine in messages.
const ENGINE: &str = "tikv";

keyscape_store_remote::openers!(Tikv, "keyscape_store_tikv", "tikv://127.0.0.1:2379/shop");
