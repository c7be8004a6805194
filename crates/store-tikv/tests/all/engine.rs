//! Limits, large commits, layouts, and errors.

use crate::setup::{A, cluster, create_fresh, fresh, spaces};
use keyscape_store::{
    Database as _, Db, KeyRange, Layout, LayoutError, Mode, Read as _, ReadExt as _, Spaces,
    StoreError, StoreErrorKind, StoreId,
};
use keyscape_store_tikv::{Options, create, open, open_read_only};
use std::{
    error::Error as _,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

fn reason(error: &StoreError) -> String {
    error.source().map(ToString::to_string).unwrap_or_default()
}

#[test]
fn the_longest_keys_and_values_are_stored() {
    let Some(cluster) = cluster() else { return };
    let db = create_fresh(cluster);
    let (key, value) = (db.limits().longest_key as usize, db.limits().longest_value as usize);
    let (key, value) = (vec![0xFF; key], vec![7; value]);
    db.write(|tx| tx.put(A, &key, &value)).unwrap();
    assert_eq!(db.read().unwrap().get(A, &key).unwrap(), Some(value));
    let long = [&key[..], &[0]].concat();
    let error = db.write(|tx| tx.put(A, &long, b"v")).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Limit { .. }), "{error}");
}

#[test]
fn large_commits_are_whole_in_both_modes() {
    let Some(cluster) = cluster() else { return };
    let db = create_fresh(cluster);
    let put = |tx: &mut keyscape_store::Tx<'_>, from: u32, to: u32| {
        (from..to).try_for_each(|number| tx.put(A, &number.to_be_bytes(), &number.to_be_bytes()))
    };
    db.write(|tx| put(tx, 0, 1_000)).unwrap();
    let mut tx = db.begin(Mode::Write).unwrap();
    put(&mut tx, 900, 1_900).unwrap();
    tx.commit().unwrap();
    let many = db.write(|tx| put(tx, 0, 1_001)).map_err(|error| error.kind());
    assert!(matches!(many, Err(StoreErrorKind::Limit { .. })), "{many:?}");
    let state = db.read().unwrap();
    for range in [KeyRange::all(), KeyRange::all().backward()] {
        assert_eq!(state.rows(A, range).unwrap().to_vec().unwrap().len(), 1_900);
    }
    let keys: Vec<[u8; 4]> = (0..2_500_u32).map(u32::to_be_bytes).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
    let mut found = 0;
    state
        .read_many(A, &keys, &mut |place, value| {
            assert_eq!(value, keys[place]);
            found += 1;
        })
        .unwrap();
    assert_eq!(found, 1_900);
}

/// A later commit contains no rows for the ids of earlier acknowledged commits.
#[test]
fn commits_stay_small_after_many_exclusive_ones() {
    let Some(cluster) = cluster() else { return };
    let db = create_fresh(cluster);
    for round in 0..450_u32 {
        let mut tx = db.begin(Mode::Write).unwrap();
        tx.put(A, b"k", &round.to_be_bytes()).unwrap();
        tx.commit().unwrap();
    }
    for round in 0..10_u32 {
        db.write(|tx| tx.put(A, b"k", &round.to_be_bytes())).unwrap();
    }
    assert_eq!(db.read().unwrap().get(A, b"k").unwrap(), Some(9_u32.to_be_bytes().to_vec()));
}

#[test]
fn layouts_are_saved_and_compared() {
    let Some(cluster) = cluster() else { return };
    const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
    const OTHER: Layout<'static> = Layout { spaces: &["x/y"], ..Layout::named("other") };
    let address = fresh(cluster);
    let LayoutError::Store(error) = open(&address, &SHOP).unwrap_err() else { panic!() };
    assert!(reason(&error).contains("contains no Keyscape database"), "{error:?}");
    assert!(!Options::new().exists(&address).unwrap());
    let db = create(&address, &SHOP).unwrap();
    db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3")).unwrap();
    let LayoutError::Store(error) = create(&address, &SHOP).unwrap_err() else { panic!() };
    assert!(reason(&error).contains("already contains"), "{error:?}");
    assert!(Options::new().exists(&address).unwrap());
    drop(open(&address, &SHOP).unwrap());
    let read = open_read_only(&address, &OTHER).unwrap();
    let refused = read.write(|tx| tx.put(StoreId::of("x/y"), b"k", b"v"));
    assert_eq!(refused.map_err(|error: StoreError| error.kind()), Err(StoreErrorKind::ReadOnly));
    let all = Options::new().open_all_spaces(&address).unwrap();
    let names: Vec<&str> = all.spaces().iter().map(|(_, name)| name).collect();
    assert_eq!(names, [Spaces::META, "shop"]);
    let long = Spaces::new(["x".repeat(64)]).unwrap();
    assert!(Options::new().open(&address, long).is_err());
}

