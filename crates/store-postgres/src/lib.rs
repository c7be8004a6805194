//! Keyscape databases on PostgreSQL 15 or later. The code for CockroachDB has not been run against
//! a server yet.
//!
//! A database is a schema. Each space is a table with its name, with the columns `key` and `value`
//! of type `bytea`, so other programs can read it. The engine's own table is `keyscape:commits`.
//!
//! ```no_run
//! use keyscape_store::{Layout, ReadExt, StoreId};
//!
//! const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
//! let db = keyscape_store_postgres::open("postgres://user@db.example/shop", &SHOP)?;
//! db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
//! assert!(db.read()?.contains(StoreId::of("shop"), b"ink")?);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Addresses
//!
//! An address is a URL or a list of `name=value` pairs, as for other clients of PostgreSQL. A URL
//! may name the schema: `postgres://user@host/database?schema=shop`. The default is `keyscape`.
//!
//! With the feature `tls`, `sslmode=require` encrypts connections and verifies the certificate and
//! the host name of the server. Without `sslmode=require`, connections are not encrypted.
//!
//! An address may list several hosts. They share the time of one attempt.
//!
//! If a server does not answer or is starting, the engine tries again for
//! [`Options::connect_timeout`]. The parameter `connect_timeout` of an address limits one attempt.
//!
//! # Transactions
//!
//! - Writing transactions are `SERIALIZABLE`. The server may end any of them with a conflict.
//!   [`Db::write`](keyscape_store::Db::write) then runs its closure again after a random pause, at
//!   most [`Options::attempts`] times. The last attempt is exclusive.
//! - Snapshots are `REPEATABLE READ READ ONLY`: one committed state, which never conflicts. Use
//!   [`Db::optimistic`](keyscape_store::Db::optimistic) for reads that must be serialized with
//!   writers.
//! - [`Mode::Write`](keyscape_store::Mode::Write) locks the table of commits, so all other writers
//!   wait. Only programs that need a total order of commits, such as chains, should use it.
//!   CockroachDB has no table locks: there, it locks a row, and optimistic writers do not wait.
//! - [`Durability::Buffered`](keyscape_store::Durability::Buffered) is `synchronous_commit = off`.
//!
//! # Lost connections
//!
//! Each commit writes its id into `keyscape:commits`. If the answer to a commit is lost, the engine
//! connects again and inserts the same id. The insert waits for the old transaction, and shows
//! whether that transaction has committed. The insert also prevents a later commit of the old
//! transaction. So the caller learns the outcome: either the commit succeeded, or nothing is
//! written and the transaction can run again.
//! [`CommitUnknown`](keyscape_store::StoreErrorKind::CommitUnknown) remains only if the server
//! cannot be reached within [`Options::resolve_timeout`].
//!
//! # Limits
//!
//! A key has at most 2,692 bytes on PostgreSQL, because an index entry must fit into a page. The
//! limits on CockroachDB are 100,000 bytes for a key and 15 MiB for a value.

mod address;
mod commit;
mod cursor;
mod database;
mod error;
mod flight;
mod link;
mod options;
mod pool;
mod server;
mod session;
#[cfg(feature = "tls")]
mod tls;

pub use database::Postgres;
pub use options::Options;

use keyscape_store::{Db, Layout, LayoutError, Spaces, StoreError};

/// The name of the engine in messages.
const ENGINE: &str = "postgres";

keyscape_store_remote::openers!(
    Postgres,
    "keyscape_store_postgres",
    "postgres://user@localhost/shop"
);
