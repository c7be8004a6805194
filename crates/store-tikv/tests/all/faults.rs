//! Killed stores. No acknowledged commit is lost, none is applied twice, and every lost answer is
//! resolved.

use crate::setup::{A, create_fresh};
use keyscape_cluster::tikv_for_test;
use keyscape_testkit::ledger::run_while;
use std::{thread, time::Duration};

const KILLS: usize = 6;

#[test]
fn a_killed_leader_loses_no_acknowledged_commit() {
    let Some(mut cluster) = tikv_for_test() else { return };
    let db = create_fresh(&cluster);
    let reports = run_while(&db, A, || {
        for _ in 0..KILLS {
            thread::sleep(Duration::from_secs(3));
            // All keys of the engine have this prefix.
            let leader = cluster.leader("keyscape").unwrap();
            cluster.kill(leader).unwrap();
            thread::sleep(Duration::from_secs(5));
            cluster.restart(leader).unwrap();
        }
        thread::sleep(Duration::from_secs(5));
    });
    for report in reports.unwrap() {
        assert!(report.acknowledged > 0, "{report:?}");
        println!("{KILLS} kills of the leader: {report:?}");
    }
}
