//! A disk that fails, is full, loses power, or counts calls.

use keyscape_store::{Db, KeyRange, Mode, Read, Spaces, StoreError, StoreErrorKind, StoreId};
use keyscape_store_redb::{Options, repair, verify};
use redb::{StorageBackend, TableDefinition};
use std::{
    collections::BTreeSet,
    error::Error,
    fs, io,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
    thread,
    time::Duration,
};

const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");

fn spaces() -> Spaces {
    Spaces::new(["a", "b"]).unwrap()
}

/// A disk in memory. After a given number of write and sync calls, every call fails.
#[derive(Clone, Debug)]
struct Disk(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    written: Mutex<Vec<u8>>,
    /// The contents after a power loss.
    synced: Mutex<Vec<u8>>,
    syncs: AtomicU64,
    calls: AtomicU64,
    fails_at: AtomicU64,
    kind: io::ErrorKind,
    sync_takes: Duration,
}

impl Disk {
    fn new(bytes: Vec<u8>) -> Disk {
        Disk(Arc::new(Inner {
            written: Mutex::new(bytes.clone()),
            synced: Mutex::new(bytes),
            syncs: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            fails_at: AtomicU64::new(u64::MAX),
            kind: io::ErrorKind::StorageFull,
            sync_takes: Duration::ZERO,
        }))
    }

    /// Makes the disk fail after this many further calls.
    fn fail_after(&self, calls: u64) {
        let now = self.0.calls.load(Ordering::SeqCst);
        self.0.fails_at.store(now + calls, Ordering::SeqCst);
    }

    fn has_failed(&self) -> bool {
        self.0.calls.load(Ordering::SeqCst) > self.0.fails_at.load(Ordering::SeqCst)
    }

    fn call(&self) -> io::Result<()> {
        let number = self.0.calls.fetch_add(1, Ordering::SeqCst);
        let fails = number >= self.0.fails_at.load(Ordering::SeqCst);
        if fails { Err(io::Error::from(self.0.kind)) } else { Ok(()) }
    }
}

