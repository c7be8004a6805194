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
//!
//! # Damaged files
//!
//! redb stores a checksum of every page, and does not compare it when a page is read. A commit
//! copies pages and gives them new checksums, so that it would hide damage in the rows beside those
//! that it writes. These are the rules:
//!
//! - Opening a file to write ([`open`], [`open_with`], [`adopt`], [`Options::open`]) verifies the
//!   whole file first. A file that does not match is not opened and not changed.
//!   [`Options::verify`] switches that off, for files that are too large to be read at each start.
//! - Opening a file to read verifies nothing: damage is an error if it breaks a page, and a wrong
//!   value if it does not. Call [`verify`] first where that matters.
//! - A file that is open is not verified again. Damage that the disk does meanwhile is found when
//!   the file is opened the next time, unless a commit has copied the page before.
//! - [`repair`] verifies, and restores the last commit whose checksums match if there is one.
//!
//! Verifying reads every page of the current commit. It takes up to one second of processor time
//! for each GB of the file, and as long as the disk takes to read the file.

mod commit;
mod cursor;
mod database;
mod error;
mod header;
mod key;
mod open;
mod options;
mod repair;
mod revision;
mod session;
mod verify;

pub use database::Redb;
pub use open::{adopt, create, create_with, open, open_read_only, open_read_only_with, open_with};
pub use options::Options;
pub use repair::{Repaired, repair};
pub use verify::verify;

/// The name of the engine in messages.
const ENGINE: &str = "redb";
