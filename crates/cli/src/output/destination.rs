//! The destination of the output of a command: stdout or a file.

use super::{stdout, talk};
use crate::failure::Failure;
use keyscape_report::file::FileError;
use std::{fs, io::Write, path::Path};

/// Writes a text to stdout or to a file.
pub(crate) fn write(file: Option<&Path>, text: &str) -> Result<(), Failure> {
    match file {
        None => {
            let mut out = stdout::plain();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
        Some(path) => {
            replace(path, text)
                .map_err(|source| FileError::Write { path: path.to_owned(), source })?;
            talk::print(&format!("wrote {}\n", path.display()));
        }
    }
    Ok(())
}

/// Replaces or creates a file atomically. A link stays a link, and an existing file keeps its
/// permissions.
fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let old = fs::metadata(&target).ok();
    if old.as_ref().is_some_and(fs::Metadata::is_dir) {
        return Err(std::io::ErrorKind::IsADirectory.into());
    }
    // A pipe or device cannot be replaced, only written to.
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(&target, text);
    }
    let directory = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let directory = directory.unwrap_or(Path::new("."));
    if !directory.is_dir() {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    let mut file = new_file().tempfile_in(directory)?;
    file.write_all(text.as_bytes())?;
    if let Some(old) = old {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(&target)?;
    Ok(())
}

/// Returns a builder of temporary files with the permissions of a new file.
fn new_file<'a>() -> tempfile::Builder<'a, 'a> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".keyscape-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}
