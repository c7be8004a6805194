//! A process that writes is killed at any moment: every acknowledged commit is there, and none is
//! there in part.
//!
//! `--kills N` says how often for each kind of work (a few times unless told otherwise); `cargo xtask soak`
//! does it for long. With `--write WORK FILE` this is the process that is killed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program of its own")]

mod bytes;
mod typed;

use keyscape_store::{Spaces, StoreErrorKind};
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

/// The first one writes alone, the others beside each other.
const WRITERS: u8 = 3;
const KILLS: u64 = 5;
/// How long a writer may take to open and repair the file.
const PATIENCE: Duration = Duration::from_secs(60);

type Outcome = Result<(), Box<dyn Error>>;

/// What is written, and how it is looked at.
trait Work {
    const NAME: &'static str;

    /// The spaces of the file.
    fn spaces() -> Result<Spaces, Box<dyn Error>>;

    /// Makes the file.
    fn create(file: &Path) -> Outcome;

    /// Commits with all writers, and prints what is acknowledged: `WRITER NUMBER.`, where the number is that of
    /// the writer's commits.
    fn write_until_killed(file: &Path) -> Outcome;

    /// Each writer has so many commits or more, each of them whole.
    fn check(&mut self, file: &Path, acknowledged: &[u64]) -> Outcome;
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str, far: usize| {
        let place = args.iter().position(|arg| arg == name)?;
        args.get(place + far)
    };
    let kills = after("--kills", 1).and_then(|kills| kills.parse().ok()).unwrap_or(KILLS);
    let outcome = match (after("--write", 1), after("--write", 2)) {
        (Some(work), Some(file)) if work == bytes::Bytes::NAME => {
            bytes::Bytes::write_until_killed(Path::new(file))
        }
        (Some(_), Some(file)) => typed::Typed::write_until_killed(Path::new(file)),
        _ => kill(kills, bytes::Bytes)
            .and_then(|()| typed::Typed::new().and_then(|work| kill(kills, work))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crash: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a function for each writer, beside each other.
fn beside(write: impl Fn(u8) -> Outcome + Sync) -> Outcome {
    thread::scope(|scope| {
        let write = &write;
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(writer).map_err(|error| error.to_string())))
            .collect();
        for writer in writers {
            writer.join().map_err(|_| "a writer panicked")??;
        }
        Ok(())
    })
}

fn acknowledgement(line: &str) -> Option<(usize, u64)> {
    let (writer, rest) = line.split_once(' ')?;
    let number = rest.strip_suffix('.')?;
    Some((writer.parse().ok()?, number.parse().ok()?))
}

fn kill<W: Work>(kills: u64, mut work: W) -> Outcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("crash.redb");
    W::create(&file)?;
    let mut acknowledged = [0; WRITERS as usize];
    let mut unclean = 0;
    for round in 0..kills {
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--write", W::NAME])
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
        let busy = Options::new().open(&file, W::spaces()?).map(drop).map_err(|error| error.kind());
        assert_eq!(busy, Err(StoreErrorKind::Busy), "a file that is open elsewhere");
        child.kill()?;
        child.wait()?;
        reader.join().map_err(|_| "the reader panicked")??;
        for (writer, number) in std::iter::once(first).chain(lines) {
            acknowledged[writer] = number;
        }
        unclean += u64::from(needs_repair::<W>(&file)?);
        work.check(&file, &acknowledged)?;
    }
    assert!(acknowledged.iter().all(|number| *number > 0), "a writer never wrote");
    assert!(unclean > 0, "no kill left the file unclean");
    let name = W::NAME;
    println!("crash: {name}: {kills} kills, {acknowledged:?} acknowledged commits are there");
    Ok(())
}

/// After a kill the file cannot be read as it is, and the error says what to do.
fn needs_repair<W: Work>(file: &Path) -> Result<bool, Box<dyn Error>> {
    let Err(error) = Options::new().open_read_only(file, W::spaces()?) else { return Ok(false) };
    assert_eq!(error.kind(), StoreErrorKind::NeedsRepair, "{error}");
    assert!(error.to_string().contains(&format!("keyscape repair {}", file.display())));
    assert_eq!(repair(file)?, Repaired::Restored);
    Ok(true)
}
