//! Runs the fuzz targets for some seconds: `--seconds N` (in all), `--seed N`, `--target NAME`.
#![expect(clippy::print_stdout, reason = "this is a command-line program")]

use keyscape_fuzz::{Mutator, TARGETS, Target};
use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    process::ExitCode,
    time::{Duration, Instant},
};

fn main() -> ExitCode {
    let mut seconds = 30;
    let mut seed = 1;
    let mut only = None;
    let mut args = std::env::args().skip(1);
    while let (Some(name), Some(value)) = (args.next(), args.next()) {
        match name.as_str() {
            "--seconds" => seconds = value.parse().unwrap_or(seconds),
            "--seed" => seed = value.parse().unwrap_or(seed),
            "--target" => only = Some(value),
            _ => {
                println!("usage: keyscape-fuzz [--seconds N] [--seed N] [--target NAME]");
                return ExitCode::from(2);
            }
        }
    }
    let chosen: Vec<&Target> =
        TARGETS.iter().filter(|t| only.as_ref().is_none_or(|name| name == t.name)).collect();
    let share = Duration::from_secs(seconds) / chosen.len().max(1) as u32;
    let mut failed = 0;
    for target in &chosen {
        match fuzz(target, share, seed) {
            Ok(runs) => println!("{}: {runs} inputs, no finding", target.name),
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

/// Mutates seeds, and now and then an input made before, until the time is up.
fn fuzz(target: &Target, time: Duration, seed: u64) -> Result<u64, Vec<u8>> {
    let mut mutator = Mutator::new(seed);
    let mut pool = (target.seeds)();
    for input in &pool {
        run(target, input)?;
    }
    let seeds = pool.len();
    let start = Instant::now();
    let mut runs = seeds as u64;
    while start.elapsed() < time {
        let other = pool[mutator.below(pool.len())].clone();
        let from = mutator.below(pool.len());
        let input = mutator.mutate(&pool[from], &other);
        run(target, &input)?;
        runs += 1;
        // A random walk beside the seeds, so that several changes can add up.
        if mutator.below(8) == 0 {
            if pool.len() < seeds + 256 {
                pool.push(input);
            } else {
                let at = seeds + mutator.below(256);
                pool[at] = input;
            }
        }
    }
    Ok(runs)
}

fn run(target: &Target, input: &[u8]) -> Result<(), Vec<u8>> {
    catch_unwind(AssertUnwindSafe(|| (target.run)(input))).map_err(|_| input.to_vec())
}
