//! Runs migrations: moves the rows of a database from an old layout to a new one.
//!
//! [`keyscape_evolution::migration`] declares and proves a migration. This crate runs it on bytes:
//! - [`Runner::run_in_place`] moves rows within a database. Every commit contains its position.
//!   Before the last commit, only the same migration can open the database.
//! - [`Runner::run_copy`] writes the new rows to another database, and does not change the old one.
//! - [`Runner::verify_copy`] compares two databases row by row; [`Runner::digest_new`] recomputes
//!   the digest that the run has saved.
//!
//! An interrupted run continues at its last position, and ends with the same rows. Memory is
//! bounded by one batch. The engine builds entries of changed indexes; they are never copied. This
//! crate opens no files and prints nothing.

mod copy;
mod error;
mod image;
mod in_place;
mod plan;
mod program;
mod runner;
mod typed;
mod verify;

pub use error::{MigrateError, RowProblem};
pub use plan::{Digest, Plan};
pub use program::{Migrate, Migrated};
pub use runner::{Counted, Ended, Runner};
pub use typed::{ConvertError, TypedMigration, check_old_layout};
pub use verify::Difference;
