//! Runs the tests for all engines on three nodes of CockroachDB, and kills one node after another.
//! Runs only if `KEYSCAPE_COCKROACH` names the program; `cargo xtask cluster cockroach` requires
//! it.

use crate::setup::{A, create_at, fresh};
use keyscape_cluster::{Cockroach, Missing};
use keyscape_store_postgres::Options;
use keyscape_testkit::{
    conformance::{Setup, run},
    ledger::run_while,
};
use std::{thread, time::Duration};

#[test]
fn cockroach_keeps_every_rule_and_survives_its_nodes() {
    let mut cluster = match Cockroach::start() {
        Ok(cluster) => cluster,
        Err(error @ Missing::Cockroach) => {
            println!("not run: tests with CockroachDB: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    println!("CockroachDB {}", cluster.version().unwrap());
    let url = cluster.url();
    run(&|Setup { spaces, limits }| {
        Box::new(Options { limits, ..Options::new() }.create(&fresh(&url), spaces).unwrap())
    });
    let db = create_at(&fresh(&url));
    let reports = run_while(&db, A, || {
        for round in 0..6 {
            thread::sleep(Duration::from_secs(2));
            cluster.kill(round % 3).unwrap();
            thread::sleep(Duration::from_secs(5));
            cluster.restart(round % 3).unwrap();
        }
    });
    println!("6 kills: {:?}", reports.unwrap());
}
