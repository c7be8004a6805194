//! Chores of the workspace: `cargo xtask test` is the gate, locally and in CI.
#![expect(clippy::print_stderr, reason = "this is a command-line program")]

mod gate;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

commands:
  test    everything that must pass: format, lints, house rules, tests, proofs, a short fuzz run
  tidy    the house rules alone
  fuzz    a longer fuzz run (ten minutes)
  agree   compare the prover with the oracle on 1,000,000 layouts; `--seed S --layouts N` for a part
  soak    kill writing processes, damage files, and check what is left: five minutes, or
          `soak SECONDS`; a release build comes first
  bench   measures against code by hand and other libraries, and keeps the record";

fn main() -> ExitCode {
    let command = std::env::args().nth(1);
    let options: Vec<String> = std::env::args().skip(2).collect();
    let outcome = match command.as_deref() {
        Some("test") => gate::test(),
        Some("tidy") => tidy::check(),
        Some("fuzz") => gate::fuzz("600"),
        Some("agree") => gate::agree("1000000", &options),
        Some("soak") => gate::soak(std::env::args().nth(2).as_deref().unwrap_or("300")),
        Some("bench") => gate::bench(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}
