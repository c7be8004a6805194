//! Subscriptions. An engine that does not see all commits has none.

use super::{A, B, Db, Factory, Outcome, fill, open};
use keyscape_store::{
    Changes, Committed, KeyRange, Mode, Read, ReadExt, StoreErrorKind, Subscription,
};
use std::{collections::BTreeMap, error::Error, thread, time::Duration};

/// Longer than any commit takes.
const LONG: Duration = Duration::from_secs(10);
/// The time to wait for the report of a commit that has ended.
const SHORT: Duration = Duration::from_secs(1);

/// Subscribes to a range; `None` if the engine has no subscriptions.
fn watch(db: &Db, range: KeyRange<'_>) -> Result<Option<Subscription>, Box<dyn Error>> {
    match db.watch([(A, range)]) {
        Err(error) if error.kind() == StoreErrorKind::Unwatchable => Ok(None),
        watch => Ok(Some(watch?)),
    }
}

fn next(watch: &Subscription, timeout: Duration) -> Result<Committed, Box<dyn Error>> {
    Ok(watch.next(timeout)?.ok_or("a commit was not reported")?)
}

fn keys(changes: &Changes) -> Vec<(Vec<u8>, bool)> {
    changes.iter().map(|change| (change.key.to_vec(), change.value.is_some())).collect()
}

pub(super) fn commits(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"o/0", b"before")])?;
    let Some(watch) = watch(&db, KeyRange::prefix(b"o/"))? else { return Ok(()) };
    let before = db.read()?.revision();
    db.write(|tx| {
        tx.put(A, b"o/1", b"x")?;
        tx.put(A, b"p/1", b"x")?;
        tx.put(B, b"o/1", b"x")?;
        tx.delete(A, b"o/0")
    })?;
    fill(&db, B, &[(b"o/2", b"x")])?;
    db.optimistic(1, |tx| tx.put(A, b"o/3", b"y"))?;
    let mut dropped = db.begin(Mode::Write)?;
    dropped.put(A, b"o/4", b"z")?;
    drop(dropped);

    let first = next(&watch, SHORT)?;
    assert_eq!(keys(&first.changes), [(b"o/0".to_vec(), false), (b"o/1".to_vec(), true)]);
    let second = next(&watch, SHORT)?;
    assert_eq!(keys(&second.changes), [(b"o/3".to_vec(), true)]);
    assert!(before < first.revision && first.revision < second.revision);
    assert_eq!(second.revision, db.read()?.revision());
    assert_eq!(watch.next(Duration::ZERO)?, None, "only commits of the range are reported");
    drop(db);
    let ended = watch.next(LONG).map_err(|error| error.kind());
    assert_eq!(ended, Err(StoreErrorKind::Closed));
    Ok(())
}

pub(super) fn falling_behind(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    let Some(watch) = watch(&db, KeyRange::all())? else { return Ok(()) };
    let watch = watch.with_capacity(1_000);
    for number in 0..30_u8 {
        fill(&db, A, &[(&[number], b"x")])?;
    }
    let Err(error) = watch.next(Duration::ZERO) else { return Err("nothing was lost".into()) };
    let StoreErrorKind::FellBehind { commits } = error.kind() else { return Err(error.into()) };
    let mut rest = 0;
    while watch.next(Duration::ZERO)?.is_some() {
        rest += 1;
    }
    assert_eq!(commits + rest, 30, "each commit is reported or counted");
    fill(&db, A, &[(b"later", b"x")])?;
    assert_eq!(keys(&next(&watch, SHORT)?.changes), [(b"later".to_vec(), true)]);
    Ok(())
}

/// Follows commits of several threads, and compares the followed rows with the stored ones.
pub(super) fn following(factory: Factory<'_>) -> Outcome {
    const THREADS: u8 = 4;
    const ROUNDS: u8 = 25;
    let db = open(factory)?;
    let Some(watch) = watch(&db, KeyRange::all())? else { return Ok(()) };
    let followed = thread::scope(|scope| {
        let writers = (0..THREADS).map(|thread| {
            let db = &db;
            scope.spawn(move || {
                (0..ROUNDS).try_for_each(|round| {
                    let key = [round % 3];
                    let write = |tx: &mut keyscape_store::Tx<'_>| {
                        if round % 5 == thread {
                            tx.delete(A, &key)
                        } else {
                            tx.put(A, &key, &[thread])
                        }
                    };
                    if thread % 2 == 0 { db.write(write) } else { db.optimistic(1_000, write) }
                })
            })
        });
        let writers: Vec<_> = writers.collect();
        let mut rows = BTreeMap::new();
        let mut last = None;
        for _ in 0..u32::from(THREADS) * u32::from(ROUNDS) {
            let Committed { revision, changes } = next(&watch, LONG)?;
            assert!(last < Some(revision), "commits are reported in their order");
            last = Some(revision);
            for change in changes.iter() {
                match change.value {
                    Some(value) => rows.insert(change.key.to_vec(), value.to_vec()),
                    None => rows.remove(change.key),
                };
            }
        }
        for writer in writers {
            writer.join().map_err(|_| "a thread panicked")??;
        }
        Ok::<_, Box<dyn Error>>(rows)
    })?;
    let state = db.read()?;
    for key in 0..3 {
        assert_eq!(followed.get(&[key][..]), state.get(A, &[key])?.as_ref());
    }
    Ok(())
}
