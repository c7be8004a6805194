//! Tests that the memory engine satisfies the rules of all engines.

use keyscape_store::Memory;
use keyscape_testkit::conformance::{Setup, run_local};

#[test]
fn memory_keeps_every_rule() {
    run_local(&|Setup { spaces, limits }| Box::new(Memory::new(spaces).with_limits(limits)));
}
