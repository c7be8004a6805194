//! The destination of the output of a command: stdout or a file.

use super::{stderr, stdout};
use crate::{
    failure::Failure,
    input::{InputError, layout::is_database},
};
use keyscape_diagnostics::file::FileError;
use keyscape_layout::Layout;
use std::{fs, io::Write, path::Path};

/// Writes a text to stdout or to a file.
pub(crate) fn write(file: Option<&Path>, text: &str) -> Result<(), Failure> {
    match file {
        None => stdout::print_data(text)?,
        Some(path) => {
            replace(path, text)
                .map_err(|source| FileError::Write { path: path.to_owned(), source })?;
            stderr::line(&format!("wrote {}", path.display()));
        }
    }
    Ok(())
}

/// Rejects an output file that is an input of the command, or a database.
pub(crate) fn check(
    output: Option<&Path>,
    argument: &Path,
    layout: &Layout,
) -> Result<(), InputError> {
    let Some(output) = output else { return Ok(()) };
    let sources = layout.sources.files().iter().map(|source| Path::new(&source.path));
    let path = output.display().to_string();
    if sources.chain([argument]).any(|input| is_same(input, output)) {
        return Err(output_is_input(&path));
    }
    if is_database(output) {
        return Err(InputError::new(format!("`{path}` is a database"), OTHER_OUTPUT));
    }
    Ok(())
}

const OTHER_OUTPUT: &str = "choose another output file";

/// Returns the error of an output file that is an input of the command.
pub(crate) fn output_is_input(path: &str) -> InputError {
    InputError::new(format!("`{path}` is an input of this command"), OTHER_OUTPUT)
}

/// Whether two paths lead to one file.
pub(crate) fn is_same(one: &Path, other: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        let id = |path| fs::metadata(path).map(|file| (file.dev(), file.ino()));
        matches!((id(one), id(other)), (Ok(one), Ok(other)) if one == other)
    }
    #[cfg(not(unix))]
    {
        let paths = (one.canonicalize(), other.canonicalize());
        matches!(paths, (Ok(one), Ok(other)) if one == other)
    }
}

/// Replaces or creates a file atomically. A link stays a link, and an existing file keeps its
/// permissions.
pub(crate) fn replace(path: &Path, text: &str) -> std::io::Result<()> {
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
