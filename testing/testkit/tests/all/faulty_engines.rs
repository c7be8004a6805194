//! Tests that the rules detect engines with a defect.

use keyscape_store::{
    Commit, Cursor, Database, Direction, KeyRange, Limits, Memory, Mode, ReadSet, Revision, Row,
    Session, Spaces, StoreError, StoreErrorKind, StoreId, Watchers,
};
use keyscape_testkit::conformance::{LOCAL_RULES, RULES, Rule, Setup, check};
use std::{
    ops::Bound,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::Arc,
};

/// The defect of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Defect {
    Nothing,
    /// Range reads are not compared, so phantoms are missed.
    MissesPhantoms,
    /// No reads are compared.
    MissesConflicts,
    /// An excluded start is treated as included.
    WrongStart,
    /// A range without end stops before `FF`.
    LosesTheLast,
    /// Backward iteration begins at the wrong end.
    OneWayOnly,
    /// An empty value is treated as missing.
    LosesEmptyValues,
    /// Each read sees the newest state.
    SnapshotMoves,
    /// The revision never changes.
    SameRevision,
    /// A commit in read mode is accepted.
    WritesWhileReading,
    /// Deleted rows stay.
    KeepsDeleted,
    /// The row is lost after it was returned.
    ForgetsTheRow,
    /// A panic in a callback becomes an error of the engine.
    SwallowsPanics,
    /// Some acknowledged commits are not written.
    LosesCommits,
    /// Commits are not published.
    PublishesNothing,
}

#[derive(Debug)]
struct FaultyEngine {
    inner: Memory,
    defect: Defect,
    unpublished: Watchers,
}

struct FaultySession<'db> {
    engine: &'db FaultyEngine,
    inner: Box<dyn Session + 'db>,
    mode: Mode,
}

struct FaultyCursor<'a> {
    defect: Defect,
    inner: Box<dyn Cursor + 'a>,
}

impl Database for FaultyEngine {
    fn engine(&self) -> &'static str {
        "faulty"
    }

    fn spaces(&self) -> &Arc<Spaces> {
        self.inner.spaces()
    }

    fn limits(&self) -> Limits {
        self.inner.limits()
    }

    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError> {
        let inner = self.inner.begin(mode)?;
        Ok(Box::new(FaultySession { engine: self, inner, mode }))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.inner.sync()
    }

    fn watchers(&self) -> Option<&Watchers> {
        if self.defect == Defect::PublishesNothing {
            Some(&self.unpublished)
        } else {
            self.inner.watchers()
        }
    }
}

impl Session for FaultySession<'_> {
    fn revision(&self) -> Revision {
        if self.engine.defect == Defect::SameRevision { Revision(1) } else { self.inner.revision() }
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        match self.engine.defect {
            Defect::SnapshotMoves => self.engine.inner.begin(Mode::Read)?.read(store, key, found),
            Defect::LosesEmptyValues => {
                let mut there = false;
                self.inner.read(store, key, &mut |value| {
                    there = !value.is_empty();
                    if there {
                        found(value);
                    }
                })?;
                Ok(there)
            }
            Defect::SwallowsPanics => {
                let read = AssertUnwindSafe(|| self.inner.read(store, key, found));
                catch_unwind(read).unwrap_or_else(|_| Err(StoreErrorKind::ReadOnly.into()))
            }
            _ => self.inner.read(store, key, found),
        }
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        let direction = range.direction();
        let changed = match (self.engine.defect, range.bounds()) {
            (Defect::WrongStart, (Bound::Excluded(start), end)) => {
                KeyRange::new(Bound::Included(start), end).with_direction(direction)
            }
            (Defect::LosesTheLast, (start, Bound::Unbounded)) => {
                KeyRange::new(start, Bound::Excluded(&[0xff])).with_direction(direction)
            }
            (Defect::OneWayOnly, _) => range.clone().with_direction(Direction::Forward),
            _ => range.clone(),
        };
        let inner = self.inner.cursor(store, changed)?;
        Ok(Box::new(FaultyCursor { defect: self.engine.defect, inner }))
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        let mut commit = commit;
        match self.engine.defect {
            Defect::MissesConflicts => commit.reads = ReadSet::new(),
            Defect::MissesPhantoms => {
                let mut keys = ReadSet::new();
                for (store, range) in commit.reads.iter() {
                    if let (Bound::Included(start), Bound::Included(end)) = range.bounds()
                        && start == end
                    {
                        keys.add_key(store, start);
                    }
                }
                commit.reads = keys;
            }
            Defect::KeepsDeleted => {
                let mut changes = keyscape_store::Changes::new();
                for change in commit.changes.iter().filter(|change| change.value.is_some()) {
                    changes.set(self.engine.spaces(), change.store, change.key, change.value)?;
                }
                commit.changes = changes;
            }
            Defect::LosesCommits if self.inner.revision().0 % 3 == 2 => {
                commit.changes = keyscape_store::Changes::new();
            }
            Defect::WritesWhileReading if self.mode == Mode::Read => {
                return self.engine.inner.begin(Mode::Write)?.commit(commit);
            }
            _ => {}
        }
        self.inner.commit(commit)
    }
}

