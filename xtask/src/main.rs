//! Commands for developers: `cargo xtask test` is the gate, locally and in CI.
#![expect(clippy::print_stderr, reason = "this is a command-line program")]

mod gate;
mod screenshots;
mod tidy;

use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask <command>

commands:
  test    run everything that must pass: format, lints, workspace rules, features, tests,
          documentation, proofs, a short fuzz run
  quick   run format, lints, workspace rules, unit tests and proofs
  tidy    check the workspace rules alone
  fuzz    fuzz for ten minutes with libFuzzer; needs Linux and a C++ compiler
  agree   compare the prover with the oracle on 1,000,000 layouts; `--seed S --layouts N` for a part,
          `--pairs` for `diff` on pairs of layouts, `--moves` for migrations
  soak    kill writing processes, damage files and check what is left: five minutes, or
          `soak SECONDS`
  cluster postgres|cockroach|tikv
          kill servers for longer than `test` does; run the rules on CockroachDB, which
          `KEYSCAPE_COCKROACH` names, or on PD and unistore, which Go builds
  editors test the VS Code extension; needs Node.js
  load    load pages of the explorer with 200 readers while a writer commits: `load SECONDS`
  screenshots
          make the pictures of the README; needs Chromium
  package make and build the packages of all published crates; `--no-verify` only makes them
  bench   compare with hand-written code and other libraries; `--only PART` for a part";

fn main() -> ExitCode {
    if std::env::var_os(gate::AS_RUSTDOC).is_some() {
        return gate::rustdoc().map_or(ExitCode::FAILURE, |()| ExitCode::SUCCESS);
    }
    let command = std::env::args().nth(1);
    let options: Vec<String> = std::env::args().skip(2).collect();
    let outcome = match command.as_deref() {
        Some("test") => gate::test(),
        Some("quick") => gate::quick(),
        Some("tidy") => tidy::check(),
        Some("fuzz") => gate::fuzz(),
        Some("agree") => gate::agree(&options),
        Some("soak") => gate::soak(options.first().map_or("300", String::as_str)),
        Some("cluster") => gate::cluster(options.first().map_or("", String::as_str)),
        Some("editors") => gate::editors(),
        Some("load") => gate::load(options.first().map_or("30", String::as_str)),
        Some("screenshots") => screenshots::make(),
        Some("package") => gate::package(&options),
        Some("bench") => gate::bench(&options),
        Some("help" | "--help" | "-h") => {
            eprintln!("{USAGE}");
            return ExitCode::SUCCESS;
        }
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
