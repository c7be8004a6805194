//! Temporary files that a killed process left beside a database.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::Path,
};

/// The number of random characters in the names of temporary files.
const RANDOM: usize = 6;

/// The temporary files of one purpose beside a database. Their names are the name of the database,
/// a dot, six random characters and a suffix.
pub(crate) struct Leftovers<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) prefix: OsString,
    pub(crate) suffix: &'static str,
}

impl<'a> Leftovers<'a> {
    pub(crate) fn new(path: &'a Path, suffix: &'static str) -> Self {
        let mut prefix = path.file_name().unwrap_or_default().to_owned();
        prefix.push(".");
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Leftovers { folder: folder.unwrap_or(Path::new(".")), prefix, suffix }
    }

    /// Removes the files that no process has locked. Best effort: a remaining file only uses space.
    pub(crate) fn remove(&self) {
        let Ok(entries) = fs::read_dir(self.folder) else { return };
        for entry in entries.flatten().filter(|entry| self.is_one(&entry.file_name())) {
            let path = entry.path();
            let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
            let unlocked = |file: fs::File| file.try_lock().is_ok();
            if is_file
                && fs::File::open(&path).is_ok_and(unlocked)
                && fs::remove_file(&path).is_ok()
            {
                tracing::info!(file = %path.display(), "removed a file of a killed process");
            }
        }
    }

    fn is_one(&self, name: &OsStr) -> bool {
        let bytes = name.as_encoded_bytes();
        let random = bytes
            .strip_prefix(self.prefix.as_encoded_bytes())
            .and_then(|rest| rest.strip_suffix(self.suffix.as_bytes()));
        random.is_some_and(|random| {
            random.len() == RANDOM && random.iter().all(u8::is_ascii_alphanumeric)
        })
    }
}
