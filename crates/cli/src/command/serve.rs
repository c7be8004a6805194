//! `keyscape serve`

use crate::{
    database::DatabaseArgument,
    failure::{Exit, Failure},
    output::stdout,
};
use clap::Args;
use keyscape_explorer::{Access, Listener};
use std::{io::Write, net::SocketAddr};

/// Show a database and its layout in a browser
///
/// Prints an address with a random token, and serves until it is interrupted. The pages never
/// write. They show stores with row counts and verdicts, keyspaces with their scans, rows byte by
/// byte, structures, an audit, a decoder and a comparison of layouts. Every page is JSON for
/// `Accept: application/json`.
///
/// A redb file that a program has open cannot be opened again. Such a program can mount the same
/// pages with the crate `keyscape-explorer`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Serve {
    #[command(flatten)]
    database: DatabaseArgument,
    /// The address to listen on; port 0 is a free port. Addresses other than loopback need --token
    /// or --no-token
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = address)]
    listen: SocketAddr,
    /// Use this token instead of a random one: at least 8 letters, digits, `-` or `_`
    #[arg(long, value_name = "TOKEN", conflicts_with = "no_token", value_parser = token)]
    token: Option<String>,
    /// Serve without a token: everybody who can connect can read
    #[arg(long)]
    no_token: bool,
}

const EXAMPLES: &str = "\
EXAMPLES
  keyscape serve shop.redb
  keyscape serve node.redb --layout layouts/bank/deployed.keys
  keyscape serve shop.redb --listen localhost:8080 --token my-secret
  curl -H 'Accept: application/json' -H 'Authorization: Bearer my-secret' localhost:8080";

/// The minimum length of a token that a user chooses.
const MIN_TOKEN: usize = 8;

/// Parses an address. `localhost` is the loopback address, even without a name server.
fn address(text: &str) -> Result<SocketAddr, String> {
    let numeric = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    numeric.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:8080".to_owned())
}

/// Checks a token. It becomes part of an address and of a cookie.
fn token(text: &str) -> Result<String, String> {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_".contains(char);
    match text.len() >= MIN_TOKEN && text.chars().all(is_plain) {
        true => Ok(text.to_owned()),
        false => Err(format!("a token has at least {MIN_TOKEN} letters, digits, `-` or `_`")),
    }
}

impl Serve {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        let is_local = self.listen.ip().is_loopback();
        if !is_local && self.token.is_none() && !self.no_token {
            let address = self.listen;
            return Err(Failure::input(
                format!("`{address}` is not a loopback address, so others can connect to it"),
                "add `--token TOKEN`, or `--no-token` to let everybody read",
            ));
        }
        let layout = self.database.load()?;
        let parts = self.database.open_read_only(&layout)?.into_parts();
        let listener = Listener::bind(self.listen)?;
        let token = match (self.token, self.no_token) {
            (Some(token), _) => Some(token),
            (None, true) => None,
            (None, false) => Some(Access::random_token().map_err(std::io::Error::other)?),
        };
        let query = token.as_ref().map_or_else(String::new, |token| format!("?token={token}"));
        let mut out = stdout::plain();
        writeln!(out, "http://{}/{query}", listener.address)?;
        out.flush()?;
        drop(out);
        let access = Access::new(listener.address, token);
        keyscape_explorer::serve(listener, parts, layout, access)?;
        Ok(Exit::Fine)
    }
}
