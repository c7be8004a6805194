//! Killed stores. No acknowledged commit is lost, none is applied twice, and every lost answer is
//! resolved.

use crate::setup::fresh;
use keyscape_cluster::tikv_for_test;
use keyscape_store::{Db, Spaces, StoreId};
use keyscape_store_tikv::Options;
use keyscape_testkit::ledger::run_while;
use std::{thread, time::Duration};

const A: StoreId = StoreId::of("a");
const KILLS: usize = 6;

#[test]
fn a_killed_leader_loses_no_acknowledged_commit() {
    let Some(mut cluster) = tikv_for_test() else { return };
    let spaces = Spaces::new(["a"]).unwrap();
    let db = Db::new(Options::new().create(&fresh(&cluster), spaces).unwrap());
    let reports = run_while(&db, A, || {
        for _ in 0..KILLS {
            thread::sleep(Duration::from_secs(3));
            // Every key of the engine begins alike.
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
