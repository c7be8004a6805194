//! Damaged files: no panic escapes, a verified file returns no wrong row, and no write gives
//! damaged rows new checksums.
//!
//! Each seed reproduces one damaged file. The normal tests run some seeds; `cargo xtask soak` runs
//! this with `--seconds S`. `--seed N` runs one seed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program of its own")]
#![expect(clippy::expect_used, reason = "a test that cannot go on fails")]

mod files;
mod kinds;

use fastrand::Rng;
use files::{A, Rows, Sound, rows, spaces};
use keyscape_store::{Db, Durability, StoreErrorKind};
use keyscape_store_redb::{Options, Repaired, repair, verify};
use kinds::KINDS;
use std::{
    collections::BTreeMap,
    fs,
    panic::{self, AssertUnwindSafe},
    path::Path,
    process::ExitCode,
    sync::atomic::{AtomicU64, Ordering},
    thread,
    time::{Duration, Instant},
};

/// The number of seeds of the normal tests.
const SEEDS: u64 = 60;
/// Longer than the check of any file takes.
const PATIENCE: Duration = Duration::from_secs(120);
const PROGRESS: Duration = Duration::from_secs(10);

/// The result for a damaged file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Found {
    /// All commits exist, because the damage is in unused bytes.
    Harmless,
    /// Rejected, and restored to a commit by a repair.
    Restored,
    /// Rejected, and beyond repair.
    Refused,
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let number = |name: &str| {
        let place = args.iter().position(|arg| arg == name)?;
        args.get(place + 1)?.parse::<u64>().ok()
    };
    let (first, end, time) = match (number("--seed"), number("--seconds")) {
        (Some(seed), _) => (seed, seed + 1, None),
        (None, Some(seconds)) => (0, u64::MAX, Some(Duration::from_secs(seconds))),
        (None, None) => (0, SEEDS, None),
    };
    // redb panics on damage, which becomes an error; an escaping panic is detected below.
    panic::set_hook(Box::new(|_| {}));
    match run(first, end, time) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("damage: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(first: u64, end: u64, time: Option<Duration>) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let sound = files::all(folder.path()).map_err(|error| error.to_string())?;
    let (begin, mut reported) = (Instant::now(), Instant::now());
    static SEED: AtomicU64 = AtomicU64::new(0);
    thread::spawn(watch);
    let mut found: BTreeMap<(&str, Found), u64> = BTreeMap::new();
    let mut files = 0_u64;
    for seed in first..end {
        if time.is_some_and(|time| begin.elapsed() >= time) {
            break;
        }
        SEED.store(seed, Ordering::Relaxed);
        let (kind, outcome) = one(folder.path(), &sound, seed)?;
        *found.entry((kind, outcome)).or_default() += 1;
        files += 1;
        if reported.elapsed() >= PROGRESS {
            reported = Instant::now();
            eprintln!("damage: {files} files in {} s", begin.elapsed().as_secs());
        }
    }
    println!("damage: {files} files in {:.1} s", begin.elapsed().as_secs_f64());
    for (kind, _) in KINDS {
        let count = |outcome| found.get(&(*kind, outcome)).copied().unwrap_or_default();
        println!(
            "  {kind:30} {:6} harmless {:6} restored {:6} refused",
            count(Found::Harmless),
            count(Found::Restored),
            count(Found::Refused)
        );
    }
    let is_all_harmless = found.keys().all(|(_, outcome)| *outcome == Found::Harmless);
    if end - first > 1 && is_all_harmless {
        return Err("nothing was damaged".to_owned());
    }
    return Ok(());

    /// Ends the process if one file takes too long. An endless loop is a failure as well.
    #[expect(clippy::exit, reason = "the thread that hangs cannot be ended")]
    fn watch() {
        let mut last = (SEED.load(Ordering::Relaxed), Instant::now());
        loop {
            thread::sleep(Duration::from_secs(1));
            let seed = SEED.load(Ordering::Relaxed);
            if seed != last.0 {
                last = (seed, Instant::now());
            } else if last.1.elapsed() > PATIENCE {
                eprintln!("damage: seed {seed} hangs");
                std::process::exit(1);
            }
        }
    }
}

/// Damages one file and runs all operations on it.
fn one(folder: &Path, sound: &[Sound], seed: u64) -> Result<(&'static str, Found), String> {
    let mut random = Rng::with_seed(seed);
    let sound = &sound[random.usize(..sound.len())];
    let (kind, damage) = KINDS[random.usize(..KINDS.len())];
    let mut bytes = sound.bytes.clone();
    damage(&mut bytes, sound, &mut random);
    let case = Case { sound, bytes, file: &folder.join("damaged.redb") };
    let checked = panic::catch_unwind(AssertUnwindSafe(|| case.check()));
    let checked = checked.unwrap_or_else(|panic| {
        let words = panic.downcast_ref::<String>().map(String::as_str);
        let words = words.or_else(|| panic.downcast_ref::<&str>().copied());
        Err(format!("a panic escaped: {}", words.unwrap_or("without words")))
    });
    let left = fs::read_dir(folder).map_err(|error| error.to_string())?.count();
    let checked = checked.and_then(|found| match left {
        1 => Ok(found),
        _ => Err("a copy was left beside the file".to_owned()),
    });
    let found = checked.map_err(|error| {
        format!("seed {seed}, a file that was {}, with {kind}: {error}", sound.name)
    })?;
    Ok((kind, found))
}

