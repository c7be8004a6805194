//! The server of the tests, and its databases.

use keyscape_cluster::{Postgres, postgres_for_test};
use keyscape_store::{Db, Spaces, StoreError, StoreId};
use keyscape_store_postgres::Options;
use std::{
    error::Error as _,
    sync::{
        OnceLock,
        atomic::{AtomicU64, Ordering},
    },
};

/// The store of the tests.
pub(crate) const A: StoreId = StoreId::of("a");

pub(crate) fn spaces() -> Spaces {
    Spaces::new(["a"]).unwrap()
}

/// Returns the server that all tests share, or `None` if the machine has none.
pub(crate) fn server() -> Option<&'static Postgres> {
    static SERVER: OnceLock<Option<Postgres>> = OnceLock::new();
    SERVER.get_or_init(postgres_for_test).as_ref()
}

/// Returns the address of a schema that no other test uses.
pub(crate) fn fresh(url: &str) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    format!("{url}?schema=t{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Returns the schema of an address.
pub(crate) fn schema(address: &str) -> &str {
    address.rsplit('=').next().unwrap()
}

/// Creates a database.
pub(crate) fn create_at(address: &str) -> Db {
    Db::new(Options::new().create(address, spaces()).unwrap())
}

/// Creates a database that no other test uses, or returns `None` if the machine has no server.
pub(crate) fn create_fresh() -> Option<Db> {
    Some(create_at(&fresh(&server()?.url())))
}

/// Returns the cause of an error.
pub(crate) fn reason(error: &StoreError) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}
