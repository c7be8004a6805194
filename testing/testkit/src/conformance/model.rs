//! Random operations, compared with a sorted map.

use super::{A, Factory, Outcome, open};
use keyscape_store::{
    Checkpoint, Db, Direction, KeyRange, Mode, Read, ReadExt, StoreError, StoreErrorKind, Tx,
};
use proptest::{
    collection::vec,
    prelude::{Just, Strategy, any, prop_oneof},
    sample::select,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use std::{collections::BTreeMap, ops::Bound};

type Key = Vec<u8>;
type Map = BTreeMap<Key, Vec<u8>>;

/// The number of sequences of operations, and their length.
const CASES: u32 = 48;
const LENGTH: usize = 80;

#[derive(Clone, Debug)]
enum Step {
    Put(Key, u8),
    Delete(Key),
    Get(Key),
    Scan {
        start: Bound<Key>,
        end: Bound<Key>,
        direction: Direction,
        most: usize,
    },
    Checkpoint,
    Rollback(usize),
    Release(usize),
    Commit,
    Abandon,
    /// Another transaction commits. Only possible during an optimistic transaction.
    Other(Key, u8),
}

fn key() -> impl Strategy<Value = Key> {
    vec(select(vec![0x00, 0x61, 0xff]), 0..3)
}

fn bound() -> impl Strategy<Value = Bound<Key>> {
    prop_oneof![
        key().prop_map(Bound::Included),
        key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded)
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let direction = select(vec![Direction::Forward, Direction::Backward]);
    prop_oneof![
        6 => (key(), any::<u8>()).prop_map(|(key, value)| Step::Put(key, value)),
        4 => key().prop_map(Step::Delete),
        3 => key().prop_map(Step::Get),
        6 => (bound(), bound(), direction, 0..12usize)
            .prop_map(|(start, end, direction, most)| Step::Scan { start, end, direction, most }),
        2 => Just(Step::Checkpoint),
        2 => any::<usize>().prop_map(Step::Rollback),
        1 => any::<usize>().prop_map(Step::Release),
        1 => Just(Step::Commit),
        1 => Just(Step::Abandon),
        1 => (key(), any::<u8>()).prop_map(|(key, value)| Step::Other(key, value)),
    ]
}

pub(super) fn agrees(factory: Factory<'_>) -> Outcome {
    let config = Config { cases: CASES, failure_persistence: None, ..Config::default() };
    let seed = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, seed);
    let steps = (any::<bool>(), vec(step(), 1..LENGTH));
    let outcome = runner.run(&steps, |(optimistic, steps)| {
        let db = open(factory).map_err(|error| TestCaseError::fail(error.to_string()))?;
        let mode = if optimistic { Mode::Optimistic } else { Mode::Write };
        let mut run = Run { db: &db, mode, committed: Map::new() };
        run.all(&steps).map_err(|error| TestCaseError::fail(error.to_string()))
    });
    outcome.map_err(|failure| failure.to_string().into())
}

struct Run<'a> {
    db: &'a Db,
    mode: Mode,
    committed: Map,
}

/// The expected view of a transaction.
#[derive(Default)]
struct Model {
    now: Map,
    /// Live checkpoints with the view at each.
    checkpoints: Vec<(Checkpoint, Map)>,
    reads: Vec<(Bound<Key>, Bound<Key>)>,
    /// Keys that others wrote since the transaction began.
    others: Vec<Key>,
}

