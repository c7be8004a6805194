//! The gate: the steps of `cargo xtask test` and `cargo xtask quick`, and the long runs.

use crate::tidy;
use std::{
    collections::BTreeSet,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

/// The feature sets to check, without the default features: those of the published crates.
const FEATURES: &[(&str, &[&str])] = &[
    (
        "keyscape",
        &[
            "",
            "macros",
            "runtime",
            "json",
            "proto",
            "json,proto",
            "macros,runtime",
            "macros,json",
            "macros,proto",
            "macros,json,proto",
            "migrate",
            "macros,migrate",
            "serde",
            "macros,runtime,serde",
        ],
    ),
    ("keyscape-runtime", &["", "json", "proto", "json,proto"]),
    ("keyscape-keys", &["", "serde"]),
    ("keyscape-macros", &["", "access", "access,json", "access,proto"]),
    ("keyscape-store-postgres", &[""]),
    // A user builds the program of the README without the other packages of the workspace.
    ("keyscape-example-shop", &[""]),
];

const TEST: &[&str] =
    &["test", "--workspace", "--all-features", "--locked", "--quiet", "--no-fail-fast"];

/// Builds the libraries and programs that the tests use.
const PROGRAMS: &[&str] =
    &["build", "--profile", "test", "--workspace", "--all-features", "--locked", "--quiet"];

/// Runs everything that must pass before a change lands.
///
/// There is one build: clippy compiles the tests, the proofs and the fuzz run use the programs of
/// the tests, and rustdoc checks the documentation when it runs the documentation tests. Separate
/// commands would compile all crates and their dependencies once more for the lints and once more
/// for the documentation.
pub(crate) fn test() -> Result<(), String> {
    let mut gate = Gate::start();
    gate.cargo("format", FORMAT);
    gate.step("workspace rules", tidy::check);
    gate.step("servers", || install("postgres"));
    gate.step("browser", || install("browser"));
    gate.step("lints", || build_with_lints(TEST, &["--no-run"]));
    gate.step("tests", || run(linted(TEST).args(["--lib", "--bins", "--tests"])));
    gate.step("documentation", documentation);
    gate.step("features", features);
    gate.step("proofs", proofs);
    gate.step("fuzz", || run_built("keyscape-fuzz", &["--seconds", "10"]));
    gate.finish()
}

/// Runs the fast part of the gate, with the libraries of the gate: no integration tests, cargo
/// examples and their lints, no documentation, feature sets or fuzzing.
pub(crate) fn quick() -> Result<(), String> {
    let mut gate = Gate::start();
    gate.cargo("format", FORMAT);
    gate.step("workspace rules", tidy::check);
    gate.step("lints", || build_with_lints(PROGRAMS, &[]));
    gate.step("lints of unit tests", || build_with_lints(TEST, &["--lib", "--bins", "--no-run"]));
    gate.step("unit tests", || run(linted(TEST).args(["--lib", "--bins"])));
    gate.step("proofs", proofs);
    gate.finish()
}

const FORMAT: &[&str] = &["fmt", "--all", "--check"];

/// Returns a cargo command that compiles the crates of the workspace with clippy.
fn linted(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO"));
    command.args(args).env("RUSTC_WORKSPACE_WRAPPER", tool("clippy-driver"));
    command
}

/// Returns the path of a program of the tool-chain that runs this program.
fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO")).with_file_name(name)
}

/// Runs a build, and fails if the compiler or a lint has a warning. Warnings do not stop the build,
/// so the tests can run after them.
fn build_with_lints(command: &[&str], options: &[&str]) -> Result<(), String> {
    let mut build = linted(command);
    build.args(options).args(["--message-format", "json-diagnostic-rendered-ansi"]);
    let output = build.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
    let mut shown = BTreeSet::new();
    for line in output.stdout.split(|&byte| byte == b'\n') {
        let Ok(message) = serde_json::from_slice::<serde_json::Value>(line) else { continue };
        // A library and its unit tests have the same warnings.
        if let Some(text) = message["message"]["rendered"].as_str()
            && shown.insert(text.to_owned())
        {
            eprint!("{text}");
        }
    }
    match (output.status.success(), shown.len()) {
        (true, 0) => Ok(()),
        (true, count) => Err(format!("{count} warnings")),
        (false, _) => Err(output.status.to_string()),
    }
}

/// The counters of the code that an input reaches, as libFuzzer reads them. A stable compiler has
/// them.
const COVERAGE: &str = "-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares \
    -Ccodegen-units=1 --cfg fuzzing";

/// Fuzzes for ten minutes, guided by coverage. It needs a C++ compiler.
pub(crate) fn fuzz() -> Result<(), String> {
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let mut build = Command::new(env!("CARGO"));
    build.args(["build", "--release", "--locked", "--target", &host]);
    build.args(["--manifest-path", "testing/fuzz/guided/Cargo.toml"]);
    // Flags are for this target only, so that build scripts do not get them.
    build.args(["--target-dir", "target/guided"]).env("RUSTFLAGS", COVERAGE);
    run(&mut build)?;
    let program = format!("target/guided/{host}/release/keyscape-fuzz-guided");
    release("keyscape-fuzz", &["--seconds", "600", "--guided", &program])
}

