//! Parts that the engines for servers share: errors that name a remedy, random pauses between
//! attempts, cursors that fetch pages, and the functions that open databases with layouts.

mod advice;
mod open;
mod page;
mod pause;

pub use advice::Advice;
pub use page::{PageSource, PagedCursor, Rest};
pub use pause::pause;
