//! Limits, bulk loads, the pool, and errors.

use crate::{
    proxy::Proxy,
    setup::{A, create_at, create_fresh, fresh, reason, schema, server, spaces},
};
use keyscape_store::{
    Changes, Commit, Database as _, Db, Durability, KeyRange, Layout, LayoutError, Mode, Read as _,
    ReadExt as _, Spaces, StoreError, StoreErrorKind, StoreId,
};
use keyscape_store_postgres::{Options, create, open, open_read_only};
use std::{error::Error as _, time::Duration};

/// Bytes that do not compress.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..length).map(|_| random.u8(..)).collect()
}

#[test]
fn the_longest_key_fits_into_a_page_and_longer_keys_are_rejected() {
    let Some(db) = create_fresh() else { return };
    let longest = db.limits().longest_key as usize;
    for seed in 0..20 {
        let key = noise(longest, seed);
        db.write(|tx| tx.put(A, &key, b"v")).unwrap();
        assert!(db.read().unwrap().contains(A, &key).unwrap());
    }
    let long = noise(longest + 1, 1);
    let error = db.write(|tx| tx.put(A, &long, b"v")).unwrap_err();
    assert!(matches!(error.kind(), StoreErrorKind::Limit { .. }), "{error}");
}

#[test]
fn bulk_loads_replace_rows_and_add_rows() {
    let Some(db) = create_fresh() else { return };
    let load = |from: u32, to: u32, value: &[u8]| {
        db.write(|tx| (from..to).try_for_each(|number| tx.put(A, &number.to_be_bytes(), value)))
            .unwrap();
    };
    // New rows are written with `COPY`; existing rows are replaced.
    load(0, 5_000, b"first");
    load(4_000, 30_000, b"second");
    load(30_000, 42_000, b"third");
    let state = db.read().unwrap();
    for (key, value) in [(3_999_u32, &b"first"[..]), (4_000, b"second"), (41_999, b"third")] {
        assert_eq!(state.get(A, &key.to_be_bytes()).unwrap().as_deref(), Some(value));
    }
    for range in [KeyRange::all(), KeyRange::all().backward()] {
        assert_eq!(state.rows(A, range).unwrap().to_vec().unwrap().len(), 42_000);
    }
    db.write(|tx| tx.delete_range(A, KeyRange::all())).unwrap();
    assert!(db.read().unwrap().rows(A, KeyRange::all()).unwrap().next().unwrap().is_none());
}

#[test]
fn pages_of_large_rows_stay_small_and_complete() {
    let Some(db) = create_fresh() else { return };
    db.write(|tx| {
        (0..300_u32).try_for_each(|number| {
            let length = if number % 7 == 0 { 200_000 } else { 10 };
            tx.put(A, &number.to_be_bytes(), &noise(length, u64::from(number)))
        })
    })
    .unwrap();
    let state = db.read().unwrap();
    let mut rows = state.rows(A, KeyRange::all().backward()).unwrap();
    let mut number = 300_u32;
    while let Some(row) = rows.next().unwrap() {
        number -= 1;
        assert_eq!(row.key, number.to_be_bytes());
        assert_eq!(row.value, noise(row.value.len(), u64::from(number)));
    }
    assert_eq!(number, 0);
}

/// Small rows make long pages. The large rows after them must not fill such a page.
#[test]
fn pages_and_lists_of_values_are_bounded_in_bytes() {
    const SMALL: u32 = 7_000;
    const LARGE: u32 = 16;
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let db = create_at(&address);
    db.write(|tx| {
        (0..SMALL + LARGE).try_for_each(|number| {
            let length = if number < SMALL { 1 } else { 1 << 20 };
            tx.put(A, &number.to_be_bytes(), &vec![0; length])
        })
    })
    .unwrap();
    let proxy = Proxy::start(server.port()).unwrap();
    let address = address.replace(&server.url(), &server.url_on(proxy.port));
    let db = Db::new(Options::new().open(&address, spaces()).unwrap());
    let state = db.read().unwrap();
    let mut rows = state.rows(A, KeyRange::all()).unwrap();
    for number in 0..SMALL + LARGE {
        let row = rows.next().unwrap().unwrap();
        assert_eq!(row.key, number.to_be_bytes());
        let read = u64::from(number.saturating_sub(SMALL)) << 20;
        assert!(proxy.received() < read + (4 << 20), "{} bytes at {number}", proxy.received());
    }
    assert!(rows.next().unwrap().is_none());
    // The list contains keys several times, and fills several pages. Each place of an existing row
    // must be reported once.
    let keys: Vec<[u8; 4]> =
        (0..12_000).map(|place| (place % (SMALL + LARGE + 9)).to_be_bytes()).collect();
    let keys: Vec<&[u8]> = keys.iter().map(<[u8; 4]>::as_slice).collect();
    let mut found = vec![0; keys.len()];
    state.read_many(A, &keys, &mut |place, _| found[place] += 1).unwrap();
    for (key, found) in keys.iter().zip(found) {
        assert_eq!(found, u32::from(*key < &(SMALL + LARGE).to_be_bytes()[..]), "{key:?}");
    }
}

