//! Building an index from the rows of its map, in steps.

use crate::{
    Error, Index, IndexFault, IndexRows, Keyspace, MapRows,
    engine::{EntryList, Location},
    index::IndexedRow,
    index_check::{self, has_row, is_right},
};
use keyscape_store::{
    BuildError, BuildPhase, BuildState, IndexSource, KeyRange, Read, Row, StoreError, StoreId, Tx,
};
use std::ops::ControlFlow;

impl<I: IndexRows> IndexSource for Index<I> {
    fn rows(&self, state: &dyn Read) -> Result<u64, StoreError> {
        let range = KeyRange::prefix(<I::Map as MapRows>::PREFIX);
        let mut rows = state.rows(StoreId::of(<I::Map as Keyspace>::SPACE), range)?;
        let mut count = 0;
        while let Some(row) = rows.next()? {
            count += u64::from(<I::Map as Keyspace>::decode(row.key).is_ok());
        }
        Ok(count)
    }

    fn check(
        &self,
        state: &dyn Read,
        found: &mut dyn FnMut(&[u8], &str),
    ) -> Result<(), BuildError> {
        for fault in &index_check::check::<I>(state)?.first {
            match fault {
                IndexFault::Missing { row, .. } => found(row, "the row has no entry"),
                IndexFault::Wrong { entry, .. } => found(entry, "the entry has a wrong value"),
                IndexFault::Stray { entry } => found(entry, "the entry has no row"),
            }
        }
        Ok(())
    }

    fn step(
        &self,
        tx: &mut Tx<'_>,
        state: &BuildState,
        max: usize,
    ) -> Result<Option<BuildState>, BuildError> {
        Ok(step::<I>(tx, state, max)?.0)
    }
}

/// Works on at most `max` rows or entries. Returns the position after them, and the number of
/// entries that were put or deleted.
fn step<I: IndexRows>(
    tx: &mut Tx<'_>,
    state: &BuildState,
    max: usize,
) -> Result<(Option<BuildState>, u64), Error> {
    let mut changed = 0;
    let after = state.after.as_deref();
    let last = match state.phase {
        BuildPhase::Clear => some::<I>(tx, I::PREFIX, after, max, |tx, row| {
            changed += u64::from(clear_entry::<I>(tx, row)?);
            Ok(())
        }),
        BuildPhase::Fill => {
            some::<I::Map>(tx, <I::Map as MapRows>::PREFIX, after, max, |tx, row| {
                changed += fill_entries::<I>(tx, row)?;
                Ok(())
            })
        }
    }?;
    let next = match (last, state.phase) {
        (Some(key), phase) => Some(BuildState { phase, after: Some(key) }),
        (None, BuildPhase::Clear) => Some(BuildState { phase: BuildPhase::Fill, after: None }),
        (None, BuildPhase::Fill) => None,
    };
    Ok((next, changed))
}

/// Rebuilds an index. The caller runs this as an attempt, since it may fail in the middle.
pub(crate) fn rebuild<I: IndexRows>(tx: &mut Tx<'_>) -> Result<u64, Error> {
    let mut total = 0;
    let mut state = Some(BuildState::START);
    while let Some(at) = state {
        let (next, changed) = step::<I>(tx, &at, usize::MAX)?;
        total += changed;
        state = next;
    }
    Ok(total)
}

/// Deletes an entry without a row. Returns whether it did.
fn clear_entry<I: IndexRows>(tx: &mut Tx<'_>, row: Row<'_>) -> Result<bool, Error> {
    let Ok(key) = I::decode(row.key) else { return Ok(false) };
    if has_row::<I>(tx, &key, row)? {
        return Ok(false);
    }
    Location::of::<I>().delete(tx, row.key)?;
    Ok(true)
}

/// Puts the entries of a row that are missing or wrong. Returns their number.
fn fill_entries<I: IndexRows>(tx: &mut Tx<'_>, row: Row<'_>) -> Result<u64, Error> {
    let Ok(key) = <I::Map as Keyspace>::decode(row.key) else { return Ok(0) };
    let indexed = IndexedRow { key: &key, key_bytes: row.key, value: row.value };
    let mut changed = 0;
    EntryList::with(|list| {
        indexed.list_in::<I>(list)?;
        for entry in list.keys() {
            match is_right::<I>(tx, entry, &indexed)? {
                Some(true) => continue,
                // Entries without a row are deleted by now, so the entry belongs to another row.
                Some(false) if I::UNIQUE => return Err(Location::of::<I>().not_unique(entry)),
                _ => {}
            }
            Location::of::<I>().put(tx, entry, indexed.entry::<I>())?;
            changed += 1;
        }
        Ok(changed)
    })
}

/// Passes copies of at most `max` rows under a prefix to `visit`, which may write. Returns the last
/// key if more rows may follow.
fn some<K: Keyspace>(
    tx: &mut Tx<'_>,
    prefix: &[u8],
    after: Option<&[u8]>,
    max: usize,
    mut visit: impl FnMut(&mut Tx<'_>, Row<'_>) -> Result<(), Error>,
) -> Result<Option<Vec<u8>>, Error> {
    let range = KeyRange::prefix(prefix);
    let range = match after {
        Some(key) => range.after(key),
        None => range,
    };
    let (mut count, mut last) = (0, None);
    Location::of::<K>().walk(tx, range, |tx, row| {
        visit(tx, row)?;
        count += 1;
        if count < max {
            return Ok(ControlFlow::Continue(()));
        }
        last = Some(row.key.to_vec());
        Ok::<_, Error>(ControlFlow::Break(()))
    })?;
    Ok(last)
}
