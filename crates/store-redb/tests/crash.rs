//! A process that writes is killed at any moment: every acknowledged commit is there, and none is
//! there in part.
//!
//! `--kills N` says how often (a few times unless told otherwise); `cargo xtask soak` does it for
//! long. With `--write FILE` this is the process that is killed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program of its own")]

use keyscape_store::{Db, KeyRange, Read, ReadExt, Spaces, StoreError, StoreErrorKind, StoreId};
use keyscape_store_redb::{Options, Repaired, repair};
use std::{
    error::Error,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, ExitCode, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

const A: StoreId = StoreId::of("a");
const B: StoreId = StoreId::of("b");
/// The first one writes alone, the others beside each other.
const WRITERS: u8 = 3;
const KILLS: u64 = 5;
/// How long a writer may take to open and repair the file.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str| {
        let place = args.iter().position(|arg| arg == name)?;
        args.get(place + 1)
    };
    let outcome = match after("--write") {
        Some(file) => write_until_killed(Path::new(file)),
        None => kill(after("--kills").and_then(|kills| kills.parse().ok()).unwrap_or(KILLS)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crash: {error}");
            ExitCode::FAILURE
        }
    }
}

fn spaces() -> Result<Spaces, Box<dyn Error>> {
    Ok(Spaces::new(["a", "b"])?)
}

/// Row `number` of a writer, the same in both stores; some values span pages.
fn row(writer: u8, number: u64) -> ([u8; 9], Vec<u8>) {
    let mut key = [writer; 9];
    key[1..].copy_from_slice(&number.to_be_bytes());
    (key, vec![number as u8; (number % 97 * 61) as usize])
}

/// How many rows a writer has: the number of its last one.
fn last(state: &dyn Read, writer: u8) -> Result<u64, StoreError> {
    let last = state.get_with(A, &[b'n', writer], |value| value.try_into().unwrap_or_default())?;
    Ok(last.map_or(0, u64::from_be_bytes))
}

fn write_until_killed(file: &Path) -> Result<(), Box<dyn Error>> {
    let db = Db::new(Options::new().open(file, spaces()?)?);
    thread::scope(|scope| {
        let db = &db;
        let writers: Vec<_> =
            (0..WRITERS).map(|writer| scope.spawn(move || write(db, writer))).collect();
        for writer in writers {
            writer.join().map_err(|_| "a writer panicked")??;
        }
        Ok(())
    })
}

fn write(db: &Db, writer: u8) -> Result<(), StoreError> {
    loop {
        let run = |tx: &mut keyscape_store::Tx<'_>| {
            let number = last(tx, writer)? + 1;
            let (key, value) = row(writer, number);
            tx.put(A, &key, &value)?;
            tx.put(B, &key, &value)?;
            tx.put(A, &[b'n', writer], &number.to_be_bytes())?;
            Ok::<u64, StoreError>(number)
        };
        let number = if writer == 0 { db.write(run)? } else { db.optimistic(100, run)? };
        // Only what has been returned is acknowledged. A line is written at once.
        println!("{writer} {number}.");
    }
}

fn acknowledgement(line: &str) -> Option<(usize, u64)> {
    let (writer, rest) = line.split_once(' ')?;
    let number = rest.strip_suffix('.')?;
    Some((writer.parse().ok()?, number.parse().ok()?))
}

fn kill(kills: u64) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("crash.redb");
    drop(Options::new().create(&file, spaces()?)?);
    let mut acknowledged = [0; WRITERS as usize];
    let mut unclean = 0;
    for round in 0..kills {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("--write")
            .arg(&file)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no output of the writer")?;
        let (send, lines) = mpsc::channel();
        let reader = thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // A line that the kill cut short is no acknowledgement.
            lines.filter_map(|line| acknowledgement(&line)).try_for_each(|line| send.send(line))
        });
        // It has opened the file when it has written something.
        let first = lines.recv_timeout(PATIENCE)?;
        // Moments that differ from round to round; when exactly is up to the machine.
        thread::sleep(Duration::from_millis(round * 7919 % 400));
        let busy = Options::new().open(&file, spaces()?).map(drop).map_err(|error| error.kind());
        assert_eq!(busy, Err(StoreErrorKind::Busy), "a file that is open elsewhere");
        child.kill()?;
        child.wait()?;
        reader.join().map_err(|_| "the reader panicked")??;
        for (writer, number) in std::iter::once(first).chain(lines) {
            acknowledged[writer] = number;
        }
        unclean += u64::from(needs_repair(&file)?);
        check(&file, &acknowledged)?;
    }
    assert!(acknowledged.iter().all(|number| *number > 0), "a writer never wrote");
    assert!(unclean > 0, "no kill left the file unclean");
    println!("crash: {kills} kills, {acknowledged:?} acknowledged commits are there");
    Ok(())
}

/// After a kill the file cannot be read as it is, and the error says what to do.
fn needs_repair(file: &Path) -> Result<bool, Box<dyn Error>> {
    let Err(error) = Options::new().open_read_only(file, spaces()?) else { return Ok(false) };
    assert_eq!(error.kind(), StoreErrorKind::NeedsRepair, "{error}");
    assert!(error.to_string().contains(&format!("keyscape repair {}", file.display())));
    assert_eq!(repair(file)?, Repaired::Restored);
    Ok(true)
}

fn check(file: &Path, acknowledged: &[u64]) -> Result<(), Box<dyn Error>> {
    let db = Db::new(Options::new().open(file, spaces()?)?);
    let state = db.read()?;
    for (writer, acknowledged) in (0..WRITERS).zip(acknowledged) {
        let last = last(&state, writer)?;
        assert!(
            last >= *acknowledged,
            "writer {writer}: {acknowledged} acknowledged, {last} there"
        );
        for store in [A, B] {
            let mut rows = state.rows(store, KeyRange::prefix(&[writer]))?;
            for number in 1..=last {
                let (key, value) = row(writer, number);
                let found = rows.next()?.ok_or("a row of a commit is not there")?;
                assert_eq!((found.key, found.value), (&key[..], &value[..]));
            }
            assert_eq!(rows.next()?, None, "a row of no commit is there");
        }
    }
    Ok(())
}