#[test]
fn clients_may_open_a_database_with_new_spaces_at_the_same_time() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    drop(create_at(&address));
    let names: Vec<String> = (0..20).map(|number| format!("space{number}")).collect();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..4)
            .map(|_| {
                scope
                    .spawn(|| Options::new().open(&address, Spaces::new(&names).unwrap()).map(drop))
            })
            .collect();
        clients.into_iter().for_each(|client| client.join().unwrap().unwrap());
    });
}

#[test]
fn tables_of_other_programs_are_rejected() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let schema = schema(&address);
    drop(create_at(&address));
    server.sql(&format!("create table {schema}.b (key text primary key, value bytea)")).unwrap();
    for options in [Options::open, Options::open_read_only] {
        let error = options(&Options::new(), &address, Spaces::new(["b"]).unwrap()).unwrap_err();
        assert!(reason(&error).contains("has no columns `key` and `value`"), "{error:?}");
    }
}

#[test]
fn rows_of_a_store_that_the_database_lacks_are_rejected() {
    let Some(db) = create_fresh() else { return };
    let other = StoreId::of("other");
    let mut changes = Changes::new();
    changes.set(&Spaces::new(["other"]).unwrap(), other, b"k", Some(b"v")).unwrap();
    let session = db.database().begin(Mode::Optimistic).unwrap();
    let written = session.commit(Commit { changes, ..Commit::default() });
    let kind = written.map_err(|error| error.kind());
    assert_eq!(kind, Err(StoreErrorKind::UnknownStore(other)));
    assert!(!db.read().unwrap().contains(StoreId::META, b"k").unwrap());
}

#[test]
fn an_exhausted_pool_is_busy_and_names_the_remedy() {
    let Some(server) = server() else { return };
    let pool_timeout = Duration::from_millis(200);
    let options = Options { connections: 2, pool_timeout, ..Options::new() };
    let db = Db::new(options.create(&fresh(&server.url()), spaces()).unwrap());
    let (first, second) = (db.read().unwrap(), db.read().unwrap());
    let error = db.read().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    assert!(reason(&error).contains("all 2 connections are in use"), "{error:?}");
    drop(first);
    db.write(|tx| tx.put(A, b"k", b"v")).unwrap();
    drop(second);
}

/// One connection serves many threads, each in its turn.
#[test]
fn threads_get_a_connection_in_their_order() {
    let Some(server) = server() else { return };
    let pool_timeout = Duration::from_secs(20);
    let options = Options { connections: 1, pool_timeout, ..Options::new() };
    let db = Db::new(options.create(&fresh(&server.url()), spaces()).unwrap());
    let order = std::sync::Mutex::new(Vec::new());
    let holder = db.read().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..5 {
            let (db, order) = (&db, &order);
            scope.spawn(move || {
                let session = db.read().unwrap();
                order.lock().unwrap().push(thread);
                drop(session);
            });
            // Sleep to make sure that this thread waits before the next one begins.
            std::thread::sleep(Duration::from_millis(50));
        }
        drop(holder);
    });
    assert_eq!(order.into_inner().unwrap(), [0, 1, 2, 3, 4]);
}

#[test]
fn extreme_options_are_accepted() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let long = Duration::MAX;
    let options = Options {
        connections: usize::MAX,
        attempts: u32::MAX,
        connect_timeout: long,
        pool_timeout: long,
        statement_timeout: long,
        resolve_timeout: long,
        ..Options::new()
    };
    let db = Db::new(options.create(&address, spaces()).unwrap());
    db.write(|tx| tx.put(A, b"k", b"v")).unwrap();
    // A timeout of zero is the shortest one, not an unlimited one.
    let options = Options { statement_timeout: Duration::ZERO, ..Options::new() };
    let lock = db.begin(Mode::Write).unwrap();
    let error = options
        .open(&address, spaces())
        .and_then(|engine| Db::new(engine).write(|tx| tx.put(A, b"k", b"v")));
    assert!(error.is_err());
    drop(lock);
}