struct Case<'a> {
    sound: &'a Sound,
    bytes: Vec<u8>,
    file: &'a Path,
}

impl Case<'_> {
    fn check(&self) -> Result<Found, String> {
        self.read_unverified();
        let verified = self.verify()?;
        self.write_unverified();
        self.write_verified(verified)?;
        self.repair(verified)
    }

    fn damaged(&self) {
        fs::write(self.file, &self.bytes).expect("a file");
    }

    fn is_unchanged(&self) -> bool {
        fs::read(self.file).expect("a file") == self.bytes
    }

    /// Reads without verification. The result is unspecified, but the read must end.
    fn read_unverified(&self) {
        self.damaged();
        if let Ok(opened) = Options::new().open_read_only(self.file, spaces()) {
            let _ = rows(&Db::new(opened));
        }
        let _ = Options::new().open_all_spaces(self.file);
    }

    /// Checks that a verified file contains all rows, if it can be opened.
    fn verify(&self) -> Result<bool, String> {
        self.damaged();
        let verified = verify(self.file);
        if !self.is_unchanged() {
            return Err("verifying changed the file".to_owned());
        }
        if verified.is_err() {
            return Ok(false);
        }
        match Options::new().open_read_only(self.file, spaces()) {
            Ok(opened) => {
                let rows = rows(&Db::new(opened)).map_err(|error| error.to_string())?;
                if rows != *self.sound.last() {
                    return Err("a verified file has other rows".to_owned());
                }
            }
            Err(error) if error.kind() == StoreErrorKind::NeedsRepair => {}
            Err(error) => return Err(format!("a verified file cannot be read: {error}")),
        }
        Ok(true)
    }

    fn write_unverified(&self) {
        self.damaged();
        let options = Options { verify: false, ..Options::new() };
        if let Ok(opened) = options.open(self.file, spaces()) {
            // Syncs take most of the time.
            let db = Db::new(opened).with_durability(Durability::Buffered);
            for key in [&40_u64.to_be_bytes()[..], b"", b"new"] {
                let _ = db.write(|tx| tx.put(A, key, b"new"));
                let _ = db.write(|tx| tx.delete(A, key));
            }
            let _ = rows(&db);
            let _ = db.sync();
        }
    }

    /// Checks that a damaged file is neither opened for writing nor changed.
    fn write_verified(&self, verified: bool) -> Result<(), String> {
        self.damaged();
        let opened = match Options::new().open(self.file, spaces()) {
            Ok(opened) if verified => opened,
            Ok(_) => return Err("a file that is not verified was opened to write".to_owned()),
            Err(error) if verified => return Err(format!("a verified file was refused: {error}")),
            Err(_) if self.is_unchanged() => return Ok(()),
            Err(_) => return Err("a file that was refused was changed".to_owned()),
        };
        let db = Db::new(opened);
        let mut expected = self.whole(&rows(&db).map_err(|error| error.to_string())?)?.clone();
        let neighbour = [&40_u64.to_be_bytes()[..], b"+"].concat();
        db.write(|tx| tx.put(A, &neighbour, b"new")).map_err(|error| error.to_string())?;
        expected.insert(neighbour, b"new".to_vec());
        drop(db);
        let repaired = repair(self.file).map_err(|error| format!("after a write: {error}"))?;
        if repaired != Repaired::Sound {
            return Err("a file that was written had to be repaired".to_owned());
        }
        let read = Options::new().open_read_only(self.file, spaces());
        let read = read.and_then(|opened| rows(&Db::new(opened))).map_err(|e| e.to_string())?;
        if read == expected { Ok(()) } else { Err("a write changed other rows".to_owned()) }
    }

    fn repair(&self, verified: bool) -> Result<Found, String> {
        self.damaged();
        match repair(self.file) {
            Ok(Repaired::Sound) if !verified => Err("sound, and not verified".to_owned()),
            Ok(Repaired::Sound) if !self.is_unchanged() => Err("sound, and changed".to_owned()),
            Ok(Repaired::Sound) => Ok(Found::Harmless),
            Ok(Repaired::Restored) => {
                let again = repair(self.file).map_err(|error| format!("again: {error}"))?;
                verify(self.file).map_err(|error| format!("restored, and {error}"))?;
                let read = Options::new().open_read_only(self.file, spaces());
                let read = read.and_then(|opened| rows(&Db::new(opened)));
                self.whole(&read.map_err(|error| error.to_string())?)?;
                if again == Repaired::Sound {
                    Ok(Found::Restored)
                } else {
                    Err("a restored file had to be restored again".to_owned())
                }
            }
            Err(_) if self.is_unchanged() => Ok(Found::Refused),
            Err(_) => Err("a file that was not repaired was changed".to_owned()),
        }
    }

    /// Returns the commit that has these rows.
    fn whole(&self, found: &Rows) -> Result<&Rows, String> {
        let state = self.sound.states.iter().rev().find(|state| *state == found);
        state.ok_or_else(|| "the rows are those of no commit".to_owned())
    }
}
