//! Broken connections and killed servers. No acknowledged commit is lost, none is applied twice,
//! and every lost answer is resolved.

use crate::{
    proxy::{Fault, Plan, Proxy, Way},
    setup::{A, fresh, server, spaces},
};
use keyscape_cluster::postgres_for_test;
use keyscape_store::{Db, Mode, ReadExt as _, StoreErrorKind};
use keyscape_store_postgres::Options;
use keyscape_testkit::ledger::{Ledger, Report, run_while};
use std::{
    net::TcpListener,
    thread,
    time::{Duration, Instant},
};

/// Options under which a connection that does not answer is noticed soon.
fn impatient() -> Options {
    Options {
        statement_timeout: Duration::from_millis(200),
        connect_timeout: Duration::from_secs(1),
        connections: 4,
        ..Options::new()
    }
}

/// Injects each fault at each message of a transaction, in both directions.
#[test]
fn a_connection_may_break_at_every_stage_of_a_commit() {
    let Some(server) = server() else { return };
    let proxy = Proxy::start(server.port()).unwrap();
    let address = fresh(&server.url_on(proxy.port));
    let db = Db::new(impatient().create(&address, spaces()).unwrap());
    let mut ledger = Ledger::new(&db, A, 1);
    let mut happened = 0;
    for fault in Fault::ALL {
        for way in [Way::ToServer, Way::ToClient] {
            for chunk in 0..12 {
                proxy.plan(Plan { way, chunk, fault });
                let before = happened;
                // A fault may leave the entry unwritten; the next attempt writes it.
                while !ledger
                    .add()
                    .unwrap_or_else(|error| panic!("{fault:?} {way:?} {chunk}: {error}"))
                {
                }
                happened += u64::from(proxy.has_happened());
                if happened == before {
                    // The transaction had fewer messages, so the fault did not happen.
                    break;
                }
            }
        }
    }
    ledger.check().unwrap();
    let Report { acknowledged, unknown, .. } = ledger.report;
    assert!(happened > 24, "only {happened} faults happened");
    assert!(acknowledged >= happened, "{:?}", ledger.report);
    assert_eq!(unknown, 0, "every lost answer is resolved");
}

/// After one silent connection, the engine closes the other free ones, which would be silent as
/// well.
#[test]
fn a_partition_delays_the_next_session_once() {
    let Some(server) = server() else { return };
    let proxy = Proxy::start(server.port()).unwrap();
    let address = fresh(&server.url_on(proxy.port));
    let options = Options { connections: 8, ..impatient() };
    let db = Db::new(options.create(&address, spaces()).unwrap());
    let sessions: Vec<_> = (0..8).map(|_| db.read().unwrap()).collect();
    drop(sessions);
    proxy.partition();
    let begin = Instant::now();
    db.write(|tx| tx.put(A, b"k", b"v")).unwrap();
    // A connection counts as silent after 0.4 seconds.
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
    proxy.partition();
    let begin = Instant::now();
    db.sync().unwrap();
    assert!(begin.elapsed() < Duration::from_secs(2), "{:?}", begin.elapsed());
}

/// The first host accepts connections, but never answers.
#[test]
fn the_second_host_is_used_if_the_first_is_silent() {
    let Some(server) = server() else { return };
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = format!("127.0.0.1:{},", silent.local_addr().unwrap().port());
    let address = fresh(&server.url()).replace("127.0.0.1:", &format!("{silent}127.0.0.1:"));
    let options = Options { connect_timeout: Duration::from_millis(1500), ..Options::new() };
    let db = Db::new(options.create(&address, spaces()).unwrap());
    db.write(|tx| tx.put(A, b"k", b"v")).unwrap();
}

/// If a commit cannot be resolved in time, its outcome is unknown. Its id shows the outcome later.
#[test]
fn a_commit_is_unknown_if_the_server_does_not_return() {
    let Some(mut server) = postgres_for_test() else { return };
    let options = Options {
        connect_timeout: Duration::from_millis(100),
        resolve_timeout: Duration::from_millis(200),
        ..impatient()
    };
    let db = Db::new(options.create(&server.url(), spaces()).unwrap());
    let id = keyscape_store::CommitId([7; 16]);
    let mut tx = db.begin(Mode::Optimistic).unwrap();
    tx.put(A, b"k", b"v").unwrap();
    id.put(&mut tx).unwrap();
    server.kill().unwrap();
    // The processes of the server end a moment after the server.
    thread::sleep(Duration::from_millis(300));
    let error = tx.commit().unwrap_err();
    let is_unknown = error.kind() == StoreErrorKind::CommitUnknown;
    assert!(is_unknown || error.kind() == StoreErrorKind::SnapshotExpired, "{error:?}");
    server.restart().unwrap();
    let db = Db::new(Options::new().open(&server.url(), spaces()).unwrap());
    let state = db.read().unwrap();
    assert_eq!(id.is_in(&state).unwrap(), state.contains(A, b"k").unwrap());
}

/// Kills the server repeatedly while several clients commit.
#[test]
fn a_killed_server_loses_no_acknowledged_commit() {
    let kills =
        std::env::var("KEYSCAPE_KILLS").ok().and_then(|kills| kills.parse().ok()).unwrap_or(4);
    let Some(mut server) = postgres_for_test() else { return };
    let address = server.url();
    let options = Options { connect_timeout: Duration::from_secs(20), ..impatient() };
    let db = Db::new(options.create(&address, spaces()).unwrap());
    let reports = run_while(&db, A, || {
        for round in 0..kills {
            thread::sleep(Duration::from_millis(150 + round * 7919 % 200));
            server.kill().unwrap();
            server.restart().unwrap();
        }
        thread::sleep(Duration::from_millis(200));
    });
    for report in reports.unwrap() {
        assert!(report.acknowledged > 0, "{report:?}");
        println!("{kills} kills: {report:?}");
    }
}