#[test]
fn errors_of_the_client_are_sources() {
    let Some(server) = server() else { return };
    let address = format!("{}&application_name=victim", fresh(&server.url()));
    let db = create_at(&address);
    let tx = db.begin(Mode::Optimistic).unwrap();
    let end = "select pg_terminate_backend(pid) from pg_stat_activity \
               where application_name = 'victim'";
    server.sql(end).unwrap();
    let error = tx.get(A, b"k").unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::SnapshotExpired);
    let mut source = error.source();
    while let Some(next) = source.filter(|source| !source.is::<tokio_postgres::Error>()) {
        source = next.source();
    }
    assert!(source.is_some(), "{error:?}");
}

#[test]
fn a_thread_with_an_exclusive_transaction_cannot_sync() {
    let Some(db) = create_fresh() else { return };
    let lock = db.begin(Mode::Write).unwrap();
    assert_eq!(db.sync().map_err(|error| error.kind()), Err(StoreErrorKind::Busy));
    drop(lock);
    db.sync().unwrap();
}

#[test]
fn a_statement_that_takes_too_long_is_an_error_and_the_next_one_works() {
    let Some(server) = server() else { return };
    let options = Options { statement_timeout: Duration::from_millis(300), ..Options::new() };
    let address = fresh(&server.url());
    let db = Db::new(options.create(&address, spaces()).unwrap());
    let holder = Db::new(Options::new().open(&address, spaces()).unwrap());
    let lock = holder.begin(Mode::Write).unwrap();
    // The engine waits for another exclusive writer, but not forever.
    let error = db.begin(Mode::Write).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy, "{error:?}");
    let mut tx = db.begin(Mode::Optimistic).unwrap();
    tx.put(A, b"k", b"v").unwrap();
    let error = tx.commit().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Busy);
    assert!(reason(&error).contains("another client writes alone"), "{error:?}");
    drop(lock);
    assert!(!db.read().unwrap().contains(A, b"k").unwrap(), "nothing is written after the error");
    db.write(|tx| tx.put(A, b"k", b"v")).unwrap();
}

#[test]
fn other_processes_wait_for_an_exclusive_writer() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let one = create_at(&address);
    let other = Db::new(Options::new().open(&address, spaces()).unwrap());
    let mut tx = one.begin(Mode::Write).unwrap();
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| other.write(|tx| tx.put(A, b"k", b"other")));
        std::thread::sleep(Duration::from_millis(100));
        assert!(!waits.is_finished());
        assert!(!tx.contains(A, b"k").unwrap());
        tx.put(A, b"k", b"one").unwrap();
        tx.commit().unwrap();
        waits.join().unwrap().unwrap();
    });
    assert_eq!(one.read().unwrap().get(A, b"k").unwrap(), Some(b"other".to_vec()));
}

#[test]
fn ids_of_acknowledged_commits_are_deleted() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let schema = schema(&address);
    let db = create_at(&address);
    let quick = db.with_durability(Durability::Buffered);
    for round in 0..600_u32 {
        quick.write(|tx| tx.put(A, b"k", &round.to_be_bytes())).unwrap();
    }
    drop((quick, db));
    let left = server.sql(&format!("select count(*) from {schema}.\"keyscape:commits\"")).unwrap();
    assert!(left.trim().parse::<u32>().unwrap() < 300, "{left} ids are left");
}

#[test]
fn layouts_are_saved_and_compared() {
    let Some(server) = server() else { return };
    const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
    const OTHER: Layout<'static> = Layout { spaces: &["x/y"], ..Layout::named("other") };
    let address = fresh(&server.url());
    let missing = open(&address, &SHOP).unwrap_err().to_string();
    let LayoutError::Store(error) = open(&address, &SHOP).unwrap_err() else { panic!("{missing}") };
    assert!(reason(&error).contains("contains no Keyscape database"), "{error:?}");
    let db = create(&address, &SHOP).unwrap();
    db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3")).unwrap();
    let LayoutError::Store(error) = create(&address, &SHOP).unwrap_err() else { panic!() };
    assert!(reason(&error).contains("already contains"), "{error:?}");
    drop(open(&address, &SHOP).unwrap());
    let read = open_read_only(&address, &OTHER).unwrap();
    assert!(
        read.read()
            .unwrap()
            .rows(StoreId::of("x/y"), KeyRange::all())
            .unwrap()
            .next()
            .unwrap()
            .is_none()
    );
    let refused = read.write(|tx| tx.put(StoreId::of("x/y"), b"k", b"v"));
    assert_eq!(refused.map_err(|error: StoreError| error.kind()), Err(StoreErrorKind::ReadOnly));
    let all = Options::new().open_all_spaces(&address).unwrap();
    let names: Vec<&str> = all.spaces().iter().map(|(_, name)| name).collect();
    assert_eq!(names, [Spaces::META, "shop"]);
    let long = Spaces::new(["x".repeat(64)]).unwrap();
    assert!(Options::new().open(&address, long).is_err());
}

