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
enum Lie {
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
struct Liar {
    honest: Memory,
    lie: Lie,
    deaf: Watchers,
}

struct LiarSession<'db> {
    liar: &'db Liar,
    honest: Box<dyn Session + 'db>,
    mode: Mode,
}

struct LiarCursor<'a> {
    lie: Lie,
    honest: Box<dyn Cursor + 'a>,
}

impl Database for Liar {
    fn engine(&self) -> &'static str {
        "liar"
    }

    fn spaces(&self) -> &Arc<Spaces> {
        self.honest.spaces()
    }

    fn limits(&self) -> Limits {
        self.honest.limits()
    }

    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError> {
        let honest = self.honest.begin(mode)?;
        Ok(Box::new(LiarSession { liar: self, honest, mode }))
    }

    fn sync(&self) -> Result<(), StoreError> {
        self.honest.sync()
    }

    fn watchers(&self) -> Option<&Watchers> {
        if self.lie == Lie::PublishesNothing { Some(&self.deaf) } else { self.honest.watchers() }
    }
}

impl Session for LiarSession<'_> {
    fn revision(&self) -> Revision {
        if self.liar.lie == Lie::SameRevision { Revision(1) } else { self.honest.revision() }
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        match self.liar.lie {
            Lie::SnapshotMoves => self.liar.honest.begin(Mode::Read)?.read(store, key, found),
            Lie::LosesEmptyValues => {
                let mut there = false;
                self.honest.read(store, key, &mut |value| {
                    there = !value.is_empty();
                    if there {
                        found(value);
                    }
                })?;
                Ok(there)
            }
            Lie::SwallowsPanics => {
                let read = AssertUnwindSafe(|| self.honest.read(store, key, found));
                catch_unwind(read).unwrap_or_else(|_| Err(StoreErrorKind::ReadOnly.into()))
            }
            _ => self.honest.read(store, key, found),
        }
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        let direction = range.direction();
        let changed = match (self.liar.lie, range.bounds()) {
            (Lie::WrongStart, (Bound::Excluded(start), end)) => {
                KeyRange::new(Bound::Included(start), end).with_direction(direction)
            }
            (Lie::LosesTheLast, (start, Bound::Unbounded)) => {
                KeyRange::new(start, Bound::Excluded(&[0xff])).with_direction(direction)
            }
            (Lie::OneWayOnly, _) => range.clone().with_direction(Direction::Forward),
            _ => range.clone(),
        };
        let honest = self.honest.cursor(store, changed)?;
        Ok(Box::new(LiarCursor { lie: self.liar.lie, honest }))
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        let mut commit = commit;
        match self.liar.lie {
            Lie::MissesConflicts => commit.reads = ReadSet::new(),
            Lie::MissesPhantoms => {
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
            Lie::KeepsDeleted => {
                let mut changes = keyscape_store::Changes::new();
                for change in commit.changes.iter().filter(|change| change.value.is_some()) {
                    changes.set(self.liar.spaces(), change.store, change.key, change.value)?;
                }
                commit.changes = changes;
            }
            Lie::LosesCommits if self.honest.revision().0 % 3 == 2 => {
                commit.changes = keyscape_store::Changes::new();
            }
            Lie::WritesWhileReading if self.mode == Mode::Read => {
                return self.liar.honest.begin(Mode::Write)?.commit(commit);
            }
            _ => {}
        }
        self.honest.commit(commit)
    }
}

impl Cursor for LiarCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        self.honest.next()
    }

    fn row(&self) -> Option<Row<'_>> {
        if self.lie == Lie::ForgetsTheRow { None } else { self.honest.row() }
    }
}

/// Whether an engine with this defect violates a rule.
fn breaks(lie: Lie, rule: &Rule) -> bool {
    let factory = |Setup { spaces, limits }: Setup| -> Box<dyn Database> {
        let deaf = Watchers::default();
        Box::new(Liar { honest: Memory::new(spaces).with_limits(limits), lie, deaf })
    };
    catch_unwind(AssertUnwindSafe(|| check(rule, &factory))).is_err()
}

fn all_rules() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().chain(LOCAL_RULES)
}

#[test]
fn an_honest_engine_breaks_no_rule() {
    let broken: Vec<&str> =
        all_rules().filter(|rule| breaks(Lie::Nothing, rule)).map(|rule| rule.0).collect();
    assert_eq!(broken, Vec::<&str>::new());
}

#[test]
fn every_lie_breaks_the_rule_that_is_about_it() {
    let about = [
        (Lie::MissesPhantoms, "a new key in a range that was read conflicts"),
        (Lie::MissesConflicts, "a write to a key that was read conflicts"),
        (Lie::MissesConflicts, "every write inside what was read conflicts"),
        (Lie::SameRevision, "nothing but a commit changes the revision"),
        (Lie::MissesConflicts, "each of two transactions is not blind to the other"),
        (Lie::MissesPhantoms, "two transactions do not both find a range empty"),
        (Lie::MissesConflicts, "a reader sees no state that never was"),
        (Lie::MissesConflicts, "histories of concurrent transactions are serializable"),
        (Lie::MissesPhantoms, "histories of concurrent transactions are serializable"),
        (Lie::MissesConflicts, "transfers conserve the total"),
        (Lie::LosesCommits, "a commit that fails is not written, and no other one is lost"),
        (Lie::WrongStart, "bounds of all kinds, both ways, clean and with pending writes"),
        (Lie::LosesTheLast, "a prefix has exactly the keys that begin with it"),
        (Lie::OneWayOnly, "a prefix has exactly the keys that begin with it"),
        (Lie::LosesEmptyValues, "empty keys and values are rows"),
        (Lie::SnapshotMoves, "a snapshot does not move"),
        (Lie::SameRevision, "revisions grow with each commit"),
        (Lie::WritesWhileReading, "reading does not write"),
        (Lie::KeepsDeleted, "transactions, checkpoints and cursors agree with a sorted map"),
        (Lie::ForgetsTheRow, "a cursor that has ended stays so"),
        (Lie::PublishesNothing, "a subscription reports the commits of its range"),
        (Lie::SwallowsPanics, "a panic in a callback passes through and changes nothing"),
    ];
    for (lie, name) in about {
        let rule = all_rules().find(|rule| rule.0 == name).expect("a rule of this name");
        assert!(breaks(lie, rule), "{lie:?} was not caught by `{name}`");
    }
}

#[test]
fn the_kinds_of_errors_that_can_be_retried_are_few() {
    let retried = [StoreErrorKind::Conflict, StoreErrorKind::SnapshotExpired, StoreErrorKind::Busy];
    for kind in retried {
        assert!(StoreError::new(kind).is_retryable());
    }
    for kind in [StoreErrorKind::CommitUnknown, StoreErrorKind::Poisoned, StoreErrorKind::ReadOnly]
    {
        assert!(!StoreError::new(kind).is_retryable());
    }
}
