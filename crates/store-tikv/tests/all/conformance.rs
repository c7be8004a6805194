//! Tests that the engine satisfies the rules of all engines.

use crate::setup::{cluster, fresh};
use keyscape_store_tikv::Options;
use keyscape_testkit::conformance::{RULES, Setup, check};
use std::time::Instant;

#[test]
fn tikv_keeps_every_rule() {
    let Some(cluster) = cluster() else { return };
    for rule in RULES {
        let begin = Instant::now();
        check(rule, &|Setup { spaces, limits }| {
            let options = Options { limits, ..Options::new() };
            Box::new(options.create(&fresh(cluster), spaces).unwrap())
        });
        println!("{:6.2} s  {}", begin.elapsed().as_secs_f64(), rule.0);
    }
}
