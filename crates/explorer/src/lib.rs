//! The explorer: a database and its layout in a browser, decoded.
//!
//! [`router`] returns the pages as an axum router, for programs that show their own database.
//! [`serve`] listens for one user on this machine. [`document`] renders a layout without data as
//! one self-contained page. The pages only read; every page is JSON for `Accept: application/json`.
//!
//! ```no_run
//! # async fn mount(db: keyscape_store::Db) -> Result<axum::Router, Box<dyn std::error::Error>> {
//! let layout = keyscape_explorer::saved_layout(&db)?;
//! let explorer = keyscape_explorer::router(db, layout)?;
//! Ok(axum::Router::new().nest("/explorer", explorer))
//! # }
//! ```

mod access;
mod ask;
mod count;
pub mod document;
mod frame;
mod job;
mod link;
mod pages;
mod part;
mod reply;
mod serve;
mod shared;

pub use access::Access;
pub use serve::{Listener, ServeError, serve};
pub use shared::{ExplorerError, saved_layout};

use axum::Router;
use keyscape_layout::Layout;
use keyscape_store::Db;
use shared::Shared;
use std::sync::Arc;

/// Returns the pages of a database. Every request that reaches the router may read all rows, so put
/// the access control of the program before it.
///
/// # Errors
/// [`ExplorerError`] if the automata of the layout are too large.
pub fn router(db: Db, layout: Layout) -> Result<Router, ExplorerError> {
    Ok(pages::router(Arc::new(Shared::new(db, layout)?)))
}
