//! Opens database files, verified unless the command line says otherwise.

use super::{DatabaseError, OpenDatabase};
use crate::output::{
    message::{Level, Message},
    progress::Progress,
    stderr,
};
use clap::Args;
use keyscape_inspect::database::{Purpose, engine};
use keyscape_layout::Layout;
use keyscape_store::StoreError;
use std::path::Path;

/// The purpose for which a file is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Opened {
    /// For reading. The file does not change.
    ToRead(Verification),
    /// For writing.
    ToWrite(Verification, Additions),
    /// For writing, and for building indexes.
    ToBuild(Verification, Additions),
    /// For writing a new file, which must not exist.
    New,
    /// For writing a new file that is published when it is complete.
    Staged,
}

/// Additions to the layout of a database that a command may make.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Additions {
    /// Add stores of the layout that the database does not have yet
    #[arg(long)]
    add_store: bool,
}

/// Opens a file. Proves the layout first if the file will be written.
pub(crate) fn open<'l>(
    layout: &'l Layout,
    path: &Path,
    how: Opened,
) -> Result<OpenDatabase<'l>, DatabaseError> {
    let (purpose, verification) = match how {
        Opened::ToRead(verification) => (Purpose::Read, verification),
        Opened::ToWrite(verification, Additions { add_store: add_stores }) => {
            (Purpose::Write { add_stores }, verification)
        }
        Opened::ToBuild(verification, Additions { add_store: add_stores }) => {
            (Purpose::Build { add_stores }, verification)
        }
        Opened::New => (Purpose::Create, Verification::default()),
        Opened::Staged => (Purpose::Stage, Verification::default()),
    };
    OpenDatabase::open(layout, path, purpose, |path| verification.run(path))
}

/// Warns about indexes that are not built.
pub(crate) fn warn_unbuilt(base: &OpenDatabase<'_>) {
    for index in base.unbuilt() {
        let (name, path) = (&index.name, base.path().display());
        let title = format!("index `{name}` is not built, and cannot be read");
        let help = format!("build it with `keyscape index build {path} {name}`");
        stderr::say(&Message::new(Level::Warning, title).with_help(Some(help)));
    }
}

/// Rejects the address of a server, for commands that work on files.
pub(crate) fn only_file(path: &Path) -> Result<(), DatabaseError> {
    match engine::server(path) {
        Some(_) => Err(DatabaseError::NotAFile { path: engine::shown(path) }),
        None => Ok(()),
    }
}

/// Whether a file is verified before it is read or written.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(crate) struct Verification {
    /// Do not verify the checksums of the file first: faster on large files, but damaged rows are
    /// not noticed
    #[arg(long)]
    no_verify: bool,
}

impl Verification {
    /// Verifies all checksums of a file, or warns that they are not verified.
    pub(crate) fn run(self, path: &Path) -> Result<(), StoreError> {
        if self.no_verify && engine::server(path).is_none() {
            let title = format!("`{}` is not verified: rows may be damaged", path.display());
            stderr::say(&Message::new(Level::Warning, title));
            return Ok(());
        }
        let progress = Progress::without_rows("verifying");
        let verified = engine::verify(path);
        drop(progress);
        verified
    }
}
