//! The server of the tests.

use keyscape_cluster::{Postgres, postgres_for_test};
use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// Returns the server that all tests share, unless the machine has none.
pub(crate) fn server() -> Option<&'static Postgres> {
    static SERVER: OnceLock<Option<Postgres>> = OnceLock::new();
    SERVER.get_or_init(postgres_for_test).as_ref()
}

/// Returns the address of a schema that no other test uses.
pub(crate) fn fresh(url: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{url}?schema=t{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}