impl Run<'_> {
    fn all(&mut self, steps: &[Step]) -> Result<(), StoreError> {
        let mut rest = steps.iter();
        while !rest.as_slice().is_empty() {
            let mut tx = self.db.begin(self.mode)?;
            let mut model = Model { now: self.committed.clone(), ..Model::default() };
            let mut commit = true;
            for step in rest.by_ref() {
                match step {
                    Step::Commit => break,
                    Step::Abandon => {
                        commit = false;
                        break;
                    }
                    Step::Other(key, value) => self.other(&mut model, key, *value)?,
                    step => model.step(&mut tx, step)?,
                }
            }
            self.end(tx, &model, commit)?;
            let rows = self.db.read()?.rows(A, KeyRange::all())?.to_vec()?;
            assert!(rows.iter().map(|(k, v)| (k, v)).eq(&self.committed), "the committed state");
        }
        Ok(())
    }

    /// Commits another transaction during an optimistic one.
    fn other(&mut self, model: &mut Model, key: &Key, value: u8) -> Result<(), StoreError> {
        if self.mode == Mode::Optimistic {
            // Reading everything makes the two transactions impossible to serialize.
            self.db.write(|tx| {
                tx.rows(A, KeyRange::all())?.to_vec()?;
                tx.put(A, key, &[value])
            })?;
            self.committed.insert(key.clone(), vec![value]);
            model.others.push(key.clone());
        }
        Ok(())
    }

    fn end(&mut self, tx: Tx<'_>, model: &Model, commit: bool) -> Result<(), StoreError> {
        if !commit {
            return Ok(());
        }
        let changes = tx.changes().clone();
        let touched = |key: &Key| {
            model.reads.iter().any(|(start, end)| {
                let bounds = (start.as_ref().map(|k| &**k), end.as_ref().map(|k| &**k));
                KeyRange::new(bounds.0, bounds.1).contains(key)
            })
        };
        let must_conflict = !changes.is_empty() && model.others.iter().any(touched);
        match tx.commit() {
            Ok(_) => {
                assert!(!must_conflict, "a conflict was missed");
                for change in changes.iter() {
                    match change.value {
                        Some(value) => self.committed.insert(change.key.into(), value.into()),
                        None => self.committed.remove(change.key),
                    };
                }
                // Without other commits, the state equals the view of the transaction.
                assert!(!model.others.is_empty() || self.committed == model.now);
                Ok(())
            }
            Err(error) if error.kind() == StoreErrorKind::Conflict => {
                assert!(!model.others.is_empty(), "a conflict with nobody");
                Ok(())
            }
            Err(error) => Err(error),
        }
    }
}

impl Model {
    fn step(&mut self, tx: &mut Tx<'_>, step: &Step) -> Result<(), StoreError> {
        match step {
            Step::Put(key, value) => {
                tx.put(A, key, &[*value])?;
                self.now.insert(key.clone(), vec![*value]);
            }
            Step::Delete(key) => {
                tx.delete(A, key)?;
                self.now.remove(key);
            }
            Step::Get(key) => {
                let pending = tx.changes().iter().any(|change| change.key == *key);
                assert_eq!(tx.get(A, key)?.as_ref(), self.now.get(key));
                if !pending {
                    self.reads.push((Bound::Included(key.clone()), Bound::Included(key.clone())));
                }
            }
            Step::Scan { start, end, direction, most } => {
                self.scan(tx, (start, end), *direction, *most)?;
            }
            Step::Checkpoint => self.checkpoints.push((tx.checkpoint(), self.now.clone())),
            Step::Rollback(index) if !self.checkpoints.is_empty() => {
                let index = index % self.checkpoints.len();
                self.checkpoints.truncate(index + 1);
                let (checkpoint, then) = &self.checkpoints[index];
                tx.rollback_to(*checkpoint)?;
                self.now.clone_from(then);
            }
            Step::Release(index) if !self.checkpoints.is_empty() => {
                let index = index % self.checkpoints.len();
                tx.release(self.checkpoints[index].0)?;
                self.checkpoints.truncate(index);
            }
            _ => {}
        }
        let changed = tx.changes().iter().all(|change| match change.value {
            Some(value) => self.now.get(change.key).is_some_and(|now| now == value),
            None => !self.now.contains_key(change.key),
        });
        assert!(changed, "the write set is what the transaction sees");
        Ok(())
    }

    fn scan(
        &mut self,
        tx: &Tx<'_>,
        (start, end): (&Bound<Key>, &Bound<Key>),
        direction: Direction,
        most: usize,
    ) -> Result<(), StoreError> {
        let range = KeyRange::new(start.as_ref().map(|key| &**key), end.as_ref().map(|key| &**key))
            .with_direction(direction);
        let mut expected: Vec<_> = self.now.iter().filter(|(key, _)| range.contains(key)).collect();
        if direction == Direction::Backward {
            expected.reverse();
        }
        let mut rows = tx.rows(A, range)?;
        let mut last = None;
        for index in 0..most {
            let row = rows.next()?.map(|row| (row.key.to_vec(), row.value.to_vec()));
            let expected = expected.get(index).map(|(k, v)| (k.to_vec(), v.to_vec()));
            assert_eq!(row, expected, "row {index} of {start:02x?} to {end:02x?} {direction:?}");
            last = row.map(|(key, _)| key);
            if last.is_none() {
                // The range was read to its end.
                self.reads.push((start.clone(), end.clone()));
                return Ok(());
            }
        }
        if let Some(last) = last {
            self.reads.push(match direction {
                Direction::Forward => (start.clone(), Bound::Included(last)),
                Direction::Backward => (Bound::Included(last), end.clone()),
            });
        }
        Ok(())
    }
}
