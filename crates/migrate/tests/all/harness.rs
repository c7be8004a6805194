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

/// Interrupts a run at each of its calls, before and after the call, and runs it again. Calls
/// `check` with every database at the end. Returns the number of interruptions.
pub(crate) fn interrupt_at_each_call(
    database: &dyn Fn() -> Arc<dyn Database>,
    run: &dyn Fn(&Db) -> Result<(), MigrateError>,
    check: &dyn Fn(&Db, &str),
) -> usize {
    let mut interrupted = 0;
    for fault in [Fault::Before, Fault::After] {
        for call in 1.. {
            let database = database();
            let failing = Arc::new(Failing::at(Arc::clone(&database), call, fault));
            let first = run(&Db::from(Arc::clone(&failing) as Arc<dyn Database>));
            assert_eq!(first.is_err(), failing.has_failed(), "call {call}: {first:?}");
            if !failing.has_failed() {
                break;
            }
            interrupted += 1;
            let db = Db::from(database);
            run(&db).unwrap();
            check(&db, &format!("call {call}, {fault:?}"));
        }
    }
    interrupted
}
