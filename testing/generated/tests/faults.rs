//! Faulty files, disks and rows, through typed access on redb: errors name the problem and its
//! position, and nothing is written in part.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use keyscape::{
    Error, ErrorKind,
    store::{
        Db, KeyRange, Layout, LayoutError, Limited, Limits, Read, StoreError, StoreErrorKind,
        StoreId,
    },
};
use keyscape_store_redb::Options;
use redb::{StorageBackend, backends::InMemoryBackend};
use std::{
    fs, io,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

type Outcome = Result<(), Box<dyn std::error::Error>>;

keyscape::layout!(
    r#"
store shop
type Name = text(r"[a-z]{1,200}")
map orders = "o/" {user: Name} "/" {order: u64be} -> u64be
    scan all
    scan user by order
index by_order of orders = "by-order/" {order} {user} -> empty
    scan all

store things structures
zset board = "z:" {topic: u8}
    member text(r"[a-z]{1,8}")
    score u64be
    counted
    ranked
"#
);

use shop::{BY_ORDER, Name, ORDERS};
use things::{BOARD, BoardMember};

const SHOP: StoreId = StoreId::of("shop");

fn ann() -> Name<'static> {
    Name::new("ann").unwrap()
}

/// Commits to both stores.
fn write(db: &Db, order: u64) -> Result<(), Error> {
    db.write(|tx| {
        ORDERS.put(tx, (ann(), order), order)?;
        BOARD.add(tx, 1, BoardMember::new("a".repeat(order as usize))?, order)?;
        Ok(())
    })
}

/// Returns the existing orders, after comparing them with index entries and structures.
fn orders(db: &Db) -> Result<Vec<u64>, Box<dyn std::error::Error>> {
    let state = db.read()?;
    let rows: Result<Vec<_>, Error> = ORDERS.scan_all(&state)?.collect();
    let orders: Vec<u64> = rows?.into_iter().map(|(key, _)| key.order).collect();
    let report = BY_ORDER.check(&state)?;
    assert!(report.is_sound() && report.entries == orders.len() as u64, "{report:?}");
    assert!(BOARD.check(&state, 1)?.is_sound());
    assert_eq!(BOARD.count(&state, 1)?, orders.len() as u64);
    Ok(orders)
}

fn store_error(error: &Error) -> &StoreError {
    match error.kind() {
        ErrorKind::Store(error) => error,
        other => unreachable!("not an error of the store: {other}"),
    }
}

/// Returns the reason why a file was not opened; the error must name the file.
fn refused(opened: Result<Db, LayoutError>, file: &Path) -> StoreErrorKind {
    let Err(LayoutError::Store(error)) = opened else { unreachable!("no error of the store") };
    assert_eq!(error.file(), Some(file));
    assert!(error.to_string().contains(&file.display().to_string()), "{error}");
    error.kind()
}

/// A disk that rejects writes from some moment on.
#[derive(Debug)]
struct Disk {
    inner: InMemoryBackend,
    fails: Arc<AtomicBool>,
    kind: io::ErrorKind,
}

impl Disk {
    fn check(&self) -> io::Result<()> {
        if self.fails.load(Ordering::SeqCst) { Err(self.kind.into()) } else { Ok(()) }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        self.inner.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.inner.read(offset, out)
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.check()?;
        self.inner.set_len(len)
    }

    fn sync_data(&self) -> io::Result<()> {
        self.check()?;
        self.inner.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.check()?;
        self.inner.write(offset, data)
    }
}

/// Returns the error of the disk from the chain of causes.
fn reason(error: &(dyn std::error::Error + 'static)) -> Option<io::ErrorKind> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            return Some(error.kind());
        }
        if let Some(redb::StorageError::Io(error)) = error.downcast_ref::<redb::StorageError>() {
            return Some(error.kind());
        }
        next = error.source();
    }
    None
}

#[test]
fn a_disk_that_is_full_or_read_only_refuses_the_commit() -> Outcome {
    for kind in [io::ErrorKind::StorageFull, io::ErrorKind::ReadOnlyFilesystem] {
        let fails = Arc::new(AtomicBool::new(false));
        let disk = Disk { inner: InMemoryBackend::new(), fails: Arc::clone(&fails), kind };
        let spaces = Layout::spaces_of(&[&shop::LAYOUT])?;
        let db = Db::new(Options::new().create_on(disk, spaces)?);
        db.admit(&[&shop::LAYOUT])?;
        write(&db, 1)?;
        fails.store(true, Ordering::SeqCst);
        let error = write(&db, 2).unwrap_err();
        assert!(!error.is_retryable(), "{error}");
        let shown = format!("{error:?}");
        assert!(reason(&error) == Some(kind) || shown.contains(&format!("{kind:?}")), "{shown}");
        // The existing rows can still be read completely.
        assert_eq!(orders(&db)?, [1]);
    }
    Ok(())
}

#[test]
fn a_read_only_folder_is_reported() -> Outcome {
    let folder = tempfile::tempdir()?;
    let mut permissions = fs::metadata(&folder)?.permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&folder, permissions)?;
    let file = folder.path().join("shop.redb");
    // Some users may write everywhere.
    if fs::write(folder.path().join("probe"), b"").is_ok() {
        write(&keyscape_store_redb::create(&file, &shop::LAYOUT)?, 1)?;
    } else {
        let error = keyscape_store_redb::create(&file, &shop::LAYOUT);
        assert_eq!(refused(error, &file), StoreErrorKind::ReadOnly);
        assert!(!file.exists());
    }
    Ok(())
}

