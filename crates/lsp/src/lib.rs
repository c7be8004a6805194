//! A language server for layouts, on the Language Server Protocol.
//!
//! The server proves every open layout after each change. It reports errors and refuted claims as
//! diagnostics, offers proved fixes as quick fixes, and answers hovers, definitions, completions,
//! symbols, formatting and inlay hints.
//!
//! [`serve`] runs one session on a connection. Proofs run on a separate thread, so the server
//! stays responsive while a layout is proved. A request that needs the proof waits for it.

mod action;
mod analysis;
mod completion;
mod definition;
mod diagnostic;
mod hover;
mod inlay;
mod location;
mod server;
mod stdio;
mod symbol;

use lsp_server::{Connection, ProtocolError};
use std::io;

/// A session of the language server failed.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The client broke the protocol.
    #[error("the client does not follow the Language Server Protocol: {0}")]
    Protocol(ProtocolError),
    /// The input ended before a session began.
    #[error("the input ended before a client sent `initialize`; editors start this command")]
    NoClient,
    /// The connection failed.
    #[error("the connection to the client failed: {0}")]
    Connection(#[from] io::Error),
}

/// Serves one session on stdin and stdout, until the client ends it.
///
/// # Errors
/// [`ServeError`] if the client breaks the protocol, or if the connection fails.
pub fn serve_stdio() -> Result<(), ServeError> {
    let (connection, threads) = stdio::Threads::start();
    let served = serve(&connection);
    threads.join(connection)?;
    served
}

impl From<ProtocolError> for ServeError {
    fn from(error: ProtocolError) -> Self {
        if error.channel_is_disconnected() { Self::NoClient } else { Self::Protocol(error) }
    }
}

/// Serves one session, until the client ends it.
///
/// # Errors
/// [`ServeError`] if the client breaks the protocol.
pub fn serve(connection: &Connection) -> Result<(), ServeError> {
    server::run(connection)
}
