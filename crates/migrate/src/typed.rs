//! Migrations of programs, with functions for rows that only a program can convert.

use crate::error::MigrateError;
use keyscape_evolution::migration::{Action, Migration};
use keyscape_inspect::database::space_name;
use keyscape_layout::{Layout as Model, model::KeyspaceId};
use keyscape_runtime::{Buffer, IntoField, OwnedOf, Rows, ValueForm};
use keyscape_store::{IndexInfo, KeyspaceInfo, Layout, SpaceError, Spaces};
use std::{collections::BTreeSet, error::Error, fmt, sync::Arc};

/// A migration between two layouts of a program: a declaration, and a function for every
/// `program()` in it.
///
/// The declaration has the same syntax as for `keyscape migrate`. For a statement with `program()`,
/// a function makes the typed new row from the typed old row. The new row must agree with the rest
/// of the statement, which is proved as usual.
#[derive(Clone, Debug)]
pub struct TypedMigration<'a> {
    pub(crate) declaration: &'a str,
    pub(crate) old: &'a Layout<'a>,
    pub(crate) new: &'a Layout<'a>,
    pub(crate) batch: Option<usize>,
    functions: Vec<Function<'a>>,
}

/// The error of a function: the reason why it cannot make a new row.
pub type ConvertError = Box<dyn Error + Send + Sync>;

/// The key and the value of a row.
pub(crate) type Bytes = (Vec<u8>, Vec<u8>);

/// A conversion function on the bytes of a row.
type Convert<'a> = dyn Fn(&[u8], &[u8]) -> Result<Bytes, String> + Send + Sync + 'a;

#[derive(Clone)]
struct Function<'a> {
    /// The old and the new keyspace, each with its space.
    names: (String, String),
    convert: Arc<Convert<'a>>,
}

impl fmt::Debug for Function<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} to {}", self.names.0, self.names.1)
    }
}

impl<'a> TypedMigration<'a> {
    /// Declares the migration of a database from an old layout to a new one.
    #[must_use]
    pub const fn new(declaration: &'a str, old: &'a Layout<'a>, new: &'a Layout<'a>) -> Self {
        Self { declaration, old, new, batch: None, functions: Vec::new() }
    }

    /// Sets the function that makes the new rows of a statement `move A to B` with `program()`.
    ///
    /// The function may be called several times for a row, and again after an interruption. It must
    /// return the same row each time. If it returns an error, the row is dropped if the statement
    /// contains `else drop`. Otherwise the migration stops; in place, it stops before the first row
    /// moves.
    #[must_use]
    pub fn rows<A: Rows, B: Rows, N: IntoField<B::Key<'static>>>(
        mut self,
        _: A,
        _: B,
        convert: impl Fn(A::Key<'static>, OwnedOf<A>) -> Result<(N, OwnedOf<B>), ConvertError>
        + Send
        + Sync
        + 'a,
    ) -> Self {
        let convert = move |key: &[u8], value: &[u8]| -> Result<Bytes, ConvertError> {
            let old = A::Value::decode_row(key, value)?;
            let (key, value) = convert(A::into_owned(A::decode(key)?), A::Value::into_owned(old))?;
            let (mut buffer, mut bytes) = (B::Buffer::default(), Vec::new());
            B::encode(&key.into_field()?, &mut buffer)?;
            B::Value::encode_owned(&value, &mut bytes)?;
            Ok((buffer.written()?.to_vec(), bytes))
        };
        self.functions.push(Function {
            names: (full_name(A::SPACE, A::NAME), full_name(B::SPACE, B::NAME)),
            convert: Arc::new(move |key, value| {
                convert(key, value).map_err(|error| error.to_string())
            }),
        });
        self
    }

    /// Sets the maximum number of rows in one commit.
    #[must_use]
    pub const fn with_batch(mut self, rows: usize) -> Self {
        self.batch = Some(rows);
        self
    }

    /// Returns the new layout, for [`Db::admit`](keyscape_store::Db::admit) after the migration.
    #[must_use]
    pub const fn new_layout(&self) -> &'a Layout<'a> {
        self.new
    }

    /// Returns the spaces of both layouts. To migrate a database in place, open it with these
    /// spaces.
    ///
    /// # Errors
    /// If a space has an invalid name.
    pub fn spaces(&self) -> Result<Spaces, SpaceError> {
        let names: BTreeSet<&str> =
            self.old.spaces.iter().chain(self.new.spaces).copied().collect();
        Spaces::new(names)
    }

    /// Makes the new row of a row. Returns `None` if these keyspaces have no function.
    pub(crate) fn convert(
        &self,
        migration: &Migration<'_>,
        (from, to): (KeyspaceId, KeyspaceId),
        (key, value): (&[u8], &[u8]),
    ) -> Option<Result<Bytes, String>> {
        let names = names(migration, (from, to));
        let function = self.functions.iter().find(|function| function.names == names)?;
        Some((function.convert)(key, value))
    }

    /// Returns the code of the program for an index.
    pub(crate) fn index(&self, space: &str, name: &str) -> Option<&IndexInfo<'a>> {
        self.new.indexes.iter().find(|index| (index.space, index.name) == (space, name))
    }

    /// Checks that every `program()` has a function, and that every function is used.
    pub(crate) fn check_functions(&self, migration: &Migration<'_>) -> Result<(), MigrateError> {
        let mut unused: Vec<&Function<'_>> = self.functions.iter().collect();
        for piece in migration.pieces() {
            let Action::Move(moved) = &piece.action else { continue };
            if moved.made_by_program().next().is_none() {
                continue;
            }
            let names = names(migration, (piece.from, moved.to));
            if self.functions.iter().all(|function| function.names != names) {
                let (from, to) = names;
                return Err(MigrateError::NoFunction { from, to });
            }
            unused.retain(|function| function.names != names);
        }
        match unused.first().map(|function| function.names.clone()) {
            Some((from, to)) => Err(MigrateError::UnusedFunction { from, to }),
            None => Ok(()),
        }
    }
}

fn full_name(space: &str, keyspace: &str) -> String {
    format!("{space}.{keyspace}")
}

/// Returns the names of an old and a new keyspace, each with its space.
fn names(migration: &Migration<'_>, (from, to): (KeyspaceId, KeyspaceId)) -> (String, String) {
    let name = |layout: &Model, id| full_name(&space_name(layout, id), &layout.keyspace(id).name);
    (name(migration.old, from), name(migration.new, to))
}

/// Checks that the keyspaces of a database have exactly the bytes of a migration's old layout.
///
/// # Errors
/// [`MigrateError::OldLayout`] with the first keyspace that differs.
pub fn check_old_layout(
    saved: &[KeyspaceInfo<'_>],
    old: &[KeyspaceInfo<'_>],
) -> Result<(), MigrateError> {
    let differs = |these: &[KeyspaceInfo<'_>], others: &[KeyspaceInfo<'_>]| {
        let is_same = |a: &KeyspaceInfo<'_>, b: &KeyspaceInfo<'_>| {
            (a.space, a.name, a.kind, a.fingerprint) == (b.space, b.name, b.kind, b.fingerprint)
        };
        let other = these.iter().find(|a| !others.iter().any(|b| is_same(a, b)));
        other.map(|keyspace| full_name(keyspace.space, keyspace.name))
    };
    let found = differs(saved, old).or_else(|| differs(old, saved));
    found.map_or(Ok(()), |keyspace| Err(MigrateError::OldLayout { keyspace }))
}
