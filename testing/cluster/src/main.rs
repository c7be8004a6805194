//! `keyscape-cluster install postgres` installs the server for the tests, if it can. It is a step of
//! `cargo xtask test`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use keyscape_cluster::install_postgres;
use std::process::ExitCode;

const USAGE: &str = "usage: keyscape-cluster install postgres";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["install", "postgres"] => install(),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
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
