//! `keyscape index`

use crate::{
    database::{
        Additions, Compared, DatabaseArgument, DatabaseError, DynamicIndex, IndexFault,
        OpenDatabase, space_name,
    },
    failure::{Exit, Failure},
    input::{InputError, name},
    output::{
        bytes::hex,
        message::Message,
        progress::Progress,
        stderr::{self, many},
        stdout,
    },
};
use clap::{Args, Subcommand};
use keyscape_layout::{Layout, model::KeyspaceId};
use keyscape_store::{BuildPhase, IndexInfo, KeyRange, Mode, Read, StoreId};
use std::{collections::BTreeMap, io::Write};

/// Build, check or drop an index
///
/// An index that is added to a map with rows is not built, and cannot be read until it is. The file
/// stores the state of the build.
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
    /// rows. If the command is interrupted, the same command continues. An index that is built is
    /// built again. An index whose entries only the program can compute is built by the program.
    ///
    /// Exit status: 1 if two rows have the same entry in a unique index.
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
    /// Delete all entries of an index and forget it
    ///
    /// A layout without the index can then open the database. A layout with the index has to build
    /// it before it can be read.
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
    pub(super) const fn database(&self) -> &DatabaseArgument {
        let (Operation::Build { target, .. } | Operation::Check(target) | Operation::Drop(target)) =
            &self.operation;
        &target.database
    }

    pub(crate) fn run(self) -> Result<Exit, Failure> {
        match self.operation {
            Operation::Build { target, batch } => target.build(batch),
            Operation::Check(target) => target.check(),
            Operation::Drop(target) => target.drop(),
        }
    }
}

/// Finds an index by name.
fn index_id(layout: &Layout, given: &str) -> Result<KeyspaceId, InputError> {
    let id = name::keyspace(layout, given)?;
    if layout.keyspace(id).of.is_some() {
        return Ok(id);
    }
    let indexes = layout.keyspaces.iter().filter(|keyspace| keyspace.of.is_some());
    let known: Vec<String> = indexes.map(|index| index.name.clone()).collect();
    Err(InputError::unknown("index", given, &known))
}

impl Target {
    fn build(&self, batch: usize) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let id = index_id(&layout, &self.name)?;
        let base = self.database.open_to_build(&layout, self.additions)?;
        build(&base, id, batch)?;
        let name = &layout.keyspace(id).name;
        stderr::line(&format!("index `{name}` is built"));
        Ok(Exit::Fine)
    }

    fn check(&self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let id = index_id(&layout, &self.name)?;
        let base = self.database.open_read_only(&layout)?;
        base.refuse_unbuilt(id)?;
        let Some(index) = DynamicIndex::new(&base.reader, id) else { return Ok(Exit::Fine) };
        let found = Differences::read(&base, &index)?;
        found.print(&layout, &index)
    }

    fn drop(&self) -> Result<Exit, Failure> {
        let layout = self.database.load()?;
        let id = index_id(&layout, &self.name)?;
        let base = self.database.open(&layout, self.additions)?;
        let (space, name) = (space_name(&layout, id), layout.keyspace(id).name.clone());
        // From here on the index is not built, even if the command is interrupted.
        base.db.unbuild_index(&space, &name)?;
        let deleted = delete_entries(&base, id, &space)?;
        base.db.forget_index(&space, &name)?;
        stderr::line(&format!("deleted {} of `{name}`", many(deleted, "entry")));
        Ok(Exit::Fine)
    }
}

/// Builds an index from the start, or continues a build, in commits of `batch` rows.
pub(super) fn build(base: &OpenDatabase<'_>, id: KeyspaceId, batch: usize) -> Result<(), Failure> {
    let layout = base.layout;
    let (space, name) = (space_name(layout, id), &layout.keyspace(id).name);
    if base.db.index_build(&space, name)?.is_none() {
        base.db.unbuild_index(&space, name)?;
    }
    let progress = Progress::without_rows("building");
    let Some(index) = DynamicIndex::new(&base.reader, id) else { return Ok(()) };
    let built = base.db.build_index(&index.info(), batch, |state| {
        progress.set_phase(match state.phase {
            BuildPhase::Clear => "deleting entries without a row",
            BuildPhase::Fill => "putting entries",
        });
    });
    drop(progress);
    Ok(built.map_err(DatabaseError::building)?)
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

/// The differences between an index and its map.
#[derive(Default)]
struct Differences {
    rows: u64,
    entries: u64,
    /// For each kind, the number and the first keys.
    faults: BTreeMap<IndexFault, (u64, Vec<Vec<u8>>)>,
}

/// The maximum number of keys that are printed for each kind.
const SHOWN: usize = 3;

impl Differences {
    fn read(base: &OpenDatabase<'_>, index: &DynamicIndex<'_>) -> Result<Self, Failure> {
        let mut found = Self::default();
        let mut progress = Progress::new("checking");
        index.compare(&base.db.read()?, &mut |Compared { is_entry, faults }| {
            progress.row();
            found.rows += u64::from(!is_entry);
            found.entries += u64::from(is_entry);
            for (fault, key) in faults {
                found.add(fault, &key);
            }
        })?;
        Ok(found)
    }

    fn add(&mut self, fault: IndexFault, key: &[u8]) {
        let (count, keys) = self.faults.entry(fault).or_default();
        *count += 1;
        if keys.len() < SHOWN {
            keys.push(key.to_vec());
        }
    }

    fn print(&self, layout: &Layout, index: &DynamicIndex<'_>) -> Result<Exit, Failure> {
        let (name, map) = (&layout.keyspace(index.id()).name, &layout.keyspace(index.map()).name);
        let Self { rows, entries, faults } = self;
        let is_short = index.needs_program() && index.has_entry_per_row() && rows != entries;
        if faults.is_empty() && !is_short {
            let mut out = stdout::plain();
            writeln!(out, "index `{name}` agrees with `{map}`: {}", many(*rows, "row"))?;
            return Ok(Exit::Fine);
        }
        let mut message = Message::error(format!("index `{name}` does not agree with `{map}`"));
        message.line(format!("rows of `{map}`: {rows}; entries of `{name}`: {entries}"));
        for (fault, (count, keys)) in faults {
            let keys: Vec<String> = keys.iter().map(|key| hex(key)).collect();
            message.line(format!("{}: {count}: {}", fault.words(), keys.join(", ")));
        }
        let help = if index.needs_program() {
            "rebuild it with the program, which computes its entries"
        } else {
            "rebuild it with `keyscape index build`"
        };
        stderr::say(&message.with_help(Some(help.to_owned())));
        Ok(Exit::Refuted)
    }
}
