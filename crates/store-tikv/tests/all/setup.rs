//! The cluster of the tests, and its databases.

use keyscape_cluster::{Tikv, tikv_for_test};
use keyscape_store::{Db, Spaces, StoreId};
use keyscape_store_tikv::Options;
use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// The store of the tests.
pub(crate) const A: StoreId = StoreId::of("a");

pub(crate) fn spaces() -> Spaces {
    Spaces::new(["a"]).unwrap()
}

/// Returns the cluster that all tests share, or `None` if its programs are missing.
pub(crate) fn cluster() -> Option<&'static Tikv> {
    static CLUSTER: OnceLock<Option<Tikv>> = OnceLock::new();
    CLUSTER.get_or_init(tikv_for_test).as_ref()
}

/// Returns the address of a database that no other test uses.
pub(crate) fn fresh(cluster: &Tikv) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    cluster.url(&format!("t{}", NUMBER.fetch_add(1, Ordering::Relaxed)))
}

/// Creates a database that no other test uses.
pub(crate) fn create_fresh(cluster: &Tikv) -> Db {
    Db::new(Options::new().create(&fresh(cluster), spaces()).unwrap())
}
