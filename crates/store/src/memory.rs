//! The memory engine.

use crate::{
    Changes, Commit, ConflictLog, Cursor, Database, Db, Direction, KeyRange, Layout, LayoutError,
    Limits, Mode, Revision, Row, Session, Spaces, StoreError, StoreErrorKind, StoreId, Watchers,
    WriteGate, WritePass, changes::Value, conflict::LogGuard, key::Key,
};
use imbl::{OrdMap, ordmap::RangedIter, shared_ptr::DefaultSharedPtr};
use std::sync::{Arc, PoisonError, RwLock};

type Map = OrdMap<Key, Value>;
type MapRange<'a> = RangedIter<'a, Key, Value, DefaultSharedPtr>;

/// Creates an empty database in memory for a layout.
///
/// ```
/// use keyscape_store::{Layout, StoreId, memory};
///
/// const SHOP: Layout<'static> = Layout { spaces: &["shop"], ..Layout::named("shop") };
/// let db = memory(&SHOP)?;
/// db.write(|tx| tx.put(StoreId::of("shop"), b"ink", b"3"))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`Db::admit`].
pub fn memory(layout: &Layout<'_>) -> Result<Db, LayoutError> {
    memory_with(&[layout])
}

/// Creates an empty database in memory for several layouts.
///
/// ```
/// use keyscape_store::{Layout, memory_with};
///
/// const BANK: Layout<'static> = Layout { spaces: &["bank"], ..Layout::named("bank") };
/// const NOTES: Layout<'static> = Layout { spaces: &["notes"], ..Layout::named("notes") };
/// let db = memory_with(&[&BANK, &NOTES])?;
/// assert_eq!(db.spaces().iter().count(), 3); // includes the metadata of layouts
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`memory`].
pub fn memory_with(layouts: &[&Layout<'_>]) -> Result<Db, LayoutError> {
    let db = Db::new(Memory::new(Layout::spaces_of(layouts)?));
    db.admit(layouts)?;
    Ok(db)
}

/// A database in memory, for tests, simulations and caches. [`memory`] opens one for a layout.
///
/// States share their common rows. Starting a session is cheap, and readers hold no lock.
#[derive(Debug)]
pub struct Memory {
    spaces: Arc<Spaces>,
    limits: Limits,
    newest: RwLock<Arc<State>>,
    gate: WriteGate,
    log: ConflictLog,
    watchers: Watchers,
}

#[derive(Clone, Debug)]
struct State {
    revision: Revision,
    /// By slot.
    maps: Vec<Map>,
}

/// Commits of up to this many rows are written while new sessions wait. Larger ones are written to
/// a copy, which shares the unchanged nodes.
const MAX_ROWS_IN_PLACE: u64 = 1024;

impl State {
    /// Writes changes. All their stores are known.
    fn write(&mut self, spaces: &Spaces, revision: Revision, changes: Changes) {
        self.revision = revision;
        for store in changes.into_stores() {
            let map = spaces.slot(store.id()).and_then(|slot| self.maps.get_mut(slot));
            let Some(map) = map else { continue };
            for (key, value) in store.into_pending() {
                match value {
                    Some(value) => map.insert(key, value),
                    None => map.remove(&key),
                };
            }
        }
    }
}

impl Memory {
    /// Creates an empty database with these spaces.
    #[must_use]
    pub fn new(spaces: Spaces) -> Memory {
        let maps = vec![Map::new(); spaces.len()];
        Memory {
            spaces: Arc::new(spaces),
            limits: Limits::NONE,
            newest: RwLock::new(Arc::new(State { revision: Revision(0), maps })),
            gate: WriteGate::new(),
            log: ConflictLog::default(),
            watchers: Watchers::default(),
        }
    }

    /// Sets limits, such as those of the engine that a test replaces.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Memory {
        Memory { limits, ..self }
    }

    /// Sets the approximate number of bytes for conflict detection.
    #[must_use]
    pub fn with_conflict_capacity(self, bytes: usize) -> Memory {
        Memory { log: ConflictLog::new(bytes), ..self }
    }

    fn newest(&self) -> Arc<State> {
        Arc::clone(&self.newest.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Writes the changes on top of the newest state. The caller holds a pass of the gate.
    fn apply(&self, changes: Changes) -> Result<Revision, StoreError> {
        for store in changes.stores() {
            self.spaces.try_slot(store.id())?;
        }
        let before = self.newest();
        let revision = Revision(before.revision.0 + 1);
        self.log.record(revision, &changes);
        let publication = self.watchers.select(revision, &changes);
        if changes.rows() <= MAX_ROWS_IN_PLACE {
            // Without readers of the newest state, its nodes are changed and not copied.
            drop(before);
            let mut newest = self.newest.write().unwrap_or_else(PoisonError::into_inner);
            Arc::make_mut(&mut newest).write(&self.spaces, revision, changes);
        } else {
            let mut state = State::clone(&before);
            state.write(&self.spaces, revision, changes);
            *self.newest.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(state);
        }
        publication.publish();
        Ok(revision)
    }
}

impl Database for Memory {
    fn engine(&self) -> &'static str {
        "memory"
    }

    fn spaces(&self) -> &Arc<Spaces> {
        &self.spaces
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn begin(&self, mode: Mode) -> Result<Box<dyn Session + '_>, StoreError> {
        let pass = if mode == Mode::Write { Some(self.gate.enter()?) } else { None };
        let guard = (mode == Mode::Optimistic).then(|| self.log.hold());
        let state = self.newest();
        Ok(Box::new(MemorySession { database: self, state, pass, guard }))
    }

    fn sync(&self) -> Result<(), StoreError> {
        Ok(())
    }

    fn watchers(&self) -> Option<&Watchers> {
        Some(&self.watchers)
    }
}

struct MemorySession<'db> {
    database: &'db Memory,
    state: Arc<State>,
    /// Present in [`Mode::Write`].
    pass: Option<WritePass<'db>>,
    /// Present in [`Mode::Optimistic`].
    guard: Option<LogGuard<'db>>,
}

