//! Layouts given on the command line: files, stdin, databases that store one, or git commits.

use super::{
    address::{self, Address},
    git,
};
use crate::{
    database::{engine, saved_bundle},
    failure::Failure,
};
use clap::Args;
use keyscape_diagnostics::file;
use keyscape_layout::{Built, Layout};
use std::{
    fs::{self, File},
    io::Read as _,
    path::{Path, PathBuf},
};

/// A database, and the layout to use with it.
#[derive(Args, Clone, Debug)]
pub(crate) struct DatabaseArgument {
    /// The database: a file, or `postgres://USER@HOST/DATABASE`
    #[arg(value_name = "DB", value_parser = Address)]
    pub(crate) db: PathBuf,
    /// Use this layout instead of the one in the database: a `.keys` file, or `-` for stdin
    #[arg(long, value_name = "FILE")]
    pub(crate) layout: Option<PathBuf>,
}

impl DatabaseArgument {
    /// Loads the given layout, or the one that the database stores.
    pub(crate) fn load(&self) -> Result<Layout, Failure> {
        match &self.layout {
            Some(path) => load(path),
            None => load_saved(&Built::default(), &self.db),
        }
    }
}

/// Loads a layout from an argument: a `.keys` file, `-` for stdin, a database that stores one, or
/// `git:REF:PATH`.
pub(crate) fn load(path: &Path) -> Result<Layout, Failure> {
    load_beside(&Built::default(), path)
}

/// Like [`load`], but shares codecs and automata with other layouts.
pub(crate) fn load_beside(built: &Built, path: &Path) -> Result<Layout, Failure> {
    address::check(path)?;
    if let Some(layout) = git::load(built, path)? {
        return Ok(layout);
    }
    if is_database(path) { load_saved(built, path) } else { Ok(file::open_beside(built, path)?) }
}

fn load_saved(built: &Built, path: &Path) -> Result<Layout, Failure> {
    let bundle = saved_bundle(path)?;
    Ok(file::read_bundle(built, &engine::shown(path), &bundle)?)
}

/// Whether a name is the address of a server, or a file begins like a database.
pub(crate) fn is_database(path: &Path) -> bool {
    if engine::server(path).is_some() {
        return true;
    }
    // The bytes of a pipe can be read only once.
    if !fs::metadata(path).is_ok_and(|kind| kind.is_file()) {
        return false;
    }
    let mut start = [0; 4];
    File::open(path)
        .and_then(|mut file| file.read_exact(&mut start))
        .is_ok_and(|()| start == *b"redb")
}
