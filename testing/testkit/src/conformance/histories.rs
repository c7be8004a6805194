//! Serializable transactions: recorded histories, and the named cases.

use super::{A, B, Factory, Outcome, fill, open};
use crate::history::{RowId, Transaction, check};
use fastrand::Rng;
use keyscape_store::{Db, KeyRange, Mode, Read, ReadExt, StoreError, StoreErrorKind, StoreId, Tx};
use std::{
    collections::BTreeMap,
    error::Error,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    thread,
};

const CLIENTS: u64 = 4;
const ROUNDS: u64 = 40;
/// The rows of each store. Few rows make many conflicts.
const KEYS: u8 = 5;

pub(super) fn serializable(factory: Factory<'_>) -> Outcome {
    for seed in 0..2 {
        let db = open(factory)?;
        record(&db, seed, CLIENTS, ROUNDS)?;
    }
    Ok(())
}

/// Runs random transactions of several clients, and checks their history.
///
/// # Errors
/// The violation, or an error of the database.
pub fn record(db: &Db, seed: u64, clients: u64, rounds: u64) -> Result<(), Box<dyn Error>> {
    let run = Run { db, clock: AtomicU64::new(0), ids: AtomicU32::new(1), done: Mutex::default() };
    thread::scope(|scope| -> Result<(), Box<dyn Error>> {
        let run = &run;
        let client = |number: u64| {
            let mut random = Rng::with_seed(seed.wrapping_mul(1_000_003).wrapping_add(number));
            (0..rounds).try_for_each(|_| run.transaction(&mut random, number))
        };
        let threads: Vec<_> =
            (0..clients).map(|number| scope.spawn(move || client(number))).collect();
        for thread in threads {
            thread.join().map_err(|_| "a client panicked")??;
        }
        Ok(())
    })?;
    let history = run.done.into_inner().unwrap_or_else(PoisonError::into_inner);
    let committed = history.iter().filter(|transaction| transaction.is_committed).count() as u64;
    if committed * 10 < clients * rounds {
        return Err(format!("only {committed} transactions have committed").into());
    }
    check(&history, &all_rows(db)?)?;
    Ok(())
}

fn random_row(random: &mut Rng) -> RowId {
    (random.u8(..2), random.u8(..KEYS))
}

struct Run<'a> {
    db: &'a Db,
    clock: AtomicU64,
    ids: AtomicU32,
    done: Mutex<Vec<Transaction>>,
}

impl Run<'_> {
    fn now(&self) -> u64 {
        self.clock.fetch_add(1, Ordering::SeqCst)
    }

    /// Runs one transaction once. A conflict ends it.
    fn transaction(&self, random: &mut Rng, client: u64) -> Result<(), StoreError> {
        let id = self.ids.fetch_add(1, Ordering::SeqCst);
        let mut done = Transaction {
            id,
            span: (self.now(), 0),
            reads: vec![],
            writes: vec![],
            is_committed: false,
        };
        let mode = if client == 0 && random.u8(..4) == 0 { Mode::Write } else { Mode::Optimistic };
        let ran = self.db.begin(mode).and_then(|mut tx| {
            for _ in 0..=random.u8(..4) {
                step(&mut tx, random, &mut done)?;
                thread::yield_now();
            }
            tx.commit()
        });
        match ran {
            Ok(_) => done.is_committed = true,
            Err(error) if error.is_retryable() => {}
            Err(error) => return Err(error),
        }
        done.span.1 = self.now();
        self.done.lock().unwrap_or_else(PoisonError::into_inner).push(done);
        Ok(())
    }
}

/// Reads a row, reads a range in one of the directions, or appends to a row.
fn step(tx: &mut Tx<'_>, random: &mut Rng, done: &mut Transaction) -> Result<(), StoreError> {
    let row = random_row(random);
    match random.u8(..4) {
        0 => get(tx, row, done).map(drop),
        1 => {
            let (backward, most) = (random.u8(..2) == 1, random.usize(1..=usize::from(KEYS)));
            scan(tx, row.0, backward, most, done)
        }
        _ => {
            let mut list = get(tx, row, done)?;
            if !done.writes.contains(&row) {
                list.push(done.id);
                done.writes.push(row);
                tx.put(store(row.0), &[row.1], &encode(&list))?;
            }
            Ok(())
        }
    }
}

/// Reads a row. Own writes are not reads of the state.
fn get(tx: &Tx<'_>, row: RowId, done: &mut Transaction) -> Result<Vec<u32>, StoreError> {
    let list = tx.get(store(row.0), &[row.1])?.map(|value| decode(&value)).unwrap_or_default();
    if !done.writes.contains(&row) {
        done.reads.push((row, list.clone()));
    }
    Ok(list)
}

