//! `keyscape-cluster install postgres` and `install browser` install the programs for the tests, if
//! they can. Both are steps of `cargo xtask test`. `keyscape-cluster build tikv DIR` builds PD and
//! unistore with Go. `keyscape-cluster run postgres COMMAND` runs a command beside a scratch
//! server, whose address is in the environment variable `KEYSCAPE_POSTGRES`.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "this is a program")]

use keyscape_cluster::{Missing, Postgres, build_tikv, install_browser, install_postgres};
use std::path::Path;
use std::process::{Command, ExitCode};

const USAGE: &str = "usage: keyscape-cluster install postgres|browser
       keyscape-cluster build tikv DIR
       keyscape-cluster run postgres COMMAND [ARGUMENT…]";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match args[..] {
        ["install", "postgres"] => {
            installed("PostgreSQL", install_postgres().map(|folder| folder.display().to_string()))
        }
        ["install", "browser"] => {
            installed("a browser", install_browser().map(|()| "chromium".to_owned()))
        }
        ["build", "tikv", folder] => {
            done(build_tikv(Path::new(folder)).map(|()| ExitCode::SUCCESS))
        }
        ["run", "postgres", command, ref args @ ..] => done(run(command, args)),
        _ => {
            eprintln!("{USAGE}");
            ExitCode::from(2)
        }
    }
}

fn done(outcome: Result<ExitCode, Missing>) -> ExitCode {
    outcome.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::FAILURE
    })
}

fn run(command: &str, args: &[&str]) -> Result<ExitCode, Missing> {
    let server = Postgres::start()?;
    eprintln!("{} at {}", server.version(), server.url());
    let status =
        Command::new(command).args(args).env("KEYSCAPE_POSTGRES", server.url()).status()?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A machine without a program runs the other tests. In CI that is an error.
fn installed(what: &str, found: Result<String, Missing>) -> ExitCode {
    match found {
        Ok(found) => {
            println!("tests with {what}: {found}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            println!("not run: tests with {what}: {error}");
            if std::env::var_os("CI").is_some() { ExitCode::FAILURE } else { ExitCode::SUCCESS }
        }
    }
}
