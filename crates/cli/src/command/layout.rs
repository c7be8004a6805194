//! `keyscape layout`

use crate::{
    database::saved_bundle,
    failure::{Exit, Failure},
    input::address::Address,
    output::stdout,
};
use clap::Args;
use std::path::PathBuf;

/// Print the layout that a database stores
///
/// Prints a layout that all commands accept. If the layout has several files, or the database has
/// several layouts, lines that begin with `//@` separate the parts. The file is not changed.
///
/// Exit status: 2 if the database does not store the text of its layout.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape layout shop.redb
  keyscape layout shop.redb > shop.keys")]
pub(crate) struct Layout {
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
}

impl Layout {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let text = saved_bundle(&self.db)?.text();
        stdout::print_data(text)?;
        Ok(Exit::Fine)
    }
}
