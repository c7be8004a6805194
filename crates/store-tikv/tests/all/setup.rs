//! The cluster of the tests.

use keyscape_cluster::{Tikv, tikv_for_test};
use std::sync::{
    OnceLock,
    atomic::{AtomicU64, Ordering},
};

/// Returns the cluster of all tests, or `None` if its programs are not there.
pub(crate) fn cluster() -> Option<&'static Tikv> {
    static CLUSTER: OnceLock<Option<Tikv>> = OnceLock::new();
    CLUSTER.get_or_init(tikv_for_test).as_ref()
}

/// Returns the address of a database that no other test uses.
pub(crate) fn fresh(cluster: &Tikv) -> String {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    cluster.url(&format!("t{}", NUMBER.fetch_add(1, Ordering::Relaxed)))
}
