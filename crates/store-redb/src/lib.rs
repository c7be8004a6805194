//! Keyscape databases in one redb file.
//!
//! Each space is a redb table with its name, so other programs that use redb can read the file. The
//! engine's own table is `keyscape:redb`.
//!
//! - A durable commit is written in two phases and is on disk when it returns. Optimistic
//!   transactions that commit at the same time are written together and synced once; each is
//!   acknowledged after that.
//! - [`Durability::Buffered`](keyscape_store::Durability::Buffered) is redb's `Durability::None`: a
//!   crash loses all commits since the last durable one. No commit is lost in part.
//! - One process can write a file, or any number of processes can read it.
//!
//! [`create`] and [`open`] take layouts, which the file stores. [`Options`] opens files for spaces
//! alone. [`repair`] repairs files.
//!
//! # Damaged files
//!
//! redb stores a checksum of every page, but does not compare it when it reads a page. A commit
//! copies pages and computes new checksums, which would hide damage in neighbouring rows.
//! Therefore:
//!
//! - Opening a file for writing ([`open`], [`open_with`], [`adopt`], [`Options::open`]) verifies
//!   the whole file first. A damaged file is neither opened nor changed. [`Options::verify`] turns
//!   this off, for files that are too large to be read at each start.
//! - Opening a file for reading verifies nothing. Damage that breaks a page is an error; other
//!   damage returns a wrong value. Call [`verify`] first if that matters.
//! - An open file is not verified again. Damage that occurs while it is open is found at the next
//!   opening, unless a commit has copied the page.
//! - [`repair`] verifies the file. If possible, it restores the last commit whose checksums match.
//! - [`open_damaged`] opens a file for reading as far as redb can read it.
//!
//! Verification reads every page of the current commit. It takes up to one second of CPU time per
//! GB of the file, plus the time to read the file from disk.

mod backend;
mod commit;
mod cursor;
mod database;
mod error;
mod header;
mod key;
mod leftovers;
mod open;
mod options;
mod repair;
mod revision;
mod salvage;
mod session;
mod verify;

pub use database::Redb;
pub use open::{
    adopt, create, create_with, open, open_or_create, open_or_create_with, open_read_only,
    open_read_only_with, open_with, stage,
};
pub use options::{Options, StagedFile};
pub use repair::{Repaired, repair};
pub use salvage::{Damaged, open_damaged};
pub use verify::verify;

/// The name of the engine in messages.
const ENGINE: &str = "redb";