impl StorageBackend for Disk {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.written.lock().unwrap().len() as u64)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let bytes = self.0.written.lock().unwrap();
        let start = offset as usize;
        let found = bytes.get(start..start + out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(found);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.call()?;
        self.0.written.lock().unwrap().resize(len as usize, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        self.call()?;
        thread::sleep(self.0.sync_takes);
        self.0.syncs.fetch_add(1, Ordering::SeqCst);
        let written = self.0.written.lock().unwrap().clone();
        *self.0.synced.lock().unwrap() = written;
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> io::Result<()> {
        self.call()?;
        let mut bytes = self.0.written.lock().unwrap();
        let start = offset as usize;
        let end = start + data.len();
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(data);
        Ok(())
    }
}

type Contents = [Vec<(Vec<u8>, Vec<u8>)>; 2];

fn contents(db: &Db) -> Result<Contents, StoreError> {
    let state = db.read()?;
    let a = state.rows(A, KeyRange::all())?.to_vec()?;
    let b = state.rows(B, KeyRange::all())?.to_vec()?;
    Ok([a, b])
}

fn fill(db: &Db, tag: u8) -> Result<(), StoreError> {
    db.write(|tx| {
        for key in 0..40u8 {
            tx.put(A, &[key], &vec![tag; usize::from(key) * 50])?;
            tx.put(B, &[key], &[tag])?;
        }
        tx.delete(A, &[tag])
    })
}

#[test]
fn a_commit_is_complete_or_missing_after_a_failure_of_the_disk() -> Result<(), Box<dyn Error>> {
    let start = Disk::new(Vec::new());
    let db = Db::new(Options::new().create_on(start.clone(), spaces())?);
    fill(&db, 1)?;
    let before = contents(&db)?;
    drop(db);
    let start = start.0.written.lock().unwrap().clone();
    let db = Db::new(Options::new().create_on(Disk::new(start.clone()), spaces())?);
    fill(&db, 2)?;
    let after = contents(&db)?;
    let (mut refused, mut unknown) = (0, 0);
    for calls in 0.. {
        let disk = Disk::new(start.clone());
        let db = Db::new(Options::new().create_on(disk.clone(), spaces())?);
        let watch = db.watch([(A, KeyRange::all())])?;
        disk.fail_after(calls);
        let outcome = fill(&db, 2);
        let failed = disk.has_failed();
        let reported = watch.next(Duration::ZERO).map_err(|error| error.kind());
        match outcome.as_ref().map_err(StoreError::kind) {
            Ok(()) => assert!(matches!(reported, Ok(Some(_))), "not reported at call {calls}"),
            Err(StoreErrorKind::CommitUnknown) => {
                let error = outcome.as_ref().unwrap_err();
                let causes = std::iter::successors(error.source(), |cause| (*cause).source());
                let cause = causes.last().and_then(|cause| cause.downcast_ref::<io::Error>());
                assert_eq!(cause.map(io::Error::kind), Some(io::ErrorKind::StorageFull));
                assert!(error.to_string().ends_with("no storage space"), "{error}");
                let lost = Err(StoreErrorKind::FellBehind { commits: 1 });
                assert_eq!(reported, lost, "an unknown commit is a gap at call {calls}");
            }
            Err(_) => assert_eq!(reported, Ok(None), "reported and not written at call {calls}"),
        }
        // The contents after a crash at this moment, with and without unsynced data.
        let written = disk.0.written.lock().unwrap().clone();
        let synced = disk.0.synced.lock().unwrap().clone();
        drop(db);
        for left in [written, synced] {
            let db = Db::new(Options::new().create_on(Disk::new(left), spaces())?);
            let now = contents(&db)?;
            match outcome.as_ref().map_err(StoreError::kind) {
                Ok(()) => assert_eq!(now, after, "acknowledged and lost at call {calls}"),
                Err(StoreErrorKind::CommitUnknown) => {
                    unknown += 1;
                    assert!(now == before || now == after, "half a commit at call {calls}");
                }
                Err(_) => {
                    refused += 1;
                    assert_eq!(now, before, "something was written at call {calls}");
                }
            }
        }
        if !failed {
            break;
        }
    }
    assert!(refused + unknown > 8, "{refused} refused, {unknown} unknown");
    Ok(())
}

#[test]
fn a_recovery_that_is_killed_at_any_call_leaves_an_intact_file() -> Result<(), Box<dyn Error>> {
    let disk = Disk::new(Vec::new());
    let db = Db::new(Options::new().create_on(disk.clone(), spaces())?);
    fill(&db, 1)?;
    let before = contents(&db)?;
    // These are the bytes after a crash: the file is not marked as closed.
    let crashed = disk.0.written.lock().unwrap().clone();
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    for calls in 0.. {
        let disk = Disk::new(crashed.clone());
        disk.fail_after(calls);
        let opened = Options::new().create_on(disk.clone(), spaces());
        let left = disk.0.written.lock().unwrap().clone();
        drop(opened);
        fs::write(&file, left)?;
        verify(&file).map_err(|error| format!("at call {calls}: {error}"))?;
        assert_eq!(contents(&Db::new(Options::new().open(&file, spaces())?))?, before);
        if !disk.has_failed() {
            assert!(calls > 4, "{calls} calls");
            return Ok(());
        }
    }
    Ok(())
}

/// Fills the database with the value of a tag, and returns whether the commit was acknowledged.
type Commit = Box<dyn Fn(u8) -> bool>;

/// Kills a process at every call of its disk, during two commits and while it closes the file. Then
/// kills the recovery at every call, with and without unsynced data. No file is damaged, and no
/// commit is lost or applied in part. `repair` selects the commit that opening selects. Returns the
/// number of different files.
fn kill_a_writer_and_the_recovery(open: fn(Disk) -> Commit) -> Result<usize, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("a.redb");
    let states: Vec<Contents> = (1..=3)
        .map(|last| {
            let disk = Disk::new(Vec::new());
            let commit = open(disk.clone());
            assert!((1..=last).all(&commit));
            drop(commit);
            contents(&Db::new(Options::new().create_on(disk, spaces())?))
        })
        .collect::<Result<_, _>>()?;
    let mut files = 0;
    for calls in 0.. {
        let writer = Disk::new(Vec::new());
        let commit = open(writer.clone());
        assert!(commit(1));
        writer.fail_after(calls);
        let acknowledged = (2..=3).take_while(|tag| commit(*tag)).count();
        drop(commit);
        let expected: Vec<&Contents> = states.iter().skip(acknowledged).take(2).collect();
        let killed = writer.0.written.lock().unwrap().clone();
        let mut left = BTreeSet::new();
        for calls in 0.. {
            let disk = Disk::new(killed.clone());
            disk.fail_after(calls);
            let opened = Options::new().create_on(disk.clone(), spaces());
            left.insert(disk.0.written.lock().unwrap().clone());
            left.insert(disk.0.synced.lock().unwrap().clone());
            drop(opened);
            if !disk.has_failed() {
                break;
            }
        }
        for bytes in &left {
            fs::write(&file, bytes)?;
            verify(&file).map_err(|error| format!("killed at call {calls}: {error}"))?;
            let opened = Options::new().create_on(Disk::new(bytes.clone()), spaces())?;
            let found = contents(&Db::new(opened))?;
            assert!(expected.contains(&&found), "wrong contents at call {calls}");
            repair(&file)?;
            let opened = Options::new().create_on(Disk::new(fs::read(&file)?), spaces())?;
            assert_eq!(contents(&Db::new(opened))?, found, "repaired to another commit");
        }
        files += left.len();
        if !writer.has_failed() {
            break;
        }
    }
    Ok(files)
}