/// Compares the prover with the oracle on random layouts, on all cores. The options replace the
/// defaults: `--seed`, `--layouts`, `--threads`.
pub(crate) fn agree(options: &[String]) -> Result<(), String> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).to_string();
    let mut args = vec!["--layouts", "1000000", "--threads", &threads];
    args.extend(options.iter().map(String::as_str));
    release("keyscape-oracle", &args)
}

/// Kills writing processes and damages files for `seconds` in all, after a release build.
pub(crate) fn soak(seconds: &str) -> Result<(), String> {
    let total: u64 =
        seconds.parse().map_err(|_| format!("soak: `{seconds}` is not a number of seconds"))?;
    // The test `crash` kills two kinds of writers and runs twice as long as the test `damage`.
    let part = (total / 3).max(1).to_string();
    for test in ["crash", "damage"] {
        let package = ["test", "--release", "--locked", "-p", "keyscape-store-redb"];
        cargo(&[&package[..], &["--test", test, "--", "--seconds", &part]].concat())?;
    }
    Ok(())
}

/// Runs the long tests with servers. A server that cannot be started is an error here.
pub(crate) fn cluster(name: &str) -> Result<(), String> {
    let postgres = ["--package", "keyscape-store-postgres", "--test", "all"];
    match name {
        // Fifty kills instead of four, and eight simulators at once instead of two.
        "postgres" => {
            run(tests(&postgres, &["--nocapture"]).env("KEYSCAPE_KILLS", "50"))?;
            let commands = ["--package", "keyscape-cli", "--test", "all"];
            run(tests(&commands, &["postgres"]).env("KEYSCAPE_SIMULATORS", "8"))
        }
        "cockroach" if std::env::var_os("KEYSCAPE_COCKROACH").is_none() => {
            Err("`KEYSCAPE_COCKROACH` is not set; set it to the path of the program `cockroach`"
                .to_owned())
        }
        "cockroach" => run(&mut tests(&postgres, &["--nocapture", "cockroach"])),
        "tikv" => tikv(),
        _ => Err("name a cluster: `postgres`, `cockroach` or `tikv`".to_owned()),
    }
}

fn tests(package: &[&str], options: &[&str]) -> Command {
    let mut tests = Command::new(env!("CARGO"));
    tests.args(["test", "--locked"]).args(package).arg("--").args(options).env("CI", "1");
    tests
}

/// Builds PD and unistore with Go, and runs the tests beside them in a network namespace, because
/// the stores listen on all addresses.
fn tikv() -> Result<(), String> {
    let programs = Path::new("target/tikv");
    std::fs::create_dir_all(programs).map_err(|error| error.to_string())?;
    let programs = programs.canonicalize().map_err(|error| error.to_string())?;
    let package = ["run", "--quiet", "--locked", "--package", "keyscape-cluster", "--"];
    run(Command::new(env!("CARGO")).args(package).args(["build", "tikv"]).arg(&programs))?;
    let engine = ["--package", "keyscape-store-tikv", "--test", "all"];
    let commands = ["--package", "keyscape-cli", "--features", "tikv", "--test", "all"];
    for (package, selected) in [(&engine[..], None), (&commands, Some("tikv"))] {
        // The namespace has no network for downloads.
        cargo(&[&["test", "--locked", "--no-run"], package].concat())?;
        let mut tests = tests(package, &["--nocapture", "--test-threads=1"]);
        tests.args(selected);
        let mut alone = Command::new("unshare");
        alone.args(["--map-root-user", "--net", "sh", "-c"]);
        alone.args(["ip link set lo up; exec \"$@\"", "sh"]).arg(tests.get_program());
        alone.args(tests.get_args()).env("CARGO_NET_OFFLINE", "true").env("CI", "1");
        run(alone.env("KEYSCAPE_TIKV_PROGRAMS", &programs))?;
    }
    Ok(())
}

/// Builds and tests the editor extension with npm.
pub(crate) fn editors() -> Result<(), String> {
    cargo(&["build", "--locked", "--package", "keyscape-cli"])?;
    for args in [["ci", "--no-audit", "--no-fund"].as_slice(), &["test"]] {
        run(Command::new("npm").args(args).current_dir("editors/vscode"))?;
    }
    Ok(())
}

/// Loads pages of the explorer with 200 readers while a writer commits.
pub(crate) fn load(seconds: &str) -> Result<(), String> {
    let package = ["run", "--release", "--locked", "-p", "keyscape-explorer"];
    cargo(&[&package[..], &["--example", "load", "--", seconds]].concat())
}

