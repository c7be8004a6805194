//! A server for one user.

use crate::{
    access::{Access, guard},
    pages,
    shared::Shared,
};
use axum::middleware;
use keyscape_inspect::database::Automata;
use keyscape_layout::Layout;
use keyscape_store::{Db, UnbuiltIndex};
use std::{io, net::SocketAddr, sync::Arc};
use tokio::runtime::Builder;

/// The reason why a server cannot run.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The server cannot listen on the address.
    #[error("cannot listen on `{address}`: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The server can no longer accept connections.
    #[error("the server has ended: {0}")]
    Ended(#[from] io::Error),
}

/// A bound address, before the first request.
#[derive(Debug)]
pub struct Listener {
    listener: std::net::TcpListener,
    /// The address, with the port that the system chose for port 0.
    pub address: SocketAddr,
}

impl Listener {
    /// Binds an address.
    ///
    /// # Errors
    /// [`ServeError::Listen`] if the address is in use or does not belong to this machine.
    pub fn bind(address: SocketAddr) -> Result<Self, ServeError> {
        let failed = |source| ServeError::Listen { address, source };
        let listener = std::net::TcpListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address })
    }
}

/// Serves the pages of a database until the process ends. `parts` comes from the open database, see
/// [`OpenDatabase::into_parts`](keyscape_inspect::database::OpenDatabase::into_parts).
///
/// # Errors
/// [`ServeError::Ended`] if connections can no longer be accepted.
pub fn serve(
    listener: Listener,
    parts: (Db, Arc<Automata>, Vec<UnbuiltIndex>),
    layout: Layout,
    access: Access,
) -> Result<(), ServeError> {
    let (db, automata, unbuilt) = parts;
    let shared = Shared::with(db, layout, automata, unbuilt);
    let router = pages::router(Arc::new(shared))
        .layer(middleware::from_fn_with_state(Arc::new(access), guard));
    let runtime = Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = tokio::net::TcpListener::from_std(listener.listener)?;
        axum::serve(listener, router).await
    })?;
    Ok(())
}
