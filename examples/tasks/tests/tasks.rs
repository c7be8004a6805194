//! Tenants never mix, indexes and tags follow their tasks, and bad values name their field.

use keyscape::store::Db;
use keyscape_example_tasks::{Task, add, due, remind, remove, tagged, tasks::LAYOUT};

fn task(title: &str, due: u64, tags: &[&str]) -> Task {
    let tags = tags.iter().map(|tag| (*tag).to_owned()).collect();
    Task { title: title.to_owned(), due: Some(due), tags }
}

fn with_tag(db: &Db, tag: &str) -> Result<Vec<u64>, keyscape::Error> {
    Ok(tagged(&db.read()?, "acme", tag)?.into_iter().map(|(id, _)| id).collect())
}

fn titles(db: &Db, tenant: &str) -> Result<Vec<String>, keyscape::Error> {
    let tasks = due(&db.read()?, tenant, u64::MAX)?;
    Ok(tasks.into_iter().map(|(_, task)| task.title).collect())
}

#[test]
fn tasks_come_by_due_date_and_stay_with_their_tenant() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("tasks.redb");
    let db = keyscape_store_redb::open_or_create(&file, &LAYOUT).unwrap();
    let first = db.write(|tx| add(tx, "acme", &task("ink", 30, &["shop"]))).unwrap();
    db.write(|tx| add(tx, "acme", &task("write", 10, &["desk", "shop"]))).unwrap();
    db.write(|tx| add(tx, "acme-two", &task("other", 5, &["shop"]))).unwrap();
    drop(db);

    let db = keyscape_store_redb::open_or_create(&file, &LAYOUT).unwrap();
    assert_eq!(titles(&db, "acme").unwrap(), ["write", "ink"]);
    assert_eq!(titles(&db, "acme-two").unwrap(), ["other"]);
    assert_eq!(with_tag(&db, "shop").unwrap(), [0, 1]);

    assert!(db.write(|tx| remove(tx, "acme", first)).unwrap());
    assert!(!db.write(|tx| remove(tx, "acme", first)).unwrap());
    assert_eq!(titles(&db, "acme").unwrap(), ["write"]);
    assert_eq!(with_tag(&db, "shop").unwrap(), [1]);
}

#[test]
fn a_task_without_a_date_or_with_a_repeated_tag_is_listed_accordingly() {
    let db = keyscape::memory(&LAYOUT).unwrap();
    let someday = Task { due: None, ..task("paint", 0, &["home", "home", "shop"]) };
    let id = db.write(|tx| add(tx, "acme", &someday)).unwrap();
    assert_eq!(titles(&db, "acme").unwrap(), [""; 0]);
    assert_eq!(with_tag(&db, "home").unwrap(), [id]);
    assert_eq!(db.write(|tx| remind(tx, "acme", u64::MAX, |_| true)).unwrap(), None);
    assert!(db.write(|tx| remove(tx, "acme", id)).unwrap());
    assert_eq!(with_tag(&db, "home").unwrap(), [0; 0]);
}

#[test]
fn a_reminder_that_fails_is_retried() {
    let db = keyscape::memory(&LAYOUT).unwrap();
    db.write(|tx| add(tx, "acme", &task("ink", 30, &[]))).unwrap();
    assert_eq!(db.write(|tx| remind(tx, "acme", 30, |_| false)).unwrap(), Some(0));
    assert_eq!(db.write(|tx| remind(tx, "acme", 31, |_| true)).unwrap(), None);
    assert_eq!(db.write(|tx| remind(tx, "acme", 90, |_| true)).unwrap(), Some(0));
    assert_eq!(db.write(|tx| remind(tx, "acme", 999, |_| true)).unwrap(), None);
}

#[test]
fn a_bad_value_names_its_field_and_writes_nothing() {
    let db = keyscape::memory(&LAYOUT).unwrap();
    let error = db.write(|tx| add(tx, "Acme", &task("ink", 1, &[]))).unwrap_err();
    assert!(error.to_string().starts_with("numbers.tenant: "), "{error}");
    let error = db.write(|tx| add(tx, "acme", &task("ink", 1, &["two words"]))).unwrap_err();
    assert!(error.to_string().starts_with("index `by_tag`: "), "{error}");
    assert!(error.to_string().contains("does not provide `tag`: Tag: "), "{error}");
    let error = due(&db.read().unwrap(), "Acme", 1).unwrap_err();
    assert!(error.to_string().starts_with("by_due.tenant: "), "{error}");
    assert_eq!(titles(&db, "acme").unwrap(), [""; 0]);
}
