//! Files of version 1 become files of version 2, once, and after an interruption as well.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use keyscape::{
    migrate::{Migrate, MigrateError, TypedMigration},
    store::Db,
};
use keyscape_example_migrate_a_live_layout::{migration, open, parse_person, v1, v2};
use keyscape_store_redb::Options;
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
};
use tempfile::TempDir;

const PEOPLE: [&str; 4] =
    ["Ada Lovelace, 1815", "Alan Turing, 1912", "Grace Hopper, 1906", "Emmy Noether, 1882"];

fn version_1(names: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("contacts.redb");
    let db = keyscape_store_redb::create(&path, &v1::contacts::LAYOUT).unwrap();
    db.write(|tx| (1..).zip(names).try_for_each(|(id, name)| v1::add(tx, id * 255, name, (7, 60))))
        .unwrap();
    (folder, path)
}

fn years(path: &Path) -> Vec<u16> {
    let db = open(path).unwrap();
    let people = v2::people(&db.read().unwrap()).unwrap();
    people.into_iter().map(|(_, person)| person.born).collect()
}

#[test]
fn version_2_migrates_verifies_and_goes_on() {
    let (_folder, path) = version_1(&PEOPLE);
    assert_eq!(years(&path), [1815, 1882, 1906, 1912]);
    let db = open(&path).unwrap();
    assert!(db.verify_migration().unwrap());
    assert_eq!(v2::calls(&db.read().unwrap(), 510).unwrap(), [(7, 60)]);
    db.write(|tx| v2::contacts::PEOPLE.put(tx, 1, &parse_person("Kurt Goedel, 1906").unwrap()))
        .unwrap();
    assert!(!db.verify_migration().unwrap(), "a row was added");
    drop(db);
    assert_eq!(years(&path).len(), PEOPLE.len() + 1);
    let opened = keyscape_store_redb::open(&path, &v1::contacts::LAYOUT);
    assert!(opened.is_err(), "version 1 does not open a file of version 2");
}

#[test]
fn a_person_that_cannot_be_parsed_leaves_the_file_to_version_1() {
    let (_folder, path) = version_1(&["Ada Lovelace, 1815", "Plato"]);
    let error = open(&path).unwrap_err();
    assert!(error.to_string().contains("the year of birth is missing"), "{error}");
    keyscape_store_redb::open(&path, &v1::contacts::LAYOUT).unwrap();
}

#[test]
fn an_interrupted_migration_keeps_both_versions_out_and_continues() {
    let (_folder, path) = version_1(&PEOPLE);
    let calls = AtomicUsize::new(0);
    let own = migration();
    let dying = TypedMigration::new(
        include_str!("../v1-to-v2.migration"),
        &v1::contacts::LAYOUT,
        own.new_layout(),
    )
    .with_batch(1)
    .rows(v1::contacts::PEOPLE, v2::contacts::PEOPLE, |key, text: String| {
        // Every row is converted once before the first one moves.
        assert!(calls.fetch_add(1, Ordering::Relaxed) < PEOPLE.len() + 2, "killed");
        Ok((key.id, parse_person(&text)?))
    });
    let db = Db::new(Options::new().open(&path, own.spaces().unwrap()).unwrap());
    let died = catch_unwind(AssertUnwindSafe(|| db.migrate(&dying)));
    assert!(died.is_err());
    drop(db);
    for layout in [&v1::contacts::LAYOUT, &v2::contacts::LAYOUT] {
        let error = keyscape_store_redb::open(&path, layout).unwrap_err();
        assert!(error.to_string().contains("a migration"), "{error}");
    }
    assert_eq!(years(&path), [1815, 1882, 1906, 1912]);
    assert!(open(&path).unwrap().verify_migration().unwrap());
}

#[test]
fn a_database_that_was_never_migrated_cannot_be_verified() {
    let (_folder, path) = version_1(&[]);
    let db = keyscape_store_redb::open(&path, &v1::contacts::LAYOUT).unwrap();
    let error = db.verify_migration().unwrap_err();
    assert!(matches!(error, MigrateError::NeverMigrated), "{error}");
}
