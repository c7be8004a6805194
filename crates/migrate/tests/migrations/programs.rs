//! `Db::migrate`, as programs call it.

use crate::harness::{Pair, Rows, fill, memory, rows};
use keyscape_inspect::database::SavedLayout;
use keyscape_migrate::{Migrate, MigrateError, Migrated};
use keyscape_store::Db;

const OLD: &str = "store shop\nmap orders = \"o/\" {order: u16le} -> u32be\n";
const NEW: &str = "store shop\nmap orders = \"p/\" {order: u16be} -> u32be\n";

#[test]
fn a_program_migrates_its_database_once() {
    let pair = Pair::new(OLD, NEW);
    let spaces = ["shop".to_owned()];
    let db = Db::from(memory(&spaces));
    let row = |key: &[u8]| (("shop".to_owned(), key.to_vec()), vec![0, 0, 0, 7]);
    fill(&db, &pair.old, &Rows::from([row(b"o/\x01\0")]));
    let saved = SavedLayout::of(&pair.new);
    let migrate = || saved.lend(&[], |new| db.migrate("", new));
    assert!(matches!(migrate().unwrap(), Migrated::Done(_)));
    assert_eq!(rows(&db, &spaces), Rows::from([row(b"p/\0\x01")]));
    assert_eq!(migrate().unwrap(), Migrated::Nothing);
    saved.lend(&[], |new| db.admit(&[new])).unwrap();
}

#[test]
fn a_migration_that_is_not_proved_changes_nothing() {
    let pair = Pair::new(OLD, "store shop\nmap orders = \"o/\" {order: u16be} -> u32be\n");
    let spaces = ["shop".to_owned()];
    let db = Db::from(memory(&spaces));
    fill(&db, &pair.old, &Rows::new());
    let failed = SavedLayout::of(&pair.new).lend(&[], |new| db.migrate("", new));
    assert!(matches!(failed, Err(MigrateError::NotInPlace("KS114"))), "{failed:?}");
    let failed = SavedLayout::of(&pair.new).lend(&[], |new| db.migrate("mvoe orders", new));
    assert!(matches!(failed, Err(MigrateError::Declaration(_))), "{failed:?}");
}
