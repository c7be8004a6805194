//! `keyscape create`

use crate::{
    database::{Opened, open},
    exit::Exit,
    failure::Failure,
    input::layout,
};
use clap::Args;
use std::path::PathBuf;

/// Create a database file for a layout
///
/// Proves the layout first, and stores its text in the file, so other commands need no layout.
/// Opening the file later with a layout that would change stored bytes fails. An existing file is
/// never changed.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape create shop.redb --layout shop.keys")]
pub(crate) struct Create {
    /// The database file to create
    #[arg(value_name = "DB")]
    db: PathBuf,
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    layout: PathBuf,
}

impl Create {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        open(&layout, &self.db, Opened::New)?;
        Ok(Exit::Fine)
    }
}
