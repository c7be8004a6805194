//! Kills a writing process at random moments. Every acknowledged commit must exist, and no commit
//! may exist in part.
//!
//! `--kills N` kills N times for each kind of work (the default is a few times), `--seconds S` for
//! S seconds; `cargo xtask soak` uses it. With `--write WORK FILE`, this program is the process
//! that is killed.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program of its own")]

mod bytes;
mod typed;

use keyscape_store::{Spaces, StoreErrorKind};
use keyscape_store_redb::{Options, Repaired, repair};
use std::{
    error::Error,
    io::{BufRead, BufReader},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

/// The first writer is exclusive, the others are concurrent.
const WRITERS: u8 = 3;
const KILLS: u64 = 5;
/// The number of kills before a new file is created. The check takes longer for a larger file.
const KILLS_OF_A_FILE: u64 = 10;
const PROGRESS: Duration = Duration::from_secs(10);
/// The maximum time for opening and repairing the file.
const PATIENCE: Duration = Duration::from_secs(60);

type Outcome = Result<(), Box<dyn Error>>;

/// A kind of rows to write, and their check.
trait Work: Sized {
    const NAME: &'static str;

    /// Creates the work on a new file.
    fn new() -> Result<Self, Box<dyn Error>>;

    /// Returns the spaces of the file.
    fn spaces() -> Result<Spaces, Box<dyn Error>>;

    /// Creates the file.
    fn create(file: &Path) -> Outcome;

    /// Commits with all writers, and prints each acknowledged commit: `WRITER NUMBER.`, where the
    /// number counts the commits of the writer.
    fn write_until_killed(file: &Path) -> Outcome;

    /// Checks that each writer has at least as many commits as acknowledged, each of them complete.
    fn check(&mut self, file: &Path, acknowledged: &[u64]) -> Outcome;
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().collect();
    let after = |name: &str, far: usize| {
        let place = args.iter().position(|arg| arg == name)?;
        args.get(place + far)
    };
    let number = |name| after(name, 1).and_then(|given| given.parse::<u64>().ok());
    let limit = match (number("--kills"), number("--seconds")) {
        (None, Some(seconds)) => Limit::Time(Duration::from_secs(seconds)),
        (kills, _) => Limit::Kills(kills.unwrap_or(KILLS)),
    };
    let outcome = match (after("--write", 1), after("--write", 2)) {
        (Some(work), Some(file)) if work == bytes::Bytes::NAME => {
            bytes::Bytes::write_until_killed(Path::new(file))
        }
        (Some(_), Some(file)) => typed::Typed::write_until_killed(Path::new(file)),
        _ => kill::<bytes::Bytes>(limit).and_then(|()| kill::<typed::Typed>(limit)),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("crash: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The condition that ends the test.
#[derive(Clone, Copy)]
enum Limit {
    Kills(u64),
    Time(Duration),
}

/// Runs a function for all writers concurrently.
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

fn kill<W: Work>(limit: Limit) -> Outcome {
    let (begin, mut reported) = (Instant::now(), Instant::now());
    let (mut kills, mut unclean, mut commits) = (0, 0, 0);
    let is_over = |kills| match limit {
        Limit::Kills(most) => kills >= most,
        Limit::Time(time) => kills > 0 && begin.elapsed() >= time,
    };
    while !is_over(kills) {
        let folder = tempfile::tempdir()?;
        let mut run = Run::<W>::begin(folder.path().join("crash.redb"))?;
        for _ in 0..KILLS_OF_A_FILE {
            if is_over(kills) {
                break;
            }
            unclean += u64::from(run.round(kills)?);
            kills += 1;
            if reported.elapsed() >= PROGRESS {
                reported = Instant::now();
                eprintln!("crash: {}: {kills} kills in {} s", W::NAME, begin.elapsed().as_secs());
            }
        }
        assert!(run.acknowledged.iter().all(|number| *number > 0), "a writer never wrote");
        commits += run.acknowledged.iter().sum::<u64>();
    }
    assert!(unclean > 0, "no kill left the file unclean");
    println!(
        "crash: {}: {kills} kills in {:.1} s, {unclean} left the file unclean, all {commits} acknowledged commits are there",
        W::NAME,
        begin.elapsed().as_secs_f64()
    );
    Ok(())
}

/// A file whose writers are killed repeatedly.
struct Run<W> {
    work: W,
    file: PathBuf,
    acknowledged: [u64; WRITERS as usize],
}

impl<W: Work> Run<W> {
    fn begin(file: PathBuf) -> Result<Self, Box<dyn Error>> {
        W::create(&file)?;
        Ok(Run { work: W::new()?, file, acknowledged: [0; WRITERS as usize] })
    }

    /// Kills once, and returns whether the file needed a repair.
    fn round(&mut self, round: u64) -> Result<bool, Box<dyn Error>> {
        let file = &self.file;
        let mut child = Command::new(std::env::current_exe()?)
            .args(["--write", W::NAME])
            .arg(file)
            .stdout(Stdio::piped())
            .spawn()?;
        let output = child.stdout.take().ok_or("no output of the writer")?;
        let (send, lines) = mpsc::channel();
        let reader = thread::spawn(move || {
            let lines = BufReader::new(output).lines().map_while(Result::ok);
            // A line that the kill truncated is not an acknowledgement.
            lines.filter_map(|line| acknowledgement(&line)).try_for_each(|line| send.send(line))
        });
        // The first line shows that the file is open.
        let first = lines.recv_timeout(PATIENCE)?;
        // The delay differs from round to round.
        thread::sleep(Duration::from_millis(round * 7919 % 400));
        let busy = Options::new().open(file, W::spaces()?).map(drop).map_err(|error| error.kind());
        assert_eq!(busy, Err(StoreErrorKind::Busy), "a file that is open elsewhere");
        child.kill()?;
        child.wait()?;
        reader.join().map_err(|_| "the reader panicked")??;
        for (writer, number) in std::iter::once(first).chain(lines) {
            self.acknowledged[writer] = number;
        }
        let unclean = needs_repair::<W>(file)?;
        self.work.check(file, &self.acknowledged)?;
        Ok(unclean)
    }
}

/// Checks that the file cannot be opened for reading after a kill, and that the error names the
/// remedy.
fn needs_repair<W: Work>(file: &Path) -> Result<bool, Box<dyn Error>> {
    let Err(error) = Options::new().open_read_only(file, W::spaces()?) else { return Ok(false) };
    assert_eq!(error.kind(), StoreErrorKind::NeedsRepair, "{error}");
    assert!(error.to_string().contains(&format!("keyscape repair {}", file.display())));
    assert_eq!(repair(file)?, Repaired::Restored);
    Ok(true)
}
