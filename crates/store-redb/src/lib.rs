//! Keyscape databases in one file, by the engine redb.
//!
//! Each space is a table of redb with its name, so that files are open to other programs that use
//! redb; the engine's own table is `keyscape:redb`.
//!
//! - A durable commit is written in two phases and on disk when it returns. Commits of optimistic
//!   transactions that wait at the same time are written together and synced once; each is
//!   acknowledged after that.
//! - [`Durability::Buffered`](keyscape_store::Durability::Buffered) is redb's `Durability::None`: a
//!   crash loses all commits since the last durable one, whole ones only.
//! - A file has one process that writes it, or any number that read it.
//!
//! [`create`] and [`open`] take layouts, which the file remembers; [`Options`] opens files for spaces
//! alone; [`repair`] repairs them.

mod commit;
mod cursor;
mod database;
mod error;
mod key;
mod open;
mod options;
mod repair;
mod revision;
mod session;

pub use database::Redb;
pub use open::{adopt, create, create_with, open, open_read_only, open_read_only_with, open_with};
pub use options::Options;
pub use repair::{Repaired, repair};

/// The name of the engine in messages.
const ENGINE: &str = "redb";
