//! Files that are not as they should be.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use keyscape_store::{
    Db, Durability, KeyRange, Limits, Mode, Read, ReadExt, Spaces, StoreErrorKind, StoreId,
};
use keyscape_store_redb::{Options, Repaired, repair};
use std::{error::Error, fs, path::Path};

const A: StoreId = StoreId::of("a");

fn spaces() -> Spaces {
    Spaces::new(["a"]).unwrap()
}

fn filled(file: &Path) -> Result<(), Box<dyn Error>> {
    let db = Db::new(Options::new().create(file, spaces())?);
    for key in 0..200u8 {
        db.with_durability(Durability::Buffered).write(|tx| tx.put(A, &[key], &[key; 300]))?;
    }
    Ok(db.sync()?)
}

fn kind(opened: Result<keyscape_store_redb::Redb, keyscape_store::StoreError>) -> StoreErrorKind {
    let error = opened.err().unwrap();
    assert!(error.file().is_some(), "{error} does not say which file");
    error.kind()
}

#[test]
fn what_was_written_is_there_when_it_is_opened_again() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    filled(&file)?;
    let revision = {
        let db = Db::new(Options::new().open(&file, spaces())?);
        db.write(|tx| tx.delete(A, &[7]))?;
        db.read()?.revision()
    };
    let db = Db::new(Options::new().open_read_only(&file, spaces())?);
    assert_eq!(db.read()?.revision(), revision);
    assert_eq!(db.read()?.rows(A, KeyRange::all())?.to_vec()?.len(), 199);
    // Several may read at a time; nobody may write.
    let again = Db::new(Options::new().open_read_only(&file, spaces())?);
    assert_eq!(again.read()?.get(A, &[8])?, Some(vec![8; 300]));
    for mode in [Mode::Write, Mode::Optimistic] {
        let error = again.begin(mode).map(drop).map_err(|error| error.kind());
        assert_eq!(error, Err(StoreErrorKind::ReadOnly));
    }
    assert_eq!(kind(Options::new().open(&file, spaces())), StoreErrorKind::Busy);
    drop((db, again));
    assert_eq!(repair(&file)?, Repaired::Sound);
    Ok(())
}

#[test]
fn a_file_that_is_open_elsewhere_is_busy() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let _db = Options::new().create(&file, spaces())?;
    assert_eq!(kind(Options::new().open(&file, spaces())), StoreErrorKind::Busy);
    assert_eq!(kind(Options::new().open_read_only(&file, spaces())), StoreErrorKind::Busy);
    assert_eq!(repair(&file).err().map(|error| error.kind()), Some(StoreErrorKind::Busy));
    Ok(())
}

#[test]
fn a_file_that_exists_is_not_created_and_not_touched() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("notes.txt");
    fs::write(&file, b"mine")?;
    let error = Options::new().create(&file, spaces()).err().ok_or("it was created")?;
    assert_eq!(error.kind(), StoreErrorKind::Backend { engine: "redb" });
    assert_eq!(fs::read(&file)?, b"mine");
    let nowhere = folder.path().join("no/such/folder/a.redb");
    assert_eq!(
        kind(Options::new().create(&nowhere, spaces())),
        StoreErrorKind::Backend { engine: "redb" }
    );
    assert_eq!(
        kind(Options::new().open(folder.path().join("none.redb"), spaces())),
        StoreErrorKind::Backend { engine: "redb" }
    );
    assert_eq!(
        kind(Options::new().open(folder.path(), spaces())),
        StoreErrorKind::Backend { engine: "redb" }
    );
    Ok(())
}

#[test]
fn foreign_files_are_corrupt_and_stay_as_they_are() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let foreign: [&[u8]; 5] =
        [b"", b"re", b"SQLite format 3\0", &[0; 10_000], b"redb but nothing that follows"];
    for bytes in foreign {
        fs::write(&file, bytes)?;
        for opened in [
            Options::new().open(&file, spaces()),
            Options::new().open_read_only(&file, spaces()),
            Options::new().open_whatever(&file),
        ] {
            assert!(
                matches!(kind(opened), StoreErrorKind::Corrupt { .. }),
                "{} bytes",
                bytes.len()
            );
        }
        assert!(repair(&file).is_err());
        assert_eq!(fs::read(&file)?, bytes, "a foreign file was changed");
    }
    Ok(())
}

/// Wherever a file is cut off, it is refused or whole: nothing panics, nothing is missing in silence.
#[test]
fn truncated_files_are_refused() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let whole = folder.path().join("whole.redb");
    filled(&whole)?;
    let bytes = fs::read(&whole)?;
    let file = folder.path().join("cut.redb");
    for tenth in 0..10 {
        fs::write(&file, &bytes[..bytes.len() * tenth / 10])?;
        if let Ok(opened) = Options::new().open(&file, spaces()) {
            let rows = Db::new(opened).read()?.rows(A, KeyRange::all())?.to_vec()?;
            assert_eq!(rows.len(), 200, "rows are missing after {tenth} tenths");
        }
    }
    fs::write(&file, &bytes[..bytes.len() / 2])?;
    let refused = kind(Options::new().open(&file, spaces()));
    assert!(matches!(refused, StoreErrorKind::Corrupt { .. }), "{refused:?}");
    Ok(())
}

#[test]
fn tools_see_all_spaces_of_a_file() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let names = Spaces::new(["bank", "node/blocks"])?;
    let db = Db::new(Options::new().create(&file, names)?);
    db.write(|tx| {
        tx.put(StoreId::of("bank"), b"k", b"v")?;
        tx.put(StoreId::family("node", "blocks"), b"k", b"v")
    })?;
    drop(db);
    let db = Db::new(Options::new().open_whatever(&file)?);
    let names: Vec<_> = db.spaces().iter().map(|(_, name)| name.to_owned()).collect();
    assert_eq!(names, [Spaces::META, "bank", "node/blocks"]);
    assert_eq!(db.read()?.get(StoreId::of("bank"), b"k")?, Some(b"v".to_vec()));
    Ok(())
}

#[test]
fn options_are_kept() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let limits = Limits { longest_key: 2, ..Limits::NONE };
    let options = Options::new().limits(limits).quick_repair(true).cache_bytes(1 << 20);
    let db = Db::new(options.create(&file, spaces())?);
    assert_eq!(db.limits().longest_key, 2);
    assert!(db.limits().longest_value < Limits::NONE.longest_value, "redb's own limits stay");
    db.write(|tx| tx.put(A, b"12", b""))?;
    assert!(db.write(|tx| tx.put(A, b"123", b"")).is_err());
    Ok(())
}