impl Cursor for FaultyCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        self.inner.next()
    }

    fn row(&self) -> Option<Row<'_>> {
        if self.defect == Defect::ForgetsTheRow { None } else { self.inner.row() }
    }
}

/// Whether an engine with this defect violates a rule.
fn breaks(defect: Defect, rule: &Rule) -> bool {
    let factory = |Setup { spaces, limits }: Setup| -> Box<dyn Database> {
        let unpublished = Watchers::default();
        Box::new(FaultyEngine {
            inner: Memory::new(spaces).with_limits(limits),
            defect,
            unpublished,
        })
    };
    catch_unwind(AssertUnwindSafe(|| check(rule, &factory))).is_err()
}

fn all_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(LOCAL_RULES)
}

#[test]
fn an_engine_without_a_defect_breaks_no_rule() {
    let broken: Vec<&str> =
        all_rules().filter(|rule| breaks(Defect::Nothing, rule)).map(|rule| rule.0).collect();
    assert_eq!(broken, Vec::<&str>::new());
}

#[test]
fn every_defect_breaks_its_rule() {
    let cases = [
        (Defect::MissesPhantoms, "a new key in a range that was read conflicts"),
        (Defect::MissesConflicts, "a write to a key that was read conflicts"),
        (Defect::MissesConflicts, "every write inside a read range conflicts"),
        (Defect::SameRevision, "nothing but a commit changes the revision"),
        (Defect::MissesConflicts, "two transactions cannot both miss the write of the other"),
        (Defect::MissesPhantoms, "two transactions do not both find a range empty"),
        (Defect::MissesConflicts, "a reader sees no state that never existed"),
        (Defect::MissesConflicts, "histories of concurrent transactions are serializable"),
        (Defect::MissesPhantoms, "histories of concurrent transactions are serializable"),
        (Defect::MissesConflicts, "transfers conserve the total"),
        (Defect::LosesCommits, "a commit that fails is not written, and no other one is lost"),
        (
            Defect::WrongStart,
            "bounds of all kinds, in both directions, with and without pending writes",
        ),
        (Defect::LosesTheLast, "a prefix has exactly the keys that begin with it"),
        (Defect::OneWayOnly, "a prefix has exactly the keys that begin with it"),
        (Defect::LosesEmptyValues, "empty keys and values are rows"),
        (Defect::SnapshotMoves, "a later commit does not change a snapshot"),
        (Defect::SameRevision, "revisions grow with each commit"),
        (Defect::WritesWhileReading, "reading does not write"),
        (Defect::KeepsDeleted, "transactions, checkpoints and cursors agree with a sorted map"),
        (Defect::ForgetsTheRow, "a cursor that has ended returns no more rows"),
        (Defect::PublishesNothing, "a subscription reports the commits of its range"),
        (Defect::SwallowsPanics, "a panic in a callback passes through and changes nothing"),
    ];
    for (defect, name) in cases {
        let rule = all_rules().find(|rule| rule.0 == name).expect("a rule of this name");
        assert!(breaks(defect, rule), "{defect:?} was not caught by `{name}`");
    }
}

#[test]
fn only_three_kinds_of_errors_are_retryable() {
    let retried = [StoreErrorKind::Conflict, StoreErrorKind::SnapshotExpired, StoreErrorKind::Busy];
    for kind in retried {
        assert!(StoreError::new(kind).is_retryable());
    }
    for kind in [StoreErrorKind::CommitUnknown, StoreErrorKind::Poisoned, StoreErrorKind::ReadOnly]
    {
        assert!(!StoreError::new(kind).is_retryable());
    }
}
