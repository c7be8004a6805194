//! Files of the repository.

use keyscape_layout::{Layout, Loader, read};
use std::{fs, path::PathBuf};

/// Returns a path from a path relative to the root of the repository.
pub(crate) fn path(from_root: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(from_root)
}

/// Returns the contents of a file.
pub(crate) fn text(from_root: &str) -> String {
    fs::read_to_string(path(from_root)).unwrap_or_else(|error| panic!("{from_root}: {error}"))
}

/// Loads imports relative to the root of the repository.
pub(crate) struct FromRoot;

impl Loader for FromRoot {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        Ok((path.to_owned(), text(path).into_bytes()))
    }
}

/// Reads a layout that must have no errors.
pub(crate) fn layout(name: &str, source: &str) -> Layout {
    read(name, source, &mut FromRoot)
        .unwrap_or_else(|rejected| panic!("{name}: {:#?}", rejected.diagnostics))
}
