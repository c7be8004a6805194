//! `keyscape create`

use crate::{
    database::{publish, stage},
    failure::{Exit, Failure},
    input::{address::Address, layout},
};
use clap::Args;
use std::path::PathBuf;

/// Create a database for a layout
///
/// Proves the layout first, and stores its text in the database, so other commands need no layout.
/// Opening the database later with a layout that would change stored bytes fails. An existing
/// database is never changed.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape create shop.redb --layout shop.keys
  keyscape create 'postgres://me@db.example/shop?schema=shop' --layout shop.keys")]
pub(crate) struct Create {
    /// The database to create: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    db: PathBuf,
    /// The layout: a `.keys` file, a database that stores one, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    layout: PathBuf,
}

impl Create {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let layout = layout::load(&self.layout)?;
        let (base, staged) = stage(&layout, &self.db)?;
        publish(base, staged)?;
        Ok(Exit::Fine)
    }
}