impl MemorySession<'_> {
    fn map(&self, store: StoreId) -> Result<&Map, StoreError> {
        self.database.spaces.try_slot(store).map(|slot| &self.state.maps[slot])
    }
}

impl Session for MemorySession<'_> {
    fn revision(&self) -> Revision {
        self.state.revision
    }

    fn read(
        &self,
        store: StoreId,
        key: &[u8],
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, StoreError> {
        let map = self.map(store)?;
        let value = match Key::short(key) {
            Some(key) => map.get(&key),
            None => map.get(key),
        };
        value.into_iter().for_each(|value| found(value));
        Ok(value.is_some())
    }

    fn cursor(
        &self,
        store: StoreId,
        range: KeyRange<'_>,
    ) -> Result<Box<dyn Cursor + '_>, StoreError> {
        let map = self.map(store)?;
        let rest = (!range.is_empty()).then(|| match Key::short_bounds(range.bounds()) {
            Some(bounds) => map.range(bounds),
            None => map.range::<_, [u8]>(range.bounds()),
        });
        Ok(Box::new(MemoryCursor { rest, direction: range.direction(), row: None }))
    }

    fn commit(self: Box<Self>, commit: Commit) -> Result<Revision, StoreError> {
        let Commit { changes, reads, .. } = commit;
        let MemorySession { database, state, pass, guard } = *self;
        let began_at = state.revision;
        // The session reads no more, so its state need not be kept.
        drop(state);
        match (&pass, &guard) {
            (Some(_), _) => database.apply(changes),
            (None, Some(_)) => {
                let _pass = database.gate.enter()?;
                database.log.check(began_at, &reads)?;
                database.apply(changes)
            }
            (None, None) => Err(StoreErrorKind::ReadOnly.into()),
        }
    }
}

struct MemoryCursor<'a> {
    rest: Option<MapRange<'a>>,
    direction: Direction,
    row: Option<Row<'a>>,
}

impl Cursor for MemoryCursor<'_> {
    fn next(&mut self) -> Result<Option<Row<'_>>, StoreError> {
        let next = self.rest.as_mut().and_then(|rest| match self.direction {
            Direction::Forward => rest.next(),
            Direction::Backward => rest.next_back(),
        });
        if next.is_none() {
            self.rest = None;
        }
        self.row = next.map(|(key, value)| Row { key, value });
        Ok(self.row)
    }

    fn row(&self) -> Option<Row<'_>> {
        self.row
    }
}
