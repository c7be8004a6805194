//! Files of the repository.

use keyscape_layout::{Layout, Loader, read};
use std::{fs, path::PathBuf};

/// A file or directory, by its path from the root of the repository.
pub(crate) fn path(from_root: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..").join(from_root)
}

/// What a file holds.
pub(crate) fn text(from_root: &str) -> String {
    fs::read_to_string(path(from_root)).unwrap_or_else(|error| panic!("{from_root}: {error}"))
}

/// Finds imports by their paths from the root of the repository.
pub(crate) struct FromRoot;

impl Loader for FromRoot {
    fn load(&mut self, path: &str, _: &str) -> Result<(String, Vec<u8>), String> {
        Ok((path.to_owned(), text(path).into_bytes()))
    }
}

/// A layout that must be free of mistakes.
pub(crate) fn layout(name: &str, source: &str) -> Layout {
    read(name, source, &mut FromRoot)
        .unwrap_or_else(|rejected| panic!("{name}: {:#?}", rejected.diagnostics))
}
