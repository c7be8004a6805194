//! Locked, truncated and damaged files.

use keyscape_store::{
    Db, Durability, KeyRange, Limits, Mode, Read, ReadExt, Spaces, StoreErrorKind, StoreId,
};
use keyscape_store_redb::{Options, Repaired, repair, verify};
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
fn rows_exist_after_the_file_is_opened_again() -> Result<(), Box<dyn Error>> {
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
    // Several processes may read, and none may write.
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

/// A killed process may leave temporary files.
#[test]
fn only_unlocked_files_with_random_names_are_removed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let names = ["a.redb.x1Y2z3.new", "a.redb.locked.new", "a.redb.mine.new", "b.redb.x1Y2z3.new"];
    for name in names {
        fs::write(folder.path().join(name), "x")?;
    }
    let locked = fs::File::open(folder.path().join("a.redb.locked.new"))?;
    locked.lock()?;
    drop(Options::new().create(folder.path().join("a.redb"), spaces())?);
    let left = names.map(|name| folder.path().join(name).exists());
    assert_eq!(left, [false, true, true, true]);
    Ok(())
}

#[test]
fn foreign_files_are_rejected_and_not_changed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let foreign: [&[u8]; 5] =
        [b"", b"re", b"SQLite format 3\0", &[0; 10_000], b"redb but nothing that follows"];
    for bytes in foreign {
        fs::write(&file, bytes)?;
        for opened in [
            Options::new().open(&file, spaces()),
            Options::new().open_read_only(&file, spaces()),
            Options::new().open_all_spaces(&file),
            Options { verify: false, ..Options::new() }.open(&file, spaces()),
        ] {
            let refused = kind(opened);
            let is_expected = match refused {
                StoreErrorKind::NotADatabase { engine, .. } => engine == "redb",
                StoreErrorKind::Corrupt { .. } => bytes.starts_with(b"redb"),
                _ => false,
            };
            assert!(is_expected, "{} bytes: {refused:?}", bytes.len());
        }
        assert!(repair(&file).is_err() && verify(&file).is_err());
        assert_eq!(fs::read(&file)?, bytes, "a foreign file was changed");
    }
    Ok(())
}

/// A file that is truncated at any position is rejected or complete. Nothing panics, and no row is
/// silently missing.
#[test]
fn truncated_files_are_rejected() -> Result<(), Box<dyn Error>> {
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
    let db = Db::new(Options::new().open_all_spaces(&file)?);
    let names: Vec<_> = db.spaces().iter().map(|(_, name)| name.to_owned()).collect();
    assert_eq!(names, [Spaces::META, "bank", "node/blocks"]);
    assert_eq!(db.read()?.get(StoreId::of("bank"), b"k")?, Some(b"v".to_vec()));
    Ok(())
}

#[test]
fn options_are_applied() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let limits = Limits { longest_key: 2, ..Limits::NONE };
    let options = Options { limits, quick_repair: true, cache_bytes: 1 << 20, ..Options::new() };
    let db = Db::new(options.create(&file, spaces())?);
    assert_eq!(db.limits().longest_key, 2);
    assert!(db.limits().longest_value < Limits::NONE.longest_value, "redb's own limits stay");
    db.write(|tx| tx.put(A, b"12", b""))?;
    assert!(db.write(|tx| tx.put(A, b"123", b"")).is_err());
    Ok(())
}

/// Changes random bytes; `number` is the seed.
fn damage(bytes: &mut [u8], number: u64) {
    let mut random = fastrand::Rng::with_seed(number);
    for _ in 0..=number % 40 {
        // Half of the changes are in the header and the first pages.
        let within = if random.bool() { bytes.len() } else { 8192 };
        bytes[random.usize(4..within)] = random.u8(..);
    }
}

/// Whether the directory contains only the file.
fn alone(folder: &Path) -> bool {
    fs::read_dir(folder).unwrap().count() == 1
}

#[test]
fn sound_files_and_files_beyond_repair_are_not_changed() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    filled(&file)?;
    let sound = fs::read(&file)?;
    assert_eq!(repair(&file)?, Repaired::Sound);
    assert!(fs::read(&file)? == sound && alone(folder.path()), "a sound file was changed");

    let flipped: Vec<u8> = {
        let row = sound.windows(300).rposition(|bytes| bytes == [77; 300]).ok_or("no row")?;
        let mut bytes = sound.clone();
        // All copies of the row, including those of older commits.
        for at in 0..=row {
            if sound[at..at + 300] == [77; 300] {
                bytes[at + 5] = 0;
            }
        }
        bytes
    };
    for damaged in [&flipped[..], &sound[..sound.len() / 2]] {
        fs::write(&file, damaged)?;
        let error = repair(&file).err().ok_or("it was repaired")?;
        assert!(error.to_string().contains("no complete commit"), "{error}");
        assert!(fs::read(&file)? == damaged && alone(folder.path()), "the file was changed");
    }
    Ok(())
}

/// A bit of the header selects the commit, and no checksum covers it.
#[test]
fn a_file_at_its_older_commit_is_repaired() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    filled(&file)?;
    let mut bytes = fs::read(&file)?;
    bytes[9] ^= 1;
    fs::write(&file, &bytes)?;
    for refused in [verify(&file), Options::new().open(&file, spaces()).map(drop)] {
        let error = refused.err().ok_or("the older commit was opened")?;
        assert!(error.to_string().contains("run `keyscape repair`"), "{error}");
    }
    assert_eq!(repair(&file)?, Repaired::Restored);
    let db = Db::new(Options::new().open(&file, spaces())?);
    assert_eq!(db.read()?.rows(A, KeyRange::all())?.to_vec()?.len(), 200);
    Ok(())
}

