//! `keyscape index`

use super::audit;
use crate::{
    database::{
        Additions, DatabaseArgument, DatabaseError, DynamicIndex, OpenDatabase, space_name,
    },
    failure::{Exit, Failure},
    input::{InputError, name},
    output::{
        progress::Progress,
        stderr::{self, many},
        stdout,
    },
};
use clap::{Args, Subcommand};
use keyscape_layout::{
    Layout,
    model::{KeyspaceId, KeyspaceKind},
};
use keyscape_store::{BuildPhase, IndexInfo, KeyRange, Mode, Read, StoreId};
use std::collections::BTreeSet;

/// Build, check or drop an index
///
/// An index that is added to a map with rows cannot be read until it is built. The database stores
/// the state of the build.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape index build shop.redb by_order --layout new.keys
  keyscape index check shop.redb by_order
  keyscape index drop shop.redb by_order")]
pub(crate) struct Index {
    #[command(subcommand)]
    operation: Operation,
}

#[derive(Debug, Subcommand)]
enum Operation {
    /// Build an index from the rows of its map
    ///
    /// Deletes entries without a row, and puts the entry of every row, in commits of some thousand
    /// rows. If the command is interrupted, the same command continues. An index that is already
    /// built is rebuilt. If only the program can compute the entries of all rows, or of rows in
    /// the older form after `reads`, the program has to build the index, and nothing is changed. If
    /// the value of a row does not provide a field of the index, nothing is changed either.
    ///
    /// Exit status: 1 if two rows have the same entry in a unique index; 2 if a value does not
    /// provide a field. An index that could be read before can still be read.
    #[command(after_help = "\
EXAMPLES
  keyscape index build shop.redb by_order
  keyscape index build shop.redb by_order --layout new.keys")]
    Build {
        #[command(flatten)]
        target: Target,
        /// The maximum number of rows in one commit
        #[arg(long, value_name = "N", default_value_t = IndexInfo::BATCH)]
        batch: usize,
    },
    /// Compare an index with its map
    ///
    /// Exit status: 1 if they differ, or the index is not built.
    #[command(after_help = "\
EXAMPLES
  keyscape index check shop.redb by_order")]
    Check(Target),
    /// Delete all entries of an index, and its state
    ///
    /// A layout without the index can then open the database. With a layout that has the index,
    /// build it again before you read it.
    #[command(after_help = "\
EXAMPLES
  keyscape index drop shop.redb by_order")]
    Drop(Target),
}

#[derive(Args, Debug)]
struct Target {
    #[command(flatten)]
    database: DatabaseArgument,
    /// The index: `name` or `store/name`
    name: String,
    #[command(flatten)]
    additions: Additions,
}

impl Index {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.operation {
            Operation::Build { target, batch } => target.build(batch),
            Operation::Check(target) => target.check(),
            Operation::Drop(target) => target.drop(),
        }
    }
}

impl Target {
    fn id(&self, layout: &Layout) -> Result<KeyspaceId, InputError> {
        name::keyspace_of_kind(layout, &self.name, KeyspaceKind::Index)
    }

    fn build(&self, batch: usize) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let id = self.id(&layout)?;
        let base = self.database.open_to_build(&layout, self.additions)?;
        build(&base, id, batch)?;
        let name = &layout.keyspace(id).name;
        stderr::line(&format!("index `{name}` is built"));
        Ok(Exit::Fine)
    }

    fn check(&self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let id = self.id(&layout)?;
        let base = self.database.open_read_only(&layout)?;
        base.refuse_unbuilt(id)?;
        let progress = Progress::without_rows("checking");
        let (dynamic, state) = (DynamicIndex::new(&base.reader, id), base.db.read()?);
        let findings = crate::audit::derived(&base, &state, &BTreeSet::from([id]))?;
        drop(progress);
        let index = layout.keyspace(id);
        let map = index.of.unwrap_or(id);
        let (name, map_name) = (&index.name, &layout.keyspace(map).name);
        if findings.is_empty() {
            let limit = match dynamic.is_some_and(|index| index.needs_program_for_some_rows()) {
                true => ", as far as entries can be computed without the program",
                false => "",
            };
            stdout::print_data(format!("index `{name}` agrees with `{map_name}`{limit}\n"))?;
            return Ok(Exit::Fine);
        }
        findings.iter().for_each(|finding| stderr::say(&audit::message(&layout, &finding)));
        let help = match dynamic.map(|index| index.check_buildable(&state)) {
            Some(Err(error)) => error.help(),
            _ => Some("rebuild it with `keyscape index build`".to_owned()),
        };
        let title = format!("index `{name}` does not agree with `{map_name}`");
        Err(Failure::described(title, help, Exit::Refuted))
    }

    fn drop(&self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let id = self.id(&layout)?;
        let base = self.database.open(&layout, self.additions)?;
        let (space, name) = (space_name(&layout, id), layout.keyspace(id).name.clone());
        // From here on, the index counts as not built, even if the command is interrupted.
        base.db.unbuild_index(&space, &name)?;
        let deleted = delete_entries(&base, id, &space)?;
        base.db.forget_index(&space, &name)?;
        stderr::line(&format!("deleted {} of `{name}`", many(deleted, "entry")));
        Ok(Exit::Fine)
    }
}

/// Builds an index from the start, or continues a build, in commits of `batch` rows. An index that
/// cannot be built stays readable if it was.
pub(super) fn build(base: &OpenDatabase<'_>, id: KeyspaceId, batch: usize) -> Result<(), Failure> {
    let layout = base.layout;
    let (space, name) = (space_name(layout, id), &layout.keyspace(id).name);
    let Some(index) = DynamicIndex::new(&base.reader, id) else { return Ok(()) };
    let progress = Progress::without_rows("checking rows");
    index.check_buildable(&base.db.read()?)?;
    let was_built = base.db.index_build(&space, name)?.is_none();
    if was_built {
        base.db.unbuild_index(&space, name)?;
    }
    let built = base.db.build_index(&index.info(), batch, |state| {
        progress.set_phase(match state.phase {
            BuildPhase::Clear => "deleting entries without a row",
            BuildPhase::Fill => "putting entries",
        });
    });
    drop(progress);
    let built = built.map_err(DatabaseError::building);
    // The build only deleted wrong entries and put right ones.
    if was_built && matches!(built, Err(DatabaseError::NotUnique { .. })) {
        base.db.mark_index_built(&space, name)?;
    }
    Ok(built?)
}

/// Deletes all entries of an index in batches.
fn delete_entries(base: &OpenDatabase<'_>, id: KeyspaceId, space: &str) -> Result<u64, Failure> {
    let store = StoreId::of(space);
    let (batch, mut deleted) = (base.db.limits().batch(IndexInfo::BATCH), 0);
    loop {
        let mut tx = base.db.begin(Mode::Write)?;
        let mut keys = Vec::new();
        let mut rows = tx.rows(store, KeyRange::prefix(&base.prefix(id)?))?;
        while let Some(row) = rows.next()? {
            let entry = base.reader.read(space, row.key, row.value);
            if entry.is_ok_and(|entry| entry.keyspace == id) {
                keys.push(row.key.to_vec());
            }
            if keys.len() == batch {
                break;
            }
        }
        drop(rows);
        keys.iter().try_for_each(|key| tx.delete(store, key))?;
        tx.commit()?;
        deleted += keys.len() as u64;
        if keys.len() < batch {
            return Ok(deleted);
        }
    }
}