#[test]
fn a_file_is_open_once() -> Outcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("shop.redb");
    let db = keyscape_store_redb::create(&file, &shop::LAYOUT)?;
    write(&db, 1)?;
    let again = keyscape_store_redb::open(&file, &shop::LAYOUT);
    assert_eq!(refused(again, &file), StoreErrorKind::Busy);
    let reader = keyscape_store_redb::open_read_only(&file, &shop::LAYOUT);
    assert_eq!(refused(reader, &file), StoreErrorKind::Busy);
    drop(db);
    assert_eq!(orders(&keyscape_store_redb::open_read_only(&file, &shop::LAYOUT)?)?, [1]);
    Ok(())
}

#[test]
fn foreign_and_truncated_files_are_refused() -> Outcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("shop.redb");
    fs::write(&file, b"SQLite format 3\0 and so on")?;
    let opened = keyscape_store_redb::open(&file, &shop::LAYOUT);
    assert!(matches!(refused(opened, &file), StoreErrorKind::NotADatabase { .. }));
    fs::remove_file(&file)?;

    let db = keyscape_store_redb::create(&file, &shop::LAYOUT)?;
    (1..=8).try_for_each(|order| write(&db, order))?;
    drop(db);
    let whole = fs::read(&file)?;
    let mut cut_off = 0;
    for eighth in 0..8 {
        fs::write(&file, &whole[..whole.len() * eighth / 8])?;
        match keyscape_store_redb::open(&file, &shop::LAYOUT) {
            // The truncated part was not needed.
            Ok(db) => assert_eq!(orders(&db)?, (1..=8).collect::<Vec<_>>()),
            refused_open => {
                cut_off += 1;
                let kind = refused(refused_open, &file);
                let is_empty = matches!(kind, StoreErrorKind::NotADatabase { .. });
                let is_corrupt = matches!(kind, StoreErrorKind::Corrupt { .. });
                assert!(is_corrupt || (is_empty && eighth == 0), "{kind:?}");
            }
        }
    }
    assert!(cut_off > 0, "no cut was noticed");
    Ok(())
}

#[test]
fn rows_that_do_not_fit_are_named() -> Outcome {
    let folder = tempfile::tempdir()?;
    let db = keyscape_store_redb::create(folder.path().join("shop.redb"), &shop::LAYOUT)?;
    write(&db, 1)?;
    let key = b"o/ann/\0\0\0\0\0\0\0\x01";
    db.write(|tx| tx.put(SHOP, key, b"five!"))?;
    let state = db.read()?;
    let error = ORDERS.get(&state, (ann(), 1)).unwrap_err();
    let ErrorKind::CorruptValue { keyspace, key: found, .. } = error.kind() else {
        unreachable!("{error}")
    };
    assert_eq!((&**keyspace, &**found), ("orders", &key[..]));
    let shown = error.to_string();
    assert!(shown.starts_with("keyspace `orders`: the value of the key 6f2f616e6e2f"), "{shown}");
    let mut scan = ORDERS.scan_user(&state, ann())?;
    assert!(scan.next_row()?.unwrap().value().is_err(), "a scan shows it as well");

    db.write(|tx| {
        tx.delete(SHOP, key)?;
        tx.put(SHOP, b"o/ann/short", b"")
    })?;
    let state = db.read()?;
    let error = ORDERS.scan_user(&state, ann())?.next_row().err().unwrap();
    assert!(
        matches!(error.kind(), ErrorKind::CorruptKey { keyspace, .. } if keyspace == "orders"),
        "{error}"
    );
    Ok(())
}

#[test]
fn a_key_that_is_too_long_for_the_engine_writes_nothing() -> Outcome {
    let name = Name::new("n".repeat(52))?;
    // In the second case, the key of the map is short enough, but the key of its index is not.
    for (limit, actual, keyspace) in [(60, 63, "orders"), (65, 69, "by_order")] {
        let limits = Limits { longest_key: limit, ..Limits::NONE };
        let spaces = Layout::spaces_of(&[&shop::LAYOUT])?;
        let options = Options { limits, ..Options::new() };
        let db = Db::new(options.create_on(InMemoryBackend::new(), spaces)?);
        let error = db.write(|tx| {
            let error = ORDERS.put(tx, (name.by_ref(), 1), 1).unwrap_err();
            assert!(tx.changes().is_empty(), "a row without its entry");
            Err::<(), Error>(error)
        });
        let error = error.unwrap_err();
        let error = store_error(&error);
        let what = Limited::LongestKey;
        assert_eq!(error.kind(), StoreErrorKind::Limit { what, limit, actual });
        assert_eq!(error.keyspace(), Some(keyspace), "{error}");
        assert!(db.read()?.rows(SHOP, KeyRange::all())?.to_vec()?.is_empty());
    }
    Ok(())
}

#[test]
fn a_value_outside_its_domain_cannot_be_created() {
    let error = Name::new("an-n").unwrap_err();
    assert_eq!(error.what, "Name");
    assert!(error.to_string().starts_with("Name: `-` at position 3 is not allowed"), "{error}");
    let error = BoardMember::new("").unwrap_err();
    assert_eq!(error.what, "board.member", "{error}");
}
