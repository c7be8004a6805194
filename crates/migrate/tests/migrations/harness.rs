//! Databases in memory, and migrations between two layouts.

use keyscape_evolution::{
    Config,
    migration::{Migration, Proof},
};
use keyscape_inspect::database::SavedLayout;
use keyscape_layout::{Built, Layout, NoImports, read_beside};
use keyscape_migrate::{MigrateError, Runner};
use keyscape_store::{Database, Db, KeyRange, Memory, Read, Spaces, StoreId};
use keyscape_testkit::{Failing, Fault};
use std::{collections::BTreeMap, sync::Arc};

/// Rows by space and key.
pub(crate) type Rows = BTreeMap<(String, Vec<u8>), Vec<u8>>;

pub(crate) struct Pair {
    pub(crate) old: Layout,
    pub(crate) new: Layout,
}

impl Pair {
    pub(crate) fn new(old: &str, new: &str) -> Self {
        let built = Built::default();
        let read = |name, text| {
            read_beside(&built, name, text, &mut NoImports)
                .unwrap_or_else(|rejected| panic!("{:?}", rejected.diagnostics))
        };
        Self { old: read("old.keys", old), new: read("new.keys", new) }
    }

    pub(crate) fn migration(&self, text: &str) -> Migration<'_> {
        Migration::read(text, &self.old, &self.new)
            .unwrap_or_else(|mistakes| panic!("{mistakes:?}"))
    }
}

pub(crate) fn prove(migration: &Migration<'_>) -> Proof {
    let report = keyscape_prover::check(migration.new, keyscape_prover::Config::default());
    assert!(report.holds(), "the new layout is not proved");
    migration.prove(Config::default(), &report)
}

/// Proves a migration to a layout that need not be sound.
pub(crate) fn prove_back(migration: &Migration<'_>) -> Proof {
    let report = keyscape_prover::check(migration.new, keyscape_prover::Config::default());
    migration.prove(Config::default(), &report)
}

/// Makes an empty database with some spaces.
pub(crate) fn memory(spaces: &[String]) -> Arc<dyn Database> {
    Arc::new(Memory::new(Spaces::new(spaces).unwrap()))
}

/// Saves a layout and writes rows.
pub(crate) fn fill(db: &Db, layout: &Layout, rows: &Rows) {
    SavedLayout::of(layout).lend(&[], |saved| db.admit(&[saved])).unwrap();
    db.write(|tx| {
        rows.iter().try_for_each(|((space, key), value)| tx.put(StoreId::of(space), key, value))
    })
    .unwrap();
}

/// Returns all rows of some spaces.
pub(crate) fn rows(db: &Db, spaces: &[String]) -> Rows {
    let state = db.read().unwrap();
    let mut found = Rows::new();
    for space in spaces {
        let mut rows = state.rows(StoreId::of(space), KeyRange::all()).unwrap();
        while let Some(row) = rows.next().unwrap() {
            found.insert((space.clone(), row.key.to_vec()), row.value.to_vec());
        }
    }
    found
}

/// Returns the rows of [`StoreId::META`].
pub(crate) fn meta(db: &Db) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let state = db.read().unwrap();
    let mut rows = state.rows(StoreId::META, KeyRange::all()).unwrap();
    let mut found = BTreeMap::new();
    while let Some(row) = rows.next().unwrap() {
        found.insert(row.key.to_vec(), row.value.to_vec());
    }
    found
}

pub(crate) fn runner<'a>(migration: &'a Migration<'a>, proof: &Proof, text: &str) -> Runner<'a> {
    Runner::new(migration, proof, text, "the test").unwrap().with_batch(3)
}

/// Runs until nothing fails any more, with a fault at one call of the first run. Returns whether
/// the fault occurred.
pub(crate) fn with_fault(
    database: &Arc<dyn Database>,
    call: u64,
    fault: Fault,
    run: &dyn Fn(&Db) -> Result<(), MigrateError>,
) -> bool {
    let failing = Arc::new(Failing::at(Arc::clone(database), call, fault));
    let first = run(&Db::from(Arc::clone(&failing) as Arc<dyn Database>));
    let has_failed = failing.has_failed();
    assert_eq!(first.is_err(), has_failed, "call {call}: {first:?}");
    if has_failed {
        run(&Db::from(Arc::clone(database))).unwrap();
    }
    has_failed
}
