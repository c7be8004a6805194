//! Parts that the engines for servers share: errors that name a remedy, random pauses between
//! attempts, and cursors that fetch pages.

mod advice;
mod page;
mod pause;

pub use advice::Advice;
pub use page::{PageSource, PagedCursor, Rest};
pub use pause::pause;