/// Packages every crate that is published, as a registry would get it. Options of `cargo package`
/// such as `--no-verify` follow.
pub(crate) fn package(options: &[String]) -> Result<(), String> {
    let metadata = tidy::metadata()?;
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    let mut args = vec!["package", "--locked"];
    for package in packages.iter().filter(|package| tidy::is_published(package)) {
        args.extend(["--package", package["name"].as_str().unwrap_or_default()]);
    }
    args.extend(options.iter().map(String::as_str));
    cargo(&args)
}

/// Installs programs for the tests if they are missing and can be installed.
fn install(programs: &str) -> Result<(), String> {
    let package = ["run", "--quiet", "--locked", "--package", "keyscape-cluster", "--"];
    cargo(&[&package[..], &["install", programs]].concat())
}

/// Runs the benchmarks, with `servers` those on PostgreSQL. They are a workspace of their own,
/// because only they need rival libraries.
pub(crate) fn bench(options: &[String]) -> Result<(), String> {
    let (program, options) = match options {
        [first, options @ ..] if first == "servers" => ("servers", options),
        options => ("bench", options),
    };
    let mut args = vec!["run", "--quiet", "--release", "--locked", "--bin", program];
    args.extend(["--manifest-path", "bench/Cargo.toml", "--"]);
    args.extend(options.iter().map(String::as_str));
    cargo(&args)
}

/// A run of several steps. A failed step does not stop the steps after it.
struct Gate {
    start: Instant,
    failures: Vec<String>,
}

impl Gate {
    fn start() -> Self {
        Gate { start: Instant::now(), failures: Vec::new() }
    }

    fn cargo(&mut self, name: &str, args: &[&str]) {
        self.step(name, || cargo(args));
    }

    fn step(&mut self, name: &str, run: impl FnOnce() -> Result<(), String>) {
        eprintln!("== {name} ({} s)", self.start.elapsed().as_secs());
        if let Err(error) = run() {
            eprintln!("error: {name}: {error}");
            self.failures.push(format!("{name}: {error}"));
        }
    }

    fn finish(self) -> Result<(), String> {
        let seconds = self.start.elapsed().as_secs();
        if self.failures.is_empty() {
            eprintln!("all passed in {seconds} s");
            return Ok(());
        }
        Err(format!("failed after {seconds} s:\n{}", self.failures.join("\n")))
    }
}

/// Checks every feature set that users can select.
fn features() -> Result<(), String> {
    let mut failures = Vec::new();
    for (package, sets) in FEATURES {
        for set in *sets {
            let args = ["check", "--quiet", "--locked", "--package", package];
            let features = ["--no-default-features", "--features", set];
            if cargo(&[&args[..], &features].concat()).is_err() {
                failures.push(format!("`{package}` with the features `{set}`"));
            }
        }
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join(", ")) }
}

/// Runs the documentation tests, with this program as rustdoc.
fn documentation() -> Result<(), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    run(linted(TEST).arg("--doc").env("RUSTDOC", program).env(AS_RUSTDOC, "1"))
}

/// Set for the calls in which this program replaces rustdoc.
pub(crate) const AS_RUSTDOC: &str = "KEYSCAPE_AS_RUSTDOC";

/// Checks the documentation of a crate, and then runs rustdoc as cargo asks for it. Cargo passes
/// the libraries that the tests have been built with, so nothing is compiled for the check.
pub(crate) fn rustdoc() -> Result<(), String> {
    let args: Vec<OsString> = std::env::args_os().skip(1).collect();
    let mut check = Command::new(tool("rustdoc"));
    let mut tests = false;
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        match arg.to_str() {
            Some("--test") => tests = true,
            Some("--test-run-directory" | "--test-args") => drop(rest.next()),
            _ => drop(check.arg(arg)),
        }
    }
    if tests {
        run(check.args(["--deny", "warnings", "--out-dir", "target/checked-documentation"]))?;
    }
    run(Command::new(tool("rustdoc")).args(args))
}

/// Proves the sound layouts with the program that users run.
fn proofs() -> Result<(), String> {
    let mut args = vec!["check".to_owned()];
    for system in tidy::entries("layouts")? {
        let layout = system.join("sound.keys");
        if layout.exists() {
            args.push(layout.display().to_string());
        }
    }
    run_built("keyscape", &args.iter().map(String::as_str).collect::<Vec<_>>())
}

/// Runs a program of the workspace that has been built.
fn run_built(name: &str, args: &[&str]) -> Result<(), String> {
    let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    run(Command::new(Path::new(&target).join("debug").join(name)).args(args))
}

/// Runs a program of the workspace with optimisation.
fn release(package: &str, args: &[&str]) -> Result<(), String> {
    let cargo_args = ["run", "--quiet", "--release", "--locked", "--package", package, "--"];
    cargo(&[&cargo_args[..], args].concat())
}

pub(crate) fn cargo(args: &[&str]) -> Result<(), String> {
    run(Command::new(env!("CARGO")).args(args))
}

pub(crate) fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let status = command.status().map_err(|error| format!("cannot run `{program}`: {error}"))?;
    if status.success() { Ok(()) } else { Err(status.to_string()) }
}
