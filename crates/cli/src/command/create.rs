//! `keyscape create`

use crate::{
    database::{Base, Opened},
    exit::Exit,
    failure::Failure,
};
use clap::Args;
use keyscape_report::file;
use std::path::PathBuf;

/// Make a new database file for a layout
///
/// The layout is proved first. The file remembers it: whoever opens the file with a layout of other
/// bytes is told what differs. A file that is there is left as it is.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape create shop.keys shop.redb")]
pub(crate) struct Create {
    /// The layout; `-` is stdin
    layout: PathBuf,
    /// The database file to make
    #[arg(value_name = "DB")]
    db: PathBuf,
}

impl Create {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = file::open(&self.layout)?;
        Base::open(&layout, &self.db, Opened::New)?;
        Ok(Exit::Fine)
    }
}
