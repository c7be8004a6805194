//! Comparing the checksums of a file before it is used.

use crate::output::{
    message::{Level, Message},
    progress::Progress,
    talk,
};
use clap::Args;
use keyscape_store::StoreError;
use std::path::Path;

/// Whether a file is verified before it is read or written.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Verification {
    /// Do not verify the checksums of the file first: faster on large files, but damaged rows are
    /// not noticed
    #[arg(long)]
    no_verify: bool,
}

impl Verification {
    /// Compares all checksums of a file, or warns that nobody does.
    pub(crate) fn run(self, path: &Path) -> Result<(), StoreError> {
        if self.no_verify {
            let title = format!("`{}` is not verified: rows may be damaged", path.display());
            talk::say(&Message::new(Level::Warning, title));
            return Ok(());
        }
        let progress = Progress::without_rows("verifying");
        let verified = keyscape_store_redb::verify(path);
        drop(progress);
        verified
    }
}
