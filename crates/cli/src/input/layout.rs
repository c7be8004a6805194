//! Layouts given on the command line: files, stdin, databases that store one, or git commits.

use super::address;
use crate::{
    database::{engine, saved_bundle},
    failure::Failure,
};
use keyscape_diagnostics::file::{self, LayoutError};
use keyscape_layout::{Built, Diagnostic, Layout, Loader, Rejected, read_beside};
use std::{
    fs::{self, File},
    io::Read as _,
    path::{Component, Path, PathBuf},
    process::Command,
};

/// Loads a layout from an argument: a `.keys` file, `-` for stdin, a database that stores one, or
/// `git:REF:PATH`.
pub(crate) fn load(path: &Path) -> Result<Layout, Failure> {
    load_beside(&Built::default(), path)
}

/// Like [`load`], but shares codecs and automata with other layouts.
pub(crate) fn load_beside(built: &Built, path: &Path) -> Result<Layout, Failure> {
    address::check(path).map_err(|(problem, help)| Failure::input(problem, help))?;
    if let Some(argument) = path.to_str().and_then(|path| path.strip_prefix("git:")) {
        return load_commit(built, argument);
    }
    if is_database(path) { load_saved(built, path) } else { Ok(file::open_beside(built, path)?) }
}

/// Reads a text file, or stdin. Returns its name for messages, and its text.
pub(crate) fn read_text(path: &Path) -> Result<(String, String), LayoutError> {
    let (name, bytes) = match file::is_stdin(path) {
        true => (file::STDIN.to_owned(), file::stdin_bytes()?),
        false => (path.display().to_string(), file::read_bytes(path)?),
    };
    let text = file::text_of(&name, &bytes).map_err(LayoutError::Rejected)?;
    Ok((name, text))
}

/// Returns the error of a text with mistakes.
pub(crate) fn rejected(name: &str, text: &str, diagnostics: Vec<Diagnostic>) -> LayoutError {
    LayoutError::Rejected(Box::new(Rejected::of_file(name, text, diagnostics)))
}

/// Loads the layout that a database stores.
pub(crate) fn load_saved(built: &Built, path: &Path) -> Result<Layout, Failure> {
    let bundle = saved_bundle(path)?;
    Ok(file::read_bundle(built, &engine::without_password(path), &bundle)?)
}

/// Whether a name is the address of a server, or a file begins like a database.
pub(crate) fn is_database(path: &Path) -> bool {
    if engine::server(path).is_some() {
        return true;
    }
    // The bytes of a pipe can be read only once.
    if !fs::metadata(path).is_ok_and(|kind| kind.is_file()) {
        return false;
    }
    let mut start = [0; 4];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| start == *b"redb")
}

/// Returns the error of a command that would read both its layout and other input from stdin.
pub(crate) fn stdin_twice(what: &str) -> Failure {
    let message = format!("stdin cannot be both the layout and {what}");
    Failure::input(message, "use a file for the layout")
}

/// Loads a layout of a git commit: `REF:PATH`.
fn load_commit(built: &Built, argument: &str) -> Result<Layout, Failure> {
    let (commit, path) = argument
        .split_once(':')
        // git would take a name that begins with `-` for an option.
        .filter(|(commit, path)| !commit.is_empty() && !commit.starts_with('-') && !path.is_empty())
        .ok_or_else(|| {
            Failure::input(
                format!("`git:{argument}` is not of the form `git:REF:PATH`"),
                "write a commit and a file, such as `git:main:shop.keys`",
            )
        })?;
    let mut loader = Commit { commit: commit.to_owned() };
    let bytes = loader.show(path).map_err(|reason| {
        Failure::input(
            format!("cannot read `{path}` of `{commit}`: {reason}"),
            "the path is relative to the current directory",
        )
    })?;
    let text = file::text_of(argument, &bytes).map_err(LayoutError::Rejected)?;
    let layout = read_beside(built, argument, &text, &mut loader);
    Ok(layout.map_err(|rejected| LayoutError::Rejected(Box::new(rejected)))?)
}

/// The files of a git commit.
struct Commit {
    commit: String,
}

impl Commit {
    /// Returns the contents of a file, whose path is relative to the current directory.
    fn show(&self, path: &str) -> Result<Vec<u8>, String> {
        let object = match Path::new(path).is_absolute() {
            true => format!("{}:{path}", self.commit),
            false => format!("{}:./{path}", self.commit),
        };
        let output = Command::new("git").args(["show", &object]).output();
        let output = output.map_err(|error| format!("cannot run git: {error}"))?;
        if output.status.success() {
            return Ok(output.stdout);
        }
        let reason = String::from_utf8_lossy(&output.stderr);
        let line = reason.lines().next().unwrap_or("git failed");
        Err(line.trim_start_matches("fatal: ").to_owned())
    }
}

impl Loader for Commit {
    fn load(&mut self, path: &str, from: &str) -> Result<(String, Vec<u8>), String> {
        let from = from.strip_prefix(&format!("{}:", self.commit)).unwrap_or(from);
        let folder = Path::new(from).parent().unwrap_or(Path::new(""));
        let found = normal(&folder.join(path));
        let bytes = self.show(&found)?;
        Ok((format!("{}:{found}", self.commit), bytes))
    }
}

/// Returns a path without `.` and `..` where possible, which git does not resolve everywhere. A
/// file that is imported twice has one name then.
fn normal(path: &Path) -> String {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if normal.file_name().is_some() => {
                normal.pop();
            }
            part => normal.push(part),
        }
    }
    normal.display().to_string()
}
