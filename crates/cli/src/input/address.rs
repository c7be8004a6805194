//! Names of databases and layouts on the command line: paths, or addresses of servers.

use crate::database::engine;
use clap::{
    Arg, Command,
    builder::{PathBufValueParser, TypedValueParser},
    error::ErrorKind,
};
use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

/// Parses a path or an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Address;

impl TypedValueParser for Address {
    type Value = PathBuf;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<PathBuf, clap::Error> {
        let path = PathBufValueParser::new().parse_ref(command, argument, value)?;
        // The message of clap would contain the whole address, with its password.
        check(&path).map_err(|(problem, help)| {
            clap::Error::raw(ErrorKind::ValueValidation, format!("{problem}\n  help: {help}\n"))
        })?;
        Ok(path)
    }
}

/// Checks that a name is a path, or an address that an engine of this program can open. Returns the
/// problem and the help otherwise.
pub(crate) fn check(path: &Path) -> Result<(), (String, &'static str)> {
    let Some((scheme, rest)) = path.to_str().and_then(|name| name.split_once("://")) else {
        return Ok(());
    };
    let is_part = |char: char| char.is_ascii_alphanumeric() || "+-.".contains(char);
    if scheme.is_empty() || !scheme.chars().all(is_part) || path.exists() {
        return Ok(());
    }
    Err(match scheme {
        "postgres" | "postgresql" if has_host(rest) => return Ok(()),
        "postgres" | "postgresql" => (
            format!("the address `{}` contains no host", engine::without_password(path).display()),
            "write `postgres://USER@HOST/DATABASE`",
        ),
        "tikv" if cfg!(feature = "tikv") => return Ok(()),
        "tikv" => (
            "this program was built without TiKV".to_owned(),
            "build it with `cargo install --path crates/cli --features tikv`",
        ),
        scheme => (
            format!("`{scheme}://` is not a kind of database"),
            "name a file, or write `postgres://USER@HOST/DATABASE` or `tikv://HOST:PORT/NAME`",
        ),
    })
}

/// Whether the part of a PostgreSQL address after `://` contains a host.
fn has_host(rest: &str) -> bool {
    let (before, options) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = before.split('/').next().unwrap_or_default();
    let host = authority.rsplit('@').next().unwrap_or_default();
    let is_host = |option: &str| option.starts_with("host=") || option.starts_with("hostaddr=");
    !host.is_empty() || options.split('&').any(is_host)
}
