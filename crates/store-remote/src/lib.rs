//! Parts that the engines for servers share: errors that name a remedy, random pauses between
//! attempts, cursors that fetch pages, blocking work inside runtimes, and the functions that open
//! databases with layouts.

mod advice;
mod detached;
mod open;
mod page;
mod pause;

pub use advice::Advice;
pub use detached::detached;
pub use page::{Page, PageEnd, PageSource, PagedCursor, Rest};
pub use pause::{bounded, pause};
