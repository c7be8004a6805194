//! `keyscape-cluster install postgres` installs the server for the tests, if it can. It is a step of
//! `cargo xtask test`. `keyscape-cluster run postgres COMMAND` runs a command beside a scratch
//! server, whose address is in the environment variable `KEYSCAPE_POSTGRES`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use keyscape_cluster::{Missing, Postgres, install_postgres};
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: keyscape-cluster install postgres
       keyscape-cluster run postgres COMMAND [ARGUMENT…]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["install", "postgres"] => install(),
        ["run", "postgres", command, ref args @ ..] => match run(command, args) {
            Ok(code) => code,
            Err(error) => {
                eprintln!("error: {error}");
                ExitCode::FAILURE
            }
        },
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn run(command: &str, args: &[&str]) -> Result<ExitCode, Missing> {
    let server = Postgres::start()?;
    eprintln!("{} at {}", server.version(), server.url());
    let status =
        Command::new(command).args(args).env("KEYSCAPE_POSTGRES", server.url()).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A machine without the server runs the other tests. In CI that is an error.
fn install() -> ExitCode {
    match install_postgres() {
        Ok(programs) => {
            println!("PostgreSQL: {}", programs.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("not run: tests with PostgreSQL: {error}");
            if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}
