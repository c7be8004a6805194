//! Tests that the engine satisfies the rules of all engines.

use crate::setup::{fresh, server};
use keyscape_store_postgres::Options;
use keyscape_testkit::conformance::{RULES, Setup, check};
use std::time::Instant;

#[test]
fn postgres_keeps_every_rule() {
    let Some(server) = server() else { return };
    for rule in RULES {
        let begin = Instant::now();
        check(rule, &|Setup { spaces, limits }| {
            let options = Options { limits, ..Options::new() };
            Box::new(options.create(&fresh(&server.url()), spaces).unwrap())
        });
        println!("{:6.2} s  {}", begin.elapsed().as_secs_f64(), rule.0);
    }
}