/// Returns the bytes of a file with a changed value.
fn with_wrong_value(bytes: &[u8], key: u8) -> Vec<u8> {
    let mut damaged = bytes.to_vec();
    for at in 0..bytes.len() - 300 {
        if bytes[at..at + 300] == [key; 300] {
            damaged[at + 5] ^= 1;
        }
    }
    assert!(damaged != bytes, "no such row");
    damaged
}

#[test]
fn a_file_with_a_wrong_value_is_not_written_unless_asked_for() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    filled(&file)?;
    verify(&file)?;
    let damaged = with_wrong_value(&fs::read(&file)?, 77);
    fs::write(&file, &damaged)?;
    // Reading without verification returns the wrong value.
    let db = Db::new(Options::new().open_read_only(&file, spaces())?);
    assert_ne!(db.read()?.get(A, &[77])?, Some(vec![77; 300]));
    drop(db);

    let error = verify(&file).err().ok_or("it was verified")?;
    assert_eq!(error.file(), Some(&*file));
    assert!(error.to_string().contains("checksums do not match"), "{error}");
    let refused = kind(Options::new().open(&file, spaces()));
    assert!(matches!(refused, StoreErrorKind::Corrupt { .. }), "{refused:?}");
    assert!(repair(&file).is_err());
    assert!(fs::read(&file)? == damaged && alone(folder.path()), "the file was changed");

    // The reason for verification: a write next to the damage gives it a new checksum.
    let options = Options { verify: false, ..Options::new() };
    let db = Db::new(options.open(&file, spaces())?);
    (0..200).try_for_each(|key: u8| db.write(|tx| tx.put(A, &[key, 0], b"beside")))?;
    drop(db);
    verify(&file)?;
    assert_eq!(repair(&file)?, Repaired::Sound);
    Ok(())
}

#[test]
fn verifying_changes_nothing_and_shares_the_file_with_readers() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    filled(&file)?;
    let sound = fs::read(&file)?;
    let mut permissions = fs::metadata(&file)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&file, permissions)?;
    let reader = Options::new().open_read_only(&file, spaces())?;
    verify(&file)?;
    drop(reader);
    assert!(fs::read(&file)? == sound && alone(folder.path()), "the file was changed");
    let writer = Options::new().create(folder.path().join("b.redb"), spaces())?;
    let busy = verify(folder.path().join("b.redb")).map_err(|error| error.kind());
    assert_eq!(busy, Err(StoreErrorKind::Busy));
    drop(writer);
    Ok(())
}

#[test]
fn random_damage_is_an_error_or_repaired_and_never_a_panic() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    filled(&file)?;
    let sound = fs::read(&file)?;
    let mut failed = 0;
    for number in 0..30 {
        let mut bytes = sound.clone();
        damage(&mut bytes, number);
        fs::write(&file, &bytes)?;
        if let Ok(opened) = Options::new().open_read_only(&file, spaces()) {
            let db = Db::new(opened);
            let _ = db.read().and_then(|state| state.rows(A, KeyRange::all())?.to_vec());
        }
        match repair(&file) {
            Ok(Repaired::Sound) => assert!(fs::read(&file)? == bytes, "{number}: it was changed"),
            Ok(Repaired::Restored) => assert_eq!(repair(&file)?, Repaired::Sound, "{number}"),
            Err(_) => {
                failed += 1;
                assert!(fs::read(&file)? == bytes, "{number}: it was changed");
            }
        }
        assert!(alone(folder.path()), "{number}: a copy was left");
    }
    assert!(failed > 0, "nothing was damaged");
    Ok(())
}

/// A file of the previous version may have rows in stores that the program does not open.
#[test]
fn a_file_with_rows_of_other_stores_only_is_opened() -> Result<(), Box<dyn Error>> {
    use keyscape_store::{KeyspaceInfo, Layout, LayoutError};
    const ORDERS: KeyspaceInfo<'static> = KeyspaceInfo {
        space: "shop",
        name: "orders",
        kind: "map",
        text: "",
        fingerprint: [1; 32],
        version: 1,
    };
    const SHOP: Layout<'static> =
        Layout { spaces: &["shop"], keyspaces: &[ORDERS], ..Layout::named("shop") };
    const LOG: Layout<'static> = Layout {
        spaces: &["log"],
        keyspaces: &[KeyspaceInfo { space: "log", ..ORDERS }],
        ..Layout::named("log")
    };
    const OTHER: Layout<'static> = Layout {
        spaces: &["other"],
        keyspaces: &[KeyspaceInfo { space: "other", ..ORDERS }],
        ..Layout::named("other")
    };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("node.redb");
    let db = keyscape_store_redb::create_with(&file, &[&SHOP, &LOG], &Options::new())?;
    db.write(|tx| tx.put(StoreId::of("log"), b"k", b"v"))?;
    drop(db);
    drop(keyscape_store_redb::open(&file, &SHOP)?);
    let refused = keyscape_store_redb::open_read_only(&file, &OTHER);
    assert!(matches!(refused, Err(LayoutError::NoCommonStore { .. })));
    // The file of another program, without any metadata.
    let foreign = folder.path().join("foreign.redb");
    let db = Db::new(Options::new().create(&foreign, Spaces::new(["theirs"])?)?);
    db.write(|tx| tx.put(StoreId::of("theirs"), b"k", b"v"))?;
    drop(db);
    for opened in [
        keyscape_store_redb::open(&foreign, &SHOP),
        keyscape_store_redb::open_read_only(&foreign, &SHOP),
    ] {
        assert!(matches!(opened, Err(LayoutError::NoCommonStore { .. })));
    }
    Ok(())
}
