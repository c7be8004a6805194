//! Tests that a file is an ordinary redb file: other programs read and write it as tables of
//! `&[u8]`.

use keyscape_store::{Db, KeyRange, Read, ReadExt, Spaces, StoreId};
use keyscape_store_redb::Options;
use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition};
use std::error::Error;

const SHOP: StoreId = StoreId::of("shop");
const TABLE: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("shop");

type Rows = Vec<(Vec<u8>, Vec<u8>)>;

/// Returns enough rows for several levels of branches, with short keys of all lengths that differ
/// late.
fn rows() -> Rows {
    let key = |at: u32| {
        let tail = at.wrapping_mul(0x9e37_79b1).to_be_bytes();
        let key = [b"o/order number/", &tail[..], &[0; 20]].concat();
        key[(at % 15) as usize..][..(at % 37) as usize / 2 + 4].to_vec()
    };
    let mut rows: Rows = (0..20_000).map(|at| (key(at), at.to_be_bytes().to_vec())).collect();
    rows.sort();
    rows.dedup_by(|later, kept| later.0 == kept.0);
    assert!(rows.len() > 2_000);
    rows
}

#[test]
fn plain_redb_reads_our_files() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("shop.redb");
    let db = Db::new(Options::new().create(&file, Spaces::new(["shop"])?)?);
    db.write(|tx| rows().iter().try_for_each(|(key, value)| tx.put(SHOP, key, value)))?;
    drop(db);
    let plain = Database::open(&file)?;
    let table = plain.begin_read()?.open_table(TABLE)?;
    let mut found = Rows::new();
    for row in table.iter()? {
        let (key, value) = row?;
        found.push((key.value().to_vec(), value.value().to_vec()));
    }
    assert_eq!(found, rows());
    for (key, value) in rows() {
        assert_eq!(table.get(&key[..])?.map(|found| found.value().to_vec()), Some(value));
    }
    Ok(())
}

#[test]
fn files_of_plain_redb_can_be_read() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("shop.redb");
    let plain = Database::create(&file)?;
    let tx = plain.begin_write()?;
    for (key, value) in rows() {
        tx.open_table(TABLE)?.insert(&key[..], &value[..])?;
    }
    tx.commit()?;
    drop(plain);
    let db = Db::new(Options::new().open(&file, Spaces::new(["shop"])?)?);
    let state = db.read()?;
    assert_eq!(state.rows(SHOP, KeyRange::all())?.to_vec()?, rows());
    for (key, value) in rows() {
        assert_eq!(state.get(SHOP, &key)?, Some(value));
    }
    Ok(())
}