#[test]
fn a_server_that_does_not_exist_is_an_error_that_names_the_remedy() {
    let options = Options { connect_timeout: Duration::from_millis(100), ..Options::new() };
    let error = options.open("postgres://u@127.0.0.1:1/d", spaces()).unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Backend { engine: "postgres" });
    assert!(reason(&error).contains("start the server, or correct the address"), "{error:?}");
    let error = options.open("postgres://u@[/d", spaces()).unwrap_err();
    assert!(reason(&error).contains("postgres://USER@HOST/DATABASE"), "{error:?}");
    let Some(server) = server() else { return };
    let url = server.url().replace("/postgres", "/nowhere");
    let error = options.open(&url, spaces()).unwrap_err();
    assert!(reason(&error).contains("create the database on the server"), "{error:?}");
}

#[test]
fn a_database_works_inside_an_asynchronous_runtime() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let db = create_at(&address);
    let open = db.begin(Mode::Optimistic).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(async move {
        drop(open);
        let db = tokio::task::spawn_blocking(move || {
            let db = Db::new(Options::new().open(&address, spaces()).unwrap());
            db.write(|tx| tx.put(A, b"k", b"blocking task")).unwrap();
            assert!(db.read().unwrap().contains(A, b"k").unwrap());
            db
        });
        // This blocks the runtime, but it works.
        let db = db.await.unwrap();
        db.write(|tx| tx.put(A, b"k", b"future")).unwrap();
        assert_eq!(db.read().unwrap().get(A, b"k").unwrap(), Some(b"future".to_vec()));
        // The last connection is closed inside the runtime.
        drop(db);
    });
}

/// An administrator cancels a slow commit. Only the server knows whether the commit has happened.
#[test]
fn a_commit_that_is_cancelled_is_resolved() {
    let Some(server) = server() else { return };
    let address = fresh(&server.url());
    let schema = schema(&address);
    let db = create_at(&address);
    let sleep = format!(
        "create function {schema}.sleep() returns trigger language plpgsql as \
         $$ begin perform pg_sleep(9); return null; end $$; \
         create constraint trigger sleep after insert on {schema}.a deferrable initially deferred \
         for each row execute function {schema}.sleep()"
    );
    server.sql(&sleep).unwrap();
    let error = std::thread::scope(|scope| {
        let commits = scope.spawn(|| db.write(|tx| tx.put(A, b"k", b"v")));
        let cancel = "select pg_cancel_backend(pid) from pg_stat_activity \
                      where query like 'commit%' and state = 'active' and wait_event = 'PgSleep'";
        while server.sql(cancel).unwrap().is_empty() {}
        commits.join().unwrap().unwrap_err()
    });
    assert_eq!(error.kind(), StoreErrorKind::Backend { engine: "postgres" });
    assert!(reason(&error).contains("57014"), "{error:?}");
    let fences = format!("select count(*) from {schema}.\"keyscape:commits\" where fence");
    assert_eq!(server.sql(&fences).unwrap().trim(), "1", "the id is fenced");
    assert!(!db.read().unwrap().contains(A, b"k").unwrap());
}

#[test]
fn later_commits_have_greater_revisions() {
    let Some(db) = create_fresh() else { return };
    // Both sessions begin on the same state.
    let (mut one, mut other) =
        (db.begin(Mode::Optimistic).unwrap(), db.begin(Mode::Optimistic).unwrap());
    one.put(A, b"one", b"1").unwrap();
    other.put(A, b"other", b"1").unwrap();
    let first = one.commit().unwrap();
    let second = other.commit().unwrap();
    assert!(first < second, "{first} and {second}");
    assert!(db.read().unwrap().revision() >= second);
}
