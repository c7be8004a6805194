//! `keyscape create`

use crate::{
    database::{OpenDatabase, Opened},
    exit::Exit,
    failure::Failure,
};
use clap::Args;
use keyscape_report::file;
use std::path::PathBuf;

/// Create a database file for a layout
///
/// Proves the layout first, and stores it in the file. Opening the file later with a layout that
/// would change stored bytes fails. An existing file is never changed.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape create shop.keys shop.redb")]
pub(crate) struct Create {
    /// The layout; `-` is stdin
    layout: PathBuf,
    /// The database file to create
    #[arg(value_name = "DB")]
    db: PathBuf,
}

impl Create {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        OpenDatabase::open(&layout, &self.db, Opened::New)?;
        Ok(Exit::Fine)
    }
}
