//! Finds and installs the programs that tests need.

use std::{
    env, fmt, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

/// The reason for which a server cannot be started.
#[derive(Debug)]
pub enum Missing {
    /// No directory contains `initdb`, `postgres` and `psql`.
    Programs,
    /// `chromium` or `chromedriver` is missing.
    Browser,
    /// The environment variable with the path of CockroachDB is not set.
    Cockroach,
    /// The environment variable with the programs of a TiKV cluster is not set.
    Tikv,
    /// A program failed.
    Failed {
        /// The command.
        command: String,
        /// Its output.
        output: String,
    },
    /// The file system or the network failed.
    Io(io::Error),
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Programs => f.write_str(
                "`initdb`, `postgres` and `psql` were not found; install PostgreSQL 15 or later, or put \
                 its programs on the PATH",
            ),
            Missing::Browser => f.write_str(
                "`chromium` and `chromedriver` were not found; install Chromium with its driver",
            ),
            Missing::Cockroach => {
                write!(f, "set `{}` to the path of `cockroach`", crate::cockroach::PROGRAM)
            }
            Missing::Tikv => write!(
                f,
                "`{}` is not set; run `cargo xtask cluster tikv`, which needs Go",
                crate::tikv::PROGRAMS
            ),
            Missing::Failed { command, output } => write!(f, "`{command}` failed: {output}"),
            Missing::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Missing {}

impl From<io::Error> for Missing {
    fn from(error: io::Error) -> Missing {
        Missing::Io(error)
    }
}

/// Returns the directory with the newest programs of PostgreSQL.
#[must_use]
pub fn find_postgres() -> Option<PathBuf> {
    let has_programs = |folder: &Path| {
        ["initdb", "postgres", "psql"].iter().all(|program| folder.join(program).is_file())
    };
    // The PATH may contain links to some of the programs only.
    let on_path = env::var_os("PATH").unwrap_or_default();
    let resolve_link = |folder: PathBuf| {
        let program = folder.join("initdb").canonicalize().ok()?;
        program.parent().map(Path::to_owned).filter(|folder| has_programs(folder))
    };
    if let Some(found) = env::split_paths(&on_path).find_map(resolve_link) {
        return Some(found);
    }
    // Debian keeps the programs of each version outside the PATH.
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .ok()?
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let version = entry.file_name().to_str()?.parse().ok()?;
            Some((version, entry.path().join("bin")))
        })
        .filter(|(_, folder)| has_programs(folder))
        .collect();
    versions.sort_unstable();
    versions.pop().map(|(_, folder)| folder)
}

/// Installs PostgreSQL with the packages of Debian, unless it is installed. Needs root.
///
/// # Errors
/// If the system has no `apt-get`, the user is not root, or the installation fails.
pub fn install_postgres() -> Result<PathBuf, Missing> {
    if let Some(found) = find_postgres() {
        return Ok(found);
    }
    if !install_packages(&["postgresql"])? {
        return Err(Missing::Programs);
    }
    find_postgres().ok_or(Missing::Programs)
}

/// Installs Chromium and its driver with the packages of Debian, unless both are installed. Needs
/// root.
///
/// # Errors
/// If the system has no `apt-get`, the user is not root, or the installation fails.
pub fn install_browser() -> Result<(), Missing> {
    let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
    let has_both = || has("chromedriver") && has("chromium");
    if has_both() || (install_packages(&["chromium", "chromium-driver"])? && has_both()) {
        return Ok(());
    }
    Err(Missing::Browser)
}

/// Installs packages of Debian. Returns whether the system can install packages.
fn install_packages(names: &[&str]) -> Result<bool, Missing> {
    if !is_root() || !Path::new("/usr/bin/apt-get").is_file() {
        return Ok(false);
    }
    let apt = |args: &[&str]| {
        run(Command::new("apt-get").args(args).env("DEBIAN_FRONTEND", "noninteractive"))
    };
    let install = [&["install", "--yes", "--no-install-recommends"], names].concat();
    if apt(&install).is_ok() {
        return Ok(true);
    }
    // A new machine has no list of packages.
    apt(&["update"])?;
    apt(&install)?;
    Ok(true)
}

/// Whether the process runs as root, which PostgreSQL rejects.
pub(crate) fn is_root() -> bool {
    let output = Command::new("id").arg("-u").output();
    output.is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

/// Runs a command to its end.
pub(crate) fn run(command: &mut Command) -> Result<String, Missing> {
    let output = command.output()?;
    if output.status.success() {
        return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
    }
    let output = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Missing::Failed { command: format!("{command:?}"), output })
}
