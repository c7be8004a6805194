//! Tests of cursors that fetch pages, and of event loops.

mod event_loop;
mod page;