#[test]
fn a_killed_recovery_after_a_kill_leaves_an_intact_file() -> Result<(), Box<dyn Error>> {
    let files = kill_a_writer_and_the_recovery(|disk| {
        let db = Db::new(Options::new().create_on(disk, spaces()).unwrap());
        Box::new(move |tag| fill(&db, tag).is_ok())
    })?;
    assert!(files > 200, "{files} files");
    Ok(())
}

/// Plain redb commits in one phase, so its newer commit is the right one if it is complete.
#[test]
fn a_killed_recovery_after_a_kill_of_plain_redb_leaves_an_intact_file() -> Result<(), Box<dyn Error>>
{
    const TABLE: TableDefinition<'static, &[u8], &[u8]> = TableDefinition::new("a");
    let files = kill_a_writer_and_the_recovery(|disk| {
        let file = redb::Database::builder().create_with_backend(disk).unwrap();
        let fill = move |tag: u8| {
            let tx = file.begin_write()?;
            for key in 0..40u8 {
                tx.open_table(TABLE)?.insert(&[key][..], &vec![tag; usize::from(key) * 50][..])?;
            }
            Ok::<_, redb::Error>(tx.commit()?)
        };
        Box::new(move |tag| fill(tag).is_ok())
    })?;
    assert!(files > 200, "{files} files");
    Ok(())
}

/// After a failed commit, other transactions fail as well. Nothing hangs or panics.
#[test]
fn after_a_failed_commit_nothing_is_written_until_it_is_opened_again() -> Result<(), Box<dyn Error>>
{
    let disk = Disk::new(Vec::new());
    let db = Db::new(Options::new().create_on(disk.clone(), spaces())?);
    fill(&db, 1)?;
    let before = contents(&db)?;
    disk.fail_after(0);
    for mode in [Mode::Write, Mode::Optimistic, Mode::Write] {
        let outcome = db.begin(mode).and_then(|mut tx| {
            tx.put(A, b"new", b"")?;
            tx.commit()
        });
        assert!(outcome.is_err());
    }
    disk.0.fails_at.store(u64::MAX, Ordering::SeqCst);
    let left = disk.0.synced.lock().unwrap().clone();
    let db = Db::new(Options::new().create_on(Disk::new(left), spaces())?);
    assert_eq!(contents(&db)?, before);
    Ok(())
}

#[test]
fn commits_that_wait_share_a_sync() -> Result<(), Box<dyn Error>> {
    const THREADS: u8 = 4;
    const ROUNDS: u8 = 10;
    let mut disk = Disk::new(Vec::new());
    Arc::get_mut(&mut disk.0).ok_or("shared")?.sync_takes = Duration::from_millis(5);
    let db = Db::new(Options::new().create_on(disk.clone(), spaces())?);
    let one_by_one = {
        let before = disk.0.syncs.load(Ordering::SeqCst);
        db.write(|tx| tx.put(A, b"one", b""))?;
        disk.0.syncs.load(Ordering::SeqCst) - before
    };
    let before = disk.0.syncs.load(Ordering::SeqCst);
    let revision = db.read()?.revision();
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        let threads: Vec<_> = (0..THREADS)
            .map(|thread| {
                let db = &db;
                scope.spawn(move || {
                    (0..ROUNDS).try_for_each(|round| {
                        db.optimistic(1, |tx| tx.put(A, &[thread, round], b"row"))
                    })
                })
            })
            .collect();
        for thread in threads {
            thread.join().map_err(|_| "a thread panicked")??;
        }
        Ok(())
    })?;
    let commits = u64::from(THREADS) * u64::from(ROUNDS);
    let syncs = disk.0.syncs.load(Ordering::SeqCst) - before;
    assert!(syncs < commits * one_by_one, "{commits} commits took {syncs} syncs");
    assert_eq!(db.read()?.revision().0, revision.0 + commits, "each commit has its number");
    // Each commit was acknowledged after its sync.
    let left = disk.0.synced.lock().unwrap().clone();
    let db = Db::new(Options::new().create_on(Disk::new(left), spaces())?);
    let rows = db.read()?.rows(A, KeyRange::all())?.to_vec()?;
    assert_eq!(rows.len() as u64, commits + 1);
    Ok(())
}

#[test]
fn a_disk_that_may_not_be_written_is_read_only() {
    let mut disk = Disk::new(Vec::new());
    Arc::get_mut(&mut disk.0).unwrap().kind = io::ErrorKind::ReadOnlyFilesystem;
    disk.fail_after(0);
    let error = Options::new().create_on(disk, spaces()).err().unwrap();
    assert_eq!(error.kind(), StoreErrorKind::ReadOnly);
    let full = Disk::new(Vec::new());
    full.fail_after(0);
    let error = Options::new().create_on(full, spaces()).err().unwrap();
    assert_eq!(error.kind(), StoreErrorKind::Backend { engine: "redb" });
    let source = error.source().and_then(|source| source.downcast_ref::<io::Error>()).unwrap();
    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
}
