//! Long runs: `cargo run --release -p keyscape-oracle -- --layouts N --seed S --threads T`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a command-line program")]

use keyscape_oracle::{Compared, Words, compare_moves_seed, compare_pair_seed, compare_seed};
use std::{
    collections::{BTreeMap, BTreeSet},
    process::ExitCode,
    sync::{Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

const USAGE: &str = "usage: keyscape-oracle [--layouts N] [--seed S] [--threads T] [--show N] \
                     [--rejected] [--pairs | --moves]

Compares the prover with the oracle on the layouts of the seeds S to S + N - 1. A layout depends
on its seed alone, so a long run can be split into parts, or resumed at a later seed.
With --pairs, draws pairs of layouts instead and compares `diff` with the oracle.
With --moves, draws migrations between such pairs and compares the verdicts of KS111 to KS115.";

/// The number of seeds that a thread takes at a time.
const BLOCK: u64 = 50;
const PROGRESS: Duration = Duration::from_secs(10);

/// The kind of input to generate and compare.
#[derive(Clone, Copy)]
enum Subject {
    Layouts,
    Pairs,
    Moves,
}

/// The options of the command line.
struct Options {
    layouts: u64,
    seed: u64,
    threads: u64,
    /// The highest number of disagreements to print.
    show: u64,
    /// Whether to print drawn texts that are not layouts.
    rejected: bool,
    subject: Subject,
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let (rejected, subject) = (false, Subject::Layouts);
        let mut options =
            Self { layouts: 10_000, seed: 1, threads: 1, show: 10, rejected, subject };
        while let Some(argument) = arguments.next() {
            let number = match argument.as_str() {
                "--layouts" => &mut options.layouts,
                "--seed" => &mut options.seed,
                "--threads" => &mut options.threads,
                "--show" => &mut options.show,
                "--rejected" => {
                    options.rejected = true;
                    continue;
                }
                "--pairs" => {
                    options.subject = Subject::Pairs;
                    continue;
                }
                "--moves" => {
                    options.subject = Subject::Moves;
                    continue;
                }
                _ => return Err(format!("unknown option `{argument}`")),
            };
            let value = arguments.next().unwrap_or_default();
            *number = value.parse().map_err(|_| format!("`{argument}` needs a number"))?;
        }
        Ok(options)
    }

    fn end(&self) -> u64 {
        self.seed.saturating_add(self.layouts)
    }
}

/// The state that the threads share.
struct Run {
    options: Options,
    start: Instant,
    progress: Mutex<Progress>,
}

#[derive(Default)]
struct Progress {
    /// The first seed that no thread has taken.
    next: u64,
    /// The first seeds of the blocks in progress.
    open: BTreeSet<u64>,
    done: u64,
    rejected: u64,
    large: u64,
    failed: u64,
    /// The number of claims by rule code and outcome.
    counts: BTreeMap<(&'static str, String), u64>,
    last_shown: Duration,
}

impl Run {
    fn new(options: Options) -> Self {
        let progress = Progress { next: options.seed, ..Progress::default() };
        Self { options, start: Instant::now(), progress: Mutex::new(progress) }
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compares blocks until no seed is left.
    fn work(&self) {
        let mut words = Words::default();
        while let Some(block) = self.take() {
            let end = block.saturating_add(BLOCK).min(self.options.end());
            for seed in block..end {
                self.compare(seed, &mut words);
            }
            self.progress().open.remove(&block);
            self.show_progress();
        }
    }

    fn take(&self) -> Option<u64> {
        let mut progress = self.progress();
        let block = progress.next;
        if block >= self.options.end() {
            return None;
        }
        progress.next = block.saturating_add(BLOCK);
        progress.open.insert(block);
        Some(block)
    }

    fn compare(&self, seed: u64, words: &mut Words) {
        match self.options.subject {
            Subject::Layouts => self.record(compare_seed(seed, words), |(rule, outcome)| {
                (rule.code(), format!("{outcome:?}"))
            }),
            Subject::Pairs => self.record(compare_pair_seed(seed, words), |(rule, change)| {
                (rule.code(), format!("{change:?}"))
            }),
            Subject::Moves => self.record(compare_moves_seed(seed, words), |(claim, proved)| {
                let outcome = match proved {
                    Some(true) => "Proved",
                    Some(false) => "Refuted",
                    None => "Unknown",
                };
                (claim.code(), outcome.to_owned())
            }),
        }
    }

    fn record<A>(&self, compared: Compared<A>, named: impl Fn(A) -> (&'static str, String)) {
        let mut progress = self.progress();
        progress.done += 1;
        match compared {
            Compared::TooLarge => progress.large += 1,
            Compared::Rejected(why) => {
                progress.rejected += 1;
                if self.options.rejected {
                    println!("{why}");
                }
            }
            Compared::Agreed(agreed) => {
                for answer in agreed {
                    *progress.counts.entry(named(answer)).or_default() += 1;
                }
            }
            Compared::Disagreed(why) => {
                progress.failed += 1;
                if progress.failed <= self.options.show {
                    println!("{why}");
                }
            }
        }
    }

    fn show_progress(&self) {
        let elapsed = self.start.elapsed();
        let mut progress = self.progress();
        if elapsed < progress.last_shown + PROGRESS {
            return;
        }
        progress.last_shown = elapsed;
        let Progress { next, done, failed, .. } = *progress;
        let resume = progress.open.first().copied().unwrap_or(next);
        let (layouts, speed) = (self.options.layouts, done as f64 / elapsed.as_secs_f64());
        let left = self.options.end().saturating_sub(resume);
        eprintln!(
            "{done} of {layouts} layouts, {speed:.0} per second, {failed} disagreements; \
             resume with --seed {resume} --layouts {left}"
        );
    }

    /// Prints the totals. Returns whether no disagreement was found.
    fn finish(&self) -> bool {
        let progress = self.progress();
        for ((rule, outcome), count) in &progress.counts {
            println!("{rule} {outcome}: {count}");
        }
        let Progress { done, rejected, large, failed, .. } = *progress;
        let seconds = self.start.elapsed().as_secs_f64();
        println!(
            "{done} layouts from seed {} in {seconds:.0} s ({:.0} per second): {rejected} \
             rejected, {large} too large, {failed} disagreements",
            self.options.seed,
            done as f64 / seconds
        );
        failed == 0
    }
}

fn main() -> ExitCode {
    let options = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("error: {message}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    let run = Run::new(options);
    thread::scope(|scope| {
        for _ in 0..run.options.threads.max(1) {
            scope.spawn(|| run.work());
        }
    });
    if run.finish() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
