//! `keyscape copy`

use crate::{
    database::{Verification, copy, engine},
    exit::Exit,
    failure::Failure,
    input::{InputError, address::Address},
    output::{destination::is_same, progress::Progress, stderr::many, stdout},
};
use clap::Args;
use std::{io::Write, path::PathBuf};

/// Copy a database to another engine
///
/// Copies all rows of one snapshot byte for byte, with the saved layout, and compares digests of
/// both sides at the end. Each side is a file, `postgres://USER@HOST/DATABASE?schema=NAME`, or
/// `tikv://HOST,HOST/NAME` if the program is built with the feature `tikv`. The source is not
/// changed.
///
/// After a stop at any moment, the same command continues after the last commit. Until the copy is
/// complete, no layout opens it.
///
/// Exit status: 2 if TO exists and is not an unfinished copy, if a row exceeds a limit of its
/// engine, or if both sides differ because the source has changed meanwhile.
#[derive(Args, Debug)]
#[command(after_help = "\
EXAMPLES
  keyscape copy shop.redb postgres://shop@db.example/shop
  keyscape copy 'postgres://shop@db.example/shop?schema=shop' shop.redb")]
pub(crate) struct Copy {
    /// The database to read
    #[arg(value_name = "FROM", value_parser = Address)]
    from: PathBuf,
    /// The database to create
    #[arg(value_name = "TO", value_parser = Address)]
    to: PathBuf,
    #[command(flatten)]
    verification: Verification,
}

impl Copy {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        if is_same(&self.from, &self.to) {
            let path = engine::shown(&self.to).display().to_string();
            return Err(InputError::OutputIsInput { path }.into());
        }
        self.verification.run(&self.from)?;
        let mut progress = Progress::new("copying");
        let copied = copy(&self.from, &self.to, || progress.row());
        drop(progress);
        let copied = copied?;
        let (rows, written) = (many(copied.rows, "row"), copied.written);
        let stores = many(copied.stores as u64, "store");
        let before = copied.rows - written;
        let continued = match before {
            0 => String::new(),
            before => format!(", {} of an earlier run", many(before, "row")),
        };
        let digest = copied.digest;
        writeln!(stdout::plain(), "copied {rows} of {stores}{continued}\ndigest: {digest}")?;
        Ok(Exit::Fine)
    }
}
