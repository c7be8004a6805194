//! The gate: one command that runs everything.

use crate::tidy;
use std::{process::Command, time::Instant};

/// Everything that must pass before a change lands.
pub(crate) fn test() -> Result<(), String> {
    let start = Instant::now();
    cargo("format", &["fmt", "--all", "--check"])?;
    cargo(
        "lints",
        &[
            "clippy",
            "--workspace",
            "--all-targets",
            "--all-features",
            "--locked",
            "--",
            "--deny",
            "warnings",
        ],
    )?;
    // Without `json` and `proto`.
    cargo("features", &["check", "--package", "keyscape-runtime", "--locked"])?;
    step("house rules", tidy::check)?;
    cargo("tests", &["test", "--workspace", "--all-features", "--locked", "--quiet"])?;
    documentation()?;
    proofs()?;
    fuzz("20")?;
    eprintln!("all passed in {} s", start.elapsed().as_secs());
    Ok(())
}

/// Fuzzes for some seconds.
pub(crate) fn fuzz(seconds: &str) -> Result<(), String> {
    cargo(
        "fuzz",
        &[
            "run",
            "--quiet",
            "--release",
            "--locked",
            "-p",
            "keyscape-fuzz",
            "--",
            "--seconds",
            seconds,
        ],
    )
}

/// Compares the prover with the oracle on many random layouts, on all cores. Options that follow
/// replace those given here: `--seed`, `--layouts`, `--threads`.
pub(crate) fn agree(layouts: &str, options: &[String]) -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut args = vec!["run", "--quiet", "--release", "--locked", "-p", "keyscape-oracle", "--"];
    args.extend(["--layouts", layouts, "--threads", &threads]);
    args.extend(options.iter().map(String::as_str));
    cargo("oracle", &args)
}

/// Kills processes that write, and damages files, each kind for a part of the time. The build is not
/// part of it.
pub(crate) fn soak(seconds: &str) -> Result<(), String> {
    let total: u64 =
        seconds.parse().map_err(|_| format!("soak: `{seconds}` is not a number of seconds"))?;
    // Two kinds of work are killed, so that each of the three gets the same.
    let part = (total / 3).max(1).to_string();
    for (name, test) in [("kills", "crash"), ("damage", "damage")] {
        let package = ["test", "--release", "--locked", "-p", "keyscape-store-redb"];
        cargo(name, &[&package[..], &["--test", test, "--", "--seconds", &part]].concat())?;
    }
    Ok(())
}

/// Measures, in the workspace that alone knows the rival libraries.
pub(crate) fn bench() -> Result<(), String> {
    cargo(
        "bench",
        &["run", "--quiet", "--release", "--locked", "--manifest-path", "bench/Cargo.toml"],
    )
}

fn documentation() -> Result<(), String> {
    eprintln!("== documentation");
    let mut command = Command::new(env!("CARGO"));
    command.args(["doc", "--workspace", "--no-deps", "--locked", "--quiet"]);
    command.env("RUSTDOCFLAGS", "--deny warnings");
    run("documentation", &mut command)
}

/// The layouts that claim to be sound are proved by the program that users run.
fn proofs() -> Result<(), String> {
    let mut sound: Vec<String> = Vec::new();
    for system in tidy::entries("layouts")? {
        let layout = system.join("sound.keys");
        if layout.exists() {
            sound.push(layout.display().to_string());
        }
    }
    let mut args = vec!["run", "--quiet", "--release", "--locked", "--", "check"];
    args.extend(sound.iter().map(String::as_str));
    cargo("proofs", &args)
}

fn cargo(name: &str, args: &[&str]) -> Result<(), String> {
    eprintln!("== {name}");
    run(name, Command::new(env!("CARGO")).args(args))
}

fn run(name: &str, command: &mut Command) -> Result<(), String> {
    let status = command.status().map_err(|error| format!("{name}: cannot run cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err(format!("{name}: {status}")) }
}

fn step(name: &str, check: fn() -> Result<(), String>) -> Result<(), String> {
    eprintln!("== {name}");
    check()
}