/// A client that stops while it holds the lock delays others until the lock expires.
#[test]
fn other_processes_wait_for_an_exclusive_writer() {
    let Some(cluster) = cluster() else { return };
    let address = fresh(cluster);
    let one = Db::new(Options::new().create(&address, spaces()).unwrap());
    let quick = Options { timeout: Duration::from_secs(2), ..Options::new() };
    let other = Db::new(quick.open(&address, spaces()).unwrap());
    let mut tx = one.begin(Mode::Write).unwrap();
    tx.put(A, b"k", b"one").unwrap();
    let busy = other.begin(Mode::Write).map(drop).map_err(|error| error.kind());
    assert_eq!(busy, Err(StoreErrorKind::Busy));
    let mut optimistic = other.begin(Mode::Optimistic).unwrap();
    optimistic.put(A, b"k", b"other").unwrap();
    let refused = optimistic.commit().map(drop).map_err(|error| error.kind());
    assert!(matches!(refused, Err(StoreErrorKind::Conflict | StoreErrorKind::SnapshotExpired)));
    tx.commit().unwrap();
    other.write(|tx| tx.put(A, b"after", b"1")).unwrap();
    assert_eq!(one.read().unwrap().get(A, b"k").unwrap().as_deref(), Some(&b"one"[..]));
}

#[test]
fn a_cluster_that_does_not_exist_is_an_error_that_names_the_remedy() {
    let options = Options { connect_timeout: Duration::from_millis(300), ..Options::new() };
    let error = options.open("tikv://127.0.0.1:1", spaces()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Backend { engine: "tikv" });
    assert!(reason(&error).contains("start the cluster, or correct the address"), "{error:?}");
    let error = options.open("tikv://", spaces()).unwrap_err();
    assert!(reason(&error).contains("tikv://HOST:PORT,HOST:PORT/NAME"), "{error:?}");
}

/// Reads each row in three ways from one state while other clients write.
#[test]
fn a_state_stays_the_same_while_others_write() {
    let Some(cluster) = cluster() else { return };
    let db = create_fresh(cluster);
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for writer in 0..3_u8 {
            let (db, is_over) = (&db, &is_over);
            scope.spawn(move || {
                for round in (0_u32..).take_while(|_| !is_over.load(Ordering::SeqCst)) {
                    let key = (round as u8 ^ writer) % 4;
                    db.write(|tx| {
                        tx.put(A, &[key], &[&[writer][..], &round.to_be_bytes()].concat())
                    })
                    .unwrap();
                }
            });
        }
        let mut wrong = 0;
        for round in 0..100 {
            let mode = if round % 2 == 0 { Mode::Optimistic } else { Mode::Read };
            let tx = db.begin(mode).unwrap();
            let value = |key: u8| tx.get(A, &[key]).unwrap().map(|value| (vec![key], value));
            let one_by_one: Vec<_> = (0..4).filter_map(value).collect();
            let up = tx.rows(A, KeyRange::all()).unwrap().to_vec().unwrap();
            let mut down = tx.rows(A, KeyRange::all().backward()).unwrap().to_vec().unwrap();
            down.reverse();
            wrong += u32::from(one_by_one != up) + u32::from(one_by_one != down);
        }
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(wrong, 0, "a state has changed");
    });
}

#[test]
fn a_database_works_inside_an_asynchronous_runtime() {
    let Some(cluster) = cluster() else { return };
    let address = fresh(cluster);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        let db = tokio::task::spawn_blocking(move || {
            let db = Db::new(Options::new().create(&address, spaces()).unwrap());
            db.write(|tx| tx.put(A, b"k", b"blocking task")).unwrap();
            assert!(db.read().unwrap().contains(A, b"k").unwrap());
            db
        });
        // This blocks the runtime, but it works.
        let db = db.await.unwrap();
        db.write(|tx| tx.put(A, b"k", b"future")).unwrap();
        assert_eq!(db.read().unwrap().get(A, b"k").unwrap(), Some(b"future".to_vec()));
        drop(db);
    });
}
