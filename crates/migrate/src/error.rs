//! Errors from running a migration.

use keyscape_inspect::database::DatabaseError;
use keyscape_layout::Diagnostic;
use keyscape_store::{Hex, LayoutError, StoreError};
use thiserror::Error;

/// The reason why a migration cannot start or continue.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum MigrateError {
    /// The declaration has mistakes.
    #[error("the migration has mistakes; the first: {}", .0.first().map(|d| d.message.as_str()).unwrap_or_default())]
    Declaration(Vec<Diagnostic>),
    /// A claim is refuted.
    #[error("{0} is refuted: the migration would lose rows")]
    Refuted(&'static str),
    /// The migration may not run within the database.
    #[error("the migration cannot run in place, because {0} is not proved")]
    NotInPlace(&'static str),
    /// The new layout is not proved.
    #[error("the new layout is not sound, so nothing is written")]
    Unsound,
    /// A row cannot be migrated.
    #[error("a row of store `{space}` {problem}: key {}", Hex(.key))]
    Row {
        /// The space.
        space: String,
        /// The key.
        key: Vec<u8>,
        /// The reason.
        problem: RowProblem,
    },
    /// Another migration has started and not ended.
    #[error("another migration has begun and not ended: `{command}` continues it")]
    Other {
        /// The command that continues the other migration.
        command: String,
    },
    /// The target database of a copy contains rows.
    #[error("store `{space}` of the new database has rows")]
    NotEmpty {
        /// A space that contains rows.
        space: String,
    },
    /// No migration of the database has ended.
    #[error("the database was never migrated")]
    NeverMigrated,
    /// The saved plan or position cannot be read.
    #[error("the saved plan of the migration cannot be read")]
    Plan,
    /// The database contains keyspaces, but not the text of its layout.
    #[error("the database has not saved its layout: open it once with the old program")]
    NoLayout,
    /// The database was not written with the old layout of the migration.
    #[error(
        "the database has another layout than the old one of the migration: `{keyspace}` differs"
    )]
    OldLayout {
        /// A keyspace that differs, with its space.
        keyspace: String,
    },
    /// The declaration contains `program()`, and the program has no function for it.
    #[error("only a function of the program moves rows of `{from}` to `{to}`, and it is missing")]
    NoFunction {
        /// The old keyspace, with its space.
        from: String,
        /// The new keyspace, with its space.
        to: String,
    },
    /// The program has a function, and the declaration contains no `program()` for it.
    #[error("the declaration does not say `program()` for rows of `{from}` that move to `{to}`")]
    UnusedFunction {
        /// The old keyspace, with its space.
        from: String,
        /// The new keyspace, with its space.
        to: String,
    },
    /// The database lacks a space of a layout.
    #[error("the database was opened without the store `{space}`")]
    Space {
        /// The space.
        space: String,
    },
    /// An index cannot be built.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A row cannot be encoded, or a layout is too large.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// An error of the database.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The reason why a row cannot be migrated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RowProblem {
    /// The old layout does not read the row.
    #[error("is not a row of the old layout ({0})")]
    Unread(&'static str),
    /// The old layout has several readings of the row.
    #[error("has {0} readings in the old layout, and the migration does not say which one counts")]
    Ambiguous(usize),
    /// No statement selects the row.
    #[error("is of `{0}`, which the migration does not mention")]
    Forgotten(String),
    /// A value of the row does not fit the new layout.
    #[error("does not fit the new layout: {0}")]
    Unfit(String),
    /// The value of the row does not have the declared form.
    #[error("has a value that does not have the declared form of `{0}`")]
    Value(String),
    /// Only the program can migrate the row.
    #[error("is of `{0}`, which only the program can migrate")]
    Program(String),
    /// The row that the program made differs from the declaration.
    #[error("becomes a row of `{0}` that differs from the declaration in more than `program()`")]
    Undeclared(String),
    /// The row counts the tokens of a queue, and the new key of the queue follows from members.
    #[error("counts the tokens of a queue, so its new key cannot follow from members: {0}")]
    Counter(String),
    /// Another row has the same new key.
    #[error("gets the key of another row")]
    Collision,
}
