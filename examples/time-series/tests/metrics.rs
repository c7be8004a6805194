//! Series never mix, points come in the order of time, and averages outlive their points.

use keyscape_example_time_series::{
    averages, latest,
    metrics::{LAYOUT, Series},
    range, record, retain,
};

#[test]
fn a_series_whose_name_begins_another_name_stays_separate() {
    let folder = tempfile::tempdir().unwrap();
    let db = keyscape_store_redb::create(folder.path().join("metrics.redb"), &LAYOUT).unwrap();
    let (cpu, cpu_user) = (Series::new("cpu").unwrap(), Series::new("cpu.user").unwrap());
    db.write(|tx| {
        record(tx, &cpu_user, 5, 50)?;
        record(tx, &cpu, 300, 3)?;
        record(tx, &cpu, 20, 2)?;
        record(tx, &cpu, 20, 4) // replaces the point
    })
    .unwrap();
    let state = db.read().unwrap();
    assert_eq!(range(&state, &cpu, 0..1_000).unwrap(), [(20, 4), (300, 3)]);
    assert_eq!(range(&state, &cpu, 21..300).unwrap(), []);
    assert_eq!(latest(&state, &cpu).unwrap(), Some((300, 3)));
    assert_eq!(averages(&state, &cpu).unwrap(), [(0, 3.5)]);

    // A replaced point leaves the sum of its hour before the new value is added.
    db.write(|tx| record(tx, &cpu_user, 5, i64::MAX)).unwrap();
    let expected = [(0, i64::MAX as f64)];
    assert_eq!(averages(&db.read().unwrap(), &cpu_user).unwrap(), expected);
    db.write(|tx| record(tx, &cpu_user, 5, 50)).unwrap();
    assert_eq!(averages(&db.read().unwrap(), &cpu_user).unwrap(), [(0, 50.0)]);

    assert_eq!(retain(&db, &cpu, 300).unwrap(), 1);
    let state = db.read().unwrap();
    assert_eq!(range(&state, &cpu, 0..1_000).unwrap(), [(300, 3)]);
    assert_eq!(range(&state, &cpu_user, 0..1_000).unwrap(), [(5, 50)]);
    assert_eq!(averages(&state, &cpu).unwrap(), [(0, 3.5)]);
}
