//! The limiter counts per client, route and window, and forgets old windows.

use keyscape_example_rate_limiter::{
    Limit, allow, expire,
    limits::{BY_START, Client, LAYOUT, Route, WINDOWS},
};

const LIMIT: Limit = Limit { requests: 2, window: 60 };

#[test]
fn requests_above_the_limit_are_refused_until_the_next_window() {
    let folder = tempfile::tempdir().unwrap();
    let db = keyscape_store_redb::create(folder.path().join("limits.redb"), &LAYOUT).unwrap();
    let ask = |client: &str, route: &str, now: u64| {
        let (client, route) = (Client::new(client).unwrap(), Route::new(route).unwrap());
        allow(&db, &client, &route, now, LIMIT).unwrap()
    };
    assert_eq!([0, 1, 59].map(|now| ask("ann", "search", now)), [true, true, false]);
    assert!(ask("bob", "search", 59), "another client");
    assert!(ask("ann", "login", 59), "another route");
    assert!(ask("ann", "search", 60), "the next window");
}

#[test]
fn a_window_of_zero_seconds_is_one_second_long() {
    let folder = tempfile::tempdir().unwrap();
    let db = keyscape_store_redb::create(folder.path().join("limits.redb"), &LAYOUT).unwrap();
    let (client, route) = (Client::new("ann").unwrap(), Route::new("search").unwrap());
    let limit = Limit { requests: 1, window: 0 };
    let ask = |now: u64| allow(&db, &client, &route, now, limit).unwrap();
    assert_eq!([7, 7, 8].map(ask), [true, false, true]);
}

#[test]
fn old_windows_are_deleted_in_batches() {
    let folder = tempfile::tempdir().unwrap();
    let db = keyscape_store_redb::create(folder.path().join("limits.redb"), &LAYOUT).unwrap();
    let (client, route) = (Client::new("ann").unwrap(), Route::new("search").unwrap());
    for window in 0..10 {
        assert!(allow(&db, &client, &route, window * 60, LIMIT).unwrap());
    }
    assert_eq!(expire(&db, 300, 3).unwrap(), 3);
    assert_eq!(expire(&db, 300, 100).unwrap(), 2);
    assert_eq!(expire(&db, 300, 100).unwrap(), 0);
    let state = db.read().unwrap();
    assert_eq!(WINDOWS.prefix_client_route(&client, &route).count(&state).unwrap(), 5);
    assert!(BY_START.check(&state).unwrap().is_sound());
}
