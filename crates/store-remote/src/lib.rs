//! Parts that the engines for servers share: errors that name a remedy, random pauses between
//! attempts, cursors that fetch pages, blocking calls of asynchronous clients, checks of names, and
//! the functions that open databases.

mod advice;
mod event_loop;
mod name;
mod open;
mod page;
mod pause;

pub use advice::Advice;
pub use event_loop::{EventLoop, NoAnswer, connect_detached};
pub use name::{check_name, check_spaces};
pub use page::{Page, PageEnd, PageSource, PagedCursor, Rest};
pub use pause::{bounded, pause, retry_until};