/// Reads at most `most` rows of a store. Rows that do not exist are read as empty.
fn scan(
    tx: &Tx<'_>,
    number: u8,
    backward: bool,
    most: usize,
    done: &mut Transaction,
) -> Result<(), StoreError> {
    let range = if backward { KeyRange::all().backward() } else { KeyRange::all() };
    let mut rows = tx.rows(store(number), range.expecting(most))?;
    let mut keys: Vec<u8> = (0..KEYS).collect();
    if backward {
        keys.reverse();
    }
    let mut keys = keys.into_iter();
    let mut read = |key: u8, list: Vec<u32>| {
        if !done.writes.contains(&(number, key)) {
            done.reads.push(((number, key), list));
        }
    };
    for _ in 0..most {
        let found = rows.next()?.map(|row| (row.key.first().copied(), decode(row.value)));
        for key in keys.by_ref() {
            match &found {
                Some((at, list)) if *at == Some(key) => {
                    read(key, list.clone());
                    break;
                }
                _ => read(key, Vec::new()),
            }
        }
        if found.is_none() {
            break;
        }
    }
    Ok(())
}

fn all_rows(db: &Db) -> Result<BTreeMap<RowId, Vec<u32>>, StoreError> {
    let state = db.read()?;
    let mut rows = BTreeMap::new();
    for number in 0..2 {
        for (key, value) in state.rows(store(number), KeyRange::all())?.to_vec()? {
            rows.insert((number, key.first().copied().unwrap_or_default()), decode(&value));
        }
    }
    Ok(rows)
}

fn store(number: u8) -> StoreId {
    if number == 0 { A } else { B }
}

fn encode(list: &[u32]) -> Vec<u8> {
    list.iter().flat_map(|id| id.to_be_bytes()).collect()
}

fn decode(value: &[u8]) -> Vec<u32> {
    let (ids, _) = value.as_chunks::<4>();
    ids.iter().map(|id| u32::from_be_bytes(*id)).collect()
}

/// Whether at least one of the commits fails with a conflict.
fn one_conflicts(
    outcomes: impl IntoIterator<Item = Result<(), StoreError>>,
) -> Result<bool, StoreError> {
    let mut conflicts = 0;
    for outcome in outcomes {
        match outcome {
            Err(error) if error.kind() == StoreErrorKind::Conflict => conflicts += 1,
            other => other?,
        }
    }
    Ok(conflicts > 0)
}

/// Two doctors are on call, and each leaves because the other one stays.
pub(super) fn write_skew(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"ann", b"on"), (b"bob", b"on")])?;
    let (mut ann, mut bob) = (db.begin(Mode::Optimistic)?, db.begin(Mode::Optimistic)?);
    for tx in [&ann, &bob] {
        assert_eq!(tx.rows(A, KeyRange::all())?.to_vec()?.len(), 2);
    }
    ann.delete(A, b"ann")?;
    bob.delete(A, b"bob")?;
    assert!(one_conflicts([ann.commit().map(drop), bob.commit().map(drop)])?, "both have left");
    assert!(db.read()?.rows(A, KeyRange::all())?.next()?.is_some());
    Ok(())
}

/// Two clients find a range empty, and each inserts a row of its own.
pub(super) fn inserted_phantoms(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"o", b""), (b"q", b"")])?;
    for range in [KeyRange::prefix(b"p/"), KeyRange::prefix(b"p/").backward()] {
        let (mut one, mut other) = (db.begin(Mode::Optimistic)?, db.begin(Mode::Optimistic)?);
        for tx in [&one, &other] {
            assert!(tx.rows(A, range.clone())?.next()?.is_none());
        }
        one.put(A, b"p/1", b"")?;
        other.put(A, b"p/2", b"")?;
        let found = one_conflicts([one.commit().map(drop), other.commit().map(drop)])?;
        assert!(found, "both have found nothing");
        db.write(|tx| tx.delete_range(A, KeyRange::prefix(b"p/")))?;
    }
    Ok(())
}

/// A report that reads a closed batch, and a receipt that is added to the batch afterwards.
pub(super) fn late_receipt(factory: Factory<'_>) -> Outcome {
    let db = open(factory)?;
    fill(&db, A, &[(b"batch", b"1")])?;
    let mut late = db.begin(Mode::Optimistic)?;
    let batch = late.get(A, b"batch")?.unwrap_or_default();
    db.write(|tx| tx.put(A, b"batch", b"2"))?;
    let report = db.begin(Mode::Optimistic)?;
    assert_eq!(report.get(A, b"batch")?, Some(b"2".to_vec()));
    assert!(report.rows(B, KeyRange::prefix(b"1/"))?.next()?.is_none());
    let reported = report.commit().map(drop);
    late.put(B, &[&batch[..], b"/receipt"].concat(), b"5")?;
    let found = one_conflicts([reported, late.commit().map(drop)])?;
    assert!(found, "a receipt was added to a batch that was closed and reported");
    Ok(())
}
