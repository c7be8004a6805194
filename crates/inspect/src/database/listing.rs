//! Lists the rows and the structures of a keyspace.

use super::{DatabaseError, Entry, OpenDatabase, RowFilter, Stored, space_name};
use keyscape_layout::model::KeyspaceId;
use keyscape_runtime::record;
use keyscape_store::{Direction, KeyRange, Read, StoreId, prefix_end};
use std::ops::{Bound, ControlFlow};

/// A listing of selected rows, in one direction, after a key.
#[derive(Debug)]
pub struct Listing<'a> {
    pub filter: &'a RowFilter,
    pub direction: Direction,
    /// The stored key after which the listing begins.
    pub after: Option<&'a [u8]>,
}

/// The number of rows that contradict the layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Faults {
    /// Rows that belong to no keyspace.
    pub unknown: u64,
    /// Values that do not have the form of the layout.
    pub values: u64,
}

/// A page of a listing.
#[derive(Debug, Default)]
pub struct Page {
    /// The rows, each with its stored key.
    pub rows: Vec<(Vec<u8>, Entry)>,
    /// The stored key after which the listing continues, if it does.
    pub next: Option<Vec<u8>>,
    /// Whether the work ended before the page was full.
    pub is_cut: bool,
    /// The number of rows that were read.
    pub read: u64,
    pub faults: Faults,
}

impl Listing<'_> {
    /// Passes each row with its stored key to `visit`.
    ///
    /// # Errors
    /// Returns errors of the database, and the first error of `visit`.
    pub fn each<E: From<DatabaseError>>(
        &self,
        base: &OpenDatabase<'_>,
        prefix: &[u8],
        mut visit: impl FnMut(&[u8], Entry) -> Result<ControlFlow<()>, E>,
    ) -> Result<Faults, E> {
        let (low, high) = self.filter.interval(base.layout, prefix);
        let high = high.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange::new(Bound::Included(&low), high);
        self.walk(base, range, |key, entry| match entry {
            Some(entry) => visit(key, entry),
            None => Ok(ControlFlow::Continue(())),
        })
    }

    /// Returns the next rows in a range, at most `size`. Asks `may_continue` before each row that
    /// is read, so the work is bounded even if few rows match.
    ///
    /// # Errors
    /// Returns errors of the database.
    pub fn page(
        &self,
        base: &OpenDatabase<'_>,
        range: KeyRange<'_>,
        size: usize,
        mut may_continue: impl FnMut() -> bool,
    ) -> Result<Page, DatabaseError> {
        let mut page = Page::default();
        let mut last = Vec::new();
        page.faults = self.walk(base, range, |key, entry| {
            page.read += 1;
            if let Some(entry) = entry {
                if page.rows.len() == size {
                    page.next = page.rows.last().map(|(key, _)| key.clone());
                    return Ok(ControlFlow::Break(()));
                }
                page.rows.push((key.to_vec(), entry));
            }
            if may_continue() {
                return Ok::<_, DatabaseError>(ControlFlow::Continue(()));
            }
            last = key.to_vec();
            page.is_cut = true;
            Ok(ControlFlow::Break(()))
        })?;
        if page.is_cut {
            page.next = Some(last);
        }
        Ok(page)
    }

    /// Passes each row to `visit`, without its entry if it is not selected.
    fn walk<E: From<DatabaseError>>(
        &self,
        base: &OpenDatabase<'_>,
        range: KeyRange<'_>,
        mut visit: impl FnMut(&[u8], Option<Entry>) -> Result<ControlFlow<()>, E>,
    ) -> Result<Faults, E> {
        base.refuse_unbuilt(self.filter.keyspace)?;
        let space = space_name(base.layout, self.filter.keyspace);
        let state = base.db.read().map_err(DatabaseError::from)?;
        let range = range.with_direction(self.direction);
        let range = match self.after {
            Some(key) => range.after(key),
            None => range,
        };
        let mut faults = Faults::default();
        let mut rows = state.rows(StoreId::of(&space), range).map_err(DatabaseError::from)?;
        while let Some(row) = rows.next().map_err(DatabaseError::from)? {
            let entry = base.reader.read(&space, row.key, row.value);
            faults.unknown += u64::from(entry.is_err());
            let entry = entry.ok().filter(|entry| self.filter.selects(base.layout, entry));
            if let Some(entry) = &entry {
                faults.note(entry);
            }
            if visit(row.key, entry)?.is_break() {
                break;
            }
        }
        Ok(faults)
    }
}

impl Faults {
    /// Counts the value of an entry if it does not have the form of the layout.
    pub fn note(&mut self, entry: &Entry) {
        self.values += u64::from(matches!(entry.value(), Some(Stored::Raw(_))));
    }
}

/// Returns the next structures of a keyspace, each with its first valid record and the bytes that
/// its records begin with. Calls `on_row` for each record that is read.
///
/// # Errors
/// Returns errors of the database.
pub fn structures(
    base: &OpenDatabase<'_>,
    id: KeyspaceId,
    after: Option<&[u8]>,
    limit: usize,
    mut on_row: impl FnMut() -> ControlFlow<()>,
) -> Result<Vec<(Entry, Vec<u8>)>, DatabaseError> {
    let space = space_name(base.layout, id);
    let prefix = base.prefix(id)?;
    let state = base.db.read()?;
    let mut found: Vec<(Entry, Vec<u8>)> = Vec::new();
    let mut start_at = after.and_then(prefix_end).unwrap_or_else(|| prefix.clone());
    let end = prefix_end(&prefix);
    'structures: while found.len() < limit {
        let end = end.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let range = KeyRange::new(Bound::Included(&start_at), end);
        let mut rows = state.rows(StoreId::of(&space), range)?;
        let mut current = None;
        while let Some(row) = rows.next()? {
            if on_row().is_break() {
                break 'structures;
            }
            let Some(start) = structure_start(row.key) else { continue };
            if current.get_or_insert_with(|| start.clone()) != &start {
                break;
            }
            let Ok(entry) = base.reader.read(&space, row.key, row.value) else { continue };
            if entry.keyspace == id {
                found.push((entry, start));
            }
            break;
        }
        drop(rows);
        match current.as_deref().and_then(prefix_end) {
            Some(next) => start_at = next,
            None => break,
        }
    }
    Ok(found)
}

/// Returns the bytes that all records of a structure begin with, from one of their keys; `None` if
/// the key belongs to no structure.
fn structure_start(key: &[u8]) -> Option<Vec<u8>> {
    let split = record::split(key).ok().filter(|split| split.kind != record::Kind::Row)?;
    let mut start = Vec::new();
    record::begin_structure(split.kind, &split.structure, &mut start);
    Some(start)
}
