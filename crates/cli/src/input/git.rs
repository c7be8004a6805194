//! Layouts in git commits.

use crate::{failure::Failure, input::InputError};
use keyscape_diagnostics::file::{self, LayoutError};
use keyscape_layout::{Built, Layout, Loader, read_beside};
use std::{
    path::{Component, Path, PathBuf},
    process::Command,
};

/// The prefix of a file of a git commit.
const GIT: &str = "git:";

/// Reads the layout that an argument names in a git commit: `git:REF:PATH`. Returns `None` for
/// other arguments.
pub(super) fn load(built: &Built, argument: &Path) -> Result<Option<Layout>, Failure> {
    let Some(argument) = argument.to_str() else { return Ok(None) };
    let Some(rest) = argument.strip_prefix(GIT) else { return Ok(None) };
    let (commit, path) = rest
        .split_once(':')
        .filter(|(commit, path)| {
            // git would take it for an option.
            !commit.is_empty() && !commit.starts_with('-') && !path.is_empty()
        })
        .ok_or_else(|| InputError::GitArgument { argument: argument.to_owned() })?;
    let mut loader = Commit { commit: commit.to_owned() };
    let bytes = loader.show(path).map_err(|reason| InputError::Git {
        commit: commit.to_owned(),
        path: path.to_owned(),
        reason,
    })?;
    let shown = format!("{commit}:{path}");
    let text = file::text_of(&shown, &bytes).map_err(LayoutError::Rejected)?;
    let layout = read_beside(built, &shown, &text, &mut loader);
    Ok(Some(layout.map_err(|rejected| LayoutError::Rejected(Box::new(rejected)))?))
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
        let shown = Command::new("git").args(["show", &object]).output();
        let output = shown.map_err(|error| format!("cannot run git: {error}"))?;
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
        if Path::new(path).is_absolute() {
            return Err("a path is relative to the file that imports it".to_owned());
        }
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
