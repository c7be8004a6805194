//! Runs the fuzz targets: `--seconds N` (the total time), `--seed N`, `--target NAME`. `--file
//! PATH` prints the cost of checking one layout instead. `--worst PATH` saves the slowest input of
//! the run. `--guided PROGRAM` leaves the choice of inputs to that build of `testing/fuzz/guided`.
#![expect(clippy::print_stdout, reason = "this is a command-line program")]

use allocation_counter::measure;
use keyscape_fuzz::{Mutator, TARGETS, Target};
use keyscape_layout::{NoImports, read};
use keyscape_prover::Verdict;
use std::{
    fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::Path,
    process::{Command, ExitCode},
    time::{Duration, Instant},
};

fn main() -> ExitCode {
    let mut seconds = 30;
    let mut seed = 1;
    let mut only = None;
    let mut worst_path = None;
    let mut guided = None;
    let mut args = std::env::args().skip(1);
    while let Some(name) = args.next() {
        let value = args.next().unwrap_or_default();
        match (name.as_str(), value.parse()) {
            ("--seconds", Ok(number)) => seconds = number,
            ("--seed", Ok(number)) => seed = number,
            ("--target", _) => only = Some(value),
            ("--worst", _) => worst_path = Some(value),
            ("--guided", _) => guided = Some(value),
            ("--file", _) => return measure_file(&value),
            _ => {
                println!(
                    "usage: keyscape-fuzz [--seconds N] [--seed N] [--target NAME] [--worst PATH] [--guided PROGRAM] [--file PATH]"
                );
                return ExitCode::from(2);
            }
        }
    }
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|t| only.as_ref().is_none_or(|name| name == t.name)).collect();
    if chosen.is_empty() {
        println!("`{}` is not a target", only.unwrap_or_default());
        return ExitCode::from(2);
    }
    let share = Duration::from_secs(seconds) / chosen.len() as u32;
    let mut failed = 0;
    for target in &chosen {
        if let Some(program) = &guided {
            if let Err(error) = run_guided(program, target, share) {
                failed += 1;
                println!("{}: {error}", target.name);
            }
            continue;
        }
        match fuzz(target, share, seed) {
            Ok(run) => {
                let Run { inputs, slowest, peak, worst } = run;
                let (ms, mib) = (slowest.as_millis(), peak >> 20);
                println!(
                    "{}: {inputs} inputs, no finding; slowest {ms} ms, peak {mib} MiB",
                    target.name
                );
                if let Some(path) = &worst_path
                    && let Err(error) = fs::write(path, worst)
                {
                    println!("{path}: {error}");
                }
            }
            Err(input) => {
                failed += 1;
                println!("{}: FINDING, input in hexadecimal:", target.name);
                println!("{}", input.iter().map(|b| format!("{b:02x}")).collect::<String>());
                println!("as text: {:?}", String::from_utf8_lossy(&input));
            }
        }
    }
    println!("{} passed, {failed} failed", chosen.len() - failed);
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Fuzzes a target with libFuzzer. Its inputs stay in `target/fuzz`, and a later run reuses them.
fn run_guided(program: &str, target: &Target, time: Duration) -> Result<(), String> {
    let inputs = Path::new("target/fuzz").join(target.name);
    fs::create_dir_all(&inputs).map_err(|error| format!("{}: {error}", inputs.display()))?;
    for (number, seed) in (target.seeds)().iter().enumerate() {
        let file = inputs.join(format!("seed-{number}"));
        fs::write(&file, seed).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let mut command = Command::new(program);
    command.env("KEYSCAPE_FUZZ", target.name).arg(&inputs);
    command.arg(format!("-max_total_time={}", time.as_secs().max(1)));
    command.arg(format!("-artifact_prefix=target/fuzz/{}-finding-", target.name));
    command.args(["-max_len=4096", "-timeout=60", "-rss_limit_mb=4096", "-print_final_stats=1"]);
    let status = command.status().map_err(|error| format!("{program}: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("FINDING ({status}); see target/fuzz")) }
}

/// Prints the cost of checking a layout.
fn measure_file(path: &str) -> ExitCode {
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            println!("{path}: {error}");
            return ExitCode::from(2);
        }
    };
    let start = Instant::now();
    let (cost, report) = keyscape_fuzz::cost::of_layout(&text);
    let ms = start.elapsed().as_millis();
    if let Err(rejected) = read("cost.keys", &text, &mut NoImports) {
        let first = rejected.diagnostics.first().map_or("", |first| &first.message);
        println!("{path}: rejected: {first}");
    }
    let count = |test: fn(&Verdict) -> bool| report.as_ref().map_or(0, |report| report.count(test));
    println!(
        "{path}: {ms} ms, {} units, {} allocations, peak {} MiB; {} proved, {} refuted, {} unknown",
        cost.units,
        cost.allocations,
        cost.peak >> 20,
        count(|verdict| matches!(verdict, Verdict::Proved)),
        count(|verdict| matches!(verdict, Verdict::Refuted(_))),
        count(|verdict| matches!(verdict, Verdict::Unknown(_))),
    );
    ExitCode::SUCCESS
}

/// The statistics of a run.
#[derive(Default)]
struct Run {
    inputs: u64,
    slowest: Duration,
    /// The highest number of bytes that one input had allocated at one time.
    peak: u64,
    /// The slowest input.
    worst: Vec<u8>,
}

impl Run {
    /// Runs an input. Returns whether it is the slowest so far.
    fn input(&mut self, target: &Target, input: &[u8]) -> Result<bool, Vec<u8>> {
        let start = Instant::now();
        let mut outcome = Ok(());
        let info = measure(|| outcome = run(target, input));
        outcome?;
        let time = start.elapsed();
        self.inputs += 1;
        self.peak = self.peak.max(info.bytes_max);
        let is_slowest = time > self.slowest;
        if is_slowest {
            (self.slowest, self.worst) = (time, input.to_vec());
        }
        Ok(is_slowest)
    }
}

/// Mutates seeds and earlier inputs until the time is up.
fn fuzz(target: &Target, time: Duration, seed: u64) -> Result<Run, Vec<u8>> {
    let mut mutator = Mutator::new(seed);
    let mut pool = (target.seeds)();
    let mut seen = Run::default();
    for input in &pool {
        seen.input(target, input)?;
    }
    let seeds = pool.len();
    let start = Instant::now();
    while start.elapsed() < time {
        let other = pool[mutator.below(pool.len())].clone();
        let from = mutator.below(pool.len());
        let input = (target.mutate)(&mut mutator, &pool[from], &other);
        let is_slowest = seen.input(target, &input)?;
        // Retain some mutated inputs, because a failure can need several changes.
        if is_slowest || mutator.below(8) == 0 {
            if pool.len() < seeds + 256 {
                pool.push(input);
            } else {
                let at = seeds + mutator.below(256);
                pool[at] = input;
            }
        }
    }
    Ok(seen)
}

fn run(target: &Target, input: &[u8]) -> Result<(), Vec<u8>> {
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).map_err(|_| input.to_vec())
}
